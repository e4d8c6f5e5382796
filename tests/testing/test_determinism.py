"""Games that do not repeat themselves are found, and the run that shows it is made short."""

from typing import Any

import pytest

from retick.games.fighter import Fighter
from retick.testing import assert_deterministic, find_failure, shrink
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
