"""What a match tells its application, all in the past tense."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

__all__ = [
    "DesyncDetected",
    "InputConflictDetected",
    "MatchEnded",
    "MatchEvent",
    "MatchStarted",
    "MessageReceived",
    "PeerConnected",
    "PeerDisconnected",
    "PeerInterrupted",
    "PeerResumed",
    "PlayersDropped",
    "PlayersReturned",
    "RematchProposed",
    "Resumed",
    "SourceChanged",
    "Stalled",
    "WatchingStarted",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEvent:
    """The root of all events of a match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerConnected(MatchEvent):
    """The handshake with another machine is done."""

    peer: Any
    """Its key: the connection, or in the LAN mode the address."""
    players: tuple[int, ...]
    """The seats that are played there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerDisconnected(MatchEvent):
    """Another machine is gone, by its own word or by silence."""

    peer: Any
    """Its key."""
    players: tuple[int, ...]
    """The seats that were played there."""
    reason: int
    """A code from docs/formats/link.md."""
    text: str
    """The same in words, to show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerInterrupted(MatchEvent):
    """Nothing was heard of another machine for a while; it may come back."""

    peer: Any
    """Its key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerResumed(MatchEvent):
    """A machine that was interrupted is heard again."""

    peer: Any
    """Its key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchStarted(MatchEvent):
    """Everyone is there: frame 0 can run."""

    seed: int
    """Given to the game's ``initial_state``."""
    local_players: tuple[int, ...]
    """The seats played here."""
    frame: int = 0
    """The first frame in which the players here take part: above 0 for one who joined a running match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEnded(MatchEvent):
    """No more frames will run here."""

    reason: str
    """In words, to show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayersDropped(MatchEvent):
    """The machines that are left agreed on the frame from which lost players are simulated on neutral input."""

    players: tuple[int, ...]
    """Their seats."""
    frame: int
    """The first frame on neutral input."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayersReturned(MatchEvent):
    """A machine has taken free seats in the running match."""

    peer: Any
    """Its key."""
    players: tuple[int, ...]
    """The seats."""
    frame: int
    """The first frame with their own input."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RematchProposed(MatchEvent):
    """Another machine would play again; the next match starts when all have said so."""

    peer: Any
    """Its key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchingStarted(MatchEvent):
    """A spectator has a state to begin with."""

    seed: int
    """The seed of the match."""
    frame: int
    """The frame of that state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceChanged(MatchEvent):
    """The machine that fed a spectator is gone; another one is asked."""

    address: Hashable
    """Where that one is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stalled(MatchEvent):
    """The prediction window is full: frames wait for inputs, and go on by themselves when they come."""

    frame: int
    """The frame that waits."""
    waiting_for: tuple[int, ...]
    """The players whose inputs are missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed(MatchEvent):
    """Frames run again after a stall."""

    frame: int
    """The frame that waited."""
    seconds: float
    """How long it waited."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DesyncDetected(MatchEvent):
    """Two machines hold different states for one frame although its inputs are the same."""

    peer: Any
    """The key of the other machine."""
    frame: int
    """The first compared frame whose states differ; the one before it that was compared agreed."""
    ours: int
    """Checksum of the state before that frame, here."""
    theirs: int
    """The same there."""
    last_agreed: int
    """The newest frame before it on which both agreed; -1 if none was compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputConflictDetected(MatchEvent):
    """A player sent two different inputs for one frame; the first one stands."""

    peer: Any
    """The key of the machine that sent it."""
    player: int
    """The seat."""
    frame: int
    """The frame."""
    confirmed: int
    """The input that was taken first and stands."""
    received: int
    """The input that contradicts it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageReceived(MatchEvent):
    """The other machine's application sent a reliable message."""

    peer: Any
    """Its key."""
    data: bytes
    """As it was sent."""
