"""Tells the recording of a session which matches begin and end."""

from typing import TYPE_CHECKING

from retick.rollback.match.match import Match
from retick.rollback.match.recording import Recording
from retick.rollback.session.part import SessionPart

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

__all__ = ["RecordingPart"]


class RecordingPart(SessionPart):
    """A part of sessions that record; the frames come from the game's loop."""

    def __init__(self, session: "SessionInside", recording: Recording) -> None:
        super().__init__(session)
        self._recording = recording

    def match_begun(self, match: Match) -> None:
        self._recording.begin(match)

    def match_ending(self, match: Match) -> None:
        self._recording.drain()
