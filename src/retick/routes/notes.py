"""Notes between members: candidates, agreed moments, probes and their answers; their bodies before sealing.

docs/formats/routes.md has the table.
"""

import struct
from hashlib import blake2s
from ipaddress import IPv4Address, IPv6Address
from typing import Final, NamedTuple, TypeAlias

from retick.errors import InvalidValue, LimitExceeded, Truncated
from retick.relay.packets import channel_of
from retick.routes.path import PathKind

OFFER, REPLY, GO, PROBE, ANSWER = range(1, 6)
MOST_CANDIDATES: Final = 8
PROBE_TOKEN: Final = 8
_CANDIDATE = struct.Struct("<BBH16s")
_KINDS: Final = (PathKind.LOCAL, PathKind.IPV6, PathKind.REFLEXIVE, PathKind.MAPPED)

Host: TypeAlias = IPv4Address | IPv6Address


class Candidate(NamedTuple):
    """An address at which a member may be reachable."""

    kind: PathKind
    host: Host
    port: int

    @property
    def address(self) -> tuple[str, int]:
        return str(self.host), self.port


class Candidates(NamedTuple):
    """An OFFER of addresses, or with ``is_reply`` a REPLY."""

    round: int
    candidates: tuple[Candidate, ...]
    is_reply: bool


class Go(NamedTuple):
    """GO: both sides probe now."""

    round: int


class Probe(NamedTuple):
    """A PROBE, or with ``is_answer`` an ANSWER."""

    token: bytes
    is_answer: bool


Note: TypeAlias = Candidates | Go | Probe


def encode_note(note: Note) -> bytes:
    if isinstance(note, Go):
        return bytes((GO, note.round))
    if isinstance(note, Probe):
        return bytes((ANSWER if note.is_answer else PROBE,)) + note.token
    parts = [bytes((REPLY if note.is_reply else OFFER, note.round, len(note.candidates)))]
    parts += [
        _CANDIDATE.pack(_KINDS.index(kind) + 1, host.version, port, host.packed) for kind, host, port in note.candidates
    ]
    return b"".join(parts)


def decode_note(data: bytes) -> Note:
    """Read a note, or raise DecodeError."""
    if not data:
        raise Truncated("a note without a kind", needed=1, available=0)
    kind, rest = data[0], data[1:]
    if kind in (PROBE, ANSWER):
        _check_size(rest, PROBE_TOKEN)
        return Probe(rest, kind == ANSWER)
    if kind == GO:
        _check_size(rest, 1)
        return Go(rest[0])
    if kind not in (OFFER, REPLY):
        raise InvalidValue(f"no note has kind {kind}")
    if len(rest) < 2:
        raise Truncated("a note of candidates is cut", needed=3, available=len(data))
    if rest[1] > MOST_CANDIDATES:
        raise LimitExceeded("too many candidates", what="candidates", limit=MOST_CANDIDATES, actual=rest[1])
    _check_size(rest, 2 + rest[1] * _CANDIDATE.size)
    return Candidates(rest[0], tuple(_candidate(*row) for row in _CANDIDATE.iter_unpack(rest[2:])), kind == REPLY)


def _check_size(rest: bytes, size: int) -> None:
    if len(rest) != size:
        raise InvalidValue(f"this note has {size + 1} bytes, not {len(rest) + 1}")


def _candidate(kind: int, family: int, port: int, packed: bytes) -> Candidate:
    if not 1 <= kind <= len(_KINDS) or family not in (4, 6) or not port or (family == 4 and any(packed[4:])):
        raise InvalidValue(f"a candidate of kind {kind}, family {family}, port {port} is not valid")
    return Candidate(_KINDS[kind - 1], IPv4Address(packed[:4]) if family == 4 else IPv6Address(packed), port)


def is_usable(host: Host, *, loopback: bool) -> bool:
    """Whether a candidate may be probed: it must be the address of a single machine other than this one."""
    if isinstance(host, IPv6Address) and host.ipv4_mapped is not None:
        return False
    if host.is_multicast or host.is_unspecified or host.is_link_local or (host.version == 4 and host.packed[0] == 0):
        return False
    if host.is_loopback:
        return loopback
    return not (host.version == 4 and host.is_reserved)


# Seals notes: a key for each pair of members and direction, a nonce for each note, and no note accepted twice.

STAY_SIZE: Final = 8
_NONCE = struct.Struct(f"<{STAY_SIZE}sI")
NONCE_SIZE: Final = _NONCE.size
TAG_SIZE: Final = 16
WINDOW: Final = 64
"""How many notes the newest one may overtake."""
MOST_NOTES: Final = (1 << 32) - 1
"""The most notes from one member to another in a stay."""


def pair_key(material: bytes, code: bytes, room: bytes, sender: int, receiver: int) -> bytes:
    """The key of the notes that one member sends to another."""
    text = code + channel_of(room, sender, receiver)
    return blake2s(text, key=material, person=b"routekey", digest_size=32).digest()


class NoteSeal:
    """Seals notes to one member, and opens notes from it."""

    def __init__(self, material: bytes, code: bytes, room: bytes, own: int, other: int, *, stay: bytes) -> None:
        """``material`` is the secret of an invite, or empty; ``stay`` is random."""
        from retick.link.sealing.primitives import aead  # here, because it imports cryptography

        self._to = channel_of(room, own, other)
        self._from = channel_of(room, other, own)
        self._seal = aead(pair_key(material, code, room, own, other))
        self._open = aead(pair_key(material, code, room, other, own))
        self._stay = stay
        self._sent = 0
        self._their_stay: bytes | None = None
        self._newest = -1
        self._seen = 0
        """A mask of the notes seen: bit 0 is the newest."""

    def seal(self, kind: int, body: bytes) -> bytes | None:
        """Nonce and sealed body, to follow this kind and the channel; None once the counter is used up."""
        if self._sent >= MOST_NOTES:
            return None
        nonce = _NONCE.pack(self._stay, self._sent)
        self._sent += 1
        return nonce + self._seal.encrypt(nonce, body, bytes((kind,)) + self._to)

    def open(self, kind: int, data: bytes) -> bytes:
        """Open a note; raises InvalidValue or Truncated if it does not open, or was opened before."""
        from retick.link.sealing.primitives import open_sealed  # here, because it imports cryptography

        if len(data) <= NONCE_SIZE + TAG_SIZE:
            raise Truncated("a note is cut", needed=NONCE_SIZE + TAG_SIZE + 1, available=len(data))
        nonce = data[:NONCE_SIZE]
        stay, number = _NONCE.unpack(nonce)
        if self._their_stay not in (None, stay) or not self._is_new(number):
            raise InvalidValue("a note of another stay, or one that came before")
        body = open_sealed(self._open, nonce, data[NONCE_SIZE:], bytes((kind,)) + self._from)
        self._their_stay = stay
        self._note(number)
        return body

    def _is_new(self, number: int) -> bool:
        behind = self._newest - number
        return behind < 0 or (behind < WINDOW and not self._seen >> behind & 1)

    def _note(self, number: int) -> None:
        ahead = number - self._newest
        if ahead > 0:
            self._seen = (self._seen << min(ahead, WINDOW) | 1) & (1 << WINDOW) - 1
            self._newest = number
        else:
            self._seen |= 1 << -ahead
