# cython: nonecheck=True, auto_pickle=False
"""The work of a session at every frame, and nothing else: moves data between a link's datagrams and a match.

Theory of operation. A process may hold hundreds of sessions, and the processor's caches then hold nothing of a session
when its frame comes: so the code and data of every frame are kept together, and short. The session's parts (joining,
drops, spectators, desyncs) have something to do only now and then. While none of them has, the core is *quiet* and does
not call them. Anything that may give them something to do ends the quiet: an event of a link, a request to connect, a
call of the application, an alarm, a stall, a peer that acknowledges nothing. After the next frame all parts are asked
whether it is quiet again.

Two classes share this. ``SessionCore`` is the base of the inside of a session, which its parts know. ``SessionCalls``
is the base of the session that an application has: the calls of every frame, and only calls for the application.
"""

from collections.abc import Hashable
from typing import Any

from retick.errors import NotSynchronized
from retick.link.connection import Octets, Seconds
from retick.rollback.events import MatchEvent
from retick.rollback.session.peer import Peer, Phase
from retick.routes.online import OnlineEvent
from retick.sim.contract import Input

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.link.connection import PayloadPath
    from cython.cimports.retick.link.endpoint import LinkEndpoint
    from cython.cimports.retick.rollback.match.match import NEVER, Exchange, Match
else:
    from retick.link.connection import PayloadPath
    from retick.link.endpoint import LinkEndpoint
    from retick.rollback.match.match import NEVER, Exchange, Match

RUNNING = cython.declare(object, Phase.RUNNING)
NOT_RBN1 = cython.declare(cython.int, 0xF0)
"""The lowest first byte of payloads that forward inputs; packets of inputs begin with another one."""
ASK_EVERY = cython.declare(cython.double, 0.1)
"""Seconds after which parts that have something to do are asked although no frame was run."""
MOST_UNREAD = cython.declare(cython.int, 256)
"""The events that may wait for the application before no more messages are received from others."""


@cython.cclass
class SessionCore:
    """The base class of the inside of a session, which must set ``link`` before the first call."""

    link: LinkEndpoint  # public
    match: "Match | None"  # public
    phase: Phase  # public
    peers: dict[int, Peer]  # public
    happened: list[MatchEvent | OnlineEvent]  # public
    is_quiet: cython.bint  # public
    asked_at: cython.double
    wakes_at: "float | None"  # public
    last_match: "Match | None"  # public

    def __init__(self) -> None:
        self.match = None
        self.phase = Phase.GATHERING
        self.peers = {}
        """The other peers by id."""
        self.happened = []
        """Events that the application has not read yet."""
        self.is_quiet = False
        self.asked_at = 0.0
        """When the parts were last asked."""
        self.wakes_at = None
        """When a part has something to do even if nothing happens; None if no part has."""
        self.last_match = None
        """The match that a session gave up to come back to another, shown until it has a state again."""

    @cython.cfunc
    def read_link(self, now: cython.double) -> None:
        """Read the link's events, unless too many wait for the application: then senders of more messages wait."""
        if len(self.happened) < MOST_UNREAD:
            self.is_quiet = False
            self.on_link_events(now)

    def no_match_yet(self) -> NotSynchronized:
        """The error for asking for something that only a match has."""
        return NotSynchronized(f"there is no match yet: the session is {self.phase.value}")

    def shown_match(self) -> Match:
        """The match to be shown, even while a session that was alone comes back."""
        match: Match | None = self.match if self.match is not None else self.last_match
        if match is None:
            raise self.no_match_yet()
        return match

    def receive_payload(self, connection: PayloadPath, data: bytes, now: float) -> None:
        """Called by the link with a payload of another peer."""
        peer = connection.tag
        match: Match | None = self.match
        if match is not None and self.phase is RUNNING and peer is not None:
            exchange = peer.exchange
            if exchange is None:
                return
            if data and data[0] >= NOT_RBN1:
                self.on_forwarding(peer, data, now)
            else:
                match.receive(exchange, data, now)
            if match.first_own == NEVER:
                self.catch_up(match, now)

    @cython.cfunc
    def send_packets(self, match: Match) -> None:
        """Pass the packet of each peer to its link."""
        exchange: Exchange
        for exchange in match.exchanges:
            peer: Any = exchange.peer
            connection = peer.connection
            data = exchange.packet()
            if connection is None or data is None:
                continue
            if isinstance(connection, PayloadPath):
                path: PayloadPath = connection
                path.send_unreliable(data)
            else:
                # Something wraps a connection: a peer that cheats in a test.
                connection.send_unreliable(data)

    # Hooks that the session implements.

    def on_link_events(self, now: float) -> None:
        """Read the link's events."""
        raise NotImplementedError

    def on_forwarding(self, peer: Peer, data: bytes, now: float) -> None:
        """Receive a payload that is not a packet of a peer's own inputs."""
        raise NotImplementedError

    def catch_up(self, match: Match, now: float) -> None:
        """Run the frames whose inputs have come, before a newcomer's first own frame is agreed."""
        raise NotImplementedError

    def wait(self, now: float) -> None:
        """Let each part see how long it has waited, before the first match."""
        raise NotImplementedError

    def ask_parts(self, match: Match, now: float) -> bool:
        """Let each part do its work; True if none has any, and none will before something happens."""
        raise NotImplementedError


