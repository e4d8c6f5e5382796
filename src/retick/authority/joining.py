"""What a client says in the link's hello, and a server in its acceptance: rooms, and the way back after a cut.

::

    hello       u8 1, the layout   u8 n, 0 to 32   n bytes of UTF-8, the room   16 bytes of token, or none
    acceptance  u8 1, the layout   16 bytes of token

The token is the seat's. A client that lost its connection dials again with it, and gets its player back.
"""

from typing import Final, NamedTuple

from retick.errors import InvalidValue, UsageError

__all__ = ["TOKEN_SIZE", "JoinRequest", "decode_acceptance", "decode_join", "encode_acceptance", "encode_join"]

TOKEN_SIZE: Final = 16
_LAYOUT: Final = 1
_LONGEST_ROOM: Final = 32


class JoinRequest(NamedTuple):
    """Which room, and whose seat."""

    room: str = ""
    token: bytes = b""
    """Empty for a player who was not here before."""


def encode_join(request: JoinRequest) -> bytes:
    room = request.room.encode()
    if len(room) > _LONGEST_ROOM:
        raise UsageError(f"a room's name has at most {_LONGEST_ROOM} bytes, not {len(room)}")
    return bytes((_LAYOUT, len(room))) + room + request.token


def decode_join(data: bytes) -> JoinRequest:
    """An empty hello means the room without a name."""
    if not data:
        return JoinRequest()
    if data[0] != _LAYOUT or len(data) < 2 or data[1] > _LONGEST_ROOM:
        raise InvalidValue("not a request to join")
    end = 2 + data[1]
    token = bytes(data[end:])
    if len(data) < end or len(token) not in (0, TOKEN_SIZE):
        raise InvalidValue(f"a request to join has a room of {data[1]} bytes and {len(data) - 2} follow")
    try:
        room = bytes(data[2:end]).decode()
    except UnicodeDecodeError:
        raise InvalidValue("the room's name is not UTF-8") from None
    if not room.isprintable():
        raise InvalidValue("the room's name is not printable")
    return JoinRequest(room, token)


def encode_acceptance(token: bytes) -> bytes:
    return bytes((_LAYOUT,)) + token


def decode_acceptance(data: bytes) -> bytes:
    """The seat's token; empty when the server has none to give."""
    if len(data) == 1 + TOKEN_SIZE and data[0] == _LAYOUT:
        return bytes(data[1:])
    return b""
