"""Drives one peer's session, from the handshake to a final checksum that all peers have compared.

Theory of operation. A loop calls ``turn`` and ``wait`` again and again. A turn receives, runs the frames that are due,
sends, and has the session record newly confirmed frames into a FollowedMatch. When that match is over, the driver sends
its final checksum to the other peers and plays on until it has received theirs: until then they may still need inputs.
A session of the original LAN mode has no messages; its match ends when the other peer has acknowledged all inputs.
"""

import select
import struct
import time
from collections import deque
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, Protocol

from retick.link import Reason
from retick.playing.confirmed_match import ConfirmedFight, ConfirmedMatch, FollowedMatch
from retick.playing.controllers import Controller
from retick.playing.network_report import NetworkReport
from retick.playing.online import OnlineStatus
from retick.playing.story import Arrivals, MatchStory
from retick.rollback.events import (
    DesyncDetected,
    DesyncReported,
    MatchEnded,
    MatchEvent,
    MessageReceived,
    PeerDisconnected,
)
from retick.rollback.lan import LanSession
from retick.rollback.match.stats import SessionStats
from retick.rollback.session.session import RollbackSession
from retick.routes import Online, OnlineEvent

GOODBYE_SECONDS = 2.0
"""Seconds after the end of a match during which its last messages are still sent again."""
ROUND_TRIPS = 5
"""Round trips during which they are sent again, where that is longer."""
FRAMES_FOR_SPECTATORS = 8
"""Frames that are played after the end, so that spectators receive all frames before it."""
ARRIVALS_KEPT = 16
"""Lines about connected peers that are kept until they are shown; the oldest go first."""
EXPLAIN_SECONDS = 10.0
"""Seconds that the peers have to find the divergence."""
LAN_SILENCE = 10.0
"""Seconds without a packet after which the other peer of a LAN match counts as gone; LAN mode has no goodbye."""
_RESULT = struct.Struct("<4sII")
_RESULT_TAG = b"end:"


class Result(NamedTuple):
    """The last frame of a match and its checksum, as one peer reports them."""

    frame: int
    checksum: int


class MatchObserver(Protocol):
    """Is told what a driver does: the notes of a trace, a netgraph."""

    def frame_run(self, stats: SessionStats, depth: int, *, began: float) -> None:
        """A frame was run, from ``began`` until now; ``depth`` frames were resimulated with it."""

    def event(self, event: MatchEvent) -> None:
        """The session has reported this event."""


class MatchWire(Protocol):
    """The part of ``retick.transport.Poll`` that a driver needs; a simulated network provides it too."""

    @property
    def endpoint(self) -> Any:
        """The session, or a wrapper around it."""

    @property
    def socket(self) -> Any:
        """The socket that ``wait`` waits for; None where nobody calls ``wait``."""

    @property
    def clock(self) -> Callable[[], float]:
        """Returns monotonic seconds."""

    def poll(self, now: float) -> list[Any]:
        """Receive, handle timeouts, send, and return the events."""

    def flush(self, now: float) -> None:
        """Send at once."""

    def close(self) -> None:
        """Close the socket."""


