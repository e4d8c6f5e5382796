"""Datagrams between a relay and its members: requests, answers and frames. docs/formats/relay.md has the tables.

::

    request   kind 1, "RTR", version 1, nonce 8, cookie 16, own part, zeros           80 bytes
    SEEN      kind 1, nonce 8, version 1, other port u16, family 1, port u16, host 16, cookie 16
    PLACE     kind 1, nonce 8, member 1, code 5, seconds u16, present u64, ticket 49
    REFUSED   kind 1, nonce 8, reason 1, number u16
    LEFT      kind 1, nonce 8
    PRESENT   kind 1, room 6, present u64
    LOST      kind 1, channel 8
    frame     kind 1, channel 8 (room 6, sender 1, receiver 1), payload

Little-endian. The relay reads requests and frames, a member reads answers and frames.
"""

import struct
from enum import IntEnum
from ipaddress import IPv4Address, IPv6Address
from typing import Final, NamedTuple, TypeAlias

from retick.errors import (
    BadMagic,
    EncodeError,
    InvalidValue,
    LimitExceeded,
    ReservedNotZero,
    Truncated,
    UnknownFlags,
    UnsupportedVersion,
    UsageError,
)

ASK, OPEN, JOIN, HERE, LEAVE = range(0xD0, 0xD5)
SEEN, PLACE, REFUSED, LEFT, PRESENT, LOST, DATA, SIGNAL = range(0xD8, 0xE0)

VERSION: Final = 1
MAX_DATAGRAM: Final = 1472
MAX_PLACES: Final = 64
"""The most members of a room: the mask of those present has eight bytes."""
NONCE_SIZE: Final = 8
COOKIE_SIZE: Final = 16
NO_COOKIE: Final = bytes(COOKIE_SIZE)
ROOM_SIZE: Final = 6
CODE_SIZE: Final = 5
TAG_SIZE: Final = 16
TICKET_SIZE: Final = 49
REQUEST_SIZE: Final = 80
"""The size of a request; every answer is shorter."""
FRAME_HEAD_SIZE: Final = 9
FROM_OTHER_PORT: Final = 1
"""Flag of ASK: answer from the other port."""
UNTIL_FULL: Final = 65535
"""The seconds of a code that stays valid until the room is full."""

_MAGIC = b"RTR"
_HEAD = struct.Struct("<B3sB8s16s")
_OWN: dict[int, struct.Struct] = {
    ASK: struct.Struct("<B"),
    OPEN: struct.Struct("<B16s"),
    JOIN: struct.Struct("<5s16s"),
    HERE: struct.Struct("<49s"),
    LEAVE: struct.Struct("<49s"),
}
_SEEN = struct.Struct("<B8sBHBH16s16s")
_PLACE = struct.Struct("<B8sB5sHQ49s")
_REFUSED = struct.Struct("<B8sBH")
_LEFT = struct.Struct("<B8s")
_PRESENT = struct.Struct("<B6sQ")
_LOST = struct.Struct("<B8s")
_ANSWERS = {SEEN: _SEEN, PLACE: _PLACE, REFUSED: _REFUSED, LEFT: _LEFT, PRESENT: _PRESENT, LOST: _LOST}
_FRAME = struct.Struct("<B6sBB")


class Refusal(IntEnum):
    """Why the relay refuses a request."""

    VERSION = 1
    NO_SUCH_CODE = 2
    CODE_EXPIRED = 3
    ROOM_FULL = 4
    OTHER_GAME = 5
    SLOW_DOWN = 6
    TOO_MANY_ROOMS = 7
    RELAY_FULL = 8
    TICKET = 9


class RelayRequest(NamedTuple):
    """A request of a member to the relay itself; fields that its kind does not have are empty."""

    kind: int
    nonce: bytes
    cookie: bytes = NO_COOKIE
    flags: int = 0
    places: int = 0
    code: bytes = b""
    tag: bytes = b""
    ticket: bytes = b""


class Seen(NamedTuple):
    """The address from which the relay sees the sender, and a cookie that proves it."""

    nonce: bytes
    version: int
    other_port: int
    host: IPv4Address | IPv6Address
    port: int
    cookie: bytes


