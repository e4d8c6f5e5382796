"""A frame's inputs in bytes: player by player, little-endian, each of the game's input size."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from retick.errors import UsageError

__all__ = ["MAX_FRAME", "MAX_INPUT_SIZE", "MAX_PLAYERS", "pack_frames", "pack_inputs", "unpack_inputs"]

MAX_PLAYERS: Final = 16
MAX_INPUT_SIZE: Final = 8
MAX_FRAME: Final = 0xFFFFFFFF


def pack_inputs(inputs: Sequence[int], num_players: int, input_size: int) -> bytes:
    """One frame's inputs, one integer for each player."""
    if isinstance(inputs, str | bytes) or not isinstance(inputs, Sequence):
        raise UsageError(f"a frame must be a sequence with one integer for each player, not {inputs!r}")
    if len(inputs) != num_players:
        raise UsageError(f"a frame has {num_players} inputs, one for each player, not {len(inputs)}")
    largest = (1 << (8 * input_size)) - 1
    for player, value in enumerate(inputs):
        if not isinstance(value, int) or not 0 <= value <= largest:
            raise UsageError(
                f"input of player {player} must be an integer of {8 * input_size} bits (0 to {largest}), not {value!r}"
            )
    return b"".join(int(value).to_bytes(input_size, "little") for value in inputs)


def unpack_inputs(row: bytes, input_size: int) -> tuple[int, ...]:
    """The inputs that ``pack_inputs`` packed."""
    return tuple(int.from_bytes(row[at : at + input_size], "little") for at in range(0, len(row), input_size))


def pack_frames(frames: Any, num_players: int, input_size: int) -> bytes:
    """Many frames packed; ``frames`` is packed already, or a sequence with the inputs of each frame."""
    if isinstance(frames, bytes | bytearray | memoryview):
        packed = bytes(frames)
        width = num_players * input_size
        if len(packed) % width:
            raise UsageError(
                f"packed frames must be a multiple of {width} bytes "
                f"({num_players} players of {input_size}), not {len(packed)}"
            )
        return packed
    if isinstance(frames, str) or not isinstance(frames, Iterable):
        raise UsageError(f"frames must be bytes or a sequence of inputs for each frame, not {type(frames).__name__}")
    return b"".join(pack_inputs(inputs, num_players, input_size) for inputs in frames)
