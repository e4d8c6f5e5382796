"""A session's part in an investigation: opens one at the first alarm, carries its messages, tells of the report."""

from typing import TYPE_CHECKING

from retick.rollback.events import DesyncDetected
from retick.rollback.evidence import alarm_in
from retick.rollback.forensics import DesyncReported, Investigation
from retick.rollback.match import Match
from retick.rollback.peer import Peer

if TYPE_CHECKING:
    from retick.rollback.session import RollbackSession

__all__ = ["EVIDENCE", "Inquiry"]

EVIDENCE = 0x0F
"""The kind of the reliable message that carries evidence."""


class Inquiry:
    """At most one investigation in a match, until the application goes on from one machine's state."""

    def __init__(self, session: "RollbackSession") -> None:
        self._session = session
        self._told = False
        self._now = 0.0
        self.investigation: Investigation | None = None
        """Kept when it is finished: a bundle is made from it."""

    def go_on(self, match: Match, now: float) -> None:
        """Before datagrams are sent: note alarms, send evidence, and tell of the report once."""
        self._now = now
        for event in match.events():
            self._session.tell(event)
            if isinstance(event, DesyncDetected):
                self._open(event.frame, event.last_agreed, match)
        investigation = self.investigation
        if investigation is None or self._told:
            return
        investigation.observe(match.engine)
        due = investigation.next_timeout()
        if due is not None and due <= now:
            investigation.handle_timeout(now)
        for message in investigation.messages():
            for peer in self._session.players_peers():
                peer.send(bytes((EVIDENCE,)) + message)
        if investigation.report is not None:
            self._told = True
            self._session.tell(DesyncReported(report=investigation.report))

    def take(self, peer: Peer, data: bytes, match: Match) -> None:
        """A message of kind EVIDENCE, without its kind. DecodeError if it opens an investigation and cannot."""
        if self.investigation is None:
            self._open(alarm_in(data), -1, match)
        if self.investigation is not None:
            self.investigation.take(peer.number, data, self._now, frontier=match.engine.local_frontier)

    def lose(self, number: int) -> None:
        """A machine is gone: nothing is awaited from it."""
        if self.investigation is not None:
            self.investigation.lose(number, self._now)

    def next_timeout(self) -> float | None:
        return None if self.investigation is None else self.investigation.next_timeout()

    def restart(self) -> None:
        """Another match, or the same one from an agreed state: the next alarm is a new one."""
        self.investigation = None
        self._told = False

    def _open(self, frame: int | None, last_agreed: int, match: Match) -> None:
        if self.investigation is not None:
            return
        session = self._session
        machines = [peer.number for peer in session.players_peers()]
        self.investigation = Investigation(
            match.engine, session.sim, session.number, machines, frame, last_agreed, self._now
        )
