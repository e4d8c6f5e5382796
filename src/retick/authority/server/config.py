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

__all__ = [
    "RoomHooks",
    "WorldServerConfig",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldServerConfig(HostConfig):
    """Rates and limits of its rooms."""

    tick_rate: int = 60
    """Ticks a second."""
    snapshot_rate: int = 20
    """Snapshots a second for each client; a divisor of ``tick_rate``."""
    snapshot_bytes: int = BUDGET
    """Bytes of one snapshot's payload, at most."""
    compact: bool = IS_COMPILED
    """Make snapshots compact for clients that read those. False: plain ones, of up to twice the bytes, in less time. It
    is so by default where the kernels are not compiled: there a compact one takes milliseconds."""
    max_spectators: int = 8
    """Spectators of one room."""
    hold_ticks: int = 6
    """Ticks without an input that run on the last one, repeated; after them the player presses nothing."""
    most_early: int = 64
    """Ticks that an input may come before its tick; earlier ones are dropped and counted."""
    packets_per_tick: float = 2.0
    """Packets of inputs and unreliable messages accepted from each client, on average; more are dropped and counted."""
    messages_per_second: float = 30.0
    """Reliable messages accepted from each client, on average, and four seconds of them at once. A client that sends
    more is disconnected, since a reliable message is never dropped in silence."""
    most_rewind: float = 0.4
    """Seconds that ``seen_by`` goes back, at most: as many states are kept."""
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
        """Ticks that ``seen_by`` goes back, at most."""
        return max(1, round(self.most_rewind * self.tick_rate))


# What an application can do in the middle of a server's work; for everything else there are events.


class RoomHooks:
    """Override what you need. An error in any of them is an error of that room: it ends, and the others go on."""

    def opened(self, room: "WorldRoom") -> None:
        """A new room, at its start, with nobody in it: ``room.add_bot`` fits here. Not called for a restored one. What
        this raises, ``open_room`` and the server's constructor raise: there is no room then."""

    def received(self, room: "WorldRoom", player: "WorldPlayer", data: bytes) -> None:
        """The application of a client has sent a message, reliably or not; ``MessageFromPlayer`` comes as well. It may
        be any bytes: check them, since what this raises ends the room."""

    def joined(self, room: "WorldRoom", player: "WorldPlayer") -> None:
        """A player, a bot or a spectator has just joined; ``player.name`` and ``player.address`` say who it is."""

    def leaving(self, room: "WorldRoom", player: "WorldPlayer") -> None:
        """A player is about to leave: what it has is still in ``room.world``. Not called in a room that has failed."""

    def ticked(self, room: "WorldRoom") -> None:
        """A tick was run; nothing of it was sent yet. Read the world here, and do not change it."""

    def ended(self, room: "WorldRoom", text: str) -> None:
        """A room ends, and everybody is still in it. Not called for a room that has failed."""
