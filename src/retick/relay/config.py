"""Settings of a relay."""

from dataclasses import dataclass, fields

from retick.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class RelayConfig:
    """Limits that protect a relay, or others from it."""

    rooms: int = 4096
    """The most rooms at the same time."""
    rooms_per_address: int = 8
    """The most rooms opened from one IPv4 address, or one /64 network of IPv6."""
    members: int = 16384
    """The most members of all rooms together."""
    member_bytes: int = 131_072
    """The most bytes a second that a member may send to others, 28 bytes of headers a frame included."""
    total_bytes: int = 12_500_000
    """The most bytes a second that all members together may send, headers included."""
    wrong_codes: int = 10
    """How many wrong codes one address, or /64, may try in a row."""
    wrong_code_seconds: float = 10.0
    """Seconds after which the address may try another code."""
    wrong_codes_a_second: int = 100
    """The most wrong codes a second from all addresses together."""
    answers: int = 10_000
    """The most answers a second, all together, to senders whose address is not proven; one address, or /64, gets a
    hundredth."""
    code_seconds: float = 600.0
    """Seconds for which a code stays valid if nobody joins."""
    idle_seconds: float = 30.0
    """Seconds of silence after which a member is removed; a room without members is closed."""
    ticket_seconds: float = 300.0
    """Seconds for which a ticket is valid; every answer to a member brings a new one."""

    def __post_init__(self) -> None:
        for field in fields(self):
            if not getattr(self, field.name) > 0:
                raise UsageError(f"{field.name} must be above 0, not {getattr(self, field.name)}")
