"""The two payloads of delta snapshots: they replace the game's own when both ends have the capability.

::

    acked input     client to server   u8 0x11   u32 newest snapshot tick held, 0 for none   the game's input bundle
    delta snapshot  server to client   u8 0x12   u32 tick   u8 ticks back to the baseline, 0 for none   the sections

Little-endian. The first byte cannot be mistaken for a packet type of a game: those are below 16.
"""

import struct
from typing import Final, NamedTuple

from retick.errors import Truncated

__all__ = [
    "ACKED_HEAD_SIZE",
    "ACKED_INPUT",
    "DELTA_HEAD_SIZE",
    "DELTA_SNAPSHOT",
    "DeltaFrame",
    "acked_input",
    "delta_frame",
    "split_acked_input",
    "split_delta",
]

ACKED_INPUT: Final = 0x11
DELTA_SNAPSHOT: Final = 0x12
_ACKED: Final = struct.Struct("<BI")
_DELTA: Final = struct.Struct("<BIB")
ACKED_HEAD_SIZE: Final = _ACKED.size
"""Bytes before the bundle of an acked input."""
DELTA_HEAD_SIZE: Final = _DELTA.size
"""Bytes before the sections of a delta snapshot."""


class DeltaFrame(NamedTuple):
    """A delta snapshot as it is sent."""

    tick: int
    back: int
    """Ticks from this one back to its baseline; 0 for a full snapshot."""
    body: bytes
    """The sections, as ``snapshot`` encodes them."""


def acked_input(ack: int, bundle: bytes) -> bytes:
    """The payload of an input bundle that acknowledges the snapshot of tick ``ack``."""
    return _ACKED.pack(ACKED_INPUT, ack) + bundle


def split_acked_input(data: bytes) -> tuple[int, bytes]:
    """The tick and the bundle; a payload too short for the tick has an empty bundle, which no game decodes."""
    if len(data) < _ACKED.size:
        return 0, b""
    return _ACKED.unpack_from(data)[1], data[_ACKED.size :]


def delta_frame(tick: int, back: int, body: bytes) -> bytes:
    """The payload of a delta snapshot."""
    return _DELTA.pack(DELTA_SNAPSHOT, tick, back) + body


def split_delta(data: bytes) -> DeltaFrame:
    """The parts of a delta snapshot, or Truncated."""
    if len(data) < _DELTA.size:
        raise Truncated(
            f"a delta snapshot has at least {_DELTA.size} bytes, not {len(data)}",
            needed=_DELTA.size,
            available=len(data),
        )
    _, tick, back = _DELTA.unpack_from(data)
    return DeltaFrame(tick, back, data[_DELTA.size :])