@cython.cclass
class SessionCalls:
    """The calls and properties that an application uses at every frame."""

    _inside: SessionCore  # readonly

    def __init__(self, inside: SessionCore) -> None:
        self._inside = inside

    def due(self, *, now: float) -> bool:
        """Whether to call ``advance`` now. False while the match waits for inputs: it continues by itself."""
        inside: SessionCore = self._inside
        match: Match | None = inside.match
        return inside.phase is RUNNING and match is not None and match.first_own != NEVER and match.due(now)

    def advance(self, pressed: Input | tuple[Input, ...], *, now: float) -> None:
        """Run the next frame with the local input: one, or one for each local player."""
        inside: SessionCore = self._inside
        match: Match | None = inside.match
        if match is None or inside.phase is not RUNNING:
            raise NotSynchronized(f"no frame can be run: the session is {inside.phase.value}")
        match.advance(pressed, now)

    def receive_datagram(self, data: Octets, address: Hashable, *, now: Seconds) -> None:
        """Receive a datagram from ``address``; a bad one is dropped and counted."""
        inside: SessionCore = self._inside
        inside.link.receive(data, address, now)
        if inside.link._events:
            inside.read_link(now)

    def datagrams_to_send(self, *, now: float) -> list[tuple[bytes, Hashable]]:
        """The datagrams to send now, each with its address: ask after every frame, and after receiving any."""
        inside: SessionCore = self._inside
        if inside.link._events:
            inside.read_link(now)
        match: Match | None = inside.match
        if match is not None and inside.phase is RUNNING:
            if match.sends(now):
                inside.send_packets(match)
            # Once a frame, while waiting as often as packets are sent again, and also while nobody runs frames.
            is_time: cython.bint = match.sent_at == now or not match.exchanges
            if not is_time and not inside.is_quiet:
                is_time = now >= max(inside.asked_at, match.sent_at) + ASK_EVERY
            if is_time and (not inside.is_quiet or match.wakes_parts or match.alarm.is_open):
                match.wakes_parts = False
                inside.asked_at = now
                inside.is_quiet = inside.ask_parts(match, now)
        elif match is None:
            inside.wait(now)
        return inside.link.drain(now)

    def next_timeout(self) -> float | None:
        """When to call ``handle_timeout`` at the latest; None for never, and once all is done after ``close``."""
        inside: SessionCore = self._inside
        due: float | None = inside.link.next_timeout()
        if inside.wakes_at is not None and (due is None or inside.wakes_at < due):
            due = inside.wakes_at
        match: Match | None = inside.match
        if match is not None and inside.phase is RUNNING:
            resend = match.next_timeout()
            if resend is not None and (due is None or resend < due):
                return resend
        return due

    def handle_timeout(self, *, now: float) -> None:
        """Do everything due by now; then ask for datagrams to send."""
        inside: SessionCore = self._inside
        inside.link.handle_timeout(now=now)
        if inside.link.has_events:
            inside.read_link(now)

    def events(self) -> list[MatchEvent | OnlineEvent]:
        """The events since the last call, oldest first."""
        inside: SessionCore = self._inside
        match: Match | None = inside.match
        happened: list[MatchEvent | OnlineEvent] = [] if match is None else [*match.events()]
        if inside.happened:
            happened = inside.happened + happened
            inside.happened = []
        return happened

    @property
    def phase(self) -> Phase:
        """The phase of the session, from gathering the players to the end."""
        return self._inside.phase

    @property
    def running(self) -> bool:
        """Whether frames can be run."""
        return self._inside.phase is RUNNING

    @property
    def state(self) -> Any:
        """The game's present state."""
        match: Match = self._inside.shown_match()
        return match.engine.state

    @property
    def frame(self) -> int:
        """The next frame to run."""
        match: Match = self._inside.shown_match()
        return match.engine.frame

    @property
    def next_frame_at(self) -> float | None:
        """When the next frame is due, for a loop that sleeps until then; None before the first frame of a match."""
        match: Match | None = self._inside.match
        return None if match is None else match.pace.next_frame_at
