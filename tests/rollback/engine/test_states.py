"""Rings of states: worlds that save seldom answer as the others do, and a replaced step is obeyed."""

from typing import Any

import pytest

from retick.rollback import CueTracker, RollbackEngine
from retick.sim.world import WorldSimulation
from tests.toys import Tally, TallyWorld

SEED = 7


def engine(sim: Any, **options: Any) -> RollbackEngine:
    return RollbackEngine(sim, sim.initial_state(SEED), local_player=0, **options)


@pytest.mark.parametrize("late", [0, 5])
def test_sparse_history_answers_for_final_frames_too(late: int) -> None:
    sim, reference = WorldSimulation(TallyWorld(2)), Tally(2)
    e = engine(sim, history=16, sparse_saving=True)
    state = reference.initial_state(SEED)
    sums = [reference.checksum(state)]
    for frame in range(40):
        if frame >= late:
            e.add_remote_inputs(1, frame - late, [frame - late])
        e.advance(frame % 3)
        state = reference.step(state, (frame % 3, frame))
        sums.append(reference.checksum(state))
    e.add_remote_inputs(1, 40 - late, list(range(40 - late, 40)))
    for frame in (24, 40, 31, 39, 25, 40):
        fields = dict(sim.fields(e.state_at(frame)))
        assert fields["frame"] == frame
        assert reference.checksum(state._replace(**_tally_of(fields))) == sums[frame]


def _tally_of(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "frame": fields["frame"],
        "mixed": fields["mixed"],
        "totals": (fields["totals[0]"], fields["totals[1]"]),
    }


def test_a_world_that_was_shown_another_state_comes_back_to_the_present() -> None:
    sim = WorldSimulation(TallyWorld(2))
    e = engine(sim, history=16, sparse_saving=True)
    first = e.state
    for frame in range(10):
        e.advance(frame)
    assert dict(sim.fields(first))["frame"] == 0
    assert dict(sim.fields(e.state))["frame"] == 10
    e.advance(10)
    assert dict(sim.fields(e.state))["totals[0]"] == sum(range(11))


def test_cues_of_a_world_that_saves_seldom_may_be_asked_for_now_and_then() -> None:
    sim = WorldSimulation(TallyWorld(2))
    e = engine(sim, history=16, sparse_saving=True)
    tracker = CueTracker(e, lambda _before, after: [dict(sim.fields(after))["frame"]])
    told = []
    for frame in range(30):
        e.add_remote_inputs(1, frame, [frame])
        e.advance(0)
        if frame % 3 == 2:
            told += [event.cue for event in tracker.update() if type(event).__name__ == "CueConfirmed"]
    assert told == list(range(1, 31))


def straight(sim: Any, inputs: list[list[int]]) -> Any:
    """The state after ``inputs[player][frame]`` with a perfect network."""
    state = sim.initial_state(SEED)
    for frame_inputs in zip(*inputs, strict=True):
        state = sim.step(state, frame_inputs)
    return state


def test_sparse_saving_saves_far_less_and_ends_the_same() -> None:
    truth = [frame % 7 for frame in range(200)]
    saves, finals = [], []
    for sparse in (False, True):
        world = TallyWorld(2)
        sim = WorldSimulation(world)
        e = engine(sim, history=20, sparse_saving=sparse)
        for frame in range(200):
            e.advance(1)
            if frame >= 6:
                e.add_remote_inputs(1, frame - 6, [truth[frame - 6]])
        e.add_remote_inputs(1, 194, truth[194:])
        finals.append(dict(sim.fields(e.state)))
        saves.append(world.saves)
        assert e.stats.rollbacks > 50
    assert finals[0] == finals[1]
    assert saves[1] * 2 < saves[0]


def test_sparse_history_answers_for_any_frame_without_losing_the_present() -> None:
    world = TallyWorld(2)
    sim = WorldSimulation(world)
    e = engine(sim, history=30, sparse_saving=True)
    for frame in range(25):
        e.advance(frame)
    reference = Tally(2)
    state = reference.initial_state(SEED)
    sums = [reference.checksum(state)]
    for frame in range(25):
        state = reference.step(state, (frame, 0))
        sums.append(reference.checksum(state))
    frames = [dict(sim.fields(e.state_at(frame)))["frame"] for frame in (3, 17, 9, 25, 24)]
    assert frames == [3, 17, 9, 25, 24]
    e.advance(25)
    assert dict(sim.fields(e.state))["mixed"] == reference.step(state, (25, 0)).mixed