class Place(NamedTuple):
    """A member's place in a room."""

    nonce: bytes
    member: int
    code: bytes
    seconds: int
    present: int
    ticket: bytes


class RelayRefused(NamedTuple):
    """The relay refuses a request."""

    nonce: bytes
    reason: Refusal
    number: int = 0


class Left(NamedTuple):
    """The member has left."""

    nonce: bytes


class Present(NamedTuple):
    """The members that are in the room now."""

    room: bytes
    present: int


class MemberLost(NamedTuple):
    """The relay does not know this channel."""

    channel: bytes


Answer: TypeAlias = Seen | Place | RelayRefused | Left | Present | MemberLost


class Frame(NamedTuple):
    """A payload from one member to another."""

    kind: int
    room: bytes
    sender: int
    receiver: int
    payload: bytes


def channel_of(room: bytes, sender: int, receiver: int) -> bytes:
    return room + bytes((sender, receiver))


def encode_request(request: RelayRequest) -> bytes:
    kind, nonce, cookie = request[:3]
    own = {
        ASK: (request.flags,),
        OPEN: (request.places, request.tag),
        JOIN: (request.code, request.tag),
        HERE: (request.ticket,),
        LEAVE: (request.ticket,),
    }[kind]
    head = _HEAD.pack(kind, _MAGIC, VERSION, nonce, cookie)
    return (head + _OWN[kind].pack(*own)).ljust(REQUEST_SIZE, b"\0")


def decode_request(data: bytes) -> RelayRequest:
    """Read a request, or raise DecodeError. Checks the version before anything that versions may change."""
    if len(data) < _HEAD.size:
        raise Truncated("a request is cut short", needed=REQUEST_SIZE, available=len(data))
    kind, magic, version, nonce, cookie = _HEAD.unpack_from(data)
    if kind not in _OWN or magic != _MAGIC:
        raise BadMagic("not a request to a relay")
    if version != VERSION:
        raise UnsupportedVersion(f"version {version} of the relay's protocol is not known here", version=version)
    if len(data) != REQUEST_SIZE:
        raise InvalidValue(f"a request has {REQUEST_SIZE} bytes, not {len(data)}")
    own = _OWN[kind]
    if any(data[_HEAD.size + own.size :]):
        raise ReservedNotZero("bytes after the end of the request are not 0")
    values = own.unpack_from(data, _HEAD.size)
    if kind == ASK:
        if values[0] & ~FROM_OTHER_PORT:
            raise UnknownFlags(f"flags 0x{values[0]:02x} of a request are not known")
        if cookie != NO_COOKIE:
            raise ReservedNotZero("an ASK has no cookie")
        return RelayRequest(kind, nonce, cookie, flags=values[0])
    if kind == OPEN:
        if not 2 <= values[0] <= MAX_PLACES:
            raise InvalidValue(f"a room has 2 to {MAX_PLACES} places, not {values[0]}")
        return RelayRequest(kind, nonce, cookie, places=values[0], tag=values[1])
    if kind == JOIN:
        return RelayRequest(kind, nonce, cookie, code=values[0], tag=values[1])
    return RelayRequest(kind, nonce, cookie, ticket=values[0])


def _masked(data: bytes, nonce: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(data, nonce + nonce, strict=False))


def encode_answer(answer: Answer) -> bytes:
    match answer:
        case Seen(nonce, version, other_port, host, port, cookie):
            where = _masked(host.packed.ljust(16, b"\0"), nonce)
            hidden = port ^ int.from_bytes(nonce[:2], "little")
            return _SEEN.pack(SEEN, nonce, version, other_port, host.version, hidden, where, cookie)
        case Place(nonce, member, code, seconds, present, ticket):
            return _PLACE.pack(PLACE, nonce, member, code, seconds, present, ticket)
        case RelayRefused(nonce, reason, number):
            return _REFUSED.pack(REFUSED, nonce, reason, number)
        case Left(nonce):
            return _LEFT.pack(LEFT, nonce)
        case Present(room, present):
            return _PRESENT.pack(PRESENT, room, present)
        case MemberLost(channel):
            return _LOST.pack(LOST, channel)


