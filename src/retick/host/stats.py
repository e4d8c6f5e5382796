"""Counters of servers, rooms and clients, and of how a player's commands were run."""

# retick: floats -- measurements for people; nothing is simulated from them

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import NamedTuple

from retick.wire.values import Plain

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
"""The reasons for which a server drops and counts something; docs/formats/netrunner-ticks.md explains them."""


TICK_BOUNDS = (0.00025, 0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.033, 0.066, 0.133)
"""The upper bounds, in seconds, of the classes in which ticks are counted by duration."""


class InputStats(NamedTuple):
    """How the server ran one player's inputs (NetRunner's commands); the fields are in the order of the wire."""

    dropped_old: int = 0
    """Inputs that came after their tick. A NetRunner server counts commands, copies of used ones included."""
    dropped_future: int = 0
    """Inputs for a tick too far ahead of the server's: more than 64 ticks in NetRunner."""
    ticks_buffered: int = 0
    """Ticks run on an input that arrived in time."""
    ticks_held: int = 0
    """Ticks run on the last input, repeated."""
    ticks_neutral: int = 0
    """Ticks run on a neutral input, without movement or buttons."""
    missing_streak: int = 0
    """Ticks in a row without an input, up to now."""
    missing_streak_max: int = 0
    """The longest such streak, in ticks."""
    delay_ticks: int = 0
    """In ticks. NetRunner: how far ahead of its tick the server wants this player's commands stamped. Declared worlds:
    how early the newest input came; below 0 if late."""
    rtt_ms: float = 0.0
    """The server's estimate of the round trip, in milliseconds."""
    jitter_ms: float = 0.0
    """The server's estimate of the jitter, in milliseconds."""


@dataclass(slots=True)
class TickCost(Plain):
    """How long the ticks of a room took. A server without a ``clock`` counts nothing."""

    ticks: int = 0
    """Ticks that were measured."""
    seconds: float = 0.0
    """The duration of all measured ticks together, in seconds."""
    longest: float = 0.0
    """The longest tick, in seconds."""
    over_budget: int = 0
    """Ticks that took longer than ``ServerConfig.tick_budget``."""
    counts: list[int] = field(default_factory=lambda: [0] * (len(TICK_BOUNDS) + 1))
    """How many ticks each class has: up to the first of TICK_BOUNDS, up to the second …, and above the last."""

    def add(self, seconds: float, budget: float) -> None:
        """Count one more tick, which took this long."""
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
    """Bytes of snapshot packets, without the link's own."""
    snapshots_shed: int = 0
    """Snapshot ticks that were left out because the server was late; only in a declared world."""
    shots: int = 0
    """Shots judged."""
    messages_dropped: int = 0
    """Messages of the game that may not have arrived; each has its MessageDropped."""
    tick_cost: TickCost = field(default_factory=TickCost)
    """How long the ticks took."""
    refused: dict[str, int] = field(default_factory=lambda: dict.fromkeys(REFUSALS, 0))
    """How often each reason for dropping occurred."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerStats(Plain):
    """All figures of a server at one moment."""

    connections: int
    """Open connections, including those without a player yet."""
    skipped_ticks: int
    """Ticks that a late server left out."""
    refused: dict[str, int]
    """How often each reason for dropping occurred, with the link's reasons; leaves out those that never occurred."""
    rooms: dict[str, RoomStats]
    """Totals of each room, by name. They keep counting: ``as_dict`` makes a copy."""
    players: dict[str, dict[int, InputStats]]
    """How each player's commands were run, by room name and peer id."""


@dataclass(slots=True)
class ClientStats(Plain):
    """Totals of one client since its first welcome."""

    snapshots: int = 0
    """Snapshots accepted."""
    snapshot_bytes: int = 0
    """Bytes of accepted snapshots, without the link's own."""
    stale_snapshots: int = 0
    """Snapshots dropped because the same or a newer one had come before."""
    refused: int = 0
    """Packets dropped because they did not decode."""
    missing_baselines: int = 0
    """Delta snapshots dropped because their baseline is missing."""
    reconciles: int = 0
    """Snapshots that contained our own player."""
    corrections: int = 0
    """Reconciles that moved the player by more than 0.0005 m, after the dead zone."""
    largest_correction: float = 0.0
    """The largest correction, in metres."""
    snaps: int = 0
    """Corrections too large to be smoothed."""
    replayed: int = 0
    """Commands that were resimulated."""
    stale_commands: int = 0
    """Pending commands dropped because the server's tick had passed them."""
    resyncs: int = 0
    """How often the clock was set anew and pending commands were dropped."""
    epochs: int = 0
    """How often the epoch went up: after a stall, or when the window lost or gained focus."""
    commands: int = 0
    """Commands made."""
    shed: int = 0
    """Client ticks without a command, because commands were too far ahead of the server."""
    teleports: int = 0
    """How often another player was drawn far from its last drawn place."""
    rejoins: int = 0
    """How often the seat was taken again after a lost connection."""
