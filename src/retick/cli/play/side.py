"""One machine's side of a match over the network, from the handshake to a result that both sides have compared.

Theory of operation. A loop calls ``turn`` and ``wait`` again and again. A turn receives, runs the frames that are due,
sends, and gives the frames that have become final to the referee. When the referee calls the end, the side tells the
others its final checksum and plays on until it has heard theirs: until then they may still need inputs.
A session of the original LAN mode has no messages; there the end is reached when the other has all inputs.
"""

import select
import struct
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from retick.cli.play.brains import Brain
from retick.cli.play.recording import MatchRecording
from retick.cli.play.referee import Referee
from retick.link import Reason
from retick.rollback.events import (
    DesyncDetected,
    DesyncReported,
    MatchEnded,
    MatchEvent,
    MessageReceived,
    PeerConnected,
    PeerDisconnected,
    PeerInterrupted,
    PeerResumed,
    PlayersDropped,
    PlayersReturned,
    Resumed,
    Stalled,
)
from retick.rollback.lan import LanSession
from retick.rollback.match.match import Match
from retick.rollback.session.session import RollbackSession
from retick.transport import Poll

__all__ = ["Result", "Side"]

GOODBYE_SECONDS = 2.0
"""How long a leaving side goes on so that its last words arrive."""
ROUND_TRIPS = 5
"""The same in round trips, where those take longer."""
AFTERMATH = 8
"""Frames that are played after the end, so that spectators are fed all that was before it."""
EXPLAIN_SECONDS = 10.0
"""How long the machines may take to find out where they parted."""
LAN_SILENCE = 10.0
"""Seconds without a packet after which the other side of a LAN match counts as gone: the old mode has no goodbye."""
_RESULT = struct.Struct("<4sII")
_RESULT_TAG = b"end:"


class Result(NamedTuple):
    """Where a match ended, by one machine's account."""

    frame: int
    checksum: int


