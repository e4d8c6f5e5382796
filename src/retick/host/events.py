"""Events of servers and clients of every kind."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from reprlib import Repr
from typing import Any, Final, NamedTuple, TypeAlias

_SHORT: Final = Repr()
"""Writes values of the game in bounded length, even if their own ``__repr__`` raises."""
MOST_FIELDS: Final = 500
"""How many fields of one player the report of a room shows."""
_SHORT.maxother = _SHORT.maxstring = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """The server welcomed this client."""

    peer_id: int
    """This client's peer id."""
    server_tick: int
    """The server's tick when the welcome was sent."""
    is_rejoin: bool
    """True if this is the seat that the client had before."""
    delta: bool
    """True if the server sends delta snapshots."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinFailed:
    """The server did not let this client in, or did not answer. The client does not try again."""

    reason: int
    """A code of link.Reason, or the server's own."""
    text: str
    """The reason, for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLost:
    """The connection ended."""

    reason: int
    """A code of link.Reason."""
    text: str
    """The reason, for people."""
    will_rejoin: bool
    """True if the client dials again."""


class GameMessageReceived(NamedTuple):
    """A message of the game arrived."""

    message: Any
    """The message as the game's profile decoded it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerJoined:
    """A new player is in a room."""

    room: str
    """The name of the room."""
    peer_id: int
    """The player's peer id."""
    address: Hashable = field(default=None, compare=False)
    """The address of the player's client."""
    name: str = ""
    """The name that the client gave; only in a declared world."""
    is_spectator: bool = False
    """True for a spectator; only in a declared world."""
    player: int | None = None
    """The player id of the join token, or of the Pass that ``admit`` gave; None without one."""
    data: bytes = field(default=b"", repr=False)
    """The application's own bytes of the join token or the Pass."""
    fingerprint: str | None = None
    """The fingerprint of the client's lasting key: 32 hexadecimal digits. None without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmitFailed:
    """``admit`` raised an error, or returned neither a Pass nor a Refuse: the player did not come in."""

    room: str
    """The room that the player wanted to join."""
    error: str
    """The error in one line."""
    traceback: str
    """The traceback of the error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerLost:
    """A player's connection was lost. The seat is kept for ``rejoin_seconds``."""

    room: str
    """The name of the room."""
    peer_id: int
    """The player's peer id."""
    address: Hashable = field(default=None, compare=False)
    """The address of the player's client."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerRejoined:
    """A player whose connection was lost is back in the same seat."""

    room: str
    """The name of the room."""
    peer_id: int
    """The player's peer id."""
    address: Hashable = field(default=None, compare=False)
    """The address of the player's client."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerLeft:
    """A player left for good; the seat is free again."""

    room: str
    """The name of the room."""
    peer_id: int
    """The player's peer id."""
    text: str
    """The reason, for people."""
    address: Hashable = field(default=None, compare=False)
    """The last address of the player's client."""
    things: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """The player's things in a declared world before its ``leave``: every field, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageFromPlayer:
    """A client's application sent a message; only in a declared world."""

    room: str
    """The name of the room."""
    peer_id: int
    """The sender's peer id: its seat; 256 or more for a spectator."""
    data: bytes
    """The bytes that the client sent."""
    reliable: bool
    """Whether the message was sent reliably."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagesNotReceived:
    """A rejoined player says that reliable messages to us were lost with the connection: they are not sent again.

    Some of them may have arrived. A client may say anything: do not rely on the number.
    """

    room: str
    """The name of the room."""
    peer_id: int
    """The player's peer id."""
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageDropped:
    """A message of the game to one player was not delivered, or may not have been."""

    room: str
    """The name of the room."""
    peer_id: int
    """The peer id of the player for whom it was meant."""
    message: bytes
    """The message as ``judge`` gave it."""
    text: str
    """The reason, for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEvent:
    """Base class of events that only one kind of room has."""

    room: str
    """The name of the room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomClosed:
    """A room was closed by ``close_room`` or ``drain``, after a PlayerLeft for each of its players."""

    room: str
    """The name of the room."""
    text: str
    """The text that its players were told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomFailed:
    """The game's code raised an error in a room, and the room ended; the other rooms go on.

    A PlayerLeft for each of its players came before. ``report()`` writes all of this as text, to be saved.
    """

    room: str
    """The name of the room."""
    tick: int
    """The tick that was running, or the last one if the error came from a packet."""
    error: str
    """The error in one line."""
    traceback: str
    """The traceback of the error."""
    states: Mapping[int, Any]
    """Each peer id with its state when the error was raised: the player at fault, and those after it, have not been
    stepped in this tick."""
    commands: Mapping[int, Any]
    """Each peer id with its command of this tick, in the order they were run; the last one may be at fault."""
    saved: bytes = field(default=b"", repr=False)
    """In a declared world, its last good state, before the tick in which ``advance`` failed. ``states`` has what each
    player had in it."""

    def report(self) -> str:
        """Write everything as text, for a file."""
        lines = [f"room {self.room!r} failed at tick {self.tick}: {self.error}", "", self.traceback.rstrip(), ""]
        lines.append("players, as they were:")
        for peer, state in self.states.items():
            lines += _state_lines(peer, state)
        lines += ["commands of this tick:", *(f"  {peer}: {_SHORT.repr(c)}" for peer, c in self.commands.items())]
        return "\n".join(lines) + "\n"


def _state_lines(peer: int, state: Any) -> list[str]:
    """Write a state: one line per named field, up to a limit; any other state on one line."""
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
