"""Follows the frames of a fight that are final, and says when it is over.

Theory of operation. Every machine gives its referee the same final inputs, so all of them call the end at the same
frame without asking each other. The referee steps a state of its own from these inputs alone: its checksum owes
nothing to predictions and rollbacks, and that is what makes it worth comparing.
"""

from collections.abc import Iterable

from retick.cli.arena import hits_in, knocked_out
from retick.games.fighter import Fighter, FighterState
from retick.games.fighter.rules import TICKS_PER_SECOND
from retick.replay import Replay

__all__ = ["Referee", "outcome"]

CURTAIN = 3 * TICKS_PER_SECOND // 2
"""Frames from a knock-out to the end of a match whose length was not given."""


class Referee:
    """The final part of a fight: its inputs, its newest state, and who landed how often."""

    def __init__(self, seed: int, *, frames: int | None = None, longest: int | None = None) -> None:
        """A fight of exactly ``frames``; without that, until a moment after a knock-out or ``longest`` frames."""
        self.game = Fighter()
        self.seed = seed
        self.state = self.game.initial_state(seed)
        self.hits = (0, 0)
        self.decided: FighterState | None = None
        """The state of the first knock-out; nothing after it changes who won."""
        self.payload = bytearray()
        """The inputs as a replay has them."""
        self._last = frames if frames is not None else longest
        self._ends_early = frames is None

    @property
    def over(self) -> bool:
        return self._last is not None and self.state.frame >= self._last

    @property
    def checksum(self) -> int:
        return self.game.checksum(self.state)

    def watch(self, rows: Iterable[tuple[int, ...]]) -> None:
        """Take in the inputs of final frames; those after the end are ignored."""
        for row in rows:
            if self.over:
                return
            self.state = self.game.step(self.state, row)
            for pressed in row:
                self.payload += pressed.to_bytes(2, "little")
            by_first, by_second = hits_in(self.state)
            self.hits = (self.hits[0] + by_first, self.hits[1] + by_second)
            if self.decided is None and knocked_out(self.state):
                self._decide()

    def replay(self) -> Replay:
        """The match so far, for a file or a verification."""
        return Replay(seed=self.seed, frames=bytes(self.payload))

    def _decide(self) -> None:
        self.decided = self.state
        if self._ends_early:
            curtain = self.state.frame + CURTAIN
            self._last = curtain if self._last is None else min(self._last, curtain)


def outcome(referee: Referee, names: tuple[str, str]) -> str:
    """Who won, or leads, in words."""
    last = referee.decided or referee.state
    first, second = last.p1.hp, last.p2.hp
    if first == second:
        return "double knock-out" if first == 0 else "a draw"
    better = names[0] if first > second else names[1]
    if min(first, second) == 0:
        return f"{better} wins by knock-out"
    return f"{better} {'wins on points' if referee.over else 'leads'}"
