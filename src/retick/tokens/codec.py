"""The bytes of a join token: how they are made, what its carrier can read, and how the token key opens them.

::

    readable  "RTJ1"  key id 8  nonce 24  issued at 8  expires at 8  server key 32  a 1  a times (n 1, address n)  s 2
    sealed    player id 8  room 1+r  data 2+d  tag 16

docs/formats/token.md has the tables, and says how a token is sealed. The readers raise nothing but DecodeErrors, and
their messages contain no byte of the token.
"""

import re
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2s
from typing import Final

from retick.errors import BadMagic, DecodeError, InvalidValue, LimitExceeded, TrailingData, Truncated, UsageError

# The numbers of join tokens; the byte tables are in docs/formats/token.md.

MAGIC: Final = b"RTJ1"
KEY_SIZE: Final = 32
"""Bytes of the token key, and of a server's public key."""
KEY_ID_SIZE: Final = 8
NONCE_SIZE: Final = 24
TAG_SIZE: Final = 16
MOST_TOKEN: Final = 700
"""The most bytes of a token: what the link's handshake can carry."""
MOST_ADDRESSES: Final = 8
LONGEST_HOST: Final = 253
"""The most characters of a host name, as in DNS."""
LONGEST_ROOM: Final = 32
"""The most bytes of a room's name."""
MOST_DATA: Final = 256
"""The most bytes that the application may add."""
LIFETIME: Final = 60.0
"""Seconds for which a token is valid by default."""
TOLERANCE: Final = 30.0
"""Seconds by which the clocks of backend and server may differ."""
MOST_USED: Final = 65536
"""Used tokens that a server remembers until they have expired."""


Address = tuple[str, int]
"""Host and port."""
_HEAD: Final = struct.Struct("<4s8s24sQQ32sB")
_SIZE: Final = struct.Struct("<H")
_PLAYER: Final = struct.Struct("<QB")
_LEAST_SEALED: Final = _PLAYER.size + _SIZE.size + TAG_SIZE
_MOST_SEALED: Final = _LEAST_SEALED + LONGEST_ROOM + MOST_DATA
_ADDRESS: Final = re.compile(r"(?:([A-Za-z0-9._-]+)|\[([A-Za-z0-9._:%-]+)\]):([1-9][0-9]{0,4})", re.ASCII)
_TEXT: Final = re.compile(rb"[A-Za-z0-9_-]+")
_NO_NONCE: Final = bytes(12)
"""The cipher's nonce: always zero, since each subkey seals only one token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The readable part of a token, for whoever carries it. Nothing here is proven before the token is opened."""

    key_id: str
    """Names the token key: 16 hexadecimal digits."""
    nonce: bytes
    """24 bytes that name this token."""
    issued_at: int
    """Seconds since 1970, UTC."""
    expires_at: int
    """Seconds since 1970, UTC."""
    server_key: bytes
    """The server's public key."""
    addresses: tuple[Address, ...]
    """Host and port of the servers, the first one first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinToken(Shown):
    """An opened token: all of it is proven to come from the backend."""

    player: int
    """The player id, 64 bits."""
    room: str
    data: bytes = field(repr=False)
    """The application's own bytes."""


def key_id_of(key: bytes) -> str:
    """Name a token key without revealing it: 16 hexadecimal digits."""
    return _key_id(key).hex()


def _key_id(key: bytes) -> bytes:
    _check_key("a token key", key)
    return blake2s(key, person=b"tokn-kid", digest_size=KEY_ID_SIZE).digest()


def issue(
    key: bytes,
    *,
    player: int,
    server_key: bytes,
    addresses: Iterable[Address],
    now: float,
    entropy: Callable[[int], bytes],
    room: str = "",
    data: bytes = b"",
    lifetime: float = LIFETIME,
) -> bytes:
    """Make a new token. ``now`` is ``time.time()``; ``entropy(n)`` gives n random bytes, as ``os.urandom``.

    ``server_key`` is the public key that ``retick serve --key`` prints; ``addresses`` are the hosts and ports of the
    server. A UsageError names the value that does not fit.
    """
    _check_key("a server's public key", server_key)
    packed_room, places = room.encode(), [_packed(address) for address in addresses]
    issued_at = int(now)
    expires_at = int(now + lifetime)
    if not 0 <= player < 1 << 64:
        raise UsageError(f"a player id has 64 bits, {player} does not fit")
    if len(packed_room) > LONGEST_ROOM or not room.isprintable():
        raise UsageError(f"a room's name must be printable and have at most {LONGEST_ROOM} bytes, not {room!r}")
    if len(data) > MOST_DATA:
        raise UsageError(f"a token carries at most {MOST_DATA} bytes of data, not {len(data)}")
    if not 1 <= len(places) <= MOST_ADDRESSES:
        raise UsageError(f"a token names 1 to {MOST_ADDRESSES} addresses, not {len(places)}")
    if not 0 <= issued_at < expires_at < 1 << 64:
        raise UsageError(f"lifetime must be 1 second or more, not {lifetime:g}")
    head = _HEAD.pack(MAGIC, _key_id(key), entropy(NONCE_SIZE), issued_at, expires_at, server_key, len(places))
    inside = _PLAYER.pack(player, len(packed_room)) + packed_room + _SIZE.pack(len(data)) + data
    head += b"".join(places) + _SIZE.pack(len(inside) + TAG_SIZE)
    if len(head) + len(inside) + TAG_SIZE > MOST_TOKEN:
        most = MOST_TOKEN - len(inside) - TAG_SIZE - _HEAD.size - _SIZE.size
        raise UsageError(f"a token has at most {MOST_TOKEN} bytes: its addresses may have {most}, name fewer of them")
    from retick.link.sealing.primitives import aead  # here, because it imports cryptography

    return head + aead(_subkey(key, head)).encrypt(_NO_NONCE, inside, head)