def decode_answer(data: bytes) -> Answer:
    """Read an answer of a relay, or raise DecodeError."""
    layout = _ANSWERS.get(data[0]) if data else None
    if layout is None:
        raise BadMagic("not an answer of a relay")
    if len(data) != layout.size:
        raise InvalidValue(f"this answer of a relay has {layout.size} bytes, not {len(data)}")
    kind, *values = layout.unpack(data)
    if kind == SEEN:
        return _decode_seen(*values)
    if kind == PLACE:
        if values[1] >= MAX_PLACES or not values[4] >> values[1] & 1:
            raise InvalidValue(f"member {values[1]} is not one of those present")
        return Place(*values)
    if kind == REFUSED:
        if values[1] not in Refusal.__members__.values():
            raise InvalidValue(f"reason {values[1]} of a refusal is not known")
        return RelayRefused(values[0], Refusal(values[1]), values[2])
    if kind == PRESENT:
        return Present(*values)
    return Left(*values) if kind == LEFT else MemberLost(*values)


def _decode_seen(
    nonce: bytes, version: int, other_port: int, family: int, hidden: int, where: bytes, cookie: bytes
) -> Seen:
    packed = _masked(where, nonce)
    host: IPv4Address | IPv6Address
    if family == 4:
        if any(packed[4:]):
            raise ReservedNotZero("bytes after an IPv4 address are not 0")
        host = IPv4Address(packed[:4])
    elif family == 6:
        host = IPv6Address(packed)
    else:
        raise InvalidValue(f"family {family} of an address is not 4 or 6")
    return Seen(nonce, version, other_port, host, hidden ^ int.from_bytes(nonce[:2], "little"), cookie)


def encode_frame(frame: Frame) -> bytes:
    kind, room, sender, receiver, payload = frame
    if not 1 <= len(payload) <= MAX_DATAGRAM - FRAME_HEAD_SIZE:
        most = MAX_DATAGRAM - FRAME_HEAD_SIZE
        raise EncodeError(f"the payload of a frame has 1 to {most} bytes, not {len(payload)}")
    return _FRAME.pack(kind, room, sender, receiver) + payload


def decode_frame(data: bytes) -> Frame:
    """Read a frame, or raise DecodeError."""
    if not data or data[0] not in (DATA, SIGNAL):
        raise BadMagic("not a frame of a relay")
    if len(data) <= FRAME_HEAD_SIZE:
        raise Truncated("a frame has no payload", needed=FRAME_HEAD_SIZE + 1, available=len(data))
    if len(data) > MAX_DATAGRAM:
        raise LimitExceeded(
            f"a frame has at most {MAX_DATAGRAM} bytes", what="frame bytes", limit=MAX_DATAGRAM, actual=len(data)
        )
    kind, room, sender, receiver = _FRAME.unpack_from(data)
    if sender >= MAX_PLACES or receiver >= MAX_PLACES or sender == receiver:
        raise InvalidValue(f"no frame goes from member {sender} to member {receiver}")
    return Frame(kind, room, sender, receiver, data[FRAME_HEAD_SIZE:])


# Room codes as people read, say and type them: eight characters of Crockford's base 32.

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Without I, L, O and U: I and L are read as 1, O as 0."""
_LENGTH: Final = CODE_SIZE * 8 // 5
_READ_AS: Final = str.maketrans("OIL", "011", "- ")


def code_text(code: bytes) -> str:
    """Write five bytes as eight characters."""
    number = int.from_bytes(code, "big")
    return "".join(ALPHABET[number >> shift & 31] for shift in range(5 * (_LENGTH - 1), -1, -5))


def parse_code(text: str) -> bytes:
    """Read the five bytes of a typed code; raises a UsageError that says what is wrong."""
    letters = text.upper().translate(_READ_AS)
    wrong = next((letter for letter in letters if letter not in ALPHABET), None)
    if wrong is not None:
        raise UsageError(
            f"{wrong!r} is in no code: a code has {_LENGTH} characters, digits and letters without I, L, O and U"
        )
    if len(letters) != _LENGTH:
        raise UsageError(f"a code has {_LENGTH} characters, such as 4XK7-M2QP, not {len(letters)}")
    number = 0
    for letter in letters:
        number = number << 5 | ALPHABET.index(letter)
    return number.to_bytes(CODE_SIZE, "big")
