"""The datagrams of the handshake; their byte tables are in docs/formats/link.md.

::

    E0 REQUEST  nonce 8, zeros                                                                   512 to 1200 bytes
    E1 COOKIE   nonce 8, cookie 16, commitment 16                                                 45 bytes
    E2 HELLO    nonce 8, cookie 16, id 4, capabilities 4, required 4, game version 4, tick rate 2,
                seats 1, seed share 8, game id 1+n, application data 2+m, zeros                 512 to 1200 bytes
    E3 ACCEPT   nonce 8, id 4, capabilities 4, required 4, game version 4, tick rate 2, seats 4,
                seed share 8, 0 0, application data 2+m                                          47 to 303 bytes
    E4 REFUSE   nonce 8, reason 1, text 1+n                                                      15 to 135 bytes

Each starts with its kind, "RTL" and the version. Readers check everything, then return values; any fault is one
InvalidValue, since the endpoint only counts it.
"""

import struct
from typing import NamedTuple

from retick.errors import InvalidValue

__all__ = [
    "ACCEPT",
    "COOKIE",
    "HELLO",
    "MAX_APPLICATION_DATA",
    "MAX_TEXT",
    "PADDED",
    "REFUSE",
    "REQUEST",
    "VERSION",
    "Acceptance",
    "Hello",
    "cut_text",
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
    "shown_text",
    "version_of",
]

VERSION = 1
REQUEST, COOKIE, HELLO, ACCEPT, REFUSE = 0xE0, 0xE1, 0xE2, 0xE3, 0xE4
PADDED = 512
"""Bytes of a dialler's datagram at least, so that no answer is longer."""
MAX_PADDED = 1200
MAX_GAME_ID = 32
MAX_APPLICATION_DATA = 256
MAX_TEXT = 120

_MAGIC = b"RTL"
_START = struct.Struct("<B3sB8s")
_COOKIE = struct.Struct("<B3sB8s16s16s")
_HELLO = struct.Struct("<B3sB8s16sIIIIHBQB")
_ACCEPT = struct.Struct("<B3sB8sIIIIHIQHH")
_REFUSE = struct.Struct("<B3sB8sBB")


class Hello(NamedTuple):
    """What a dialler says of itself."""

    nonce: bytes
    cookie: bytes
    connection_id: int
    capabilities: int
    required: int
    game_version: int
    tick_rate: int
    seats: int
    seed_share: int
    game_id: str
    data: bytes


class Acceptance(NamedTuple):
    """What an acceptor answers."""

    nonce: bytes
    connection_id: int
    capabilities: int
    required: int
    game_version: int
    tick_rate: int
    seats: int
    seed_share: int
    data: bytes


def version_of(data: bytes) -> int | None:
    """The version byte of a handshake datagram, None when it is not one of ours at all."""
    return data[4] if len(data) >= 13 and data[1:4] == _MAGIC else None


def encode_request(nonce: bytes) -> bytes:
    return _START.pack(REQUEST, _MAGIC, VERSION, nonce).ljust(PADDED, b"\0")


def decode_request(data: bytes) -> bytes:
    """The nonce. The version is not checked: the answer to another one is a refusal."""
    if not PADDED <= len(data) <= MAX_PADDED or version_of(data) is None or not _is_zero(data, 13):
        raise InvalidValue("not a REQUEST")
    return bytes(data[5:13])


def encode_cookie(nonce: bytes, cookie: bytes, commitment: bytes) -> bytes:
    return _COOKIE.pack(COOKIE, _MAGIC, VERSION, nonce, cookie, commitment)


def decode_cookie(data: bytes) -> tuple[bytes, bytes, bytes]:
    """Nonce, cookie, commitment."""
    if len(data) != _COOKIE.size or version_of(data) != VERSION:
        raise InvalidValue("not a COOKIE")
    return _COOKIE.unpack(data)[3:]


def encode_hello(hello: Hello) -> bytes:
    game_id = hello.game_id.encode()
    fixed = _HELLO.pack(HELLO, _MAGIC, VERSION, *hello[:9], len(game_id))
    return (fixed + game_id + struct.pack("<H", len(hello.data)) + hello.data).ljust(PADDED, b"\0")


def decode_hello(data: bytes) -> Hello:
    if not PADDED <= len(data) <= MAX_PADDED or version_of(data) != VERSION:
        raise InvalidValue("not a HELLO of this version")
    fields = _HELLO.unpack_from(data)
    length = fields[-1]
    at = _HELLO.size + length
    if length > MAX_GAME_ID or fields[5] == 0:
        raise InvalidValue("HELLO with an id that is not allowed")
    size = data[at] | data[at + 1] << 8
    if size > MAX_APPLICATION_DATA or not _is_zero(data, at + 2 + size):
        raise InvalidValue("HELLO with too much data, or padding that is not 0")
    return Hello._make((*fields[3:12], _text(data[_HELLO.size : at]), bytes(data[at + 2 : at + 2 + size])))


def encode_accept(acceptance: Acceptance) -> bytes:
    data = acceptance.data
    return _ACCEPT.pack(ACCEPT, _MAGIC, VERSION, *acceptance[:8], 0, len(data)) + data


def decode_accept(data: bytes) -> Acceptance:
    if len(data) < _ACCEPT.size or version_of(data) != VERSION:
        raise InvalidValue("not an ACCEPT of this version")
    fields = _ACCEPT.unpack_from(data)
    size = fields[12]
    if fields[11] or fields[4] == 0 or size > MAX_APPLICATION_DATA or len(data) != _ACCEPT.size + size:
        raise InvalidValue("ACCEPT with a wrong length or value")
    return Acceptance._make((*fields[3:11], bytes(data[_ACCEPT.size :])))


def encode_refuse(nonce: bytes, reason: int, text: str) -> bytes:
    words = cut_text(text)
    return _REFUSE.pack(REFUSE, _MAGIC, VERSION, nonce, reason, len(words)) + words


def decode_refuse(data: bytes) -> tuple[bytes, int, str]:
    """Nonce, reason, text. Read whatever the version is: it may be the reason."""
    if len(data) < _REFUSE.size or version_of(data) is None:
        raise InvalidValue("not a REFUSE")
    _, _, _, nonce, reason, length = _REFUSE.unpack_from(data)
    if length > MAX_TEXT or len(data) != _REFUSE.size + length:
        raise InvalidValue("REFUSE with a wrong length")
    return nonce, reason, shown_text(data[_REFUSE.size :])


def shown_text(data: bytes) -> str:
    """Text from outside that is going to be shown: what is not printable, terminal commands above all, becomes "?"."""
    return "".join(c if c.isprintable() else "?" for c in _text(data))


def cut_text(text: str) -> bytes:
    """The text as UTF-8 of at most MAX_TEXT bytes, cut between characters."""
    return text.encode("utf-8", "replace")[:MAX_TEXT].decode("utf-8", "ignore").encode()


def _text(data: bytes) -> str:
    try:
        return bytes(data).decode()
    except UnicodeDecodeError:
        raise InvalidValue("text that is not UTF-8") from None


def _is_zero(data: bytes, start: int) -> bool:
    return data[start:] == bytes(len(data) - start)
