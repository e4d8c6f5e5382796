"""Settings of a server of declared worlds."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retick.authority.views import BUDGET
from retick.errors import UsageError
from retick.host.config import HostConfig
from retick.snapshot.compact.coder import IS_COMPILED

if TYPE_CHECKING:
    from retick.authority.server.player import WorldPlayer
    from retick.authority.server.room import WorldRoom


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldServerConfig(HostConfig):
    """The rates and limits of a server's rooms."""

    tick_rate: int = 60
    """Ticks a second."""
    snapshot_rate: int = 20
    """Snapshots a second for each client; must divide ``tick_rate``."""
    snapshot_bytes: int = BUDGET
    """The most bytes of one snapshot's payload."""
    compact: bool = IS_COMPILED
    """Whether clients that read compact snapshots get them. False sends plain ones: up to twice the bytes, but less
    time. By default False if the kernels are not compiled: then a compact one takes milliseconds."""
    max_spectators: int = 8
    """The most spectators of one room."""
    hold_ticks: int = 6
    """How many ticks without an input repeat the last one; after them the player presses nothing."""
    most_early: int = 64
    """The most ticks that an input may be early; earlier ones are dropped and counted."""
    packets_per_tick: float = 2.0
    """Input packets and unreliable messages accepted per tick from a client, on average; more are dropped."""
    messages_per_second: float = 30.0
    """Reliable messages a second accepted from a client, on average, and four seconds' worth at once. A client that
    sends more is disconnected, since a reliable message is never dropped silently."""
    most_rewind: float = 0.4
    """The most seconds that ``seen_by`` goes back: that many states are kept."""
    view_delay: float = 0.15
    """Seconds that a client may draw others behind its newest snapshot: ``seen_by`` believes no more."""
    checksum_every: int = 60
    """Ticks between two checksums in a recording."""

    def __post_init__(self) -> None:
        HostConfig.__post_init__(self)
        if not 1 <= self.snapshot_rate <= self.tick_rate <= 1000 or self.tick_rate % self.snapshot_rate:
            raise UsageError(
                f"snapshot_rate is a divisor of tick_rate, and both are 1 to 1000 a second, not {self.snapshot_rate} "
                f"and {self.tick_rate}"
            )
        if self.snapshot_ticks > 255:
            raise UsageError(f"a snapshot comes every 1 to 255 ticks, not {self.snapshot_ticks}")
        for name, least in (("max_spectators", 0), ("hold_ticks", 0), ("most_early", 1), ("checksum_every", 1)):
            if getattr(self, name) < least:
                raise UsageError(f"{name} is {least} or more, not {getattr(self, name)}")
        for name in ("packets_per_tick", "messages_per_second", "most_rewind", "view_delay"):
            if not getattr(self, name) > 0:
                raise UsageError(f"{name} is above 0, not {getattr(self, name)}")
        if self.snapshot_bytes > BUDGET:
            raise UsageError(f"snapshot_bytes is at most {BUDGET}, not {self.snapshot_bytes}: one datagram holds it")
        if self.rewind_ticks > 600:
            raise UsageError(f"most_rewind is at most 600 ticks, not {self.rewind_ticks}")

    @property
    def snapshot_ticks(self) -> int:
        """Ticks from one snapshot to the next."""
        return self.tick_rate // self.snapshot_rate

    @property
    def rewind_ticks(self) -> int:
        """The most ticks that ``seen_by`` goes back."""
        return max(1, round(self.most_rewind * self.tick_rate))


# Hooks for an application to act in the middle of a server's work; for everything else there are events.


class RoomHooks:
    """Override what you need. An error in a hook is an error of its room, which ends; the others go on."""

    def opened(self, room: "WorldRoom") -> None:
        """Called for a new room, at its start, with nobody in it: the place for ``room.add_bot``. Not called for a
        restored room. If this raises, ``open_room`` or the server's constructor raises, and there is no room."""

    def received(self, room: "WorldRoom", player: "WorldPlayer", data: bytes) -> None:
        """Called when the application of a client has sent a message, reliably or not, besides ``MessageFromPlayer``.
        It may be any bytes: check them, since an error raised here ends the room."""

    def joined(self, room: "WorldRoom", player: "WorldPlayer") -> None:
        """Called when a player, bot or spectator has just joined; see ``player.name`` and ``player.address``. A message
        to ``player.peer_id`` reaches the newcomer."""

    def leaving(self, room: "WorldRoom", player: "WorldPlayer") -> None:
        """Called when a player is about to leave: its things are still in ``room.world``. Not in a failed room."""

    def ticked(self, room: "WorldRoom") -> None:
        """Called after a tick, before any of it is sent. Read the world here, but do not change it."""

    def ended(self, room: "WorldRoom", text: str) -> None:
        """Called when a room ends, while everybody is still in it. Not called for a room that has failed."""
