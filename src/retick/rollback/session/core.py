# cython: nonecheck=True
"""What a session does at every frame, and nothing else: the way between a link's datagrams and a match.

Theory of operation. A process may hold hundreds of sessions, and a frame of each then finds nothing of it in the
processor's caches: what is walked at every frame is kept in one place, and is short. The session's other parts, which
let machines come, go, watch and disagree, have something to do now and then. While none of them has, the routine is
*quiet* and does not look at them. Whatever may give them something to do ends the quiet: an event of a link, a request
to connect, a call of the application, an alarm. The next round asks them all, and finds out whether it is quiet again.
"""

from collections.abc import Hashable
from typing import Any

from retick.link.lane import Octets, Seconds
from retick.rollback.session.peer import Peer, Phase

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.link.endpoint import LinkEndpoint
    from cython.cimports.retick.rollback.match.match import Match
else:
    from retick.link.endpoint import LinkEndpoint
    from retick.rollback.match.match import Match

__all__ = ["Routine"]

RUNNING = Phase.RUNNING
MOST_UNREAD = 256
"""Events that may wait for the application before no more messages are taken from others."""
SAMPLE_EVERY = 1.0
"""Seconds between two samples of the rates."""


@cython.cclass
class Routine:
    """The base of a session, which gives it ``link`` and ``peers`` before the first call."""

    if not cython.compiled:
        link: LinkEndpoint
        match: Match | None
        phase: Phase
        peers: dict[int, Peer]
        happened: list[Any]
        is_quiet: bool
        sample_at: float

    def __init__(self) -> None:
        self.match = None
        self.phase = Phase.GATHERING
        self.peers = {}
        """The other machines by their numbers."""
        self.happened = []
        """Events that the application has not read yet."""
        self.is_quiet = False
        self.sample_at = 0.0

    def due(self, *, now: float) -> bool:
        """Whether ``advance`` is to be called now. False while the match waits for inputs: it goes on by itself."""
        match: Match | None = self.match
        return self.phase is RUNNING and match is not None and match.due(now)

    def receive_datagram(self, data: Octets, address: Hashable, *, now: Seconds) -> None:
        self.link.take(data, address, now)
        if self.link._events:
            self.read_link(now)

    def datagrams_to_send(self, *, now: float) -> list[tuple[bytes, Hashable]]:
        if self.link._events:
            self.read_link(now)
        match: Match | None = self.match
        if match is not None and self.phase is RUNNING:
            packets = match.packets(now)
            for key, data in packets:
                peer = self.peers.get(key)
                if peer is not None and peer.connection is not None:
                    peer.connection.send_unreliable(data)
            if (packets or not match.exchanges) and not (self.is_quiet and not match.alarm.is_open):
                # Once a frame, and while waiting as often as packets are sent again.
                self.is_quiet = self.ask_parts(match, now)
        if now >= self.sample_at:
            self.sample_at = now + SAMPLE_EVERY
            for peer in self.peers.values():
                peer.sample(now)
        return self.link.drain(now)

    def next_timeout(self) -> float | None:
        due: float | None = self.link.next_timeout()
        match: Match | None = self.match
        if match is not None and self.phase is RUNNING:
            resend = match.next_timeout()
            if resend is not None and (due is None or resend < due):
                return resend
        return due

    def handle_timeout(self, *, now: float) -> None:
        self.link.handle_timeout(now=now)
        if self.link.has_events:
            self.read_link(now)

    def read_link(self, now: cython.double) -> None:
        """Read the link's events, unless the application leaves too many unread: those who send more then wait."""
        if len(self.happened) < MOST_UNREAD:
            self.is_quiet = False
            self.on_link_events(now)

    def events(self) -> list[Any]:
        happened = self.happened
        self.happened = []
        match: Match | None = self.match
        if match is not None:
            happened += match.events()
        return happened

    def take_payload(self, connection: Any, data: bytes, now: float) -> None:
        """For the link: a payload of another machine."""
        peer = connection.tag
        match: Match | None = self.match
        if match is not None and self.phase is RUNNING and isinstance(peer, Peer):
            match.take(peer.number, data, now)

    # What the session adds.

    def on_link_events(self, now: float) -> None:
        """Read the link's events."""
        raise NotImplementedError

    def ask_parts(self, match: Match, now: float) -> bool:
        """Let each part do what it has to do; True when none has, and none will before something happens."""
        raise NotImplementedError
