"""What a client of a world reports."""

# retick: floats -- seconds, for people

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from retick.authority.messages import Ended, Gone, Presence
from retick.host.events import ConnectionLost, JoinFailed

__all__ = [
    "MessagesLost",
    "PlayerChanged",
    "PredictionFailed",
    "RoomJoined",
    "RoomLeft",
    "RosterPlayer",
    "ServerMessageReceived",
    "SnapshotsBack",
    "SnapshotsMissing",
    "WorldClientEvent",
]


class RosterPlayer(NamedTuple):
    """One player of the room, as people see them; the first three are as in the roster of a rollback session."""

    peer_id: int
    """The seat."""
    players: tuple[int, ...]
    """The seat alone."""
    name: str
    """Printable; two may have the same."""
    state: Presence


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomJoined:
    """The server welcomed us."""

    seat: int | None
    """Ours; None for a spectator."""
    tick: int
    """Of the server, when it sent the welcome."""
    is_rejoin: bool
    """True when this is the seat that we had before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomLeft:
    """The room is over, for all or for us: no tick comes after this. Every client that has joined ends with this, or
    with JoinFailed if it was refused when it came back; a program that calls ``close`` itself is not told."""

    reason: Ended | None
    """As the server said it; None: the connection is lost for good, or the server ended it."""
    text: str
    """For people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerChanged:
    """A player came, left, lost the connection or came back."""

    seat: int
    state: Presence
    name: str


class ServerMessageReceived(NamedTuple):
    """Bytes of the application, from the server or from the world that it runs."""

    data: bytes
    reliable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagesLost:
    """Reliable messages are not delivered, or nobody knows whether they were."""

    count: int
    ours: bool
    """True: those that we sent. False: those that the server had for us."""
    reason: Gone | None
    """Why the server dropped them; None: the connection was lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotsMissing:
    """Nothing came from the server for long: no tick is due. SnapshotsBack or ConnectionLost follows."""

    tick: int
    """Of the newest snapshot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotsBack:
    """A snapshot came: ticks are due again."""

    tick: int
    """Of the snapshot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionFailed:
    """The game's own code raised an error while the client ran it. The world is shown as the server sent it.

    Often the code reads what this client cannot see. Told once until a prediction works again.
    """

    tick: int
    error: str
    """The traceback."""


WorldClientEvent: TypeAlias = (
    RoomJoined
    | RoomLeft
    | PlayerChanged
    | ServerMessageReceived
    | MessagesLost
    | SnapshotsMissing
    | SnapshotsBack
    | PredictionFailed
    | JoinFailed
    | ConnectionLost
)
