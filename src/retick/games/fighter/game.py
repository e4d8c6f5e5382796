"""The fighter as a Simulation: the kernel's step with its state, seed and name."""

from collections.abc import Iterator

from retick.games.fighter.lanes import FighterLanes
from retick.games.fighter.moments import cues_of
from retick.games.fighter.state import FighterState, initial_state

__all__ = ["Fighter"]


class Fighter(FighterLanes):
    """Two players, 16 buttons each, integers only; ``step`` for play, ``run`` for bulk."""

    game_id = "retick.fighter"
    game_version = 1

    def __init__(self) -> None:
        super().__init__(FighterState, num_players=2, input_size=2)

    def initial_state(self, seed: int) -> FighterState:
        """The state at frame 0; ``seed`` is any 32-bit integer but 0."""
        return initial_state(seed)

    def cues(self, before: FighterState, after: FighterState) -> Iterator[tuple[str, int]]:
        """What there is to hear in the frame between two states."""
        return cues_of(before, after)