def show(token: bytes) -> Shown:
    """The readable part of a token; raises DecodeError if the bytes are not a token or cut short."""
    return _shown(token)[0]


def open_token(token: bytes, *keys: bytes) -> JoinToken:
    """Open a token made with one of ``keys``; raises DecodeError if it was made with another key."""
    shown, at = _shown(token)
    key = next((key for key in keys if key_id_of(key) == shown.key_id), None)
    if key is None:
        raise InvalidValue("the token was made with another key")
    from retick.link.sealing.primitives import aead, open_sealed  # here, because it imports cryptography

    inside = open_sealed(aead(_subkey(key, token)), _NO_NONCE, token[at:], token[:at])
    player, room, data = _decode_inside(inside)
    readable = {name: getattr(shown, name) for name in Shown.__slots__}
    return JoinToken(**readable, player=player, room=room, data=data)


def to_text(token: bytes) -> str:
    """Write a token as one word of text, for a file or a message."""
    return urlsafe_b64encode(token).rstrip(b"=").decode()


def from_text(text: str | bytes) -> bytes:
    """Read a token from text; raises DecodeError if it is not one. The content is not checked."""
    packed = (text.encode() if isinstance(text, str) else text).strip()
    if len(packed) > 2 * MOST_TOKEN:
        raise _too_long(2 * MOST_TOKEN, len(packed), "characters")
    if _TEXT.fullmatch(packed) is None or len(packed) % 4 == 1:
        raise InvalidValue("a token as text has letters, digits, - and _ only: paste the whole of it")
    return urlsafe_b64decode(packed + b"=" * (-len(packed) % 4))


def _check_key(what: str, key: bytes) -> None:
    if not isinstance(key, bytes) or len(key) != KEY_SIZE:
        raise UsageError(f"{what} has {KEY_SIZE} bytes")


def _subkey(key: bytes, token: bytes) -> bytes:
    start = len(MAGIC) + KEY_ID_SIZE
    return blake2s(token[start : start + NONCE_SIZE], key=key, person=b"tokn-sub").digest()


def _packed(address: Address) -> bytes:
    host, port = address
    text = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    try:
        _decode_address(text.encode())
    except DecodeError:
        raise UsageError(f"an address is a host and a port from 1 to 65535, not {address!r}") from None
    return bytes((len(text),)) + text.encode()


def _decode_address(data: bytes) -> Address:
    found = _ADDRESS.fullmatch(data.decode("ascii", errors="replace"))
    if found is None:
        raise InvalidValue("an address in the token is not valid")
    host, port = found[1] or found[2], int(found[3])
    if len(host) > LONGEST_HOST or port > 65535 or (found[2] is not None and ":" not in host):
        raise InvalidValue("an address in the token is not valid")
    return host, port


def _shown(token: bytes) -> tuple[Shown, int]:
    """The readable part, and the offset of the sealed part."""
    if len(token) > MOST_TOKEN:
        raise _too_long(MOST_TOKEN, len(token), "bytes")
    if not token.startswith(MAGIC[: len(token)]):
        raise BadMagic("this is not a join token")
    _need(token, _HEAD.size)
    _, key_id, nonce, issued_at, expires_at, server_key, count = _HEAD.unpack_from(token)
    if not 1 <= count <= MOST_ADDRESSES or issued_at >= expires_at:
        raise InvalidValue("a token without addresses, or that expires before it is issued")
    addresses, at = [], _HEAD.size
    for _ in range(count):
        _need(token, at + 1)
        end = at + 1 + token[at]
        _need(token, end)
        addresses.append(_decode_address(token[at + 1 : end]))
        at = end
    _need(token, at + _SIZE.size)
    (size,) = _SIZE.unpack_from(token, at)
    at += _SIZE.size
    if not _LEAST_SEALED <= size <= _MOST_SEALED:
        raise InvalidValue("the sealed part of a token has a wrong size")
    _need(token, at + size)
    if len(token) > at + size:
        extra = len(token) - at - size
        raise TrailingData(f"{extra} bytes come after the end of the token", extra=extra)
    shown = Shown(
        key_id=key_id.hex(),
        nonce=nonce,
        issued_at=issued_at,
        expires_at=expires_at,
        server_key=server_key,
        addresses=tuple(addresses),
    )
    return shown, at


def _decode_inside(inside: bytes) -> tuple[int, str, bytes]:
    """Player id, room and data; checked, because even a backend with the key may send them wrong."""
    player, length = _PLAYER.unpack_from(inside)
    at = _PLAYER.size + length
    _need(inside, at + _SIZE.size)
    (size,) = _SIZE.unpack_from(inside, at)
    data = inside[at + _SIZE.size :]
    if length > LONGEST_ROOM or size > MOST_DATA or len(data) != size:
        raise InvalidValue("the sealed part of a token has wrong sizes")
    try:
        room = inside[_PLAYER.size : at].decode()
    except UnicodeDecodeError:
        raise InvalidValue("the room of a token is not UTF-8") from None
    if not room.isprintable():
        raise InvalidValue("the room of a token is not printable")
    return player, room, data


def _need(data: Sequence[int], size: int) -> None:
    if len(data) < size:
        raise Truncated("the token is cut short", needed=size, available=len(data))


def _too_long(limit: int, actual: int, what: str) -> LimitExceeded:
    return LimitExceeded(f"a token has at most {limit} {what}, not {actual}", what=what, limit=limit, actual=actual)
