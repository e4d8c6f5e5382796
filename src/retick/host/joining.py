"""What a client puts into the link's handshake, and what the server answers: the room, and a token for the seat.

::

    hello       u8 1   u64 hash of the schema   u8 n, 0 to 32   n bytes of UTF-8, the room   16 bytes of token, or none
    hello       u8 2   the same up to the room   u8 flags   u8 m, 0 to 32   m bytes of UTF-8, the name   token, or none
    hello       u8 3   u64 hash of the schema   u64 compact hash   the rest as in the second
    acceptance  u8 1   16 bytes of token
    acceptance  u8 2   16 bytes of token; delta snapshots are compact

Little-endian; the first byte is the number of the layout. The hash is 0 for a client that wants no delta snapshots.
Without a name the first layout is sent, and with one the second; a client that reads compact deltas sends the third.
Its compact hash says by which names, groups and prior: only where the server has the same one are deltas compact.

The token belongs to the seat. A client that lost its connection dials again with it, and gets its player back.
"""

import re
import struct
from collections.abc import Hashable, Sequence
from typing import Final, NamedTuple

from retick.errors import InvalidValue, UsageError
from retick.link import Reason, Refuse

TOKEN_SIZE: Final = 16
_LAYOUT: Final = 1
_NAMED: Final = 2
"""The layout with flags and a name."""
_COMPACT: Final = 3
"""The layout with a compact hash as well."""
_COMPACT_ACCEPTED: Final = 2
_WATCHES: Final = 1
_HEAD: Final = struct.Struct("<BQB")
_COMPACT_HEAD: Final = struct.Struct("<BQQB")
LONGEST_ROOM: Final = 32
"""The most bytes of a room's name."""
LONGEST_NAME: Final = 32
"""The most bytes of a player's name."""


class JoinRequest(NamedTuple):
    """The room and seat that a client asks for."""

    room: str = ""
    """The name of the room; empty for the room without a name."""
    token: bytes = b""
    """The token of the seat; empty for a new player."""
    schema: int = 0
    """Hash of the schema with which the client reads delta snapshots; 0 if it wants none."""
    name: str = ""
    """The player's name; empty if there is none."""
    watches: bool = False
    """True if the client wants to watch, without a seat."""
    compact: int = 0
    """Hash of the codec with which the client reads compact deltas; 0 if it reads none."""

    def __repr__(self) -> str:
        return f"JoinRequest(room={self.room!r}, {len(self.token)} bytes of token, name={self.name!r})"


def encode_join(request: JoinRequest) -> bytes:
    """Encode a request for the link's hello."""
    room, name = _packed(request.room, LONGEST_ROOM, "a room's name"), _packed(request.name, LONGEST_NAME, "a name")
    named = bytes((request.watches, len(name))) + name
    if request.compact:
        return _COMPACT_HEAD.pack(_COMPACT, request.schema, request.compact, len(room)) + room + named + request.token
    is_named = bool(name or request.watches)
    head = _HEAD.pack(_NAMED if is_named else _LAYOUT, request.schema, len(room)) + room
    return head + (named if is_named else b"") + request.token


def decode_join(data: bytes) -> JoinRequest:
    """Read a request, or raise InvalidValue. Empty bytes ask for the room without a name."""
    if not data:
        return JoinRequest()
    layout, compact = data[0], 0
    head = _COMPACT_HEAD if layout == _COMPACT else _HEAD
    if len(data) < head.size or layout not in (_LAYOUT, _NAMED, _COMPACT):
        raise InvalidValue("not a request to join")
    if layout == _COMPACT:
        layout, schema, compact, length = head.unpack_from(data)
    else:
        layout, schema, length = head.unpack_from(data)
    room, at = _text(data, head.size, length, LONGEST_ROOM, "room's name")
    flags, name = 0, ""
    if layout != _LAYOUT:
        if len(data) < at + 2 or data[at] & ~_WATCHES:
            raise InvalidValue("a request to join has flags that are not known, or ends before its name")
        flags = data[at]
        name, at = _text(data, at + 2, data[at + 1], LONGEST_NAME, "name")
    token = bytes(data[at:])
    if len(token) not in (0, TOKEN_SIZE):
        raise InvalidValue(f"a request to join has {len(data)} bytes, {len(token)} of them where the token is")
    return JoinRequest(room, token, schema, name, bool(flags), compact)


