"""A recorded match as a value. Both formats are read into it and written from it.

The simple case is ``Replay(seed=1, frames=...)``: two players of 16 buttons from the start of a match. Frames are
numbered as in the match, from ``start_frame`` on. The input of frame ``f`` leads from the state at ``f`` to the
state at ``f + 1``, so a replay of ``n`` frames has the states ``start_frame`` to ``start_frame + n``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from retick.errors import UsageError
from retick.replay.arrival import Arrival, arrival_problem
from retick.replay.hosting import Hosting
from retick.replay.inputs import MAX_FRAME, MAX_INPUT_SIZE, MAX_PLAYERS, pack_frames, unpack_inputs
from retick.sim.prng import check_seed

__all__ = ["Replay", "checked_seats", "checked_shape"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A recorded match. Only ``seed`` and ``frames`` are required; the defaults are those of the simple case."""

    seed: int
    """The seed of the game's first state: 1 to 4294967295."""
    frames: bytes = field(repr=False)
    """Packed inputs of all frames. A sequence with one tuple of inputs for each frame is accepted and packed."""
    num_players: int = 2
    input_size: int = 2
    """Bytes of one player's input, 1 to 8."""
    start_frame: int = 0
    """Number of the first frame."""
    start_state: bytes | None = field(default=None, repr=False)
    """The state at ``start_frame`` in the game's own packing; None: the state made from the seed."""
    game_id: str = ""
    """Which game; empty: unknown."""
    game_version: int = 0
    """Which version of its rules; 0: unknown."""
    local_players: tuple[int, ...] = ()
    """Seats of the peer that recorded."""
    checkpoints: Mapping[int, int] = field(default_factory=dict, hash=False, repr=False)
    """Frame to checksum of the state at that frame, for some frames; the final state is one of them if known."""
    resyncs: Mapping[int, bytes] = field(default_factory=dict, hash=False, repr=False)
    """Frame to the packed state from which that frame and those after it go on: peers agreed on it after a desync. The
    state at that frame, and its checksum, are still those that the inputs before led to."""
    arrivals: tuple[Arrival, ...] = field(default=(), repr=False)
    """When each batch of remote inputs arrived, in order; empty: not recorded."""
    hosting: Hosting | None = field(default=None, repr=False)
    """Of a match that a server ran: who joined and left, and what players saw. None: all players were there from the
    start."""
    metadata: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Notes of the program that recorded; nothing here is needed to play."""
    truncated: bool = False
    """The recording was cut off before its end; this is the good part of it."""

    def __post_init__(self) -> None:
        checked_shape(self.num_players, self.input_size, self.start_frame, self.game_id, self.game_version)
        if self.start_state is not None and not isinstance(self.start_state, bytes):
            raise UsageError(f"start_state must be bytes or None, not {type(self.start_state).__name__}")
        self._set(seed=check_seed(self.seed))
        self._set(frames=pack_frames(self.frames, self.num_players, self.input_size))
        if self.end_frame > MAX_FRAME:
            raise UsageError(f"frames are numbered up to {MAX_FRAME}, and this replay would end at {self.end_frame}")
        self._set(local_players=checked_seats(self.local_players, self.num_players))
        self._set(checkpoints=_checked_checkpoints(self), arrivals=_checked_arrivals(self))
        self._set(metadata=_checked_metadata(self.metadata), resyncs=_checked_resyncs(self))
        if self.hosting is not None:
            self.hosting.check(self.num_players, self.start_frame)
            if self.resyncs or self.arrivals or self.local_players:
                raise UsageError("a match that a server ran has no resyncs, no arrivals and no local players")
            self._set(hosting=self.hosting.before(self.end_frame))

    def _set(self, **normalised: Any) -> None:
        for name, value in normalised.items():
            object.__setattr__(self, name, value)

    @property
    def width(self) -> int:
        """Bytes of one frame."""
        return self.num_players * self.input_size

    @property
    def frame_count(self) -> int:
        return len(self.frames) // self.width

    @property
    def end_frame(self) -> int:
        """The frame of the final state, one past the last frame with inputs."""
        return self.start_frame + self.frame_count

    @property
    def final_checksum(self) -> int | None:
        """The recorded checksum of the final state, if there is one."""
        return self.checkpoints.get(self.end_frame)

    def __len__(self) -> int:
        return self.frame_count

    def inputs_at(self, frame: int) -> tuple[int, ...]:
        """Every player's input at a frame."""
        if not isinstance(frame, int) or not self.start_frame <= frame < self.end_frame:
            raise UsageError(f"there is no frame {frame}: frames go from {self.start_frame} to {self.end_frame - 1}")
        return unpack_inputs(self.packed(frame, frame + 1), self.input_size)

    def packed(self, first: int, end: int) -> bytes:
        """The packed inputs of frames ``first`` to ``end - 1``."""
        if not self.start_frame <= first <= end <= self.end_frame:
            raise UsageError(f"frames {first} to {end} are not within {self.start_frame} to {self.end_frame}")
        base = self.start_frame
        return self.frames[(first - base) * self.width : (end - base) * self.width]

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        return replace(self, **changes)


