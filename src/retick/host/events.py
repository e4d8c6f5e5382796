"""What servers and clients report, whatever is played."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from reprlib import Repr
from typing import Any, Final, NamedTuple, TypeAlias

__all__ = [
    "AdmitFailed",
    "ConnectionLost",
    "GameEvent",
    "GameMessageReceived",
    "JoinFailed",
    "Joined",
    "MessageDropped",
    "MessageFromPlayer",
    "MessagesNotReceived",
    "PlayerJoined",
    "PlayerLeft",
    "PlayerLost",
    "PlayerRejoined",
    "RoomClosed",
    "RoomFailed",
    "ServerDrained",
    "ServerEvent",
]

_SHORT: Final = Repr()
"""Writes values of the game at a bounded length, also one whose own ``__repr__`` raises."""
MOST_FIELDS: Final = 500
"""Of one player, in the report of a room."""
_SHORT.maxother = _SHORT.maxstring = 1000


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


class GameMessageReceived(NamedTuple):
    """A message of the game's own."""

    message: Any
    """As the game's profile decoded it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerJoined:
    """A new player is in a room."""

    room: str
    """Its name."""
    peer_id: int
    """Of the player."""
    address: Hashable = field(default=None, compare=False)
    """Where its client is."""
    name: str = ""
    """As its client gave it; only in a declared world."""
    is_spectator: bool = False
    """It only watches; only in a declared world."""
    player: int | None = None
    """The player id of its join token, or of the Pass that ``admit`` gave; None without one."""
    data: bytes = field(default=b"", repr=False)
    """The application's own bytes of the same."""
    fingerprint: str | None = None
    """Of the client's lasting key, if it has one: 32 hexadecimal digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmitFailed:
    """``admit`` raised an error, or answered with neither a Pass nor a Refuse: the player did not come in."""

    room: str
    """The room that the player wanted to join."""
    error: str
    """The error in one line."""
    traceback: str
    """Where it was raised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerLost:
    """A player's connection was lost. The seat is kept for ``rejoin_seconds``."""

    room: str
    """Its name."""
    peer_id: int
    """Of the player."""
    address: Hashable = field(default=None, compare=False)
    """Where its client is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerRejoined:
    """A player whose connection was lost is back in the same seat."""

    room: str
    """Its name."""
    peer_id: int
    """Of the player."""
    address: Hashable = field(default=None, compare=False)
    """Where its client is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerLeft:
    """A player left for good; the seat is free again."""

    room: str
    """Its name."""
    peer_id: int
    """Of the player."""
    text: str
    """Why, for people."""
    address: Hashable = field(default=None, compare=False)
    """Where its client was."""
    things: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """What the player had in a declared world before its ``leave``: every field of their things, by its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageFromPlayer:
    """The application of a client sent a message; only in a declared world."""

    room: str
    """Its name."""
    peer_id: int
    """Of the player: the seat; 256 or more for a spectator."""
    data: bytes
    """Whatever the client sent."""
    reliable: bool
    """Whether it was sent reliably."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagesNotReceived:
    """A player is back who says that reliable messages to us were lost with the connection: nobody sends them again.

    Some of them may have arrived. A client may say anything: do not rely on the number.
    """

    room: str
    """Its name."""
    peer_id: int
    """Of the player."""
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageDropped:
    """A message of the game to one player was not delivered, or nobody knows whether it was."""

    room: str
    """Its name."""
    peer_id: int
    """Of the player for whom it was."""
    message: bytes
    """As ``judge`` gave it."""
    text: str
    """Why, for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEvent:
    """Base class of events that only one kind of room has."""

    room: str
    """Its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomClosed:
    """A room was closed: by ``close_room`` or ``drain``. PlayerLeft came before, for each of its players."""

    room: str
    """Its name."""
    text: str
    """What its players were told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomFailed:
    """The game's code raised an error in a room, and the room ended; the other rooms go on.

    PlayerLeft came before, for each of its players. ``report()`` has all of this as text, to be saved.
    """

    room: str
    """Its name."""
    tick: int
    """The tick that was run, or that was run last when the error came from a packet."""
    error: str
    """The error in one line."""
    traceback: str
    """Where it was raised."""
    states: Mapping[int, Any]
    """Peer id to state, as it was when the error was raised: players that come after the one at fault, and this one,
    have not been stepped in this tick."""
    commands: Mapping[int, Any]
    """Peer id to the command of this tick, in the order in which they were run; the last one may be at fault."""
    saved: bytes = field(default=b"", repr=False)
    """Of a declared world: its last good state, before the tick in which ``advance`` failed. ``states`` has what each
    player had in it."""

    def report(self) -> str:
        """Everything, for a file."""
        lines = [f"room {self.room!r} failed at tick {self.tick}: {self.error}", "", self.traceback.rstrip(), ""]
        lines.append("players, as they were:")
        for peer, state in self.states.items():
            lines += _state_lines(peer, state)
        lines += ["commands of this tick:", *(f"  {peer}: {_SHORT.repr(c)}" for peer, c in self.commands.items())]
        return "\n".join(lines) + "\n"


def _state_lines(peer: int, state: Any) -> list[str]:
    """A state of named fields has a line for each, up to a bound; any other is one line."""
    if not isinstance(state, Mapping):
        return [f"  {peer}: {_SHORT.repr(state)}"]
    lines = [f"    {name} = {_SHORT.repr(value)}" for name, value in islice(state.items(), MOST_FIELDS)]
    more = len(state) - len(lines)
    return [f"  {peer}:", *lines, *([f"    and {more} fields more"] if more else [])]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerDrained:
    """All rooms have ended after ``drain``: the program can close the server and stop."""


ServerEvent: TypeAlias = (
    PlayerJoined
    | AdmitFailed
    | PlayerLost
    | PlayerRejoined
    | PlayerLeft
    | MessageFromPlayer
    | MessagesNotReceived
    | MessageDropped
    | GameEvent
    | RoomClosed
    | RoomFailed
    | ServerDrained
)
