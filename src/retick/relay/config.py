"""Settings of a relay."""

from dataclasses import dataclass, fields

from retick.errors import UsageError

__all__ = ["RelayConfig"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RelayConfig:
    """Limits of a relay; all of them protect it, or others from it."""

    rooms: int = 4096
    """Rooms at the same time."""
    rooms_per_address: int = 8
    """Of these, opened from one IPv4 address, or one /64 network of IPv6."""
    members: int = 16384
    """Members of all rooms together."""
    member_bytes: int = 131_072
    """Bytes a second that a member may send to others, headers of 28 bytes a frame included."""
    total_bytes: int = 12_500_000
    """The same for all members together."""
    wrong_codes: int = 10
    """Wrong codes that one address, or /64, may try at once."""
    wrong_code_seconds: float = 10.0
    """Seconds after which it may try another one."""
    wrong_codes_a_second: int = 100
    """Wrong codes a second of all addresses together."""
    answers: int = 2000
    """Answers a second to senders whose address is not proven, all together."""
    code_seconds: float = 600.0
    """Seconds for which a code can be used if nobody joins."""
    idle_seconds: float = 30.0
    """Seconds of silence after which a member is no longer there; a room without members is gone."""
    ticket_seconds: float = 300.0
    """Seconds for which a ticket holds; every answer to a member brings a new one."""

    def __post_init__(self) -> None:
        for field in fields(self):
            if not getattr(self, field.name) > 0:
                raise UsageError(f"{field.name} must be above 0, not {getattr(self, field.name)}")
