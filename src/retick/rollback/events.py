"""The events that a match reports to its application, all in the past tense.

In every event ``peer`` is the other peer: its peer id, a small integer; in LAN mode, which has no peer ids, its
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
    """The peer's id; in LAN mode its address."""
    players: tuple[int, ...]
    """The seats of that peer."""
    fingerprint: str | None = None
    """The fingerprint of the lasting key that the peer has proved (``identity``), 32 hexadecimal digits, or None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerDisconnected(MatchEvent):
    """A peer is gone: it said goodbye, it was silent for too long, or it broke the rules."""

    peer: Hashable
    """The peer's id."""
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
    """The peer's id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerResumed(MatchEvent):
    """Something was received again from an interrupted peer."""

    peer: Hashable
    """The peer's id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerUnheard(MatchEvent):
    """Another peer reports that it no longer hears a peer, which is dropped only when nobody hears it any more."""

    peer: Hashable
    """The id of the peer that is not heard; it may be ours."""
    by: Hashable
    """The id of the peer that reports it."""
    reason: int
    """A code from docs/formats/link.md, always a plain int: compare it with ``retick.link.Reason``."""
    text: str
    """The reason in words, to show."""


class RosterPeer(NamedTuple):
    """One peer of a match, as people see it."""

    peer_id: int
    """The peer's id."""
    players: tuple[int, ...]
    """The peer's seats."""
    name: str
    """The peer's name, printable, for people; two peers may have the same."""
    profile: bytes
    """The bytes that the peer's application has given."""
    fingerprint: str | None = None
    """The fingerprint of the lasting key that it has proved to this peer; None without one, or without a link to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterChanged(MatchEvent):
    """A peer has sent its name and profile, or the host has reported who is there."""

    roster: tuple[RosterPeer, ...]
    """The peers that take part, by peer id; ``session.roster`` has it at any time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchStarted(MatchEvent):
    """All peers are connected: frame 0 can run."""

    seed: int
    """The seed for the game's ``initial_state``."""
    local_players: tuple[int, ...]
    """The seats played here."""
    frame: int = 0
    """The first frame with input of the local players: above 0 for a peer that joined a running match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEnded(MatchEvent):
    """No more frames will run here."""

    reason: str
    """The reason in words, to show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayersDropped(MatchEvent):
    """The remaining peers agreed on the frame from which the players of lost peers are simulated on neutral input."""

    players: tuple[int, ...]
    """The dropped seats."""
    frame: int
    """The first frame on neutral input."""
    accuser: Hashable | None = None
    """The id of the first peer, as far as we know, to report that it no longer hears them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FramesTakenBack(MatchEvent):
    """Final frames ran again: two peers stated different last inputs of a lost one, and the agreed ones are others.

    Nothing else changes a final frame. Whoever keeps final frames or inputs replaces them from ``frame`` on; the
    session's own recording has done so.
    """

    frame: int
    """The first frame that ran again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayersReturned(MatchEvent):
    """A peer has taken free seats in the running match."""

    peer: Hashable
    """The peer's id."""
    players: tuple[int, ...]
    """The seats that were taken."""
    frame: int
    """The first frame with the peer's own input."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconnecting(MatchEvent):
    """All others were lost through silence: the match stops, and the session tries to come back."""

    peers: tuple[Hashable, ...]
    """The ids of the peers that it asks, and that may come back to it."""
    seconds: float
    """How long it tries at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RematchProposed(MatchEvent):
    """A peer wants to play again; the next match starts when all peers have proposed it."""

    peer: Hashable
    """The peer's id."""
    seats: tuple[int, ...] = ()
    """The new seats that it wants for seats 0, 1 ...; empty if seats move on by one peer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchingStarted(MatchEvent):
    """A spectator has its first state."""

    seed: int
    """The seed of the match."""
    frame: int
    """The frame of that state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceChanged(MatchEvent):
    """The peer that fed a spectator is gone; the spectator asks another one."""

    address: Hashable
    """The address of the new source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stalled(MatchEvent):
    """The prediction window is full. The match waits for inputs, and continues by itself when they come."""

    frame: int
    """The frame that waits."""
    waiting_for: tuple[int, ...]
    """Every player whose input is missing for the frame. At the frame promised to a newcomer, the free seats; while a
    resync is agreed, all others. Never empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed(MatchEvent):
    """The match continues after a stall."""

    frame: int
    """The frame that waited."""
    seconds: float
    """How long it waited, in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPaused(MatchEvent):
    """The match has stopped at the frame at which all agreed to pause."""

    frame: int
    """The next frame to run."""
    peers: tuple[int, ...]
    """The ids of the peers that want the pause; ours may be one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResumed(MatchEvent):
    """Nobody wants the pause any more: the match continues."""

    frame: int
    """The next frame to run."""
    seconds: float
    """How long the match was paused here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DesyncDetected(MatchEvent):
    """A peer's checksum of a final state differs from ours: the states diverged, or the checksum is not true."""

    peer: Hashable
    """The id of the other peer."""
    frame: int
    """The first compared frame whose checksums differ."""
    ours: int
    """Our checksum of the state before that frame."""
    theirs: int
    """The other peer's checksum of that state, as it was sent."""
    last_agreed: int
    """The newest frame compared with this peer and found equal; -1 if there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DesyncReported(MatchEvent):
    """The peers have compared what they hold. The application decides whether to stop or to continue from one state."""

    report: DesyncReport
    """Equal on all peers with the same evidence. It may say that nothing differs: then the alarm was false."""
    investigation: Investigation | None = field(default=None, compare=False, repr=False)
    """What this peer kept of the match; a bundle is made from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EquivocationProved(MatchEvent):
    """A peer told two others different inputs for one frame, and signed both: all peers drop it."""

    peer: Hashable
    """The id of the peer that lied."""
    players: tuple[int, ...]
    """The peer's seats."""
    frame: int
    """The first frame on which the two differ."""
    proof: EquivocationProof
    """Both signed ranges: ``proof.encode()`` can be kept, and checked by anybody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputConflictDetected(MatchEvent):
    """A peer sent two different inputs for one player and frame; the first one stays."""

    peer: Hashable
    """The id of the peer that sent them."""
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
    """The sender's peer id."""
    data: bytes
    """The message, as it was sent."""
