"""The seed of a match, which neither side chooses alone.

The acceptor sends a commitment to its share before it knows the dialler's share; the dialler sends its share before it
knows the acceptor's. The seed is a hash of both. The acceptor derives its share from the cookie, so that it has nothing
to remember.
"""

from hashlib import blake2s

from retick.link.layout import COOKIE_SIZE

__all__ = ["acceptor_share", "commitment_to", "mix_seed"]


def acceptor_share(key: bytes, cookie: bytes) -> int:
    """The acceptor's share, fixed by its secret key and the cookie that it sent."""
    return int.from_bytes(blake2s(cookie, key=key, person=b"seedshar", digest_size=8).digest(), "little")


def commitment_to(share: int) -> bytes:
    """What is sent before the share itself."""
    return blake2s(share.to_bytes(8, "little"), person=b"seedcmit", digest_size=COOKIE_SIZE).digest()


def mix_seed(dialler_share: int, acceptor_share: int) -> int:
    """The seed, 64 bits."""
    shares = dialler_share.to_bytes(8, "little") + acceptor_share.to_bytes(8, "little")
    return int.from_bytes(blake2s(shares, person=b"seedmix1", digest_size=8).digest(), "little")
