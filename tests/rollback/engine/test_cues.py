"""Cues: started once, cancelled when they did not happen, confirmed when final."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.rollback import CueCancelled, CueConfirmed, CueEvent, CueStarted, CueTracker, RollbackEngine
from retick.testing.strategies import InputArrival, arrival_schedules, input_rows
from tests.effort import examples
from tests.toys import Tally, TallyState


class Ringing(Tally):
    """A bell for each player whose total grew past a multiple of ten; two when it jumped two."""

    def cues(self, before: TallyState, after: TallyState) -> Any:
        for player, (old, new) in enumerate(zip(before.totals, after.totals, strict=True)):
            yield from [("bell", player)] * (new // 10 - old // 10)


def tracked(tolerance: int = 0) -> tuple[RollbackEngine, CueTracker]:
    sim = Ringing()
    engine = RollbackEngine(sim, sim.initial_state(1), local_player=0, history=16)
    return engine, CueTracker(engine, tolerance=tolerance)


def test_a_right_guess_starts_once_and_is_confirmed() -> None:
    engine, tracker = tracked()
    engine.advance(10)
    assert tracker.update() == [CueStarted(frame=0, cue=("bell", 0))]
    assert tracker.update() == []
    engine.add_remote_inputs(1, 0, [0])
    assert tracker.update() == [CueConfirmed(frame=0, cue=("bell", 0))]
    engine.advance(0)
    assert tracker.update() == []


def test_a_wrong_guess_is_cancelled_and_the_truth_started() -> None:
    engine, tracker = tracked()
    engine.add_remote_inputs(1, 0, [9])
    engine.advance(0)
    engine.advance(0)
    assert CueStarted(frame=1, cue=("bell", 1)) in tracker.update()
    engine.add_remote_inputs(1, 1, [0])
    assert tracker.update() == [CueCancelled(frame=1, cue=("bell", 1))]
    engine.add_remote_inputs(1, 2, [10])
    engine.advance(0)
    assert tracker.update() == [CueStarted(frame=2, cue=("bell", 1)), CueConfirmed(frame=2, cue=("bell", 1))]


def test_a_cue_that_moved_within_the_tolerance_plays_on() -> None:
    for tolerance, expected in ((0, 2), (1, 0)):
        engine, tracker = tracked(tolerance)
        engine.add_remote_inputs(1, 0, [5])
        for _ in range(3):
            engine.advance(0)
        assert tracker.update() == [CueStarted(frame=1, cue=("bell", 1))]
        engine.add_remote_inputs(1, 1, [0, 5])
        moved = [event for event in tracker.update() if not isinstance(event, CueConfirmed)]
        assert len(moved) == expected


@settings(max_examples=examples(300), deadline=None)
@given(st.data())
def test_every_cue_is_reported_once_and_the_confirmed_ones_are_the_true_ones(data: st.DataObject) -> None:
    engine, tracker = tracked()
    rows = data.draw(input_rows(Ringing(), max_frames=40))
    schedule: list[list[InputArrival]] = data.draw(arrival_schedules(players=2, frames=len(rows), history=12))
    events: list[CueEvent] = []
    for frame, row in enumerate(rows):
        engine.advance(row[0] & 15)
        for player, first, count in schedule[frame]:
            engine.add_remote_inputs(player, first, [row[1] & 15 for row in rows[first : first + count]])
        events += tracker.update()
    playing: Counter[Any] = Counter()
    confirmed: Counter[Any] = Counter()
    for event in events:
        key = (event.frame, event.cue)
        if isinstance(event, CueStarted):
            playing[key] += 1
        else:
            playing[key] -= 1
            assert playing[key] >= 0
            confirmed[key] += isinstance(event, CueConfirmed)
    assert not +playing
    sim = Ringing()
    state = sim.initial_state(1)
    truth: Counter[Any] = Counter()
    for frame, row in enumerate(rows):
        after = sim.step(state, (row[0] & 15, row[1] & 15))
        truth.update((frame, cue) for cue in sim.cues(state, after))
        state = after
    assert +confirmed == truth


def test_a_game_without_cues_is_named() -> None:
    sim = Tally()
    engine = RollbackEngine(sim, sim.initial_state(1), local_player=0)
    with pytest.raises(UsageError, match="Tally has no cues"):
        CueTracker(engine)


def test_a_confirmed_cue_is_not_reported_again_when_a_dropped_player_returns() -> None:
    engine, tracker = tracked()
    told: list[CueEvent] = []
    for frame in range(8):
        engine.add_remote_inputs(1, frame, [10 if frame == 5 else 0])
        engine.advance(10 if frame == 4 else 0)
        told += tracker.update()
    assert [event.cue for event in told if isinstance(event, CueConfirmed)] == [("bell", 0), ("bell", 1)]
    engine.drop_player(1, 2)
    assert tracker.update() == []
    assert engine.stats.rollbacks == 1
    for _ in range(40):
        engine.advance(1)
        told += tracker.update()
    assert Counter(type(event) for event in told) == {CueStarted: 6, CueConfirmed: 6}
