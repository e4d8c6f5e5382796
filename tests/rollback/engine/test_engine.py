"""The engine: the law that it ends on a straight run's bits, and every rule around it."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import HistoryEvicted, PredictionLimit, ProtocolViolation, UsageError
from retick.games.fighter import Fighter
from retick.rollback import RollbackEngine
from retick.sim.world import WorldSimulation
from tests.effort import examples
from tests.rollback.engine.perfect_network import engine, straight
from tests.toys import Tally, TallyWorld


@st.composite
def schedules(draw: st.DrawFn, history: int = 12) -> tuple[int, list[list[int]], list[list[tuple[int, int, int]]]]:
    """Players, their inputs, and after each frame the batches that arrive: any order, gaps, repeats, but in time."""
    players = draw(st.integers(2, 4))
    frames = draw(st.integers(1, 40))
    few = st.sampled_from([0, 1, 2, 8, 9])
    inputs = [draw(st.lists(few, min_size=frames, max_size=frames)) for _ in range(players)]
    arrivals: list[list[tuple[int, int, int]]] = [[] for _ in range(frames + history)]
    for player in range(1, players):
        for first in range(0, frames, draw(st.integers(1, 5))):
            size = draw(st.integers(1, 6))
            for _ in range(draw(st.integers(0, 2))):
                at = first + draw(st.integers(-4, history - 6))
                arrivals[max(at, 0)].append((player, first, min(size, frames - first)))
            arrivals[min(first + history - 6, frames - 1)].append((player, first, min(6, frames - first)))
    return players, inputs, [draw(st.permutations(batches)) for batches in arrivals]


def play(e: RollbackEngine, inputs: list[list[int]], arrivals: list[list[tuple[int, int, int]]]) -> None:
    for frame, mine in enumerate(inputs[0]):
        e.advance(mine)
        for player, first, size in arrivals[frame]:
            e.add_remote_inputs(player, first, inputs[player][first : first + size])


GAMES: dict[str, Callable[[int], Any]] = {
    "pure": Tally,
    "world": lambda players: WorldSimulation(TallyWorld(players)),
}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("sparse", [False, True])
@settings(max_examples=examples(400), deadline=None)
@given(schedule=schedules())
def test_any_arrival_of_inputs_ends_on_the_straight_run(game: str, sparse: bool, schedule: Any) -> None:
    players, inputs, arrivals = schedule
    sim = GAMES[game](players)
    e = engine(sim, history=12, sparse_saving=sparse)
    play(e, inputs, arrivals)
    assert e.confirmed_frame == len(inputs[0]) - 1
    assert sim.fields(e.state) if game == "world" else True
    assert dict(sim.fields(e.state)) == dict(Tally(players).fields(straight(Tally(players), inputs)))


@pytest.mark.long
@settings(max_examples=examples(300), deadline=None)
@given(st.data())
def test_the_fighter_ends_on_the_straight_run(data: st.DataObject) -> None:
    buttons = st.integers(0, 15)
    frames = data.draw(st.integers(1, 120))
    inputs = [data.draw(st.lists(buttons, min_size=frames, max_size=frames)) for _ in range(2)]
    late = data.draw(st.lists(st.integers(0, 9), min_size=frames, max_size=frames))
    sim = Fighter()
    e = engine(sim, history=16)
    due: dict[int, list[int]] = {}
    for frame in range(frames):
        due.setdefault(min(frame + late[frame], frames - 1), []).append(frame)
        e.advance(inputs[0][frame])
        for arrived in due.get(frame, ()):
            e.add_remote_inputs(1, arrived, [inputs[1][arrived]])
    assert e.state == straight(sim, inputs)
    assert sim.checksum(e.state) == e.checksum_at(e.frame)


def test_the_law_is_tested_with_rollbacks() -> None:
    """The schedules above would prove nothing if they never made the engine run a frame again."""
    seen = []

    @settings(max_examples=200, deadline=None, database=None)
    @given(schedule=schedules())
    def count(schedule: Any) -> None:
        players, inputs, arrivals = schedule
        e = engine(Tally(players), history=12)
        play(e, inputs, arrivals)
        seen.append(e.stats)

    count()
    assert sum(stats.rollbacks for stats in seen) > 200
    assert max(stats.deepest_rollback for stats in seen) >= 6
    assert sum(stats.resimulated_frames for stats in seen) > 1000


def test_confirmed_frame_starts_below_zero_and_needs_everyone() -> None:
    e = engine(Tally(3))
    assert e.confirmed_frame == -1
    e.advance(1)
    assert e.confirmed_frame == -1
    e.add_remote_inputs(1, 0, [1, 2])
    assert e.confirmed_frame == -1
    e.add_remote_inputs(2, 0, [3])
    assert e.confirmed_frame == 0


def test_a_gap_holds_confirmation_back_until_it_is_closed() -> None:
    e = engine(Tally(2))
    for frame in range(6):
        e.advance(frame)
    e.add_remote_inputs(1, 0, [1])
    e.add_remote_inputs(1, 3, [4, 5])
    assert e.confirmed_frame == 0
    e.add_remote_inputs(1, 1, [2, 3])
    assert e.confirmed_frame == 4


def test_one_batch_with_many_wrong_guesses_is_one_rollback_to_the_earliest() -> None:
    e = engine(Tally(2))
    for _ in range(8):
        e.advance(0)
    e.add_remote_inputs(1, 0, [0, 0, 5, 6, 7, 8])
    assert e.stats == (1, 6, 6)


def test_batches_between_two_reads_share_one_rollback() -> None:
    e = engine(Tally(2))
    for _ in range(5):
        e.advance(0)
    for frame in (4, 2, 3, 1):
        e.add_remote_inputs(1, frame, [frame])
    assert e.stats == (1, 4, 4)


def test_right_guesses_cost_no_rollback() -> None:
    e = engine(Tally(2))
    e.add_remote_inputs(1, 0, [9])
    for _ in range(6):
        e.advance(3)
    e.add_remote_inputs(1, 1, [9] * 5)
    assert e.stats == (0, 0, 0)
    assert e.confirmed_frame == 5


def test_frames_too_far_in_the_future_are_refused_whole() -> None:
    e = engine(Tally(2), history=8)
    with pytest.raises(ProtocolViolation, match="frame 9 is 9 frames in the future of frame 0"):
        e.add_remote_inputs(1, 5, [1, 2, 3, 4, 5])
    e.advance(0)
    assert e.inputs_at(0) == (0, 0)
    e.add_remote_inputs(1, 0, [1])
    assert e.confirmed_frame == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda e: e.add_remote_inputs(2, 0, [1]), "player must be from 0 to 1, not 2"),
        (lambda e: e.add_remote_inputs(-1, 0, [1]), "player must be from 0 to 1, not -1"),
        (lambda e: e.add_remote_inputs("1", 0, [1]), "player must be from 0 to 1, not '1'"),
        (lambda e: e.add_remote_inputs(0, 0, [1]), "player 0 is local here"),
        (lambda e: e.add_remote_inputs(1, -1, [1]), "a frame is an integer from 0 to 4294967294, not -1"),
        (lambda e: e.add_remote_inputs(1, 2**70, [1]), "a frame is an integer"),
        (lambda e: e.add_remote_inputs(1, 0, [65536]), "must be an integer from 0 to 65535, not 65536"),
        (lambda e: e.add_remote_inputs(1, 0, [1.0]), "must be an integer from 0 to 65535, not 1.0"),
        (lambda e: e.advance(65536), "input of player 0 must be an integer from 0 to 65535, not 65536"),
        (lambda e: e.advance((1, 2)), "input of player 0 must be an integer"),
        (lambda e: e.advance(None), "not None"),
        (lambda e: e.set_input_delay(-1), "input_delay must be from 0 to history"),
        (lambda e: e.state_at(50), "frame 50 is not in history"),
        (lambda e: e.inputs_at(0), "frame 0 is not in history"),
    ],
)
def test_misuse_is_named_and_changes_nothing(call: Callable[[RollbackEngine], Any], words: str) -> None:
    e = engine(Tally(2))
    with pytest.raises(UsageError, match=words.replace("(", r"\(")):
        call(e)
    assert (e.frame, e.confirmed_frame, e.stats) == (0, -1, (0, 0, 0))
    e.advance(1)
    e.add_remote_inputs(1, 0, [1])
    assert e.confirmed_frame == 0


def test_the_prediction_window_stops_and_resumes() -> None:
    e = engine(Tally(2), prediction_window=3)
    for _ in range(3):
        assert e.can_advance()
        e.advance(1)
    assert not e.can_advance()
    with pytest.raises(PredictionLimit) as caught:
        e.advance(2)
    assert (caught.value.frame, caught.value.confirmed_frame, caught.value.window) == (3, -1, 3)
    assert e.frame == 3
    e.add_remote_inputs(1, 0, [0])
    e.advance(2)
    assert e.inputs_at(3) == (2, 0)


def test_lockstep_never_guesses() -> None:
    sim = Tally(2)
    e = engine(sim, prediction_window=0)
    with pytest.raises(PredictionLimit):
        e.advance(1)
    for frame in range(20):
        e.add_remote_inputs(1, frame, [frame % 3])
        e.advance(1)
    assert e.stats.rollbacks == 0
    assert e.state == straight(sim, [[1] * 20, [frame % 3 for frame in range(20)]])


@pytest.mark.parametrize("received", [3, 5, 8])
def test_a_dropped_player_is_neutral_from_the_agreed_frame_whatever_had_arrived(received: int) -> None:
    sim = Tally(2)
    e = engine(sim)
    e.add_remote_inputs(1, 0, [6] * received)
    for _ in range(10):
        e.advance(1)
    e.drop_player(1, 5)
    if received < 5:
        assert e.confirmed_frame == received - 1
        e.add_remote_inputs(1, received, [6] * (5 - received))
    assert e.confirmed_frame >= 9
    e.add_remote_inputs(1, 8, [6, 6])
    for _ in range(3):
        e.advance(1)
    assert e.state == straight(sim, [[1] * 13, [6] * 5 + [0] * 8])


def test_a_player_dropped_too_far_back_is_refused() -> None:
    e = engine(Tally(2), history=4)
    for frame in range(10):
        e.add_remote_inputs(1, frame, [3])
        e.advance(1)
    with pytest.raises(HistoryEvicted):
        e.drop_player(1, 2)
    e.drop_player(1, 8)
    assert [e.inputs_at(frame)[1] for frame in (6, 7, 8, 9)] == [3, 3, 0, 0]


def test_a_player_can_come_back_at_an_agreed_frame() -> None:
    sim = Tally(2)
    e = engine(sim)
    e.add_remote_inputs(1, 0, [6, 6])
    for _ in range(4):
        e.advance(1)
    e.drop_player(1, 2)
    e.restore_player(1, 6)
    for _ in range(4):
        e.advance(1)
    assert e.confirmed_frame == 5
    e.add_remote_inputs(1, 6, [7, 8])
    assert e.confirmed_frame == 7
    assert e.state == straight(sim, [[1] * 8, [6, 6, 0, 0, 0, 0, 7, 8]])


@pytest.mark.parametrize("history", [4, 16])
def test_a_player_can_come_back_up_to_three_histories_ahead(history: int) -> None:
    sim = Tally(2)
    e = engine(sim, history=history)
    for _ in range(6):
        e.add_remote_inputs(1, e.frame, [6])
        e.advance(1)
    e.drop_player(1, 6)
    furthest = e.frame + 3 * history
    with pytest.raises(ProtocolViolation, match="in the future"):
        e.restore_player(1, furthest + 1)
    e.restore_player(1, furthest)
    while e.frame < furthest:
        e.advance(1)
    e.add_remote_inputs(1, furthest, [7])
    e.advance(1)
    assert e.confirmed_frame == furthest
    assert e.state == straight(sim, [[1] * (furthest + 1), [6] * 6 + [0] * (furthest - 6) + [7]])


def test_memory_does_not_grow_with_the_match() -> None:
    import tracemalloc

    e = engine(Tally(2), history=16)

    def run(frames: int) -> None:
        for _ in range(frames):
            frame = e.frame
            e.advance(frame & 7)
            e.add_remote_inputs(1, frame, [frame & 3])

    tracemalloc.start()
    run(6000)
    low = tracemalloc.get_traced_memory()[0]
    run(6000)
    high = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert high - low < 20_000
