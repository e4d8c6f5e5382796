"""The RBN1 packet as a value, and the words for why one cannot be encoded (a compiled kernel).

Nothing here reads or writes bytes: that is rbn1.py. Its encoders look for a reason only after ``struct`` refused the
values, so that a good packet is not checked twice.
"""

from typing import Any, NamedTuple, NoReturn

from retick.errors import EncodeError
from retick.wire.rbn1_layout import (
    CHECKSUM_BYTES,
    HEADER_BYTES,
    LOSS_STATS,
    LOSS_STATS_BYTES,
    MAX_COUNT,
    MAX_INPUT_BYTES,
    TIME_SYNC,
    TIME_SYNC_BYTES,
    WIDE_INPUTS,
)

__all__ = [
    "InputPacket",
    "LossStats",
    "TimeSync",
    "check_extensions",
    "check_shape",
    "encoded_size",
    "refuse",
]


class TimeSync(NamedTuple):
    """Where the sender is in time; see the format's page for how both leads are brought together."""

    frame: int
    """Low 16 bits of the frame that the sender is about to play."""
    lead: int
    """How far the sender runs ahead of the inputs that it receives, in 1/64 frame."""


class LossStats(NamedTuple):
    """Running totals of what the sender received and missed, each modulo 65536."""

    received: int
    lost: int


class InputPacket(NamedTuple):
    """The inputs of consecutive frames, oldest first. Nothing is checked until it is encoded."""

    start_frame: int
    ack_frame: int
    """Newest frame received from the other side without a gap; 0 also before any."""
    inputs: tuple[int, ...]
    """One for each frame; with several seats by frame, within a frame by seat."""
    checksum_frame: int | None = None
    checksum: int | None = None
    time_sync: TimeSync | None = None
    loss_stats: LossStats | None = None
    input_size: int = 2
    """Bytes of one input. Anything but 2 needs WIDE_INPUTS."""
    seats: int = 1
    """Players in this packet. Anything but 1 needs WIDE_INPUTS."""


def encoded_size(packet: InputPacket) -> int:
    """Bytes that the packet takes on the wire, if its values fit."""
    size = HEADER_BYTES + len(packet.inputs) * packet.input_size
    size += (packet.input_size, packet.seats) != (2, 1)
    size += CHECKSUM_BYTES * (packet.checksum is not None)
    size += TIME_SYNC_BYTES * (packet.time_sync is not None)
    return size + LOSS_STATS_BYTES * (packet.loss_stats is not None)


def check_shape(packet: InputPacket) -> None:
    """Refuse what is no packet at all, before anything is read of it."""
    size, seats = packet.input_size, packet.seats
    for name, value in (("input_size", size), ("seats", seats)):
        if not isinstance(value, int):
            raise EncodeError(f"{name} is a whole number, not {value!r}")
    if not (1 <= size <= 8 and 1 <= seats <= 8):
        raise EncodeError(f"inputs are of 1 to 8 bytes and 1 to 8 seats, not {size} and {seats}")
    if not isinstance(packet.inputs, (tuple, list)):
        raise EncodeError(f"inputs are a tuple of numbers, not {packet.inputs!r}")
    for name, block in (("time_sync", packet.time_sync), ("loss_stats", packet.loss_stats)):
        if block is not None and not (isinstance(block, tuple) and len(block) == 2):
            raise EncodeError(f"{name} has two numbers, not {block!r}")


def check_extensions(packet: InputPacket, extensions: Any) -> None:
    """Refuse what needs an extension that is not named."""
    size, seats = packet.input_size, packet.seats
    if len(packet.inputs) * size > MAX_INPUT_BYTES:
        raise EncodeError(f"inputs take at most {MAX_INPUT_BYTES} bytes, not {len(packet.inputs) * size}")
    if (size, seats) != (2, 1) and not extensions & WIDE_INPUTS:
        raise EncodeError(f"{seats} seats of {size} bytes need WIDE_INPUTS, which the peer must have named")
    if packet.time_sync is not None and not extensions & TIME_SYNC:
        raise EncodeError("a time sync block needs TIME_SYNC, which the peer must have named")
    if packet.loss_stats is not None and not extensions & LOSS_STATS:
        raise EncodeError("a loss statistics block needs LOSS_STATS, which the peer must have named")


def refuse(packet: InputPacket, room: int) -> NoReturn:
    """Find out why the packet could not be written, and say so."""
    check_shape(packet)
    frames, rest = divmod(len(packet.inputs), packet.seats)
    if rest or not 1 <= frames <= MAX_COUNT:
        raise EncodeError(
            f"a packet carries 1 to {MAX_COUNT} frames of {packet.seats} inputs, not {len(packet.inputs)}"
        )
    if (packet.checksum is None) != (packet.checksum_frame is None):
        raise EncodeError("a checksum and its frame go together, or neither is there")
    most = (1 << 8 * packet.input_size) - 1
    wanted: list[tuple[str, object, int, int]] = [
        ("start_frame", packet.start_frame, 0, 0xFFFFFFFF),
        ("ack_frame", packet.ack_frame, 0, 0xFFFFFFFF),
    ]
    wanted += [(f"inputs[{i}]", value, 0, most) for i, value in enumerate(packet.inputs)]
    if packet.checksum is not None:
        wanted += [
            ("checksum_frame", packet.checksum_frame, 0, 0xFFFFFFFF),
            ("checksum", packet.checksum, 0, 0xFFFFFFFF),
        ]
    if packet.time_sync is not None:
        wanted += [
            ("time_sync.frame", packet.time_sync[0], 0, 0xFFFF),
            ("time_sync.lead", packet.time_sync[1], -32768, 32767),
        ]
    if packet.loss_stats is not None:
        wanted += [(f"loss_stats[{i}]", value, 0, 0xFFFF) for i, value in enumerate(packet.loss_stats)]
    for name, value, least, greatest in wanted:
        if not isinstance(value, int):
            raise EncodeError(f"{name} is a whole number, not {value!r}")
        if not least <= value <= greatest:
            raise EncodeError(f"{name} is {least} to {greatest}, not {value}")
    raise EncodeError(f"the packet takes {encoded_size(packet)} bytes, the buffer has {room}")
