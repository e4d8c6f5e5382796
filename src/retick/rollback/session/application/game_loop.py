"""The side of a session that a game's loop calls at every frame."""

from typing import TYPE_CHECKING, Any

from retick.errors import NotSynchronized
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.match import Match
from retick.rollback.match.recording import Recording, RecordsMatches
from retick.rollback.match.stats import SessionStats
from retick.rollback.session.application.picture import Between, Picture
from retick.rollback.session.joining.dialling import Dialling
from retick.rollback.session.peer import Phase
from retick.sim.contract import Input

if TYPE_CHECKING:
    from retick.rollback.session.identity.reconnect import Reconnect

__all__ = ["GameLoop"]


class GameLoop(Dialling):
    """A session as far as a game's loop sees it; ``session`` adds all the rest."""

    reconnect: "Reconnect"

    def __init__(self, sim: Any, config: MatchConfig, record: RecordsMatches | None) -> None:
        super().__init__(config)
        self.sim = sim
        self._picture = Picture(sim)
        self.recording = None if record is None else Recording(record)
        """What goes to the recorder, if there is one."""
        self.last_match: Match | None = None
        """Of a session that comes back: the match that it has given up, to be shown until it has a state again."""

    @property
    def reconnecting(self) -> bool:
        """Whether all others are lost and the session tries to come back; see ``Reconnecting``."""
        return self.reconnect.is_trying

    @property
    def running(self) -> bool:
        """Whether frames can be run."""
        return self.phase is Phase.RUNNING

    @property
    def state(self) -> Any:
        """The game's present state."""
        return self._running().engine.state

    @property
    def world(self) -> Any:
        """Of a game with a mutable world: an instance to draw, in the present state and never half done.

        It is the same object each time. Draw it at once and change nothing in it.
        """
        return self._picture.world(self.state)

    def between(self, *, now: float) -> Between:
        """For screens faster than the match: the last two states, and how far the picture is between them."""
        return self._picture.between(self._running(), now)

    @property
    def frame(self) -> int:
        """The next frame to run."""
        return self._running().engine.frame

    def advance(self, pressed: Input | tuple[Input, ...], *, now: float) -> None:
        """Run the next frame with what is pressed here: one input, or one for each local player."""
        if not self.running:
            raise NotSynchronized(f"no frame can be run: the session is {self.phase.value}")
        self._running().advance(pressed, now)

    def stats(self, *, now: float) -> SessionStats:
        """All figures of the match at this moment."""
        return self._running().stats(now)

    def catch_up(self, match: Match, now: float) -> None:
        """Run what is known of a match in which the local players do not play yet: the application has no part in it.

        Neutral inputs are what the players of a newcomer have before their first own frame.
        """
        neutral: Any = (0,) * len(self.local_players) if len(self.local_players) > 1 else 0
        while match.due(now):
            match.advance(neutral, now)

    def _running(self) -> Match:
        match: Match | None = self.match if self.match is not None else self.last_match
        if match is None:
            raise NotSynchronized(f"there is no match yet: the session is {self.phase.value}")
        return match
