"""What the sealed handshake sends: HELLO and ACCEPT of version 2, their payloads, ENTER and ADMIT.

Byte tables: docs/formats/link.md. ::

    E2 HELLO    nonce 8, cookie 16, connection id 4, pattern 1, Noise message 1 2+n, zeros       512 to 1200 bytes
    E3 ACCEPT   nonce 8, Noise message 2 74                                                       87 bytes

    payload 1   capabilities 4, required 4, game version 4, tick rate 2, seats 1, seed share 8, game id 1+n, token 2+t
    payload 2   connection id 4, capabilities 4, required 4, game version 4, tick rate 2, seed share 8
    ENTER       envelope 8, application data 2+m, lasting key 1+(0 or 96)
    ADMIT       envelope 8, seats 4, application data 2+m, lasting key 1+(0 or 96)

HELLO and ACCEPT start with their kind, "RTL" and version 2. Any fault is one InvalidValue.
"""

import struct
from typing import NamedTuple

from retick.errors import InvalidValue
from retick.link.handshake.packets import Offer, is_zero, version_of
from retick.link.layout import (
    ACCEPT,
    ENVELOPE_SIZE,
    HELLO,
    MAGIC,
    MAX_APPLICATION_DATA,
    MAX_GAME_ID,
    MAX_HANDSHAKE,
    MAX_TOKEN,
    MIN_HANDSHAKE,
    SEALED_VERSION,
)
from retick.link.reasons import decode_text

__all__ = [
    "Admission",
    "Entry",
    "Proposal",
    "SealedHello",
    "decode_admit",
    "decode_answer",
    "decode_enter",
    "decode_proposal",
    "decode_sealed_accept",
    "decode_sealed_hello",
    "encode_admit",
    "encode_answer",
    "encode_enter",
    "encode_proposal",
    "encode_sealed_accept",
    "encode_sealed_hello",
    "prologue_of",
]

_HELLO = struct.Struct("<B3sB8s16sIBH")
_ACCEPT = struct.Struct("<B3sB8s74s")
_PROPOSAL = struct.Struct("<IIIHBQB")
_ANSWER = struct.Struct("<IIIIHQ")
_LENGTH = struct.Struct("<H")
_SEATS = struct.Struct("<I")
_ID = struct.Struct("<I")
PUBLIC_KEY_SIZE = 32
IDENTITY_SIZE = 96
"""Bytes of a lasting key and its signature."""
LEAST_MESSAGE = 32 + _PROPOSAL.size + _LENGTH.size
"""Bytes of the shortest Noise message 1."""


class SealedHello(NamedTuple):
    """HELLO as everybody sees it."""

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
    """Not in the ``repr``."""

    def __repr__(self) -> str:
        return f"Proposal({', '.join(map(repr, self[:-1]))}, {len(self.token)} bytes of token)"


class Entry(NamedTuple):
    """What an end says of itself once there are keys: in ENTER and in ADMIT."""

    data: bytes
    """The application's."""
    public_key: bytes
    """The lasting key, or empty."""
    signature: bytes


class Admission(NamedTuple):
    """ADMIT."""

    seats: int
    """Bit i: seat i is the dialler's."""
    entry: Entry


def prologue_of(nonce: bytes, cookie: bytes, dialler_id: int, commitment: bytes) -> bytes:
    """What both sides mix into the handshake before its first message."""
    return b"retick-link-2" + nonce + cookie + _ID.pack(dialler_id) + commitment


def encode_sealed_hello(hello: SealedHello) -> bytes:
    nonce, cookie, connection_id, pattern, message = hello
    head = _HELLO.pack(HELLO, MAGIC, SEALED_VERSION, nonce, cookie, connection_id, pattern, len(message))
    return (head + message).ljust(MIN_HANDSHAKE, b"\0")


def decode_sealed_hello(data: bytes) -> SealedHello:
    if not MIN_HANDSHAKE <= len(data) <= MAX_HANDSHAKE or version_of(data) != SEALED_VERSION:
        raise InvalidValue("not a HELLO of this version")
    _, _, _, nonce, cookie, connection_id, pattern, size = _HELLO.unpack_from(data)
    end = _HELLO.size + size
    if connection_id == 0 or size < LEAST_MESSAGE or end > len(data) or not is_zero(data, end):
        raise InvalidValue("HELLO with a connection id of 0, a wrong length, or padding that is not 0")
    return SealedHello(nonce, cookie, connection_id, pattern, bytes(data[_HELLO.size : end]))


def encode_sealed_accept(nonce: bytes, message: bytes) -> bytes:
    return _ACCEPT.pack(ACCEPT, MAGIC, SEALED_VERSION, nonce, message)


def decode_sealed_accept(data: bytes) -> bytes:
    """The Noise message."""
    if len(data) != _ACCEPT.size or version_of(data) != SEALED_VERSION:
        raise InvalidValue("not an ACCEPT of this version")
    message: bytes = _ACCEPT.unpack(data)[4]
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
    """The acceptor's offer, and its share of the seed."""
    if len(data) != _ANSWER.size:
        raise InvalidValue("an answer with a wrong length")
    *offer, seed_share = _ANSWER.unpack(data)
    if offer[0] == 0:
        raise InvalidValue("an answer with a connection id of 0")
    return Offer._make(offer), seed_share


def encode_enter(data: bytes, identity: bytes) -> bytes:
    """The body of ENTER. ``identity``: public key and signature, or empty."""
    return _LENGTH.pack(len(data)) + data + bytes((1 if identity else 0,)) + identity


def decode_enter(data: bytes) -> Entry:
    """ENTER with its envelope."""
    return _entry(data, ENVELOPE_SIZE)


def encode_admit(seats: int, data: bytes, identity: bytes) -> bytes:
    """The body of ADMIT."""
    return _SEATS.pack(seats) + encode_enter(data, identity)


def decode_admit(data: bytes) -> Admission:
    """ADMIT with its envelope."""
    at = ENVELOPE_SIZE + _SEATS.size
    if len(data) < at:
        raise InvalidValue("ADMIT is cut short")
    return Admission(_SEATS.unpack_from(data, ENVELOPE_SIZE)[0], _entry(data, at))


def _entry(data: bytes, at: int) -> Entry:
    found = _sized(data, at, MAX_APPLICATION_DATA)
    at += _LENGTH.size + len(found)
    marked = data[at : at + 1]
    identity = data[at + 1 :]
    if (marked, len(identity)) not in ((b"\0", 0), (b"\1", IDENTITY_SIZE)):
        raise InvalidValue("ENTER or ADMIT with a wrong length")
    return Entry(found, identity[:PUBLIC_KEY_SIZE], identity[PUBLIC_KEY_SIZE:])


def _sized(data: bytes, at: int, most: int) -> bytes:
    """The bytes after their length, which stands at ``at``."""
    start = at + _LENGTH.size
    if len(data) < start:
        raise InvalidValue("a length that is cut short")
    (size,) = _LENGTH.unpack_from(data, at)
    if size > most or len(data) < start + size:
        raise InvalidValue("data that is too long, or cut short")
    return bytes(data[start : start + size])
