"""States as rows of C integers: the same states and checksums as states kept as objects."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.games.fighter import Fighter
from retick.games.scramble import Scramble
from retick.rollback import RollbackEngine, SyncTest
from retick.rollback.engine.engine import FlatRing, ObjectRing, ring_for
from tests.effort import examples

LATE = 5


class SteppedFighter(Fighter):
    """The same game, stepped through Python: its states are kept as objects."""

    def step(self, state: Any, inputs: Any) -> Any:
        return super().step(state, inputs)


@pytest.mark.compiled_only
def test_a_compiled_flat_game_gets_rows_and_any_other_gets_objects() -> None:
    assert isinstance(ring_for(Fighter(), 8, False), FlatRing)
    assert isinstance(ring_for(Scramble(4), 8, False), FlatRing)
    assert isinstance(ring_for(SteppedFighter(), 8, False), ObjectRing)


def late_engine(sim: Any, rows: list[tuple[int, int]], history: int) -> RollbackEngine:
    """Every remote input is late: nearly every frame is resimulated."""
    engine = RollbackEngine(sim, sim.initial_state(1), local_player=0, history=history)
    for frame, (ours, _) in enumerate(rows):
        engine.advance(ours)
        if frame >= LATE:
            engine.add_remote_inputs(1, frame - LATE, [rows[frame - LATE][1]])
    return engine


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(st.integers(0, 15), st.integers(0, 15)), min_size=1, max_size=80), st.integers(6, 20))
def test_rows_and_objects_hold_the_same_states(rows: list[tuple[int, int]], history: int) -> None:
    flat, objects = late_engine(Fighter(), rows, history), late_engine(SteppedFighter(), rows, history)
    assert flat.stats == objects.stats
    for frame in range(max(len(rows) - history, 0), len(rows) + 1):
        assert flat.state_at(frame) == objects.state_at(frame)
        assert flat.checksum_at(frame) == objects.checksum_at(frame)


def test_a_state_that_was_read_does_not_change_when_its_row_is_used_again() -> None:
    engine = late_engine(Fighter(), [(2, 1)] * 10, 6)
    state = engine.state
    before = dict(Fighter().fields(state))
    for _ in range(20):
        engine.advance(1)
    assert dict(Fighter().fields(state)) == before


@pytest.mark.parametrize("distance", [1, 7])
def test_the_sync_test_steps_beside_the_rows_and_leaves_them_as_they_are(distance: int) -> None:
    sim = Fighter()
    test, state = SyncTest(sim, sim.initial_state(1), distance=distance), sim.initial_state(1)
    for frame in range(50):
        test.advance((frame % 16, 3))
        state = sim.step(state, (frame % 16, 3))
        assert test.state == state
