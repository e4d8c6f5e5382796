"""Which ring a game gets: a step that was replaced in Python is used."""

from typing import Any

from retick.games.fighter import Fighter
from retick.rollback import RollbackEngine

SEED = 7


def engine(sim: Any, **options: Any) -> RollbackEngine:
    return RollbackEngine(sim, sim.initial_state(SEED), local_player=0, **options)


def test_a_step_or_checksum_put_on_one_game_object_is_obeyed() -> None:
    game = Fighter()
    plain, seen = game.step, []

    def step(state: Any, inputs: Any) -> Any:
        seen.append(tuple(inputs))
        return plain(state, inputs)

    game.step = step  # type: ignore[method-assign]  # a game that changes
    e = engine(game)
    e.advance(1)
    e.advance(2)
    assert seen == [(1, 0), (2, 0)]


def test_a_subclass_that_changes_the_step_in_python_is_obeyed() -> None:
    class Heavier(Fighter):
        def step(self, state: Any, inputs: Any) -> Any:
            return super().step(state, (inputs[0] & ~4, inputs[1] & ~4))

    sim = Heavier()
    e = engine(sim)
    for _ in range(5):
        e.advance(4)
    assert e.state.p1.y == 0
