"""Notes between members: candidates, agreed moments, probes and their answers. The bytes of a body, before sealing.

docs/formats/routes.md has the table.
"""

import struct
from ipaddress import IPv4Address, IPv6Address
from typing import Final, NamedTuple, TypeAlias

from retick.errors import InvalidValue, LimitExceeded, Truncated
from retick.routes.path import PathKind

__all__ = ["MOST_CANDIDATES", "PROBE_TOKEN", "Candidate", "Candidates", "Go", "Note", "Probe", "decode_note",
           "encode_note", "is_usable"]  # fmt: skip

OFFER, REPLY, GO, PROBE, ANSWER = range(1, 6)
MOST_CANDIDATES: Final = 8
PROBE_TOKEN: Final = 8
_CANDIDATE = struct.Struct("<BBH16s")
_KINDS: Final = (PathKind.LOCAL, PathKind.IPV6, PathKind.REFLEXIVE, PathKind.MAPPED)

Host: TypeAlias = IPv4Address | IPv6Address


class Candidate(NamedTuple):
    """An address at which a member may be reached."""

    kind: PathKind
    host: Host
    port: int

    @property
    def address(self) -> tuple[str, int]:
        return str(self.host), self.port


class Candidates(NamedTuple):
    """OFFER, or with ``is_reply`` REPLY."""

    round: int
    candidates: tuple[Candidate, ...]
    is_reply: bool


class Go(NamedTuple):
    """GO."""

    round: int


class Probe(NamedTuple):
    """PROBE, or with ``is_answer`` ANSWER."""

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
    """A note, or a DecodeError."""
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
        raise InvalidValue(f"a candidate of kind {kind}, family {family}, port {port} is none")
    return Candidate(_KINDS[kind - 1], IPv4Address(packed[:4]) if family == 4 else IPv6Address(packed), port)


def is_usable(host: Host, *, loopback: bool) -> bool:
    """Whether a candidate may be probed: it can be the address of one machine, and of another than this one."""
    if isinstance(host, IPv6Address) and host.ipv4_mapped is not None:
        return False
    if host.is_multicast or host.is_unspecified or host.is_link_local or (host.version == 4 and host.packed[0] == 0):
        return False
    if host.is_loopback:
        return loopback
    return not (host.version == 4 and host.is_reserved)
