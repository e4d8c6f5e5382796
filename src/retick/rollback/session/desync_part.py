"""What a session does after "desync detected": it asks all machines what parted, and tells the application."""

from typing import TYPE_CHECKING

from retick.errors import DecodeError
from retick.rollback.desync.evidence import TIMELINE, alarm_in, kind_of
from retick.rollback.desync.investigation import DesyncReported, Investigation
from retick.rollback.desync.report import DesyncReport
from retick.rollback.events import DesyncDetected
from retick.rollback.match.match import Match
from retick.rollback.session.messages.kinds import Kind
from retick.rollback.session.outbox import Outbox
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import Peer, Role

if TYPE_CHECKING:
    from retick.rollback.session.session import RollbackSession

__all__ = ["DesyncPart"]


MOST_REOPENED = 4
"""Times that another machine's word alone opens an inquiry after one that found nothing: it may be a lie every time."""


class DesyncPart(SessionPart):
    """One investigation for each match: evidence out, evidence in, and the report when it is complete.

    If it finds no difference, somebody's alarm was false, and a later one may be true: then there is another.
    """

    def __init__(self, session: "RollbackSession") -> None:
        super().__init__(session)
        self._now = 0.0
        self.forget()

    @property
    def is_open(self) -> bool:
        """Whether something is being looked into and not yet told."""
        return self._investigation is not None and not self._told

    def forget(self) -> None:
        """Another match begins."""
        self._investigation: Investigation | None = None
        self._outbox = Outbox()
        self._told = False
        self._opened_by: DesyncDetected | None = None
        self._reopened = 0

    def match_begun(self, match: Match) -> None:
        self.forget()

    def peer_gone(self, peer: Peer, reason: str) -> None:
        if peer.role is not Role.SPECTATOR:
            self.lose(peer.peer_id)

    def after_frame(self, match: Match, now: float) -> bool:
        if match.alarm is not None or self.is_open:
            self.pump(match, now)
        return self.is_open

    def receive_evidence(self, peer: Peer, data: bytes) -> None:
        """Evidence from another peer, which may be the first that we hear of a desync."""
        match, now = self._match, self._session.now
        if peer.role is not Role.PLAYER or len(data) < 2 or data[1] != match.number:
            return
        data = data[2:]
        try:
            if self._investigation is None or self._is_news(data):
                self._open(match, alarm_in(data), -1, now)
        except DecodeError:
            return
        if self._investigation is not None:
            self._investigation.take(peer.peer_id, data, now, frontier=match.engine.local_frontier)

    def _is_news(self, data: bytes) -> bool:
        """Whether this is the beginning of another inquiry, after one that found nothing, into something later."""
        report = self._fruitless()
        if report is None or self._reopened >= MOST_REOPENED or kind_of(data) != TIMELINE:
            return False
        alarm = alarm_in(data)
        if alarm is None or (report.alarm is not None and alarm <= report.alarm):
            return False
        self._reopened += 1
        return True

    def _fruitless(self) -> DesyncReport | None:
        """The last report, if it was told and says that nothing differs."""
        report = self._investigation.report if self._investigation is not None else None
        return report if report is not None and self._told and report.first_differing is None else None

    def lose(self, number: int) -> None:
        """A machine is gone: nothing is awaited from it. The match may end with it, so what is known is told now."""
        if self._investigation is not None:
            self._investigation.lose(number, self._now)
            self._tell_when_finished()

    def pump(self, match: Match, now: float) -> None:
        """After each frame, and when time has passed: begin at an alarm, go on, and report at the end."""
        self._now = now
        if match.alarm is not None and match.alarm is self._opened_by and self._fruitless() is not None:
            # It was false. The match notes one alarm at a time: the next may be true.
            match.alarm = None
        if match.alarm is not None and (self._investigation is None or self._fruitless() is not None):
            self._open(match, match.alarm.frame, match.alarm.last_agreed, now)
            self._opened_by = match.alarm
        investigation = self._investigation
        if investigation is None or self._told:
            return
        investigation.observe(match.engine)
        investigation.handle_timeout(now)
        messages = [bytes((Kind.EVIDENCE, match.number)) + message for message in investigation.messages()]
        self._outbox.post(self._session.players_peers(), messages)
        self._outbox.pump()
        if not self._outbox:
            self._tell_when_finished()

    def _tell_when_finished(self) -> None:
        found = self._investigation
        if found is not None and found.report is not None and not self._told:
            self._told = True
            self._session.tell(DesyncReported(report=found.report, investigation=found))

    def _open(self, match: Match, frame: int | None, last_agreed: int, now: float) -> None:
        session = self._session
        machines = [session.peer_id, *(peer.peer_id for peer in session.players_peers())]
        self._outbox, self._told, self._opened_by = Outbox(), False, None
        self._investigation = Investigation(
            match.engine, session.sim, session.peer_id, machines, frame, last_agreed, now
        )
