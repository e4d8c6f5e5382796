"""What a session does after "desync detected": it asks all machines what parted, and tells the application."""

from typing import TYPE_CHECKING

from retick.errors import DecodeError
from retick.rollback import membership as wire
from retick.rollback.evidence import alarm_in
from retick.rollback.forensics import DesyncReported, Investigation
from retick.rollback.match import Match
from retick.rollback.outbox import Outbox
from retick.rollback.peer import Peer

if TYPE_CHECKING:
    from retick.rollback.session import RollbackSession

__all__ = ["Inquiry"]


class Inquiry:
    """One investigation for each match: evidence out, evidence in, and the report when it is complete."""

    def __init__(self, session: "RollbackSession") -> None:
        self._session = session
        self._investigation: Investigation | None = None
        self._outbox = Outbox()
        self._told = False
        self._now = 0.0

    @property
    def is_open(self) -> bool:
        """Whether something is being looked into and not yet told."""
        return self._investigation is not None and not self._told

    def forget(self) -> None:
        """Another match begins."""
        self._investigation, self._outbox, self._told = None, Outbox(), False

    def hear(self, peer: Peer, data: bytes, match: Match, now: float) -> None:
        """Evidence from another machine, which may be the first that we hear of a desync."""
        if self._investigation is None:
            try:
                self._open(match, alarm_in(data), -1, now)
            except DecodeError:
                return
        if self._investigation is not None:
            self._investigation.take(peer.number, data, now, frontier=match.engine.local_frontier)

    def lose(self, number: int) -> None:
        """A machine is gone: nothing is awaited from it. The match may end with it, so what is known is told now."""
        if self._investigation is not None:
            self._investigation.lose(number, self._now)
            self._tell_when_finished()

    def pump(self, match: Match, now: float) -> None:
        """After each frame, and when time has passed: begin at an alarm, go on, and report at the end."""
        self._now = now
        if self._investigation is None:
            if match.alarm is None:
                return
            self._open(match, match.alarm.frame, match.alarm.last_agreed, now)
        investigation = self._investigation
        if investigation is None or self._told:
            return
        investigation.observe(match.engine)
        investigation.handle_timeout(now)
        messages = [bytes((wire.EVIDENCE,)) + message for message in investigation.messages()]
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
        machines = [session.number, *(peer.number for peer in session.players_peers())]
        self._investigation = Investigation(
            match.engine, session.sim, session.number, machines, frame, last_agreed, now
        )
