"""The cues of a session: one tracker for each match, and what is left of a match when another one follows it."""

from typing import TYPE_CHECKING

from retick.errors import UsageError
from retick.rollback.engine.cues import CueEvent, CueTracker
from retick.rollback.match.match import Match
from retick.rollback.session.part import SessionPart

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

__all__ = ["SessionCues"]


class SessionCues(SessionPart):
    """Costs nothing in a session whose application does not ask for cues."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self._tracker: CueTracker | None = None
        self._left: list[CueEvent] = []

    def drain(self, tolerance: int) -> list[CueEvent]:
        """What changed since the last call; a cue moves by up to ``tolerance`` frames without a new start."""
        session, match = self._session, self._session.match
        if not hasattr(session.sim, "cues"):
            raise UsageError(f"{type(session.sim).__name__} has no cues(before, after)")
        left, self._left = self._left, []
        if match is None or match.joins_at is None:
            return left
        if self._tracker is None:
            # Of what happened before a newcomer came in it hears nothing.
            engine = match.engine
            first = engine.frame if engine.start_frame else 0
            self._tracker = CueTracker(engine, tolerance=tolerance, first=first)
        return left + self._tracker.update()

    def match_ending(self, match: Match) -> None:
        """What was started on a guess is never confirmed now."""
        if self._tracker is not None:
            self._left = [*self._left, *self._tracker.update(), *self._tracker.cancel()]
            self._tracker = None
