"""The player: every way to a frame leads to the state that a straight run has there."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.replay import Replay, ReplayPlayer
from retick.sim.world import WorldSimulation
from tests.replay.recordings import Tally
from tests.toys import Tally as SharedTally
from tests.toys import TallyWorld

MATCH = Replay(seed=3, frames=bout(3, 400))
TALLY = Replay(seed=3, frames=[(f * 7 % 65536, f) for f in range(300)], start_frame=50, start_state=bytes(12))


def straight() -> list[int]:
    game = Fighter()
    state = game.initial_state(3)
    sums = [game.checksum(state)]
    for frame in range(400):
        state = game.step(state, MATCH.inputs_at(frame))
        sums.append(game.checksum(state))
    return sums


STRAIGHT = straight()


@given(st.lists(st.integers(0, 400), max_size=12), st.integers(1, 150), st.integers(2, 9))
@settings(deadline=None)
def test_every_jump_lands_on_the_straight_run(jumps: list[int], spacing: int, most: int) -> None:
    player = ReplayPlayer(MATCH, Fighter(), spacing=spacing, max_checkpoints=most)
    for frame in jumps:
        assert player.sim.checksum(player.seek(frame)) == STRAIGHT[frame]
        assert player.frame == frame
        assert player.kept <= most


def test_stepping_passes_every_frame_and_stops_at_the_end() -> None:
    player = ReplayPlayer(MATCH, Fighter(), spacing=64)
    for frame in range(400):
        assert player.frame == frame
        assert not player.finished
        assert player.sim.checksum(player.step()) == STRAIGHT[frame + 1]
    assert player.finished
    with pytest.raises(UsageError):
        player.step()
    assert player.sim.checksum(player.state) == STRAIGHT[400]


def test_a_second_visit_costs_less_than_the_spacing() -> None:
    game = Tally()
    player = ReplayPlayer(TALLY, game, spacing=20)
    player.seek(350)
    assert game.steps == 300
    for frame in (61, 349, 200, 60, 50):
        before = game.steps
        assert player.seek(frame)[0] == frame - 50
        assert game.steps - before < 20


def test_a_short_way_on_from_here_is_not_run_from_a_kept_state() -> None:
    game = Tally()
    player = ReplayPlayer(TALLY, game, spacing=100)
    player.seek(140)
    before = game.steps
    player.seek(145)
    assert game.steps - before == 5


def test_states_can_be_prepared_without_moving() -> None:
    game = Tally()
    player = ReplayPlayer(TALLY, game, spacing=30)
    calls = 0
    while not player.prepare(45):
        calls += 1
        assert (player.frame, player.state[0]) == (50, 0)
    assert calls == 9
    assert game.steps == 300
    before = game.steps
    player.seek(349)
    assert game.steps - before == 29


def test_a_mutable_world_is_saved_where_a_state_is_kept_and_not_after_each_frame() -> None:
    world = TallyWorld()
    match = Replay(seed=3, frames=MATCH.frames)
    player = ReplayPlayer(match, WorldSimulation(world), spacing=100)
    ends = ReplayPlayer(match, SharedTally()).seek(400)
    player.seek(400)
    assert world.saves == 5
    assert world.state == ends
    player.seek(250)
    assert player.fields()["frame"] == 250
    player.seek(400)
    assert player.fields() == dict(SharedTally().fields(ends))


def test_memory_is_bounded_by_doubling_the_spacing() -> None:
    long = Replay(seed=1, frames=bytes(4 * 36_000))
    player = ReplayPlayer(long, Fighter(), spacing=10, max_checkpoints=50)
    player.seek(36_000)
    assert player.kept <= 50
    assert player.spacing * player.kept >= 36_000
    assert player.seek(17_777).frame == 17_777


def test_frames_outside_are_refused_and_nothing_moves() -> None:
    player = ReplayPlayer(TALLY, Tally())
    player.seek(60)
    for frame in (49, 351):
        with pytest.raises(UsageError):
            player.seek(frame)
    assert player.frame == 60
    assert player.fields()["frame"] == 10


@pytest.mark.parametrize("wrong", [{"spacing": 0}, {"max_checkpoints": 1}])
def test_a_player_that_could_keep_nothing_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        ReplayPlayer(MATCH, Fighter(), **wrong)
