"""Datagrams of the handshake. Byte tables: docs/formats/link.md.

::

    E0 REQUEST  nonce 8, zeros                                                                   128 to 1200 bytes
    E1 COOKIE   nonce 8, cookie 16, commitment 16                                                 45 bytes
    E2 HELLO    nonce 8, cookie 16, offer 18, seats 1, seed share 8, game id 1+n,
                application data 2+m, zeros                                                     512 to 1200 bytes
    E3 ACCEPT   nonce 8, offer 18, seats 4, seed share 8, 0 0, application data 2+m             47 to 303 bytes
    E4 REFUSE   nonce 8, reason 1, text 1+n                                                     15 to 135 bytes

    offer       connection id 4, capabilities 4, required 4, game version 4, tick rate 2

Each starts with its kind, "RTL" and the version. A decoder checks everything, then returns values; any fault is one
InvalidValue, since the endpoint only counts it.
"""

import struct
from typing import NamedTuple

from retick.errors import InvalidValue
from retick.link.layout import (
    ACCEPT,
    COOKIE,
    HANDSHAKE_HEAD_SIZE,
    HELLO,
    MAGIC,
    MAX_APPLICATION_DATA,
    MAX_GAME_ID,
    MAX_HANDSHAKE,
    MAX_TEXT,
    MIN_HANDSHAKE,
    MIN_REQUEST,
    NONCE_SIZE,
    REFUSE,
    REQUEST,
    VERSION,
)
from retick.link.reasons import cut_text, decode_text, printable_text

__all__ = [
    "Acceptance",
    "Hello",
    "Offer",
    "decode_accept",
    "decode_cookie",
    "decode_hello",
    "decode_refuse",
    "decode_request",
    "encode_accept",
    "encode_cookie",
    "encode_hello",
    "encode_refuse",
    "encode_request",
    "is_zero",
    "nonce_of",
    "version_of",
]

_REQUEST = struct.Struct("<B3sB8s")
_COOKIE = struct.Struct("<B3sB8s16s16s")
_HELLO = struct.Struct("<B3sB8s16sIIIIHBQB")
_ACCEPT = struct.Struct("<B3sB8sIIIIHIQHH")
_REFUSE = struct.Struct("<B3sB8sBB")
_LENGTH = struct.Struct("<H")


class Offer(NamedTuple):
    """What each side says of itself: the same five fields in HELLO and ACCEPT."""

    connection_id: int
    """The id that the peer puts on its datagrams to the sender of this offer; not 0."""
    capabilities: int
    required: int
    game_version: int
    tick_rate: int


class Hello(NamedTuple):
    """What a dialler asks for."""

    nonce: bytes
    cookie: bytes
    offer: Offer
    seats: int
    """How many seats are wanted."""
    seed_share: int
    game_id: str
    data: bytes


class Acceptance(NamedTuple):
    """What an acceptor answers."""

    nonce: bytes
    offer: Offer
    seats: int
    """Bit i: seat i is the dialler's."""
    seed_share: int
    data: bytes


def version_of(data: bytes) -> int | None:
    """The version byte of a handshake datagram; None when the datagram is too short or has another magic."""
    return data[4] if len(data) >= HANDSHAKE_HEAD_SIZE and data[1:4] == MAGIC else None


def nonce_of(data: bytes) -> bytes:
    return bytes(data[HANDSHAKE_HEAD_SIZE - NONCE_SIZE : HANDSHAKE_HEAD_SIZE])


def encode_request(nonce: bytes, size: int = MIN_HANDSHAKE, version: int = VERSION) -> bytes:
    return _REQUEST.pack(REQUEST, MAGIC, version, nonce).ljust(size, b"\0")


def decode_request(data: bytes) -> bytes:
    """The nonce. The version is not checked: another version is answered with a refusal."""
    if not MIN_REQUEST <= len(data) <= MAX_HANDSHAKE or version_of(data) is None:
        raise InvalidValue("not a REQUEST")
    if not is_zero(data, HANDSHAKE_HEAD_SIZE):
        raise InvalidValue("REQUEST with padding that is not 0")
    return nonce_of(data)


