"""Follows the frames of a match that are final, and says when it is over.

Theory of operation. Every machine gives its referee the same final inputs, so all of them call the end at the same
frame without asking each other. The referee steps a state of its own from these inputs alone: its checksum owes
nothing to predictions and rollbacks, and that is what makes it worth comparing.
"""

from collections.abc import Iterable
from typing import Any

from retick.cli.draw.arena import hits_in, knocked_out
from retick.games.fighter import Fighter, FighterState
from retick.games.fighter.rules import TICKS_PER_SECOND
from retick.replay import Replay
from retick.sim.contract import input_size_of

__all__ = ["FighterReferee", "Referee", "outcome"]

CURTAIN = 3 * TICKS_PER_SECOND // 2
"""Frames from the deciding moment to the end of a match whose length was not given."""


class Referee:
    """The final part of a match: its inputs and its newest state. What decides it is for each game to say."""

    def __init__(
        self,
        game: Any,
        seed: int,
        *,
        frames: int | None = None,
        longest: int | None = None,
        state: Any = None,
        frame: int = 0,
    ) -> None:
        """A match of exactly ``frames``; without that, until a moment after it is decided or ``longest`` frames.

        ``state`` at ``frame`` is where it begins for one who came in mid-match.
        """
        self.game = game
        self.seed = seed
        self.state = game.initial_state(seed) if state is None else state
        self.frame = frame
        """The next frame whose inputs are to come."""
        self.decided: Any = None
        """The state in which the match was decided; None as long as it is open."""
        self.payload = bytearray()
        """The inputs as a replay has them."""
        self._size = input_size_of(game)
        self._last = frames if frames is not None else longest
        self._ends_early = frames is None

    @property
    def over(self) -> bool:
        return self._last is not None and self.frame >= self._last

    @property
    def checksum(self) -> int:
        checksum: int = self.game.checksum(self.state)
        return checksum

    def watch(self, rows: Iterable[tuple[int, ...]]) -> None:
        """Take in the inputs of final frames; those after the end are ignored."""
        for row in rows:
            if self.over:
                return
            self.state = self.game.step(self.state, row)
            self.frame += 1
            for pressed in row:
                self.payload += pressed.to_bytes(self._size, "little")
            self.note(self.state)
            if self.decided is None and self.decides(self.state):
                self._decide()

    def note(self, state: Any) -> None:
        """For what a game counts."""

    def decides(self, state: Any) -> bool:
        """Whether nothing after this state changes who won."""
        return False

    def replay(self) -> Replay:
        """The match so far, from its first frame, for a file or a verification."""
        return Replay(
            seed=self.seed, frames=bytes(self.payload), num_players=self.game.num_players, input_size=self._size
        )

    def _decide(self) -> None:
        self.decided = self.state
        if self._ends_early:
            curtain = self.frame + CURTAIN
            self._last = curtain if self._last is None else min(self._last, curtain)


class FighterReferee(Referee):
    """A fight is decided by a knock-out, though the rules let it go on."""

    def __init__(self, seed: int, **options: Any) -> None:
        super().__init__(Fighter(), seed, **options)
        self.hits = (0, 0)
        """Hits landed by each player."""

    def note(self, state: FighterState) -> None:
        by_first, by_second = hits_in(state)
        self.hits = (self.hits[0] + by_first, self.hits[1] + by_second)

    def decides(self, state: FighterState) -> bool:
        return knocked_out(state)


def outcome(referee: FighterReferee, names: tuple[str, str]) -> str:
    """Who won, or leads, in words."""
    last = referee.decided or referee.state
    first, second = last.p1.hp, last.p2.hp
    if first == second:
        return "double knock-out" if first == 0 else "a draw"
    better = names[0] if first > second else names[1]
    if min(first, second) == 0:
        return f"{better} wins by knock-out"
    return f"{better} {'wins on points' if referee.over else 'leads'}"