def check_name(name: str) -> None:
    """Raise a UsageError for a name that no player can have."""
    _packed(name, LONGEST_NAME, "a name")


def _packed(text: str, most: int, what: str) -> bytes:
    data = text.encode()
    if len(data) > most:
        raise UsageError(f"{what} must have at most {most} bytes, not {len(data)}")
    if not text.isprintable():
        raise UsageError(f"{what} must be printable, not {text!r}")
    return data


def _text(data: bytes, at: int, length: int, most: int, what: str) -> tuple[str, int]:
    """Read text from outside; returns it with the offset after it."""
    end = at + length
    if length > most or len(data) < end:
        raise InvalidValue(f"a request to join has {len(data)} bytes, {length} of them the {what}")
    try:
        text = bytes(data[at:end]).decode()
    except UnicodeDecodeError:
        raise InvalidValue(f"the {what} is not UTF-8") from None
    if not text.isprintable():
        raise InvalidValue(f"the {what} is not printable")
    return text, end


class JoinAcceptance(NamedTuple):
    """What a server tells a client that may come in."""

    token: bytes = b""
    """The token of the seat; empty if the server sent none that is readable."""
    compact: bool = False
    """Whether delta snapshots are compact."""


def encode_acceptance(acceptance: JoinAcceptance) -> bytes:
    """Encode an acceptance for the link."""
    return bytes((_COMPACT_ACCEPTED if acceptance.compact else _LAYOUT,)) + acceptance.token


def decode_acceptance(data: bytes) -> JoinAcceptance:
    """Read an acceptance; one that cannot be read has no token."""
    if len(data) == 1 + TOKEN_SIZE and data[0] in (_LAYOUT, _COMPACT_ACCEPTED):
        return JoinAcceptance(bytes(data[1:]), data[0] == _COMPACT_ACCEPTED)
    return JoinAcceptance()


# Redirection: a refusal that names the port, on the same host, that has the room. docs/formats/link.md has the rules.
#
# It cannot name another host, so nobody can make a server's players flood a third party.

FIRST_PORT: Final = 1024
"""Lower ports belong to system services, to which nobody should be sent."""
LAST_PORT: Final = 65535
MOST_REDIRECTIONS: Final = 4
"""How many redirections in a row a client follows."""
_TEXT: Final = re.compile(r"port ([1-9][0-9]{3,4})", re.ASCII)


def redirect_to(port: int) -> Refuse:
    """Make the refusal that redirects a client to another port of this host."""
    if not FIRST_PORT <= port <= LAST_PORT:
        raise UsageError(f"a redirection names a port from {FIRST_PORT} to {LAST_PORT}, not {port}")
    return Refuse(reason=Reason.REDIRECT, text=f"port {port}")


class Way:
    """Where a client dials: first the address it was given, then wherever it is redirected."""

    __slots__ = ("_first", "_followed", "_others", "address")

    def __init__(self, address: Hashable, others: Sequence[Hashable] = ()) -> None:
        """``others``: addresses to try if the first does not answer."""
        self._first = address
        self._others = list(others)
        self._followed = 0
        self.address = address
        """The address to dial next."""

    def try_another(self) -> bool:
        """Move on to the next address, since ``address`` does not answer; returns whether there is one."""
        if not self._others:
            return False
        self._first = self._others.pop(0)
        self.start_again()
        return True

    def follow(self, reason: int, text: str) -> bool:
        """Follow a refusal if it is a redirection: set ``address`` and return whether it was."""
        found = _TEXT.fullmatch(text) if reason == Reason.REDIRECT else None
        # Everything but the port of a socket's address stays: the host, and in IPv6 the scope.
        if found is None or not isinstance(self.address, tuple) or len(self.address) < 2:
            return False
        host, old, *rest = self.address
        port = int(found[1])
        if not FIRST_PORT <= port <= LAST_PORT or port == old or self._followed >= MOST_REDIRECTIONS:
            return False
        self._followed += 1
        self.address = (host, port, *rest)
        return True

    def start_again(self) -> None:
        """Go back to the first address, because the connection was lost."""
        self.address = self._first
        self._followed = 0
