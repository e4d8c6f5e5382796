"""What a server and a client report."""

# retick: floats -- measurements in metres, for people and for smoothing

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from retick.authority.profile import State, Stats

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
    """A snapshot with our own player arrived. The commands that it does not know yet were resimulated."""

    tick: int
    """Server tick of the snapshot."""
    ack: int
    """Seq of the newest of our commands that the server had run at that tick."""
    correction: float
    """How far the snapshot moved our player, in metres; 0 within the dead zone of 3 mm."""
    correction_xz: float
    """Its horizontal part, in metres, after the dead zone."""
    correction_y: float
    """Its vertical part, in metres, after the dead zone."""
    raw_xz: float
    """Its horizontal part, in metres, before the dead zone."""
    replayed: int
    """Commands resimulated."""
    before: State
    """Our player as predicted before the snapshot came."""
    restored: State
    """Our player as the snapshot had it, before any command was resimulated."""
    after: State
    """Our player as predicted now."""
    stats: Stats
    """How the server ran our commands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """The server welcomed us."""

    peer_id: int
    """Ours."""
    server_tick: int
    """When the welcome was sent."""
    is_rejoin: bool
    """True when this is the seat that we had before."""
    delta: bool
    """True when the server sends delta snapshots."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinFailed:
    """The server did not let us in, or did not answer. The client makes no further attempt."""

    reason: int
    """A code of link.Reason, or the server's own."""
    text: str
    """For people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLost:
    """The connection ended."""

    reason: int
    """A code of link.Reason."""
    text: str
    """For people."""
    will_rejoin: bool
    """True when the client dials again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resynced:
    """The client set its clock to a tick of the server and dropped its pending commands."""

    tick: int
    """Server tick."""


class GameMessageReceived(NamedTuple):
    """A message of the game's own."""

    message: Any
    """As the game's profile decoded it."""


ClientEvent: TypeAlias = Reconciled | Joined | JoinFailed | ConnectionLost | Resynced | GameMessageReceived


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerJoined:
    """A new player is in a room."""

    room: str
    """Its name."""
    peer_id: int
    """Of the player."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerLost:
    """A player's connection was lost. The seat is kept for ``rejoin_seconds``."""

    room: str
    """Its name."""
    peer_id: int
    """Of the player."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerRejoined:
    """A player whose connection was lost is back in the same seat."""

    room: str
    """Its name."""
    peer_id: int
    """Of the player."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerLeft:
    """A player left for good; the seat is free again."""

    room: str
    """Its name."""
    peer_id: int
    """Of the player."""
    text: str
    """Why, for people."""


ServerEvent: TypeAlias = PlayerJoined | PlayerLost | PlayerRejoined | PlayerLeft
