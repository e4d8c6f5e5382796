"""Leaving a match: at once, or as soon as a desync that was seen is explained.

Theory of operation. The peer that sees a difference first knows something that the others do not. If its application
leaves at once, nobody else would hear of it. So a session with an open alarm stands still before it leaves: it runs no
more frames, but goes on to send what the others need, inputs and evidence, until the report is there or
``LONGEST_STAND`` seconds have passed.
"""

from typing import TYPE_CHECKING

from retick.rollback.match.match import Match
from retick.rollback.session.part import SessionPart

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

__all__ = ["LONGEST_STAND", "Leaving"]

LONGEST_STAND = 2.0
"""Seconds that the others have to explain a desync with us after our application has left."""


class Leaving(SessionPart):
    """Says goodbye when there is nothing left to explain."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self._goodbye: tuple[str, float] | None = None
        self._since: float | None = None

    def leave(self, text: str, linger: float) -> None:
        """The application leaves."""
        session, match = self._session, self._session.match
        if match is None or not session.running or not match.alarm.is_open or not session.heard_peers():
            session.leave_now(text, linger)
        elif self._goodbye is None:
            self._goodbye = (text, linger)
            session.is_quiet = False
            match.stand()

    def after_frame(self, match: Match, now: float) -> bool:
        if self._goodbye is None:
            return False
        if self._since is None:
            self._since = now
        if now >= self._since + LONGEST_STAND:
            self._session.desyncs.give_up()
        if not match.alarm.is_open:
            text, linger = self._goodbye
            # The last evidence may be on its way.
            self._session.leave_now(text, max(linger, LONGEST_STAND))
        return True

    def match_ending(self, match: Match) -> None:
        """Nobody here plays another one."""
        if self._goodbye is not None:
            self._session.leave_now(*self._goodbye)