def encode_cookie(nonce: bytes, cookie: bytes, commitment: bytes, version: int = VERSION) -> bytes:
    return _COOKIE.pack(COOKIE, MAGIC, version, nonce, cookie, commitment)


def decode_cookie(data: bytes, version: int = VERSION) -> tuple[bytes, bytes, bytes]:
    """Nonce, cookie, commitment."""
    if len(data) != _COOKIE.size or version_of(data) != version:
        raise InvalidValue("not a COOKIE")
    return _COOKIE.unpack(data)[3:]


def encode_hello(hello: Hello) -> bytes:
    game_id = hello.game_id.encode()
    fixed = _HELLO.pack(
        HELLO, MAGIC, VERSION, hello.nonce, hello.cookie, *hello.offer, hello.seats, hello.seed_share, len(game_id)
    )
    return (fixed + game_id + _LENGTH.pack(len(hello.data)) + hello.data).ljust(MIN_HANDSHAKE, b"\0")


def decode_hello(data: bytes) -> Hello:
    if not MIN_HANDSHAKE <= len(data) <= MAX_HANDSHAKE or version_of(data) != VERSION:
        raise InvalidValue("not a HELLO of this version")
    _, _, _, nonce, cookie, *offer, seats, seed_share, length = _HELLO.unpack_from(data)
    if length > MAX_GAME_ID or offer[0] == 0:
        raise InvalidValue("HELLO with a game id that is too long, or a connection id of 0")
    at = _HELLO.size + length
    start = at + _LENGTH.size
    (size,) = _LENGTH.unpack_from(data, at)
    if size > MAX_APPLICATION_DATA or not is_zero(data, start + size):
        raise InvalidValue("HELLO with too much data, or padding that is not 0")
    game_id = decode_text(data[_HELLO.size : at])
    return Hello(nonce, cookie, Offer._make(offer), seats, seed_share, game_id, bytes(data[start : start + size]))


def encode_accept(acceptance: Acceptance) -> bytes:
    nonce, offer, seats, seed_share, data = acceptance
    return _ACCEPT.pack(ACCEPT, MAGIC, VERSION, nonce, *offer, seats, seed_share, 0, len(data)) + data


def decode_accept(data: bytes) -> Acceptance:
    if len(data) < _ACCEPT.size or version_of(data) != VERSION:
        raise InvalidValue("not an ACCEPT of this version")
    _, _, _, nonce, *offer, seats, seed_share, reserved, size = _ACCEPT.unpack_from(data)
    if reserved or offer[0] == 0 or size > MAX_APPLICATION_DATA or len(data) != _ACCEPT.size + size:
        raise InvalidValue("ACCEPT with a wrong length or value")
    return Acceptance(nonce, Offer._make(offer), seats, seed_share, bytes(data[_ACCEPT.size :]))


def encode_refuse(nonce: bytes, reason: int, text: str, version: int = VERSION) -> bytes:
    words = cut_text(text)
    return _REFUSE.pack(REFUSE, MAGIC, version, nonce, reason, len(words)) + words


def decode_refuse(data: bytes) -> tuple[bytes, int, str]:
    """Nonce, reason, text. Any version is read: the version may be the reason."""
    if len(data) < _REFUSE.size or version_of(data) is None:
        raise InvalidValue("not a REFUSE")
    _, _, _, nonce, reason, length = _REFUSE.unpack_from(data)
    if length > MAX_TEXT or len(data) != _REFUSE.size + length:
        raise InvalidValue("REFUSE with a wrong length")
    return nonce, reason, printable_text(data[_REFUSE.size :])


def is_zero(data: bytes, start: int) -> bool:
    """Whether all bytes from ``start`` on are padding."""
    return data[start:] == bytes(len(data) - start)
