"""What a server and a client report. Past participles, each field with its unit."""

# retick: floats -- measurements in metres, for people and for smoothing

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from retick.authority.shapes import State

__all__ = [
    "ClientEvent",
    "ConnectionLost",
    "GameMessageReceived",
    "JoinFailed",
    "Joined",
    "PlayerJoined",
    "PlayerLeft",
    "PlayerLost",
    "PlayerRejoined",
    "Reconciled",
    "Resynced",
    "ServerEvent",
]


class Reconciled(NamedTuple):
    """A snapshot was taken in, and the commands that it does not know yet were run again."""

    tick: int
    """The snapshot's."""
    ack: int
    """The newest of our commands that the server has run, by the snapshot itself."""
    correction: float
    """Metres, after the dead zone."""
    correction_xz: float
    correction_y: float
    raw_xz: float
    """Metres, before the dead zone."""
    replayed: int
    """Commands."""
    before: State
    """Predicted without the snapshot."""
    restored: State
    """As the snapshot had it, before the replay."""
    after: State
    stats: Any
    """The server's counters for us."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """The server welcomed us."""

    peer_id: int
    server_tick: int
    is_rejoin: bool
    """True when this is the seat that we had before."""
    delta: bool
    """True when snapshots come as deltas."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinFailed:
    """We are not in, and no further attempt is made."""

    reason: int
    """A code of link.Reason, or the server's own."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLost:
    """The connection ended."""

    reason: int
    text: str
    will_rejoin: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Resynced:
    """The client started afresh from a tick of the server."""

    tick: int


class GameMessageReceived(NamedTuple):
    """A message of the game's own, as the profile decoded it."""

    message: Any


ClientEvent: TypeAlias = Reconciled | Joined | JoinFailed | ConnectionLost | Resynced | GameMessageReceived


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerJoined:
    room: str
    peer_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerLost:
    """The connection is gone, the seat is kept for a while."""

    room: str
    peer_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerRejoined:
    room: str
    peer_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerLeft:
    """The seat is free again."""

    room: str
    peer_id: int
    text: str


ServerEvent: TypeAlias = PlayerJoined | PlayerLost | PlayerRejoined | PlayerLeft
