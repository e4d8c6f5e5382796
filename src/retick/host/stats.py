"""Counters of servers, rooms and clients, and of how the commands of a player were run."""

# retick: floats -- measurements for people; nothing is simulated from them

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import NamedTuple

from retick.wire.values import Plain

__all__ = ["REFUSALS", "TICK_BOUNDS", "ClientStats", "InputStats", "RoomStats", "ServerStats", "TickCost"]

REFUSALS = (
    "malformed",
    "wrong_version",
    "unexpected",
    "not_joined",
    "flooded",
    "bad_command",
    "too_many_shots",
    "old_epoch",
    "room_full",
    "bad_join",
    "not_admitted",
    "bad_message",
    "draining",
)
"""Reasons for which a server drops something and counts it; docs/formats/netrunner-ticks.md has their meanings."""


TICK_BOUNDS = (0.00025, 0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.033, 0.066, 0.133)
"""Seconds: the upper bounds of the classes in which ticks are counted by how long they took."""


class InputStats(NamedTuple):
    """How the server ran one player's commands; the order is the wire's."""

    dropped_old: int = 0
    """Commands that came too late, redundant copies of used ones included."""
    dropped_future: int = 0
    """Commands more than 64 ticks ahead."""
    ticks_buffered: int = 0
    """Ticks run on a command that arrived in time."""
    ticks_held: int = 0
    """Ticks run on the last command, repeated."""
    ticks_neutral: int = 0
    """Ticks run on a command without movement or buttons."""
    missing_streak: int = 0
    """Ticks in a row without a command, up to now."""
    missing_streak_max: int = 0
    """The longest such streak, in ticks."""
    delay_ticks: int = 0
    """How far ahead of its tick the server wants this player's commands stamped, in ticks."""
    rtt_ms: float = 0.0
    """The server's estimate of the round trip, in milliseconds."""
    jitter_ms: float = 0.0
    """The server's estimate of the jitter, in milliseconds."""


@dataclass(slots=True)
class TickCost(Plain):
    """How long the ticks of a room took. Nothing is counted in a server without a ``clock``."""

    ticks: int = 0
    """Ticks that were measured."""
    seconds: float = 0.0
    """All of them together."""
    longest: float = 0.0
    """Seconds."""
    over_budget: int = 0
    """Ticks that took longer than ``ServerConfig.tick_budget``."""
    counts: list[int] = field(default_factory=lambda: [0] * (len(TICK_BOUNDS) + 1))
    """Ticks by class: up to the first of TICK_BOUNDS, up to the second …, and those above the last."""

    def add(self, seconds: float, budget: float) -> None:
        """One more tick took this long."""
        self.ticks += 1
        self.seconds += seconds
        self.longest = max(self.longest, seconds)
        self.over_budget += seconds > budget
        self.counts[bisect_left(TICK_BOUNDS, seconds)] += 1


@dataclass(slots=True)
class RoomStats(Plain):
    """Totals of one room."""

    snapshots: int = 0
    """Snapshot packets handed to links."""
    snapshot_bytes: int = 0
    """Bytes of these, without the link's own."""
    snapshots_shed: int = 0
    """Snapshot ticks that were left out because the server was late; only in a declared world."""
    shots: int = 0
    """Shots judged."""
    messages_dropped: int = 0
    """Messages of the game that are not known to have arrived; MessageDropped tells of each."""
    tick_cost: TickCost = field(default_factory=TickCost)
    """How long the ticks took."""
    refused: dict[str, int] = field(default_factory=lambda: dict.fromkeys(REFUSALS, 0))
    """Reason to how often."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerStats(Plain):
    """A whole server at one moment."""

    connections: int
    """Those that have no player yet included."""
    skipped_ticks: int
    """Ticks that a late server left out."""
    refused: dict[str, int]
    """Reason to how often, with the link's reasons; without those that never occurred."""
    rooms: dict[str, RoomStats]
    """Totals of each room, by its name. They go on counting: ``as_dict`` makes a copy."""
    players: dict[str, dict[int, InputStats]]
    """By the room's name and the peer id: how each player's commands were run."""


@dataclass(slots=True)
class ClientStats(Plain):
    """Totals of one client since its first welcome."""

    snapshots: int = 0
    """Snapshots accepted."""
    snapshot_bytes: int = 0
    """Bytes of these, without the link's own."""
    stale_snapshots: int = 0
    """Snapshots dropped since a newer one, or the same, had come before."""
    refused: int = 0
    """Packets dropped since they did not decode."""
    missing_baselines: int = 0
    """Delta snapshots dropped since the one they start from is not held."""
    reconciles: int = 0
    """Snapshots with our own player in them."""
    corrections: int = 0
    """Reconciles that moved the player by more than 0.0005 m, after the dead zone."""
    largest_correction: float = 0.0
    """Metres."""
    snaps: int = 0
    """Corrections too large to be smoothed."""
    replayed: int = 0
    """Commands resimulated."""
    stale_commands: int = 0
    """Pending commands dropped since the server's tick had passed them."""
    resyncs: int = 0
    """Times that the clock was set anew and pending commands were dropped."""
    epochs: int = 0
    """Times that the epoch went up: after a stall, or when the window lost or gained focus."""
    commands: int = 0
    """Commands made."""
    shed: int = 0
    """Client ticks in which no command was made, because commands were too far ahead of the server."""
    teleports: int = 0
    """Times that another player was drawn far from where it was drawn last."""
    rejoins: int = 0
    """Times that the seat was taken again after a lost connection."""
