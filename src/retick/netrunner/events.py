"""What a server and a client of NetRunner report besides the events of :mod:`retick.host.events`."""

# retick: floats -- measurements in metres, for people and for smoothing

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from retick.host.events import ConnectionLost, GameEvent, GameMessageReceived, Joined, JoinFailed
from retick.netrunner.profile import State, Stats


class Reconciled(NamedTuple):
    """A snapshot with our own player arrived, and the commands that it does not know yet were resimulated."""

    tick: int
    """The server tick of the snapshot."""
    ack: int
    """The seq of the newest of our commands that the server had run at that tick."""
    correction: float
    """How far the snapshot moved our player, in metres; 0 within the dead zone of 3 mm."""
    correction_xz: float
    """The horizontal part of the correction, in metres, after the dead zone."""
    correction_y: float
    """The vertical part of the correction, in metres, after the dead zone."""
    raw_xz: float
    """The horizontal part of the correction, in metres, before the dead zone."""
    replayed: int
    """How many commands were resimulated."""
    before: State
    """Our player as predicted before the snapshot came."""
    restored: State
    """Our player as the snapshot had it, before resimulating any command."""
    after: State
    """Our player as predicted now."""
    stats: Stats
    """How the server ran our commands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resynced:
    """The client set its clock to a tick of the server and dropped its pending commands."""

    tick: int
    """The server tick."""


ClientEvent: TypeAlias = Reconciled | Joined | JoinFailed | ConnectionLost | Resynced | GameMessageReceived


@dataclass(frozen=True, slots=True, kw_only=True)
class ShotDropped(GameEvent):
    """``judge`` gave a message that cannot be sent: nobody is told of this shot."""

    peer_id: int
    """The peer id of the player who shot."""
    text: str
    """The reason, for people."""
