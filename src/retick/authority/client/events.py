"""Events of a client of a world."""

# retick: floats -- seconds, for people

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from retick.authority.messages import Ended, Gone, Presence
from retick.host.events import ConnectionLost, JoinFailed


class RosterPlayer(NamedTuple):
    """One player of the room, as people see them; the first three fields are as in a rollback session's roster."""

    peer_id: int
    """The player's seat."""
    players: tuple[int, ...]
    """The seat, alone in a tuple."""
    name: str
    """The name, printable; two players may have the same."""
    state: Presence


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomJoined:
    """The server welcomed us."""

    seat: int | None
    """Our seat; None for a spectator."""
    tick: int
    """The server's tick when it sent the welcome."""
    is_rejoin: bool
    """True if this is the seat that we had before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomLeft:
    """The room is over, for all or for us: no tick follows. Every client that has joined ends with this, or with
    JoinFailed if it was refused when rejoining; a program that calls ``close`` itself gets neither."""

    reason: Ended | None
    """The server's reason; None if the connection is lost for good, or the server ended it."""
    text: str
    """The reason, for people."""


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
    """Reliable messages were not delivered, or may not have been."""

    count: int
    ours: bool
    """True for messages that we sent, False for messages that the server had for us."""
    reason: Gone | None
    """Why the server dropped them; None if the connection was lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotsMissing:
    """Nothing has come from the server for long: no tick is due. SnapshotsBack or ConnectionLost follows."""

    tick: int
    """The tick of the newest snapshot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotsBack:
    """A snapshot came: ticks are due again."""

    tick: int
    """The tick of the snapshot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionFailed:
    """The game's own code raised an error while the client ran it. The world is shown as the server sent it.

    Often the code reads something that this client cannot see. Reported once, until a prediction works again.
    """

    tick: int
    error: str
    """The traceback of the error."""


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
