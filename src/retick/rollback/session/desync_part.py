"""Handles an alarm: all peers compare what they hold, and the application gets the report.

The match has the alarm and its states (``match.alarm``); the investigation has the evidence. This part carries the
evidence between peers, and advances the alarm when an investigation begins or ends.
"""

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from retick.errors import DecodeError, InvalidValue
from retick.rollback.desync.evidence import CLOSEUP, alarm_in, kind_of
from retick.rollback.desync.investigation import Investigation
from retick.rollback.desync.report import DesyncReport
from retick.rollback.events import DesyncDetected, DesyncReported
from retick.rollback.match.alarm import Alarm, AlarmState
from retick.rollback.match.match import Match
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import Peer, Role

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

# Long messages that wait until each peer's link has room for them.


class Outbox:
    """One queue for each peer, so that a slow link does not delay the others."""

    def __init__(self) -> None:
        self._queues: dict[Peer, deque[bytes]] = {}

    def __bool__(self) -> bool:
        return any(self._queues.values())

    def post(self, peers: Iterable[Peer], messages: Iterable[bytes]) -> None:
        for peer in peers:
            self._queues.setdefault(peer, deque()).extend(messages)

    def pump(self) -> None:
        """Send what the links have room for; drop messages for peers that are gone."""
        for peer in [peer for peer, queue in self._queues.items() if not queue or not peer.is_connected]:
            del self._queues[peer]
        for peer, queue in self._queues.items():
            while queue and peer.send_part(queue[0]):
                queue.popleft()


MOST_REFUSED = 64
"""How many messages of one peer per match may be refused as evidence before it is expelled."""


class DesyncPart(SessionPart):
    """Runs one investigation at a time: sends and receives evidence, and reports when it is complete."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self._now = 0.0
        self.forget()

    def forget(self) -> None:
        """Forget everything, because another match begins."""
        self._investigation: Investigation | None = None
        self._alarm = Alarm()
        self._outbox = Outbox()
        self._remembered: dict[int, int] = {}
        """Checksums of the match's final states: an investigation computes each of them once per match."""
        self._refused: Counter[int] = Counter()
        """How much evidence was refused, by the sender's peer id."""

    def match_begun(self, match: Match) -> None:
        self.forget()

    def peer_gone(self, peer: Peer, reason: str) -> None:
        if peer.role is not Role.SPECTATOR:
            self.lose(peer.peer_id)

    def after_frame(self, match: Match, now: float) -> bool:
        if match.alarm.is_open:
            self.pump(match, now)
        return match.alarm.is_open

    def receive_evidence(self, peer: Peer, data: bytes) -> None:
        """Receive evidence from a peer, which may be the first sign of a desync here."""
        match, now = self._match, self._session.now
        if peer.role is not Role.PLAYER or len(data) < 2 or data[1] != match.number:
            return
        if not self._read(peer, data[2:], match, now):
            self._refused[peer.peer_id] += 1
            if self._refused[peer.peer_id] > MOST_REFUSED:
                raise InvalidValue(f"{MOST_REFUSED} messages of peer {peer.peer_id} were no evidence")

    def _read(self, peer: Peer, evidence: bytes, match: Match, now: float) -> bool:
        """Use evidence; False if it was refused. Evidence of a finished investigation is not refused."""
        if match.alarm.state is not AlarmState.INVESTIGATING:
            try:
                if kind_of(evidence) == CLOSEUP:
                    return True
                frame = alarm_in(evidence)
            except DecodeError:
                return False
            if not match.alarm.may_open(frame):
                return True
            match.alarm.open()
            self._open(match, frame, -1, now)
        found = self._investigation
        if found is None or found.finished:
            return True
        return found.receive(peer.peer_id, evidence, now, frontier=match.engine.local_frontier)

    def lose(self, peer_id: int) -> None:
        """Expect nothing from a peer that is gone. The match may end with it, so report what is known now."""
        if self._investigation is not None:
            self._investigation.lose(peer_id, self._now)
            self._report_when_finished()

    def pump(self, match: Match, now: float) -> None:
        """After each frame and as time passes: open an investigation, continue it, and report at its end."""
        self._now = now
        if match.alarm.state is AlarmState.RAISED:
            event = match.alarm.open_detected()
            self._open(match, event.frame, event.last_agreed, now)
        investigation = self._investigation
        if investigation is None or match.alarm.state is not AlarmState.INVESTIGATING:
            return
        investigation.observe(match.engine)
        investigation.handle_timeout(now)
        messages = [bytes((MessageKind.EVIDENCE, match.number)) + message for message in investigation.messages()]
        self._outbox.post(self._session.players_peers(), messages)
        self._outbox.pump()
        if not self._outbox:
            self._report_when_finished()

    def _report_when_finished(self) -> None:
        found, alarm = self._investigation, self._alarm
        if found is None or found.report is None or alarm.state is not AlarmState.INVESTIGATING:
            return
        self._tell_difference(found, alarm)
        alarm.resolve(found=found.report.first_differing is not None, frame=found.report.alarm)
        report = replace(found.report, proofs=tuple(self._session.signed_ranges.proofs))
        self._session.tell(DesyncReported(report=report, investigation=found))

    def _tell_difference(self, found: Investigation, alarm: Alarm) -> None:
        """Report a difference that only a peer has seen, whose evidence came first, to our application too."""
        # An alarm of our own may still wait among the events of the match: it comes first.
        self._session.happened += self._match.events()
        difference = difference_in(found.report, self._session.peer_id) if found.report is not None else None
        if difference is not None and not alarm.has_told:
            alarm.detect(difference)
            self._session.tell(difference)

    def give_up(self) -> None:
        """Stop waiting for evidence: report what is known."""
        found = self._investigation
        for peer_id in found.peers if found is not None else ():
            self.lose(peer_id)
        if self._alarm.is_open or self._match.alarm.is_open:
            self._match.alarm.resolve(found=False, frame=None)

    def _open(self, match: Match, frame: int | None, last_agreed: int, now: float) -> None:
        session = self._session
        peers = [session.peer_id, *(peer.peer_id for peer in session.heard_peers())]
        self._outbox = Outbox()
        self._alarm = match.alarm
        self._investigation = Investigation(
            match.engine, session.sim, session.peer_id, peers, frame, last_agreed, now, remembered=self._remembered
        )


def difference_in(report: DesyncReport, peer_id: int) -> DesyncDetected | None:
    """The first difference between a peer and another one in a report."""
    for each in report.divergences:
        checksums = {
            peer: checksum for group, checksum in zip(each.groups, each.checksums, strict=True) for peer in group
        }
        other = next((peer for peer in sorted(checksums) if checksums[peer] != checksums.get(peer_id)), None)
        if peer_id in checksums and other is not None:
            agreed = -1 if report.last_agreed is None else report.last_agreed
            return DesyncDetected(
                peer=other, frame=each.frame, ours=checksums[peer_id], theirs=checksums[other], last_agreed=agreed
            )
    return None
