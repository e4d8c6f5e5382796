"""What a client says in the link's hello, and a server in its acceptance: rooms, and the way back after a cut.

::

    hello       u8 1   u64 hash of the schema   u8 n, 0 to 32   n bytes of UTF-8, the room   16 bytes of token, or none
    acceptance  u8 1   16 bytes of token

Little-endian; the first byte is the number of this layout. The hash is 0 for a client that takes no delta snapshots.

The token is the seat's. A client that lost its connection dials again with it, and gets its player back.
"""

import struct
from typing import Final, NamedTuple

from retick.errors import InvalidValue, UsageError

__all__ = ["TOKEN_SIZE", "JoinRequest", "decode_acceptance", "decode_join", "encode_acceptance", "encode_join"]

TOKEN_SIZE: Final = 16
_LAYOUT: Final = 1
_HEAD: Final = struct.Struct("<BQB")
_LONGEST_ROOM: Final = 32


class JoinRequest(NamedTuple):
    """Which room, and whose seat."""

    room: str = ""
    token: bytes = b""
    """Empty for a player who was not here before."""
    schema: int = 0
    """What the client's delta snapshots are read with."""


def encode_join(request: JoinRequest) -> bytes:
    room = request.room.encode()
    if len(room) > _LONGEST_ROOM:
        raise UsageError(f"a room's name has at most {_LONGEST_ROOM} bytes, not {len(room)}")
    return _HEAD.pack(_LAYOUT, request.schema, len(room)) + room + request.token


def decode_join(data: bytes) -> JoinRequest:
    """An empty hello means the room without a name."""
    if not data:
        return JoinRequest()
    if len(data) < _HEAD.size or data[0] != _LAYOUT:
        raise InvalidValue("not a request to join")
    _, schema, length = _HEAD.unpack_from(data)
    end = _HEAD.size + length
    token = bytes(data[end:])
    if length > _LONGEST_ROOM or len(data) < end or len(token) not in (0, TOKEN_SIZE):
        raise InvalidValue(f"a request to join has {len(data)} bytes, {length} of them the room's name")
    try:
        room = bytes(data[_HEAD.size : end]).decode()
    except UnicodeDecodeError:
        raise InvalidValue("the room's name is not UTF-8") from None
    if not room.isprintable():
        raise InvalidValue("the room's name is not printable")
    return JoinRequest(room, token, schema)


def encode_acceptance(token: bytes) -> bytes:
    return bytes((_LAYOUT,)) + token


def decode_acceptance(data: bytes) -> bytes:
    """The seat's token; empty when the server has none to give."""
    if len(data) == 1 + TOKEN_SIZE and data[0] == _LAYOUT:
        return bytes(data[1:])
    return b""
