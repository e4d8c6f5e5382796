"""What a dialler asks for, what the application answers, and what both sides agreed on."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from typing import TYPE_CHECKING

from retick.errors import UsageError
from retick.link.layout import MAX_APPLICATION_DATA, MAX_REASON, MAX_SEATS
from retick.link.reasons import Reason

if TYPE_CHECKING:
    from retick.link.connection import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A peer at a proven address asks for a connection; the application answers with Accept or Refuse."""

    connection: "Connection"
    """The connection that an Accept would open; ``connection.tag`` is free for the application."""
    address: Hashable
    """The peer's address."""
    capabilities: int
    """All capability bits of the peer, shared or not."""
    tick_rate: int
    """Ticks a second; 0 if the peer accepts any."""
    seats: int
    """How many seats the peer wants."""
    data: bytes
    """Data from the peer's application, at most 256 bytes."""
    token: bytes = field(default=b"", repr=False)
    """The token of a dialler that knows this server's key, at most 700 bytes; sealed links only."""
    fingerprint: str | None = None
    """The fingerprint of the peer's lasting key, 32 hexadecimal digits, on sealed links; None without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accept:
    """The application's answer: open the connection."""

    seats: tuple[int, ...] = ()
    """The seats that the peer gets, 0 to 31."""
    data: bytes = b""
    """Data for the peer's application, at most 256 bytes."""

    def __post_init__(self) -> None:
        if any(not 0 <= seat < MAX_SEATS for seat in self.seats):
            raise UsageError(f"seats are 0 to {MAX_SEATS - 1}, not {self.seats}")
        if len(self.data) > MAX_APPLICATION_DATA:
            raise UsageError(f"Accept carries at most {MAX_APPLICATION_DATA} bytes of data, not {len(self.data)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Refuse:
    """The application's answer: no connection."""

    reason: int = Reason.DENIED
    """A code of Reason, or 128 to 255."""
    text: str = ""
    """The text for the peer to show; cut to 120 bytes."""

    def __post_init__(self) -> None:
        if not 0 <= self.reason <= MAX_REASON:
            raise UsageError(f"a reason is 0 to {MAX_REASON}, not {self.reason}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a handshake agreed on; equal on both sides except for the two fields about the peer."""

    capabilities: int
    """Capability bits that both sides have."""
    tick_rate: int
    """Ticks a second; 0 if both sides accept any."""
    seats: tuple[int, ...]
    """The seats of the side that dialled."""
    seed: int
    """64 bits that neither side chose alone."""
    peer_game_version: int
    """The peer's version of the game."""
    peer_data: bytes
    """Data from the peer's application, in HELLO or ACCEPT; at most 256 bytes."""


# Seat tokens: the secret with which a player who lost a seat gets it back.
#
# Theory of operation. Whoever gets a seat draws 16 random bytes, the *token*, and tells the others a *commitment*: half
# of its SHA-256. To come back it shows the token; everyone can check that it fits, and nobody could have made it from
# the commitment. A token is shown once: after that its owner has a new one, because others have seen the old.

SEAT_TOKEN_SIZE = 16
NO_SEAT_TOKEN = bytes(SEAT_TOKEN_SIZE)
"""Used in place of a token by a peer that held no seat before."""
COMMITMENT_SIZE = 16
NO_COMMITMENT = bytes(COMMITMENT_SIZE)
"""Used in place of a commitment; no token fits it."""


def check_token(token: bytes) -> bytes:
    """Return the token; raise a UsageError if these bytes cannot be one."""
    if len(token) != SEAT_TOKEN_SIZE:
        raise UsageError(f"a seat token has {SEAT_TOKEN_SIZE} bytes, not {len(token)}")
    return token


def commitment_of(token: bytes) -> bytes:
    """The commitment to a token, which its owner tells the others."""
    return sha256(b"retick seat" + token).digest()[:COMMITMENT_SIZE]


def fits(token: bytes, commitment: bytes) -> bool:
    """Whether a token fits a commitment; False if either is absent."""
    if token == NO_SEAT_TOKEN or commitment == NO_COMMITMENT:
        return False
    return compare_digest(commitment_of(token), commitment)
