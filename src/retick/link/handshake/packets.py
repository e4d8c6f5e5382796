"""Datagrams of the handshake. Byte tables: docs/formats/link.md.

::

    E0 REQUEST  nonce 8, zeros                                                                   128 to 1200 bytes
    E1 COOKIE   nonce 8, cookie 16, commitment 16                                                 45 bytes
    E2 HELLO    nonce 8, cookie 16, offer 18, seats 1, seed share 8, game id 1+n,
                application data 2+m, zeros                                                     512 to 1200 bytes
    E3 ACCEPT   nonce 8, offer 18, seats 4, seed share 8, 0 0, application data 2+m             47 to 303 bytes
    E4 REFUSE   nonce 8, reason 1, text 1+n                                                     15 to 135 bytes

    offer       connection id 4, capabilities 4, required 4, game version 4, tick rate 2

Each starts with its kind, "RTL" and the version. A decoder checks everything, then returns values; every fault is
the same InvalidValue, since the endpoint only counts it.
"""

import struct
from hashlib import blake2s
from typing import NamedTuple

from retick.errors import InvalidValue
from retick.link.layout import (
    ACCEPT,
    COOKIE,
    COOKIE_SIZE,
    ENVELOPE_SIZE,
    HANDSHAKE_HEAD_SIZE,
    HELLO,
    MAGIC,
    MAX_APPLICATION_DATA,
    MAX_GAME_ID,
    MAX_HANDSHAKE,
    MAX_TEXT,
    MAX_TOKEN,
    MIN_HANDSHAKE,
    MIN_REQUEST,
    NONCE_SIZE,
    REFUSE,
    REQUEST,
    SEALED_VERSION,
    VERSION,
)
from retick.link.reasons import cut_text, decode_text, printable_text

_REQUEST = struct.Struct("<B3sB8s")
_COOKIE = struct.Struct("<B3sB8s16s16s")
_HELLO = struct.Struct("<B3sB8s16sIIIIHBQB")
_ACCEPT = struct.Struct("<B3sB8sIIIIHIQHH")
_REFUSE = struct.Struct("<B3sB8sBB")
_LENGTH = struct.Struct("<H")


class Offer(NamedTuple):
    """What each side offers: the same five fields in HELLO and ACCEPT."""

    connection_id: int
    """The id that the peer puts on its datagrams to the sender of this offer; not 0."""
    capabilities: int
    required: int
    game_version: int
    tick_rate: int


class Hello(NamedTuple):
    """A dialler's HELLO."""

    nonce: bytes
    cookie: bytes
    offer: Offer
    seats: int
    """How many seats are wanted."""
    seed_share: int
    game_id: str
    data: bytes


class Acceptance(NamedTuple):
    """An acceptor's ACCEPT."""

    nonce: bytes
    offer: Offer
    seats: int
    """Bit i is set if seat i is the dialler's."""
    seed_share: int
    data: bytes


def version_of(data: bytes) -> int | None:
    """The version byte of a handshake datagram; None if the datagram is too short or has another magic."""
    return data[4] if len(data) >= HANDSHAKE_HEAD_SIZE and data[1:4] == MAGIC else None


def nonce_of(data: bytes) -> bytes:
    return bytes(data[HANDSHAKE_HEAD_SIZE - NONCE_SIZE : HANDSHAKE_HEAD_SIZE])


def encode_request(nonce: bytes, size: int = MIN_HANDSHAKE, version: int = VERSION) -> bytes:
    return _REQUEST.pack(REQUEST, MAGIC, version, nonce).ljust(size, b"\0")


def decode_request(data: bytes) -> bytes:
    """Read the nonce of a REQUEST. The version is not checked: another version is answered with a refusal."""
    if not MIN_REQUEST <= len(data) <= MAX_HANDSHAKE or version_of(data) is None:
        raise InvalidValue("not a REQUEST")
    if not is_zero(data, HANDSHAKE_HEAD_SIZE):
        raise InvalidValue("REQUEST with padding that is not 0")
    return nonce_of(data)


def encode_cookie(nonce: bytes, cookie: bytes, commitment: bytes, version: int = VERSION) -> bytes:
    return _COOKIE.pack(COOKIE, MAGIC, version, nonce, cookie, commitment)


def decode_cookie(data: bytes, version: int = VERSION) -> tuple[bytes, bytes, bytes]:
    """Read nonce, cookie and commitment of a COOKIE."""
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
    """Read nonce, reason and text of a REFUSE of any version: the version may be the reason."""
    if len(data) < _REFUSE.size or version_of(data) is None:
        raise InvalidValue("not a REFUSE")
    _, _, _, nonce, reason, length = _REFUSE.unpack_from(data)
    if length > MAX_TEXT or len(data) != _REFUSE.size + length:
        raise InvalidValue("REFUSE with a wrong length")
    return nonce, reason, printable_text(data[_REFUSE.size :])


