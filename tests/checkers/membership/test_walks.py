"""Random walks repeat exactly from their seed."""

from tests.checkers.membership.setups import Setup
from tests.checkers.membership.state import Budget
from tests.checkers.membership.walks import walk

FOUR = Setup("walks", 4, Budget(exits=1, frames=2), free=1)


def test_walks_from_the_same_seed_are_the_same() -> None:
    world, start = FOUR.begin()
    first = walk(world, start, walks=2, length=25, seed=1)
    assert first.counterexample is None, first.counterexample.describe(world)
    assert walk(world, start, walks=2, length=25, seed=1)[:2] == first[:2]
    assert len({walk(world, start, walks=2, length=25, seed=seed)[:2] for seed in range(1, 5)}) > 1
