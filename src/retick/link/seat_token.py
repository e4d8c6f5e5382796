"""Seat tokens: the secret by which one who held a seat gets it back.

Theory of operation. Whoever gets a seat draws 16 random bytes, the *token*, and tells the others a *commitment*: half
of SHA-256 of it. To come back it shows the token; everyone can check that it fits, and nobody could have made it from
the commitment. A token is shown once: after that its owner has a new one, because others have seen the old.
"""

from hashlib import sha256
from hmac import compare_digest

from retick.errors import UsageError

__all__ = [
    "COMMITMENT_SIZE",
    "NO_COMMITMENT",
    "NO_SEAT_TOKEN",
    "SEAT_TOKEN_SIZE",
    "check_token",
    "commitment_of",
    "fits",
]

SEAT_TOKEN_SIZE = 16
NO_SEAT_TOKEN = bytes(SEAT_TOKEN_SIZE)
"""In place of a token: the one that asks held no seat before."""
COMMITMENT_SIZE = 16
NO_COMMITMENT = bytes(COMMITMENT_SIZE)
"""In place of a commitment: no token fits it."""


def check_token(token: bytes) -> bytes:
    """UsageError when these bytes cannot be a token."""
    if len(token) != SEAT_TOKEN_SIZE:
        raise UsageError(f"a seat token has {SEAT_TOKEN_SIZE} bytes, not {len(token)}")
    return token


def commitment_of(token: bytes) -> bytes:
    """What its owner tells the others."""
    return sha256(b"retick seat" + token).digest()[:COMMITMENT_SIZE]


def fits(token: bytes, commitment: bytes) -> bool:
    """Whether a token is the one of a commitment; False where there is none of either."""
    if token == NO_SEAT_TOKEN or commitment == NO_COMMITMENT:
        return False
    return compare_digest(commitment_of(token), commitment)
