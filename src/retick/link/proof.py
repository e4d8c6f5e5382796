"""The hashes of the link: cookies that cost no memory, a seed that neither side chooses, and proof of a new address.

All are BLAKE2s with a personal string each, so that none can stand in for another. The address is opaque here; its
``repr`` is what is hashed, which is stable within a process, and no other process needs to make the same.
"""

from collections.abc import Hashable
from hashlib import blake2s
from hmac import compare_digest

__all__ = ["CookieJar", "commitment", "mixed_seed", "path_key", "path_proof"]

SLOT = 10.0
"""Seconds in a slot of time; a cookie or a challenge is good in its own slot and the next."""


class CookieJar:
    """Makes and checks what only this endpoint has to understand: cookies, seed shares, challenges."""

    def __init__(self, secret: bytes) -> None:
        self._secret = blake2s(secret).digest()

    def cookie(self, nonce: bytes, address: Hashable, now: float) -> bytes:
        return self._tag(b"cookie__", int(now // SLOT), nonce, address, 16)

    def is_good(self, cookie: bytes, nonce: bytes, address: Hashable, now: float) -> bool:
        slot = int(now // SLOT)
        return any(compare_digest(cookie, self._tag(b"cookie__", s, nonce, address, 16)) for s in (slot, slot - 1))

    def seed_share(self, cookie: bytes) -> int:
        """This side's share of the seed, fixed before the other side's is known."""
        return int.from_bytes(blake2s(cookie, key=self._secret, person=b"seedshar", digest_size=8).digest(), "little")

    def challenge(self, connection_id: int, address: Hashable, now: float) -> bytes:
        return self._tag(b"challeng", int(now // SLOT), connection_id.to_bytes(4, "little"), address, 8)

    def challenges(self, connection_id: int, address: Hashable, now: float) -> tuple[bytes, bytes]:
        """Those that a proof from this address may answer."""
        return (self.challenge(connection_id, address, now), self.challenge(connection_id, address, now - SLOT))

    def _tag(self, person: bytes, slot: int, key: bytes, address: Hashable, size: int) -> bytes:
        text = slot.to_bytes(8, "little", signed=True) + key + repr(address).encode("utf-8", "replace")
        return blake2s(text, key=self._secret, person=person, digest_size=size).digest()


def commitment(share: int) -> bytes:
    return blake2s(share.to_bytes(8, "little"), person=b"seedcmit", digest_size=16).digest()


def mixed_seed(dialler_share: int, acceptor_share: int) -> int:
    shares = dialler_share.to_bytes(8, "little") + acceptor_share.to_bytes(8, "little")
    return int.from_bytes(blake2s(shares, person=b"seedmix1", digest_size=8).digest(), "little")


def path_key(
    nonce: bytes, cookie: bytes, dialler_id: int, acceptor_id: int, dialler_share: int, acceptor_share: int
) -> bytes:
    text = nonce + cookie + dialler_id.to_bytes(4, "little") + acceptor_id.to_bytes(4, "little")
    text += dialler_share.to_bytes(8, "little") + acceptor_share.to_bytes(8, "little")
    return blake2s(text, person=b"path-key", digest_size=32).digest()


def path_proof(key: bytes, challenge: bytes) -> bytes:
    return blake2s(challenge, key=key, person=b"pathprof", digest_size=8).digest()
