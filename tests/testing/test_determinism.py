"""Games that do not repeat themselves are found, and the run that shows it is made short."""

from typing import Any

import pytest

from retick.errors import DeterminismError
from retick.games.fighter import Fighter
from retick.testing import assert_deterministic, determinism, find_failure, shrink
from tests.toys import CHEATS_ON_ITS_OWN, Tally


def test_shrinking_keeps_the_failure_and_drops_the_rest() -> None:
    class BreaksOnSeven(Tally):
        """Only the input 7 of player 1 reaches the state that is not saved."""

        hidden = 0

        def step(self, state: Any, inputs: Any) -> Any:
            after = super().step(state, inputs)
            if inputs[1] == 7:
                type(self).hidden += 1
                after = after._replace(mixed=after.mixed ^ type(self).hidden)
            return after

    failure = find_failure(BreaksOnSeven, frames=600, seed=4)
    assert failure is not None
    assert len(failure.inputs) > 5
    small = shrink(BreaksOnSeven, failure)
    assert small.inputs == [(0, 7)]
    assert "frame 0: (0, 7)" in str(small)


def test_assert_deterministic_fails_with_the_short_run() -> None:
    assert_deterministic(Fighter, frames=60)
    with pytest.raises(AssertionError, match="came out differently"):
        assert_deterministic(CHEATS_ON_ITS_OWN[0], frames=60)


class Thorny:
    """Counts its own calls, and breaks where an input is left out."""

    num_players = 1

    def __init__(self) -> None:
        self.calls = 0

    def initial_state(self, seed: int) -> tuple[int, int]:
        return (0, 0)

    def step(self, state: tuple[int, int], inputs: tuple[int]) -> tuple[int, int]:
        if inputs[0] != state[0] + 1:
            raise RuntimeError("out of order")
        self.calls += 1
        return (state[0] + 1, self.calls if state[0] >= 5 else 0)

    def checksum(self, state: tuple[int, int]) -> int:
        return state[1]

    def fields(self, state: tuple[int, int]) -> list[tuple[str, int]]:
        return [("calls", state[1])]


def test_shrinking_steps_over_inputs_on_which_the_game_breaks_otherwise() -> None:
    rows = [(frame + 1,) for frame in range(10)]
    failure = determinism.Failure(seed=1, inputs=rows, error=DeterminismError("calls", frame=6))
    assert determinism.shrink(Thorny, failure, distance=3).inputs == rows[:6]
