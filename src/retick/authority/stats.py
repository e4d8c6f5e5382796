"""Counters: how a player's commands fared, what a server refused, how a client's predictions did."""

# retick: floats -- measurements for people; nothing is simulated from them

from dataclasses import dataclass, field
from typing import NamedTuple

from retick.authority.shapes import State

__all__ = ["REFUSALS", "ClientStats", "InputStats", "PlayerView", "RoomStats"]

REFUSALS = (
    "malformed",
    "wrong_version",
    "unexpected",
    "not_joined",
    "flooded",
    "bad_command",
    "old_epoch",
    "room_full",
    "bad_join",
)
"""Why a server did not take something; docs/authority.md has the meanings."""


class InputStats(NamedTuple):
    """How a player's commands fared, as the server counts them; the order is the wire's."""

    dropped_old: int = 0
    """Commands that came too late, redundant copies of used ones included."""
    dropped_future: int = 0
    """Commands more than 64 ticks ahead."""
    ticks_buffered: int = 0
    """Ticks run on a command that was there in time."""
    ticks_held: int = 0
    """Ticks run on the last command, repeated."""
    ticks_neutral: int = 0
    """Ticks run on no wish at all."""
    missing_streak: int = 0
    """Ticks in a row without a command."""
    missing_streak_max: int = 0
    delay_ticks: int = 0
    """How far ahead the server wants this player's commands stamped."""
    rtt_ms: float = 0.0
    """The server's estimate of the round trip."""
    jitter_ms: float = 0.0


class PlayerView(NamedTuple):
    """One player as a snapshot has it."""

    peer_id: int
    ack: int
    """The newest seq of this player that the server has consumed."""
    state: State
    stats: InputStats


@dataclass(slots=True)
class RoomStats:
    """Totals of one room."""

    snapshots: int = 0
    """Snapshot packets handed to links."""
    snapshot_bytes: int = 0
    shots: int = 0
    refused: dict[str, int] = field(default_factory=lambda: dict.fromkeys(REFUSALS, 0))


@dataclass(slots=True)
class ClientStats:
    """Totals of one client since its first welcome."""

    snapshots: int = 0
    """Accepted ones."""
    snapshot_bytes: int = 0
    stale_snapshots: int = 0
    """Not newer than one that came before."""
    refused: int = 0
    """Packets that did not decode."""
    missing_baselines: int = 0
    """Delta snapshots against one that is not held."""
    reconciles: int = 0
    corrections: int = 0
    """Reconciles that moved the player by more than 0.0005 m, after the dead zone."""
    largest_correction: float = 0.0
    """Metres."""
    snaps: int = 0
    """Corrections too large to be smoothed."""
    replayed: int = 0
    """Commands run again."""
    stale_commands: int = 0
    """Pending commands dropped since the server's tick had passed them."""
    resyncs: int = 0
    epochs: int = 0
    """Times that this client lost its place in time."""
    commands: int = 0
    shed: int = 0
    """Client ticks without a command, to shorten a lead that had grown too long."""
    teleports: int = 0
    """Others shown at once where they are, being too far from where they were."""
    rejoins: int = 0
