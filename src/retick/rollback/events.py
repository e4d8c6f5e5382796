"""What a match tells its application, all in the past tense.

In every event ``peer`` names the other peer: its peer id, a small integer; in LAN mode, which has no peer ids, its
address.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import NamedTuple

from retick.rollback.desync.equivocation import EquivocationProof
from retick.rollback.desync.investigation import Investigation
from retick.rollback.desync.report import DesyncReport


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEvent:
    """The base class of all events of a match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerConnected(MatchEvent):
    """The handshake with a peer is done."""

    peer: Hashable
    """Its peer id; in LAN mode its address."""
    players: tuple[int, ...]
    """The seats of that peer."""
    fingerprint: str | None = None
    """Of the lasting key that it has proved to have (``identity``), 32 hexadecimal digits; None without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerDisconnected(MatchEvent):
    """A peer is gone: it said goodbye, it was silent for too long, or it broke the rules."""

    peer: Hashable
    """Its peer id."""
    players: tuple[int, ...]
    """The seats of that peer."""
    reason: int
    """A code from docs/formats/link.md, always a plain int: compare it with ``retick.link.Reason``."""
    text: str
    """The reason in words, to show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerInterrupted(MatchEvent):
    """Nothing was received from a peer for a while; it may come back."""

    peer: Hashable
    """Its peer id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerResumed(MatchEvent):
    """Something was received again from a peer that was interrupted."""

    peer: Hashable
    """Its peer id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerUnheard(MatchEvent):
    """Another peer says that it no longer hears a peer. That one is dropped only when nobody hears it any more."""

    peer: Hashable
    """The peer id of the one that is not heard; it may be ours."""
    by: Hashable
    """The peer id of the one that says so."""
    reason: int
    """A code from docs/formats/link.md, always a plain int: compare it with ``retick.link.Reason``."""
    text: str
    """The reason in words, to show."""


class RosterPeer(NamedTuple):
    """One peer of a match, as people see it."""

    peer_id: int
    """Its peer id."""
    players: tuple[int, ...]
    """Its seats."""
    name: str
    """Its name, printable, for people; two peers may have the same."""
    profile: bytes
    """The bytes that its application has given."""
    fingerprint: str | None = None
    """Of the lasting key that it has proved to this peer; None without one, and where there is no link with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterChanged(MatchEvent):
    """A peer has said its name and profile, or the host says who is there."""

    roster: tuple[RosterPeer, ...]
    """Who takes part, in the order of peer ids; ``session.roster`` has it at any time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchStarted(MatchEvent):
    """All peers are connected: frame 0 can run."""

    seed: int
    """Given to the game's ``initial_state``."""
    local_players: tuple[int, ...]
    """The seats played here."""
    frame: int = 0
    """The first frame with input of the local players: above 0 for one who joined a running match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEnded(MatchEvent):
    """No more frames will run here."""

    reason: str
    """In words, to show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayersDropped(MatchEvent):
    """The remaining peers agreed on the frame from which players who are gone are simulated on neutral input."""

    players: tuple[int, ...]
    """Their seats."""
    frame: int
    """The first frame on neutral input."""
    accuser: Hashable | None = None
    """The peer id of the one that was the first, as far as we know, to say that it no longer hears them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayersReturned(MatchEvent):
    """A peer has taken free seats in the running match."""

    peer: Hashable
    """Its peer id."""
    players: tuple[int, ...]
    """The seats."""
    frame: int
    """The first frame with their own input."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconnecting(MatchEvent):
    """All others were lost through silence: the match stands, and the session tries to come back."""

    peers: tuple[Hashable, ...]
    """The ids of the peers that it asks, and that may come back to it."""
    seconds: float
    """For how long at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RematchProposed(MatchEvent):
    """A peer wants to play again; the next match starts when all peers have said so."""

    peer: Hashable
    """Its peer id."""
    seats: tuple[int, ...] = ()
    """The new seats that it wants for seats 0, 1 ...; empty: they move on by one peer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchingStarted(MatchEvent):
    """A spectator has a state to begin with."""

    seed: int
    """The seed of the match."""
    frame: int
    """The frame of that state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceChanged(MatchEvent):
    """The peer that fed a spectator is gone; the spectator asks another one."""

    address: Hashable
    """The address of that one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stalled(MatchEvent):
    """The prediction window is full. The match waits for inputs, and goes on by itself when they come."""

    frame: int
    """The frame that waits."""
    waiting_for: tuple[int, ...]
    """Every player whose input the frame needs and that is missing. At the frame that was promised to a newcomer, the
    free seats; while a resync is agreed, all others. Never empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed(MatchEvent):
    """The match goes on after a stall."""

    frame: int
    """The frame that waited."""
    seconds: float
    """How long it waited, in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPaused(MatchEvent):
    """The match stands at the frame at which all have agreed to pause."""

    frame: int
    """The next frame to run."""
    peers: tuple[int, ...]
    """The peer ids of those that want the pause; it may be ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResumed(MatchEvent):
    """Nobody wants the pause any more: the match goes on."""

    frame: int
    """The next frame to run."""
    seconds: float
    """How long the match stood here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DesyncDetected(MatchEvent):
    """A peer's checksum of a final state differs from ours: the states diverged, or the checksum is not true."""

    peer: Hashable
    """The peer id of the other one."""
    frame: int
    """The first compared frame whose checksums differ."""
    ours: int
    """Checksum of the state before that frame, here."""
    theirs: int
    """The same there, as it was sent."""
    last_agreed: int
    """The newest frame that was compared with this peer and was equal; -1 if there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DesyncReported(MatchEvent):
    """The peers have compared what they hold. The application decides whether to stop or to go on from one state."""

    report: DesyncReport
    """Equal on all peers that had the same evidence. It may say that nothing differs: then the alarm was false."""
    investigation: Investigation | None = field(default=None, compare=False, repr=False)
    """What this peer kept of the match: a bundle is made from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EquivocationProved(MatchEvent):
    """A peer told two others different inputs for one frame, and signed both: it is shown out by all."""

    peer: Hashable
    """The peer id of the liar."""
    players: tuple[int, ...]
    """Its seats."""
    frame: int
    """The first frame on which the two differ."""
    proof: EquivocationProof
    """Both signed ranges: ``proof.encode()`` can be kept, and checked by anybody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputConflictDetected(MatchEvent):
    """A peer sent two different inputs for one player and frame; the first one stays."""

    peer: Hashable
    """The peer id of the one that sent them."""
    player: int
    """The seat."""
    frame: int
    """The frame."""
    confirmed: int
    """The input that came first, and stays."""
    received: int
    """The input that contradicts it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageReceived(MatchEvent):
    """A peer's application sent a reliable message."""

    peer: Hashable
    """Its peer id."""
    data: bytes
    """The message, as it was sent."""