class MatchDriver:
    """A session, its socket, the controllers of its seats, and the result."""

    def __init__(
        self,
        session: RollbackSession | LanSession,
        wire: MatchWire,
        *,
        controller: Callable[[int, int], Controller],
        followed: FollowedMatch,
        observer: MatchObserver | None = None,
        compares_words: bool = False,
        online: Online | None = None,
    ) -> None:
        """``controller(seed, player)`` is called at the start of the match for each player of this peer.

        The session records into ``followed``; ``observer`` is told of every frame and event. ``compares_words`` fills
        ``words``, for people to compare. ``online`` is the argument that the session got.
        """
        self.session = session
        self.wire = wire
        self.recording = followed.recording
        self.result: Result | None = None
        self.received_results: dict[Hashable, Result] = {}
        """The results that other peers have sent, by peer."""
        self.over = False
        """True when no more frames will run: the results were compared, or ``why`` says what ended the match."""
        self.why = ""
        """What ended the match early; empty otherwise."""
        self.reason = 0
        """The code with which the other peer disconnected, see ``retick.link.Reason``."""
        self.desync_report = ""
        """The report on a desync, the same text on all peers; empty if there is none."""
        self.arrivals: deque[str] = deque(maxlen=ARRIVALS_KEPT)
        """Lines about connected peers; whoever shows a line removes it."""
        self.depth = 0
        """Frames that were resimulated with the newest frame."""
        self.online = OnlineStatus(online, present=lambda: getattr(session, "peer_addresses", ()))
        """Relay and paths of an online match, in words."""
        self.last_way = ""
        """How the others were reached when the match ended, before they left one by one."""
        self.story = MatchStory(session, compares_words=compares_words)
        self._arrivals = Arrivals()
        self._followed = followed
        self._observer = observer
        self._controller_for = controller
        self._controllers: list[Controller] = []
        self._resimulated = 0
        self._lan_received = (0, 0.0)
        self._explained_by = 0.0
        self._told_of_recording = False

    @property
    def confirmed(self) -> ConfirmedMatch | None:
        """The confirmed part of the match; None before it begins."""
        return self._followed.confirmed

    @property
    def notice(self) -> str:
        """What to show the player right now, such as "waiting for player 2 ..."; empty for nothing."""
        return self.story.notice

    @property
    def desync(self) -> DesyncDetected | None:
        """The desync that was seen, unless it was a false alarm."""
        return self.story.desync

    @property
    def words(self) -> dict[tuple[int, ...], str]:
        """For links without a secret: the words that the person at these seats should see too."""
        return self.story.words

    @property
    def players(self) -> tuple[int, ...]:
        """The seats played here."""
        return self._followed.players

    @property
    def agreed(self) -> bool:
        """Whether all peers have the same result."""
        return bool(self.received_results) and set(self.received_results.values()) == {self.result}

    def turn(self) -> bool:
        """Receive, run the frames that are due, send; True if a frame was run."""
        now = self.wire.clock()
        for event in self.wire.poll(now):
            self._handle(event)
        if self.confirmed is not None and not self._controllers:
            seed = self.confirmed.seed
            self._controllers = [self._controller_for(seed, player) for player in self.players]
            self._follow(self.confirmed)
        ran = False
        while not self.over and self.session.due(now=now):
            self._advance(now)
            ran = True
        if ran:
            self.wire.flush(now)
        if isinstance(self.session, LanSession) and not self.over:
            self._check_lan_timeout(self.session, now)
        if self.desync is not None and now >= self._explained_by and not self.over:
            self._end(_difference(self.desync))
        if self.confirmed is not None and not self.over:
            self._follow(self.confirmed)
            if self.confirmed.over and self.desync is None:
                self._conclude(self.confirmed, now)
        return ran

    def wait(self, longest: float = 0.05) -> None:
        """Sleep until a datagram, a timeout or the next frame, at most ``longest`` seconds."""
        now = self.wire.clock()
        until = now + longest
        for time_ in (self.wire.endpoint.next_timeout(), self.session.next_frame_at):
            # A frame that is late waits for inputs, and their datagram ends the select.
            if time_ is not None and now < time_ < until:
                until = time_
        select.select([self.wire.socket], [], [], until - now)

    def leave(self, *, linger: float | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        """Send goodbye, go on just long enough for it to arrive, then close the socket.

        Earlier messages get ``linger`` seconds to arrive, and goodbye as long again, since the other peer may still
        wait for our result. The default allows for two losses on a slow link.
        """
        self.over = True
        if linger is None:
            linger = max(GOODBYE_SECONDS, ROUND_TRIPS * self._round_trip())
        if isinstance(self.session, RollbackSession):
            self.session.close(self.why if self.desync is not None else "", linger=linger)
        deadline = clock() + 2 * linger
        while clock() < deadline and not self._has_sent_all():
            self.turn()
            self.wait()
        self.wire.close()

    def report(self) -> NetworkReport:
        """The numbers of the running match, to show them."""
        assert self.confirmed is not None
        stats = self.session.stats(now=self.wire.clock())
        return NetworkReport.of(
            stats,
            state=self.confirmed.game.pack_state(self.session.state).hex(),
            depth=self.depth,
            hits=self.confirmed.hits if isinstance(self.confirmed, ConfirmedFight) else (0, 0),
            notice=self.notice,
            way=self.online.way,
        )

    def _round_trip(self) -> float:
        """The round trip of the slowest peer, in seconds."""
        if self.confirmed is None:
            return 0.0
        peers = self.session.stats(now=self.wire.clock()).peers.values()
        return max((peer.rtt or 0.0 for peer in peers), default=0.0)

    def lost_recording(self) -> str:
        """A line, returned once, if the recording has ended before the match; otherwise empty."""
        if self.recording is None or not self.recording.failure or self._told_of_recording:
            return ""
        self._told_of_recording = True
        return f"the match goes on, but its recording has ended: {self.recording.failure}"

    def save_recording(self) -> None:
        """Finish the recording with all confirmed frames, however the match ended."""
        if self.session.recording is not None:
            self.session.recording.end()

    def _has_sent_all(self) -> bool:
        return isinstance(self.session, LanSession) or self.wire.endpoint.next_timeout() is None

    def _advance(self, now: float) -> None:
        state = self.session.state
        pressed = tuple(controller(state, now) for controller in self._controllers)
        began = self.wire.clock()
        if isinstance(self.session, LanSession):
            self.session.advance(pressed[0], now=now)
        else:
            self.session.advance(pressed if len(pressed) > 1 else pressed[0], now=now)
        stats = self.session.stats(now=now)
        self.depth = stats.resimulated_frames - self._resimulated
        self._resimulated = stats.resimulated_frames
        if self._observer is not None:
            self._observer.frame_run(stats, self.depth, began=began)

    def _follow(self, confirmed: ConfirmedMatch) -> None:
        """Record the frames that have become final. The session plays a little longer than the match lasts."""
        recording = self.session.recording
        assert recording is not None, "the session records into the followed match"
        recording.last = confirmed.last
        recording.drain()
        recording.last = confirmed.last

    def _conclude(self, confirmed: ConfirmedMatch, now: float) -> None:
        if self.result is None:
            self.result, self.last_way = Result(confirmed.frame, confirmed.checksum), self.online.way
            if isinstance(self.session, RollbackSession):
                self.session.send_message(_RESULT.pack(_RESULT_TAG, *self.result))
        if isinstance(self.session, LanSession):
            assert self.session.match is not None
            exchanges = self.session.match.exchanges
            self.over = all(exchange.acknowledged >= self.result.frame - 1 for exchange in exchanges)
        else:
            stats = self.session.stats(now=now)
            final = min(stats.confirmed_frame + 1, stats.frame)
            shown = final >= self.result.frame + FRAMES_FOR_SPECTATORS
            self.over = shown and all(peer in self.received_results for peer in stats.peers)

    def _check_lan_timeout(self, session: LanSession, now: float) -> None:
        """Notice that a host does not answer or that the other peer is gone: LAN mode has no timeouts."""
        match = session.match
        if match is None and session.local_player == 0:
            return
        packets = 0 if match is None else sum(each.packets_in for each in match.exchanges)
        if packets != self._lan_received[0] or not self._lan_received[1]:
            self._lan_received = (packets, now)
        elif now - self._lan_received[1] > LAN_SILENCE:
            self.reason = Reason.TIMEOUT if packets else Reason.NO_ANSWER
            self._end(f"nothing was received from the other peer for {LAN_SILENCE:.0f} s")

    def _end(self, why: str) -> None:
        self.over = True
        self.why = self.why or why

    def _handle(self, event: MatchEvent | OnlineEvent) -> None:
        if isinstance(event, OnlineEvent):
            self.online.event(event)
            return
        if self._observer is not None:
            self._observer.event(event)
        if isinstance(self.session, RollbackSession):
            self.arrivals += self._arrivals.lines_after(event, self.session)
        self.story.note(event, self.wire.clock())
        if isinstance(event, MessageReceived):
            self._receive_result(event.peer, event.data)
        elif isinstance(event, DesyncDetected):
            # The peers look for the divergence together while the match goes on, for a limited time.
            self._explained_by = self.wire.clock() + EXPLAIN_SECONDS
        elif isinstance(event, DesyncReported) and self.story.report is not None:
            self.desync_report = str(event.report)
            self._end(self.desync_report.splitlines()[0])
        elif isinstance(event, PeerDisconnected):
            # This need not end the match (MatchEnded does): a host may still wait for another peer to join.
            self.reason = event.reason
        elif isinstance(event, MatchEnded):
            self._end(_difference(self.desync) if self.desync is not None else self.story.why)

    def _receive_result(self, peer: Hashable, data: bytes) -> None:
        """Store a peer's result; other messages, which another application may send, are ignored."""
        if len(data) == _RESULT.size and data.startswith(_RESULT_TAG):
            self.received_results[peer] = Result(*_RESULT.unpack(data)[1:])


def _difference(desync: DesyncDetected) -> str:
    return f"the peers have diverged: frame {desync.frame} is 0x{desync.ours:08X} here, 0x{desync.theirs:08X} there"
