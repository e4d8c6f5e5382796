"""Where a peer stops, and whether it wants the match to be paused.

::

    17 PAUSE   u8 match, u32 serial, u8 pause, u8 wants: 0 or 1, u32 the frame before which the sender stops
"""

import struct
from typing import NamedTuple

from retick.errors import InvalidValue
from retick.rollback.session.messages.kinds import Kind

__all__ = ["Pausing", "decode_pause", "encode_pause"]

_PAUSE = struct.Struct("<BBIBBI")


class Pausing(NamedTuple):
    """What one peer says."""

    match: int
    serial: int
    """Grows with every PAUSE of this sender, as in a DROP."""
    pause: int
    """Which pause of the match, from 0: two that follow each other closely are told apart."""
    wants: bool
    """Whether the sender wants the pause; else it only stops because others want it."""
    frame: int
    """The first frame that the sender does not run."""


def encode_pause(said: Pausing) -> bytes:
    return _PAUSE.pack(Kind.PAUSE, *said)


def decode_pause(data: bytes) -> Pausing:
    if len(data) != _PAUSE.size:
        raise InvalidValue(f"PAUSE has {_PAUSE.size} bytes, not {len(data)}")
    _, match, serial, pause, wants, frame = _PAUSE.unpack(data)
    if wants > 1:
        raise InvalidValue(f"a PAUSE that wants {wants}, not 0 or 1")
    return Pausing(match, serial, pause, bool(wants), frame)
