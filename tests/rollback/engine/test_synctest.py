"""The sync test: quiet on honest games, and loud on each way of cheating."""

from typing import Any

import pytest

from retick.errors import DeterminismError, UsageError
from retick.games.fighter import Fighter
from retick.rollback import SyncTest
from retick.sim.world import WorldSimulation
from retick.testing import find_failure
from tests.toys import CHEATS_ON_ITS_OWN, CheatsWithAnUnsavedAttribute, Tally, TallyWorld


def cheating_world() -> WorldSimulation:
    return WorldSimulation(CheatsWithAnUnsavedAttribute())


CHEATS = [*CHEATS_ON_ITS_OWN, cheating_world]


@pytest.mark.parametrize("game", [Fighter, Tally, lambda: Tally(4), lambda: WorldSimulation(TallyWorld())])
@pytest.mark.parametrize("distance", [1, 2, 7])
def test_honest_games_pass(game: Any, distance: int) -> None:
    assert find_failure(game, frames=200, distance=distance) is None


@pytest.mark.parametrize("game", CHEATS, ids=lambda game: game.__name__)
def test_cheats_are_caught_with_frame_and_fields(game: Any) -> None:
    failure = find_failure(game, frames=400)
    assert failure is not None
    assert failure.error.differences
    for name, before, again in failure.error.differences:
        assert before != again
        assert name in str(failure.error)
    assert failure.error.frame <= len(failure.inputs)


def test_the_report_holds_what_was_planted() -> None:
    class OffByOne(Tally):
        steps = 0

        def step(self, state: Any, inputs: Any) -> Any:
            type(self).steps += 1
            after = super().step(state, inputs)
            return after._replace(totals=(after.totals[0], 40 if self.steps > 30 else 4)) if after.frame == 5 else after

    test = SyncTest(OffByOne(), Tally().initial_state(1), distance=3)
    for _ in range(5):
        test.advance((1, 1))
    OffByOne.steps += 30
    with pytest.raises(DeterminismError) as caught:
        test.advance((1, 1))
    assert caught.value.frame == 5
    assert caught.value.differences == (("totals[1]", 4, 40),)


def test_misuse_is_named() -> None:
    with pytest.raises(UsageError, match="distance must be from 1 to 1000 frames, not 0"):
        SyncTest(Tally(), Tally().initial_state(1), distance=0)
    test = SyncTest(Tally(), Tally().initial_state(1))
    with pytest.raises(UsageError, match="advance takes 2 inputs, not 1"):
        test.advance((1,))
    with pytest.raises(UsageError, match="input of player 1 must be an integer from 0 to 65535, not -1"):
        test.advance((1, -1))
    assert test.frame == 0


@pytest.mark.parametrize("distance", [0, 1001, 2.5, None, "7"])
def test_a_sync_test_over_an_impossible_distance_is_refused(distance: Any) -> None:
    with pytest.raises(UsageError, match="distance must be from 1 to 1000 frames"):
        SyncTest(Fighter(), Fighter().initial_state(1), distance=distance)
