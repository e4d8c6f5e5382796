"""What a client puts into the link's handshake, and what the server answers: the room, and a token for the seat.

::

    hello       u8 1   u64 hash of the schema   u8 n, 0 to 32   n bytes of UTF-8, the room   16 bytes of token, or none
    acceptance  u8 1   16 bytes of token

Little-endian; the first byte is the number of this layout. The hash is 0 for a client that wants no delta snapshots.

The token belongs to the seat. A client that lost its connection dials again with it, and gets its player back.
"""

import struct
from typing import Final, NamedTuple

from retick.errors import InvalidValue, UsageError

__all__ = [
    "LONGEST_ROOM",
    "TOKEN_SIZE",
    "JoinRequest",
    "decode_acceptance",
    "decode_join",
    "encode_acceptance",
    "encode_join",
]

TOKEN_SIZE: Final = 16
_LAYOUT: Final = 1
_HEAD: Final = struct.Struct("<BQB")
LONGEST_ROOM: Final = 32
"""Bytes of a room's name."""


class JoinRequest(NamedTuple):
    """Which room, and which seat in it."""

    room: str = ""
    """Its name; empty for the room without a name."""
    token: bytes = b""
    """Of the seat; empty for a new player."""
    schema: int = 0
    """Hash of the schema with which the client reads delta snapshots; 0 if it wants none."""


def encode_join(request: JoinRequest) -> bytes:
    """The bytes for the link's hello."""
    room = request.room.encode()
    if len(room) > LONGEST_ROOM:
        raise UsageError(f"a room's name must have at most {LONGEST_ROOM} bytes, not {len(room)}")
    return _HEAD.pack(_LAYOUT, request.schema, len(room)) + room + request.token


def decode_join(data: bytes) -> JoinRequest:
    """The request, or an InvalidValue. No bytes at all ask for the room without a name."""
    if not data:
        return JoinRequest()
    if len(data) < _HEAD.size or data[0] != _LAYOUT:
        raise InvalidValue("not a request to join")
    _, schema, length = _HEAD.unpack_from(data)
    end = _HEAD.size + length
    token = bytes(data[end:])
    if length > LONGEST_ROOM or len(data) < end or len(token) not in (0, TOKEN_SIZE):
        raise InvalidValue(f"a request to join has {len(data)} bytes, {length} of them the room's name")
    try:
        room = bytes(data[_HEAD.size : end]).decode()
    except UnicodeDecodeError:
        raise InvalidValue("the room's name is not UTF-8") from None
    if not room.isprintable():
        raise InvalidValue("the room's name is not printable")
    return JoinRequest(room, token, schema)


def encode_acceptance(token: bytes) -> bytes:
    """The bytes for the link's acceptance."""
    return bytes((_LAYOUT,)) + token


def decode_acceptance(data: bytes) -> bytes:
    """The seat's token; empty when the server sent none that can be read."""
    if len(data) == 1 + TOKEN_SIZE and data[0] == _LAYOUT:
        return bytes(data[1:])
    return b""
