"""Another machine as a session knows it, and where the session itself is."""

from dataclasses import replace
from enum import Enum

from retick.link import Connection
from retick.rollback.match.stats import PeerStats, RateMeter

__all__ = ["HOST", "Peer", "Phase", "Role"]

HOST = 0
"""The number of the machine that gathers the others; once the match runs it is like any other."""


class Phase(Enum):
    """Where a session is."""

    GATHERING = "waiting for everyone"
    LINKING = "connecting everyone to everyone"
    RUNNING = "playing"
    ENDED = "over"


class Role(Enum):
    """What the connection to a machine is for."""

    PLAYER = "plays"
    NEWCOMER = "is about to take a seat in the running match"
    SPECTATOR = "watches"


class Peer:
    """One connection, and who plays behind it."""

    __slots__ = ("calls", "connection", "meter", "number", "players", "ready", "role")

    def __init__(self, number: int, players: tuple[int, ...], role: Role = Role.PLAYER) -> None:
        self.number = number
        self.players = players
        self.role = role
        self.connection: Connection | None = None
        self.ready = False
        self.calls = 0
        """How often we dialled it, when it is us who dial."""
        self.meter = RateMeter()

    @property
    def is_connected(self) -> bool:
        return self.connection is not None and self.connection.is_connected

    def send(self, message: bytes) -> bool:
        return self.connection is not None and self.connection.send_reliable(message)

    def sample(self, now: float) -> None:
        """Take down the link's totals, about once a second."""
        if self.connection is not None:
            link = self.connection.stats
            self.meter.sample(link.packets_sent, link.bytes_sent, now)

    def measured(self, stats: PeerStats, now: float) -> PeerStats:
        """A match's numbers for this machine, with what the link measures of the way to it."""
        if self.connection is None:
            return stats
        link = self.connection.stats
        self.meter.packets, self.meter.bytes = link.packets_sent, link.bytes_sent
        packets, octets = self.meter.rates(now)
        return replace(
            stats,
            rtt=link.rtt if self.connection.has_rtt else None,
            jitter=link.jitter if self.connection.has_rtt else None,
            loss_in=link.loss_in,
            loss_out=link.loss_out,
            packets_in=link.packets_received,
            packets_out=link.packets_sent,
            bytes_in=link.bytes_received,
            bytes_out=link.bytes_sent,
            packets_per_second_out=packets,
            bytes_per_second_out=octets,
        )
