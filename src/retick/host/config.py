"""Settings and limits that all kinds of servers and clients share."""

from dataclasses import dataclass

from retick.errors import UsageError

DELTA_SNAPSHOTS = 1 << 3
"""The link handshake's capability bit for delta snapshots."""
COMPACT_SNAPSHOTS = 1 << 4
"""The capability bit for compact delta snapshots. The request to join says whether both ends mean the same."""
FAULTS = (Exception, SystemExit)
"""Exceptions of a game that end its room. A game may call ``sys.exit``; Ctrl-C is not the game's fault."""
LARGEST_MESSAGE = 4096
"""The most bytes of a reliable message; control messages take fewer than a hundred."""
CONTROL_QUEUE = 65536
"""Bytes of control messages that may wait for a player besides the game's own messages: minutes of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostConfig:
    """Rooms, limits and timeouts of a server of any kind."""

    rooms: tuple[str, ...] = ("",)
    """The names of the rooms that exist at the start; may be empty, as ``open_room`` adds more. A client that asks for
    no room gets the one named ``""``."""
    max_rooms: int = 64
    """The most rooms at once, those of ``open_room`` included; never fewer than there are at the start."""
    rejoin_seconds: float = 20.0
    """Seconds for which the seat of a player is kept after the connection is lost."""
    join_seconds: float = 8.0
    """Seconds after which a connection without a valid hello is closed."""
    catch_up_ticks: int = 6
    """The most ticks that a late server runs at once. More are skipped and counted."""
    message_queue: int = 196_608
    """The most bytes of the game's messages that wait for one player; more are dropped, with a MessageDropped."""
    tick_budget: float | None = None
    """Seconds that one tick of one room may take; longer ones are counted. None is the time between two ticks."""
    max_connections_per_address: int = 8
    """The most clients behind one IPv4 address, or one /64 network of IPv6. Loopback has no limit."""
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
        """The most rooms that there may be at once."""
        return max(self.max_rooms, len(self.rooms))


@dataclass(frozen=True, slots=True, kw_only=True)
class JoiningConfig:
    """How a client joins and rejoins, for every kind of server."""

    rejoin: bool = True
    """Whether to dial again when the connection is lost."""
    rejoin_attempts: int = 5
    """The most attempts to rejoin; a connection of ``timeout`` seconds resets the count."""
    timeout: float = 5.0
    """Seconds of silence after which a connection counts as lost."""
    welcome_seconds: float = 3.0
    """Seconds that a server may take to welcome us."""
