"""What a server asks about one who wants to come in, and what it is answered."""

from collections.abc import Hashable
from dataclasses import dataclass, field

from retick.errors import UsageError

__all__ = ["Applicant", "Pass"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Applicant:
    """One who wants to join a room. ``admit`` of a server gets it, and answers with a Pass or a Refuse."""

    room: str
    """The name of the room."""
    address: Hashable
    """Where its client is; proven."""
    fingerprint: str | None = None
    """Of the client's lasting key, if it has one: 32 hexadecimal digits; proven. None on a plain link."""
    name: str = ""
    """As the client gave it; only in a declared world. Anybody may claim any name."""
    watches: bool = False
    """It wants to watch, without a seat; only in a declared world."""
    token: bytes = field(default=b"", repr=False)
    """The join token as it came, at most 700 bytes, not opened; empty without one."""
    server_key: bytes | None = None
    """The public key of the server that asks; None if it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """The answer yes, and what is known of the one who comes in."""

    player: int | None = None
    """The player id of the join token, 64 bits; None without one."""
    data: bytes = field(default=b"", repr=False)
    """The application's own bytes of the join token."""
    ticket: bytes = b""
    """Names the join token: whoever shows it again gets the same seat. Empty without one."""
    fingerprint: str | None = None
    """Of the client's lasting key; the server sets it."""

    def __post_init__(self) -> None:
        if self.player is not None and not 0 <= self.player < 1 << 64:
            raise UsageError(f"a player id has 64 bits, {self.player} does not fit")