def is_zero(data: bytes, start: int) -> bool:
    """Whether all bytes from ``start`` on are padding."""
    return data[start:] == bytes(len(data) - start)


# Datagrams of the sealed handshake: HELLO and ACCEPT of version 2, their payloads, ENTER and ADMIT.
#
# Byte tables: docs/formats/link.md. ::
#
#     E2 HELLO    nonce 8, cookie 16, connection id 4, pattern 1, Noise message 1 2+n, zeros       512 to 1200 bytes
#     E3 ACCEPT   nonce 8, Noise message 2 74                                                       87 bytes
#
#     payload 1   capabilities 4, required 4, game version 4, tick rate 2, seats 1, seed share 8, game id 1+n, token 2+t
#     payload 2   connection id 4, capabilities 4, required 4, game version 4, tick rate 2, seed share 8
#     ENTER       envelope 8, application data 2+m, lasting key 1+(0 or 96)
#     ADMIT       envelope 8, seats 4, application data 2+m, lasting key 1+(0 or 96)
#
# HELLO and ACCEPT start with their kind, "RTL" and version 2. Every fault is the same InvalidValue.

_SEALED_HELLO = struct.Struct("<B3sB8s16sIBH")
_SEALED_ACCEPT = struct.Struct("<B3sB8s74s")
_PROPOSAL = struct.Struct("<IIIHBQB")
_ANSWER = struct.Struct("<IIIIHQ")
_SEATS = struct.Struct("<I")
_ID = struct.Struct("<I")
PUBLIC_KEY_SIZE = 32
IDENTITY_SIZE = 96
"""Bytes of a lasting key with its signature."""
LEAST_MESSAGE = 32 + _PROPOSAL.size + _LENGTH.size
"""Bytes of the shortest Noise message 1."""


class SealedHello(NamedTuple):
    """The readable part of a sealed HELLO."""

    nonce: bytes
    cookie: bytes
    connection_id: int
    pattern: int
    message: bytes


class Proposal(NamedTuple):
    """The payload of Noise message 1."""

    capabilities: int
    required: int
    game_version: int
    tick_rate: int
    seats: int
    seed_share: int
    game_id: str
    token: bytes
    """The token; ``repr`` hides it."""

    def __repr__(self) -> str:
        return f"Proposal({', '.join(map(repr, self[:-1]))}, {len(self.token)} bytes of token)"


class Entry(NamedTuple):
    """The content of ENTER, and of ADMIT beside the seats: what an end says once there are keys."""

    data: bytes
    """The application's data."""
    public_key: bytes
    """The lasting key; empty without one."""
    signature: bytes


class AdmitPayload(NamedTuple):
    """The content of ADMIT."""

    seats: int
    """Bit i is set if seat i is the dialler's."""
    entry: Entry


def prologue_of(nonce: bytes, cookie: bytes, dialler_id: int, commitment: bytes) -> bytes:
    """The bytes that both sides mix into the handshake before its first message."""
    return b"retick-link-2" + nonce + cookie + _ID.pack(dialler_id) + commitment


def encode_sealed_hello(hello: SealedHello) -> bytes:
    nonce, cookie, connection_id, pattern, message = hello
    head = _SEALED_HELLO.pack(HELLO, MAGIC, SEALED_VERSION, nonce, cookie, connection_id, pattern, len(message))
    return (head + message).ljust(MIN_HANDSHAKE, b"\0")


def decode_sealed_hello(data: bytes) -> SealedHello:
    if not MIN_HANDSHAKE <= len(data) <= MAX_HANDSHAKE or version_of(data) != SEALED_VERSION:
        raise InvalidValue("not a HELLO of this version")
    _, _, _, nonce, cookie, connection_id, pattern, size = _SEALED_HELLO.unpack_from(data)
    end = _SEALED_HELLO.size + size
    if connection_id == 0 or size < LEAST_MESSAGE or end > len(data) or not is_zero(data, end):
        raise InvalidValue("HELLO with a connection id of 0, a wrong length, or padding that is not 0")
    return SealedHello(nonce, cookie, connection_id, pattern, bytes(data[_SEALED_HELLO.size : end]))


def encode_sealed_accept(nonce: bytes, message: bytes) -> bytes:
    return _SEALED_ACCEPT.pack(ACCEPT, MAGIC, SEALED_VERSION, nonce, message)