class Side:
    """A session, its socket, who plays, and what became of it."""

    def __init__(
        self,
        session: RollbackSession | LanSession,
        wire: Poll,
        *,
        brain: Callable[[int, int], Brain],
        referee: Callable[[int, Any, int], Referee],
        record: Callable[[Match], MatchRecording] | None = None,
    ) -> None:
        """Asked when there is a match: ``brain(seed, player)``, ``referee(seed, state, frame)``, ``record(match)``."""
        self.session = session
        self.wire = wire
        self.referee: Referee | None = None
        self.recording: MatchRecording | None = None
        self.players: tuple[int, ...] = ()
        self.result: Result | None = None
        self.heard: dict[Any, Result] = {}
        """What the other machines said of the end."""
        self.over = False
        """No more frames will run: the results were compared, or ``why`` says what ended it."""
        self.why = ""
        self.reason = 0
        """The code with which the other side went, see ``retick.link.Reason``."""
        self.desync: DesyncDetected | None = None
        self.report = ""
        """What the machines found out about a desync, the same text on all of them."""
        self.connected = False
        self.notice = ""
        """What the person should know right now: waiting, no answer, or nothing."""
        self.depth = 0
        """Frames that were run again with the newest frame."""
        self._brain_for, self._referee_for, self._record = brain, referee, record
        self._brains: list[Brain] = []
        self._resimulated = 0
        self._heard = (0, 0.0)
        self._last_words = ""
        self._explained_by = 0.0

    @property
    def agreed(self) -> bool:
        """Whether all machines came to the same end."""
        return bool(self.heard) and set(self.heard.values()) == {self.result}

    def turn(self) -> bool:
        """Receive, run what is due, send; True when a frame was run."""
        now = self.wire.clock()
        for event in self.wire.poll(now):
            self._note(event)
        if self.referee is None and self.session.match is not None:
            self._begin(self.session.match)
        ran = False
        while not self.over and self.session.due(now=now):
            self._advance(now)
            ran = True
        if ran:
            self.wire.flush(now)
        if isinstance(self.session, LanSession) and not self.over:
            self._listen_on_lan(self.session, now)
        if self.desync is not None and now >= self._explained_by and not self.over:
            self._end(_difference(self.desync))
        if self.referee is not None and not self.over:
            self._see_final_frames()
        return ran

    def wait(self, longest: float = 0.05) -> None:
        """Sleep until something is to be done: a datagram, a time-out, a frame, or ``longest`` seconds."""
        now = self.wire.clock()
        until = now + longest
        match = self.session.match
        for time_ in (self.wire.endpoint.next_timeout(), match.pace.next_frame_at if match is not None else None):
            # A frame that is late waits for inputs, and those wake the socket.
            if time_ is not None and now < time_ < until:
                until = time_
        select.select([self.wire.socket], [], [], until - now)

    def leave(self, *, linger: float | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        """Say goodbye and go on just long enough for it to arrive; then close the socket.

        What was said last gets ``linger`` seconds to arrive, on a slow link as long as two losses take, and goodbye as
        long again: the other side may still wait for our result.
        """
        self.over = True
        if linger is None:
            linger = max(GOODBYE_SECONDS, ROUND_TRIPS * self._round_trip())
        if isinstance(self.session, RollbackSession):
            self.session.close(self.why if self.desync is not None else "", linger=linger)
        deadline = clock() + 2 * linger
        while clock() < deadline and not self._quiet():
            self.turn()
            self.wait()
        self.wire.close()

    def _round_trip(self) -> float:
        """Seconds, to the machine that is furthest away."""
        if isinstance(self.session, LanSession):
            return 0.0
        links = (peer.connection for peer in self.session.peers.values())
        return max((link.rtt for link in links if link is not None), default=0.0)

    def save_recording(self) -> None:
        """Give the replay its name: all that is final, whatever ended the match."""
        if self.recording is not None and self.referee is not None:
            self.recording.finish(self.referee.checksum)

    def _quiet(self) -> bool:
        return isinstance(self.session, LanSession) or self.wire.endpoint.next_timeout() is None

    def _advance(self, now: float) -> None:
        state = self.session.state
        pressed = tuple(brain(state, now) for brain in self._brains)
        if isinstance(self.session, LanSession):
            self.session.advance(pressed[0], now=now)
        else:
            self.session.advance(pressed if len(pressed) > 1 else pressed[0], now=now)
        assert self.session.match is not None
        resimulated = self.session.match.engine.stats.resimulated_frames
        self.depth, self._resimulated = resimulated - self._resimulated, resimulated

    def _see_final_frames(self) -> None:
        referee, match = self.referee, self.session.match
        assert referee is not None
        assert match is not None
        for row in match.take_final_inputs():
            if referee.over:
                break
            referee.watch([row])
            if self.recording is not None:
                self.recording.add(row, referee.frame, referee.checksum)
        if referee.over and self.desync is None:
            self._conclude(referee)

    def _conclude(self, referee: Referee) -> None:
        if self.result is None:
            self.result = Result(referee.frame, referee.checksum)
            if isinstance(self.session, RollbackSession):
                self.session.send_message(_RESULT.pack(_RESULT_TAG, *self.result))
        if isinstance(self.session, LanSession):
            assert self.session.match is not None
            exchanges = self.session.match.exchanges.values()
            self.over = all(exchange.acknowledged >= self.result.frame - 1 for exchange in exchanges)
        else:
            assert self.session.match is not None
            shown = self.session.match.engine.final_state_frame >= self.result.frame + AFTERMATH
            self.over = shown and all(peer.number in self.heard for peer in self.session.players_peers())

    def _listen_on_lan(self, session: LanSession, now: float) -> None:
        """The old mode ends nothing by itself: a joiner whose host is silent, and either when the other is gone."""
        match = session.match
        if match is None and session.local_player == 0:
            return
        packets = 0 if match is None else sum(each.packets_in for each in match.exchanges.values())
        if packets != self._heard[0] or not self._heard[1]:
            self._heard = (packets, now)
        elif now - self._heard[1] > LAN_SILENCE:
            self.reason = Reason.TIMEOUT if packets else Reason.NO_ANSWER
            self._end(f"nothing was heard of the other side for {LAN_SILENCE:.0f} s")

    def _end(self, why: str) -> None:
        self.over = True
        self.why = self.why or why

    def _note(self, event: MatchEvent) -> None:
        if isinstance(event, MessageReceived):
            self._take_result(event.peer, event.data)
        elif isinstance(event, PeerConnected):
            self.connected = True
        elif isinstance(event, PeerInterrupted):
            self.notice = "nothing is heard of the other side"
        elif isinstance(event, Stalled):
            self.notice = self.notice or "waiting for the other side's inputs"
        elif isinstance(event, Resumed | PeerResumed | PlayersReturned):
            self.notice = ""
        elif isinstance(event, PlayersDropped):
            self.notice = f"player {', '.join(str(player + 1) for player in event.players)} left"
        elif isinstance(event, DesyncDetected):
            # The machines find out together what parted; the match goes on until they have, but not for ever.
            self.desync, self._explained_by = event, self.wire.clock() + EXPLAIN_SECONDS
            self.notice = "the machines differ: finding out where"
        elif isinstance(event, DesyncReported):
            self.report = str(event.report)
            self._end(self.report.splitlines()[0])
        elif isinstance(event, PeerDisconnected):
            # Whether that ends the match, MatchEnded says: a host that still gathers waits for somebody else.
            self.connected = False
            self.reason, self._last_words = event.reason, event.text
        elif isinstance(event, MatchEnded):
            known = _difference(self.desync) if self.desync is not None else ""
            self._end(known or self._last_words or event.reason)

    def _begin(self, match: Match) -> None:
        """As soon as there is a match: for one who comes in the middle, before its first state is forgotten."""
        first = match.engine.start_frame
        self.players = match.engine.local_players
        self.referee = self._referee_for(match.seed, match.engine.state_at(first), first)
        self._brains = [self._brain_for(match.seed, player) for player in self.players]
        if self._record is not None:
            self.recording = self._record(match)

    def _take_result(self, peer: Any, data: bytes) -> None:
        """Other bytes are another application's: not ours to judge."""
        if len(data) == _RESULT.size and data.startswith(_RESULT_TAG):
            self.heard[peer] = Result(*_RESULT.unpack(data)[1:])


def _difference(desync: DesyncDetected) -> str:
    return f"the machines differ: frame {desync.frame} is 0x{desync.ours:08X} here, 0x{desync.theirs:08X} there"
