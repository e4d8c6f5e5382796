"""Seals of notes: a key for each pair of members and direction, a nonce for each note, and no note twice."""

import struct
from hashlib import blake2s
from typing import Final

from retick.errors import InvalidValue, Truncated
from retick.link.sealing.primitives import aead, open_sealed
from retick.wire.relay import channel_of

__all__ = ["NONCE_SIZE", "TAG_SIZE", "NoteSeal", "pair_key"]

STAY_SIZE: Final = 8
_NONCE = struct.Struct(f"<{STAY_SIZE}sI")
NONCE_SIZE: Final = _NONCE.size
TAG_SIZE: Final = 16
WINDOW: Final = 64
"""Notes that may be overtaken by the newest one."""
MOST_NOTES: Final = (1 << 32) - 1
"""Of one member to another in a stay."""


def pair_key(material: bytes, code: bytes, room: bytes, sender: int, receiver: int) -> bytes:
    """The key of what one member notes to another."""
    text = code + channel_of(room, sender, receiver)
    return blake2s(text, key=material, person=b"routekey", digest_size=32).digest()


class NoteSeal:
    """Seals notes to one member and opens those that come from it."""

    def __init__(self, material: bytes, code: bytes, room: bytes, own: int, other: int, *, stay: bytes) -> None:
        """``material`` is the secret of an invite, or nothing; ``stay`` is random."""
        self._to = channel_of(room, own, other)
        self._from = channel_of(room, other, own)
        self._seal = aead(pair_key(material, code, room, own, other))
        self._open = aead(pair_key(material, code, room, other, own))
        self._stay = stay
        self._sent = 0
        self._their_stay: bytes | None = None
        self._newest = -1
        self._seen = 0
        """A bit for each note up to the newest, which is bit 0."""

    def seal(self, kind: int, body: bytes) -> bytes | None:
        """Nonce and sealed body, to follow this kind and the channel; None after as many as a counter has."""
        if self._sent >= MOST_NOTES:
            return None
        nonce = _NONCE.pack(self._stay, self._sent)
        self._sent += 1
        return nonce + self._seal.encrypt(nonce, body, bytes((kind,)) + self._to)

    def open(self, kind: int, data: bytes) -> bytes:
        """The body; InvalidValue or Truncated if it does not open, or did before. Nothing changes on an error."""
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