def decode_sealed_accept(data: bytes) -> bytes:
    """Read the Noise message of an ACCEPT."""
    if len(data) != _SEALED_ACCEPT.size or version_of(data) != SEALED_VERSION:
        raise InvalidValue("not an ACCEPT of this version")
    message: bytes = _SEALED_ACCEPT.unpack(data)[4]
    return message


def encode_proposal(proposal: Proposal) -> bytes:
    *fixed, game, token = proposal
    game_id = game.encode()
    return _PROPOSAL.pack(*fixed, len(game_id)) + game_id + _LENGTH.pack(len(token)) + token


def decode_proposal(data: bytes) -> Proposal:
    if len(data) < _PROPOSAL.size:
        raise InvalidValue("a proposal that is cut short")
    *fixed, length = _PROPOSAL.unpack_from(data)
    at = _PROPOSAL.size + length
    if length > MAX_GAME_ID:
        raise InvalidValue("a proposal with a game id that is too long")
    token = _sized(data, at, MAX_TOKEN)
    if len(data) != at + _LENGTH.size + len(token):
        raise InvalidValue("a proposal with a wrong length")
    return Proposal._make((*fixed, decode_text(data[_PROPOSAL.size : at]), token))


def encode_answer(offer: Offer, seed_share: int) -> bytes:
    return _ANSWER.pack(*offer, seed_share)


def decode_answer(data: bytes) -> tuple[Offer, int]:
    """Read the acceptor's offer, and its share of the seed."""
    if len(data) != _ANSWER.size:
        raise InvalidValue("an answer with a wrong length")
    *offer, seed_share = _ANSWER.unpack(data)
    if offer[0] == 0:
        raise InvalidValue("an answer with a connection id of 0")
    return Offer._make(offer), seed_share


def encode_enter(data: bytes, identity: bytes) -> bytes:
    """The body of ENTER. ``identity`` is public key and signature, or empty."""
    return _LENGTH.pack(len(data)) + data + bytes((1 if identity else 0,)) + identity


def decode_enter(data: bytes) -> Entry:
    """Read an ENTER with its envelope."""
    return _entry(data, ENVELOPE_SIZE)


def encode_admit(seats: int, data: bytes, identity: bytes) -> bytes:
    """The body of ADMIT."""
    return _SEATS.pack(seats) + encode_enter(data, identity)


def decode_admit(data: bytes) -> AdmitPayload:
    """Read an ADMIT with its envelope."""
    at = ENVELOPE_SIZE + _SEATS.size
    if len(data) < at:
        raise InvalidValue("ADMIT is cut short")
    return AdmitPayload(_SEATS.unpack_from(data, ENVELOPE_SIZE)[0], _entry(data, at))


def _entry(data: bytes, at: int) -> Entry:
    found = _sized(data, at, MAX_APPLICATION_DATA)
    at += _LENGTH.size + len(found)
    marked = data[at : at + 1]
    identity = data[at + 1 :]
    if (marked, len(identity)) not in ((b"\0", 0), (b"\1", IDENTITY_SIZE)):
        raise InvalidValue("ENTER or ADMIT with a wrong length")
    return Entry(found, identity[:PUBLIC_KEY_SIZE], identity[PUBLIC_KEY_SIZE:])


def _sized(data: bytes, at: int, most: int) -> bytes:
    """Read the bytes after their length, which stands at ``at``."""
    start = at + _LENGTH.size
    if len(data) < start:
        raise InvalidValue("a length that is cut short")
    (size,) = _LENGTH.unpack_from(data, at)
    if size > most or len(data) < start + size:
        raise InvalidValue("data that is too long, or cut short")
    return bytes(data[start : start + size])


# The seed of a match, which neither side chooses alone.
#
# The acceptor sends a commitment to its share before it knows the dialler's share; the dialler sends its share before
# it knows the acceptor's. The seed is a hash of both. The acceptor derives its share from the cookie, so that it has
# nothing to remember.


def acceptor_share(key: bytes, cookie: bytes) -> int:
    """The acceptor's share, fixed by its secret key and the cookie that it sent."""
    return int.from_bytes(blake2s(cookie, key=key, person=b"seedshar", digest_size=8).digest(), "little")


def commitment_to(share: int) -> bytes:
    """The commitment, which is sent before the share itself."""
    return blake2s(share.to_bytes(8, "little"), person=b"seedcmit", digest_size=COOKIE_SIZE).digest()


def mix_seed(dialler_share: int, acceptor_share: int) -> int:
    """The seed of both shares, 64 bits."""
    shares = dialler_share.to_bytes(8, "little") + acceptor_share.to_bytes(8, "little")
    return int.from_bytes(blake2s(shares, person=b"seedmix1", digest_size=8).digest(), "little")