def checked_shape(num_players: int, input_size: int, start_frame: int, game_id: str, game_version: int) -> None:
    """A UsageError unless a recording can have this shape."""
    bounds = (
        ("num_players", num_players, 1, MAX_PLAYERS),
        ("input_size", input_size, 1, MAX_INPUT_SIZE),
        ("start_frame", start_frame, 0, MAX_FRAME),
        ("game_version", game_version, 0, 0xFFFFFFFF),
    )
    for name, value, least, greatest in bounds:
        if not isinstance(value, int) or not least <= value <= greatest:
            raise UsageError(f"{name} must be an integer from {least} to {greatest}, not {value!r}")
    if not isinstance(game_id, str):
        raise UsageError(f"game_id must be text, not {game_id!r}")


def checked_seats(seats: Sequence[int], num_players: int) -> tuple[int, ...]:
    """The seats in ascending order without repetition; a UsageError if one does not exist."""
    for seat in seats:
        if not isinstance(seat, int) or not 0 <= seat < num_players:
            raise UsageError(f"there is no player {seat!r}: seats are 0 to {num_players - 1}")
    return tuple(sorted(set(seats)))


def _checked_checkpoints(replay: Replay) -> dict[int, int]:
    if not isinstance(replay.checkpoints, Mapping):
        raise UsageError(f"checkpoints are checksums by frame, not {replay.checkpoints!r}")
    for frame, checksum in replay.checkpoints.items():
        if not isinstance(frame, int) or not replay.start_frame <= frame <= replay.end_frame:
            raise UsageError(
                f"a checksum of frame {frame!r} is outside of the replay ({replay.start_frame} to {replay.end_frame})"
            )
        if not isinstance(checksum, int) or not 0 <= checksum <= 0xFFFFFFFF:
            raise UsageError(f"the checksum of frame {frame} must be an integer of 32 bits, not {checksum!r}")
    return dict(sorted(replay.checkpoints.items()))


def _checked_resyncs(replay: Replay) -> dict[int, bytes]:
    for frame, state in replay.resyncs.items():
        if not isinstance(frame, int) or not replay.start_frame <= frame < replay.end_frame:
            raise UsageError(f"no frame of the replay goes on from a state of frame {frame!r}")
        if not isinstance(state, bytes):
            raise UsageError(f"the state of frame {frame} must be bytes, not {type(state).__name__}")
    return dict(sorted(replay.resyncs.items()))


def _checked_arrivals(replay: Replay) -> tuple[Arrival, ...]:
    try:
        arrivals = tuple(each if type(each) is Arrival else Arrival(*each) for each in replay.arrivals)
    except TypeError:
        raise UsageError("arrivals are a sequence of local frame, player, first frame and number of frames") from None
    before = replay.start_frame
    for arrival in arrivals:
        problem = arrival_problem(arrival, replay, before)
        if problem:
            raise UsageError(f"{arrival}: {problem}")
        before = arrival.local_frame
    return arrivals


def _checked_metadata(metadata: Mapping[str, str]) -> dict[str, str]:
    for key, value in metadata.items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise UsageError(f"keys and values of metadata must be text, not {key!r}: {value!r}")
    return dict(metadata)
