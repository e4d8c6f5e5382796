"""A state on its way: what announces it, and its chunks.

::

    state header   u32 bytes of the packed state, u32 the game's checksum of it; part of WELCOME and RESYNC
    06 STATE       u32 offset, bytes
    10 RESYNC      u8 number of the match to come, state header; STATE messages follow
"""

import struct
from typing import NamedTuple

from retick.errors import InvalidValue
from retick.rollback.session.messages.kinds import Kind, need

__all__ = [
    "LARGEST_STATE",
    "StateHeader",
    "check_header",
    "decode_chunk",
    "decode_resync",
    "encode_chunk",
    "encode_resync",
]

LARGEST_STATE = 16 << 20
"""Bytes of a packed state that a peer accepts at most."""

_CHUNK = struct.Struct("<BI")
_RESYNC = struct.Struct("<BBII")


class StateHeader(NamedTuple):
    """What is announced of a state before its chunks come."""

    size: int
    """Bytes of the packed state."""
    checksum: int
    """The game's checksum of it, the low 32 bits."""


def check_header(header: StateHeader) -> StateHeader:
    """InvalidValue when the state would be too large: before any memory is used for it."""
    if header.size > LARGEST_STATE:
        raise InvalidValue(f"a state of {header.size} bytes, where at most {LARGEST_STATE} are allowed")
    return header


def encode_chunk(offset: int, chunk: bytes) -> bytes:
    return _CHUNK.pack(Kind.STATE, offset) + chunk


def decode_chunk(data: bytes) -> tuple[int, bytes]:
    need(data, _CHUNK.size)
    return _CHUNK.unpack_from(data)[1], data[_CHUNK.size :]


def encode_resync(match: int, header: StateHeader) -> bytes:
    return _RESYNC.pack(Kind.RESYNC, match, *header)


def decode_resync(data: bytes) -> tuple[int, StateHeader]:
    """The number of the match to come, and what is announced of its first state."""
    if len(data) != _RESYNC.size:
        raise InvalidValue(f"RESYNC has {_RESYNC.size} bytes, not {len(data)}")
    _, match, size, checksum = _RESYNC.unpack(data)
    return match, check_header(StateHeader(size, checksum))
