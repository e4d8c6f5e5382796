"""Cookies and challenges: short hashes that only this endpoint can make, so it need not remember what it sent.

A peer that returns a cookie has received it, so it can receive at the address that it was made for. All are keyed
BLAKE2s, with a personal string for each kind, so that one cannot replace another. An address is hashed by its
``repr``, which is stable within a process; no other process has to compute the same hash.
"""

from collections.abc import Hashable
from hashlib import blake2s
from hmac import compare_digest

from retick.link.layout import COOKIE_SIZE

SLOT = 10.0
"""Seconds in a time slot; a cookie or a challenge is valid in its own slot and the next."""


class CookieJar:
    """Makes and checks the cookies and challenges of one endpoint."""

    def __init__(self, secret: bytes) -> None:
        self.key = blake2s(secret).digest()

    def cookie(self, nonce: bytes, address: Hashable, now: float) -> bytes:
        return self._hash(b"cookie__", int(now // SLOT), nonce, address, COOKIE_SIZE)

    def is_valid(self, cookie: bytes, nonce: bytes, address: Hashable, now: float) -> bool:
        return any(compare_digest(cookie, self.cookie(nonce, address, at)) for at in (now, now - SLOT))

    def challenge(self, connection_id: int, address: Hashable, now: float) -> bytes:
        return self._hash(b"challeng", int(now // SLOT), connection_id.to_bytes(4, "little"), address, 8)

    def challenges(self, connection_id: int, address: Hashable, now: float) -> tuple[bytes, bytes]:
        """The challenges that a proof from this address may answer now."""
        return (self.challenge(connection_id, address, now), self.challenge(connection_id, address, now - SLOT))

    def _hash(self, person: bytes, slot: int, value: bytes, address: Hashable, size: int) -> bytes:
        text = slot.to_bytes(8, "little", signed=True) + value + repr(address).encode("utf-8", "replace")
        return blake2s(text, key=self.key, person=person, digest_size=size).digest()
