"""Settings that all kinds of servers and clients have, and the limits that they share."""

from dataclasses import dataclass

from retick.errors import UsageError

__all__ = [
    "COMPACT_SNAPSHOTS",
    "CONTROL_QUEUE",
    "DELTA_SNAPSHOTS",
    "FAULTS",
    "LARGEST_MESSAGE",
    "HostConfig",
    "JoiningConfig",
]


DELTA_SNAPSHOTS = 1 << 3
"""The capability bit of delta snapshots in the link's handshake."""
COMPACT_SNAPSHOTS = 1 << 4
"""That of compact ones. Whether both ends mean the same is in the request to join."""
FAULTS = (Exception, SystemExit)
"""What ends a room when its game raises it. A game may call ``sys.exit``; Ctrl-C is no fault of a game."""
LARGEST_MESSAGE = 4096
"""Bytes of a reliable message, at most; control messages have fewer than a hundred."""
CONTROL_QUEUE = 65536
"""Bytes of control messages that may wait for a player, beside the game's own messages: minutes of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostConfig:
    """Rooms, limits and timeouts of a server, whatever is played in its rooms."""

    rooms: tuple[str, ...] = ("",)
    """Names of the rooms that exist at the start, none: ``open_room`` makes them. A client that asks for no room gets
    the one named ``""``."""
    max_rooms: int = 64
    """Rooms that there may be at once, with ``open_room``; never fewer than there are at the start."""
    rejoin_seconds: float = 20.0
    """Seconds that the seat of a player whose connection was lost is kept."""
    join_seconds: float = 8.0
    """Seconds after which a connection without a valid hello is closed."""
    catch_up_ticks: int = 6
    """Ticks that a late server runs at once, at most. More are skipped and counted."""
    message_queue: int = 196_608
    """Bytes of the game's messages that may wait for one player; more are dropped, and MessageDropped says so."""
    tick_budget: float | None = None
    """Seconds that one tick of one room may take; longer ones are counted. None: the time between two ticks."""
    max_connections_per_address: int = 8
    """Clients behind one IPv4 address, or one /64 network of IPv6. Loopback has no limit."""
    timeout: float = 5.0
    """Seconds of silence after which a connection counts as lost."""

    def __post_init__(self) -> None:
        if len(set(self.rooms)) != len(self.rooms):
            raise UsageError(f"rooms have no name twice, not {self.rooms}")
        if self.catch_up_ticks < 1:
            raise UsageError(f"catch_up_ticks must be at least 1, not {self.catch_up_ticks}")
        if self.message_queue < 1:
            raise UsageError(f"message_queue must be at least 1 byte, not {self.message_queue}")
        if self.tick_budget is not None and not self.tick_budget > 0:
            raise UsageError(f"tick_budget must be above 0 seconds, not {self.tick_budget}")

    @property
    def room_limit(self) -> int:
        """Rooms that there may be at once."""
        return max(self.max_rooms, len(self.rooms))


@dataclass(frozen=True, slots=True, kw_only=True)
class JoiningConfig:
    """How a client comes in and comes back, whatever is played."""

    rejoin: bool = True
    """Dial again when the connection is lost."""
    rejoin_attempts: int = 5
    """How often, at most; a stay of ``timeout`` seconds starts the count again."""
    timeout: float = 5.0
    """Seconds of silence after which a connection counts as lost."""
    welcome_seconds: float = 3.0
    """Seconds that a server may take to welcome us."""
