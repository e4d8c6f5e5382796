"""What an endpoint offers and how much it keeps; the application's answer to a request."""

from dataclasses import dataclass

from retick.errors import UsageError
from retick.link.reasons import Reason

__all__ = ["Accept", "LinkConfig", "Refuse"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkConfig:
    """One endpoint's terms and limits. The values on the wire are explained in docs/formats/link.md."""

    game_id: str = ""
    """Both sides must name the same game; at most 32 bytes of UTF-8."""
    game_version: int = 0
    """Both sides must have the same version, 0 to 2**32 - 1."""
    capabilities: int = 0
    """Bits of what this side can do; 0 to 15 are Retick's, 16 to 31 the application's."""
    required: int = 0
    """Bits of what the other side must be able to do."""
    tick_rate: int = 0
    """Ticks a second; 0 when it does not matter."""
    accepting: bool = True
    """False for an endpoint that only dials."""
    max_connections: int = 64
    """All connections together; more are refused."""
    max_datagram: int = 1200
    """Bytes of UDP payload that this side sends at most, 576 to 1472. Above 1200 some paths lose datagrams."""
    max_message: int = 65536
    """Bytes of the longest reliable message, both ways."""
    send_queue: int = 262144
    """Bytes of reliable messages that wait to be acknowledged, for each connection."""
    payload_queue: int = 64
    """Payloads that wait for the next call of datagrams_to_send, for each connection."""
    unread_limit: int = 256
    """Payloads, and messages, taken in for one connection between two calls of events()."""
    status_interval: float = 1.0
    """Seconds between reports; half of it on an idle link, which they keep alive."""
    quiet_after: float = 1.5
    """Seconds without a datagram before Interrupted is reported."""
    timeout: float = 10.0
    """Seconds without a datagram before the connection ends."""
    dial_timeout: float = 10.0
    """Seconds before an unanswered dial is given up."""
    confirm_timeout: float = 5.0
    """Seconds that an accepted connection has to show its first datagram."""
    handshake_rate: float = 200.0
    """Answers to handshake datagrams a second, over all addresses."""

    def __post_init__(self) -> None:
        if len(self.game_id.encode()) > 32:
            raise UsageError(f"game_id takes at most 32 bytes, not {len(self.game_id.encode())}")
        for name, most in (
            ("game_version", 0xFFFFFFFF),
            ("capabilities", 0xFFFFFFFF),
            ("required", 0xFFFFFFFF),
            ("tick_rate", 0xFFFF),
        ):
            if not 0 <= getattr(self, name) <= most:
                raise UsageError(f"{name} is 0 to {most}, not {getattr(self, name)}")
        for name in ("max_message", "send_queue", "payload_queue", "unread_limit", "handshake_rate"):
            if not getattr(self, name) >= 1:
                raise UsageError(f"{name} is 1 or more, not {getattr(self, name)}")
        for name in ("dial_timeout", "confirm_timeout"):
            if not getattr(self, name) > 0:
                raise UsageError(f"{name} is above 0 seconds, not {getattr(self, name)}")
        if not 576 <= self.max_datagram <= 1472:
            raise UsageError(f"max_datagram is 576 to 1472 bytes, not {self.max_datagram}")
        if not 0 < self.status_interval < self.quiet_after < self.timeout:
            raise UsageError("status_interval, quiet_after and timeout must grow in this order, from above 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Accept:
    """The application admits a request."""

    seats: tuple[int, ...] = ()
    """Seats 0 to 31 that the other side gets."""
    data: bytes = b""
    """For the other side's application, at most 256 bytes."""

    def __post_init__(self) -> None:
        if any(not 0 <= seat <= 31 for seat in self.seats):
            raise UsageError(f"seats are 0 to 31, not {self.seats}")
        if len(self.data) > 256:
            raise UsageError(f"an acceptance carries at most 256 bytes of data, not {len(self.data)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Refuse:
    """The application turns a request down."""

    reason: int = Reason.DENIED
    """A code of Reason, or 128 to 255."""
    text: str = ""
    """For the other side to show; cut to 120 bytes."""

    def __post_init__(self) -> None:
        if not 0 <= self.reason <= 255:
            raise UsageError(f"a reason is 0 to 255, not {self.reason}")
