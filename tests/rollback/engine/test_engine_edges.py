"""The engine at its edges: numbers that no ring holds, games that raise, and worlds that save seldom."""

from collections.abc import Callable
from typing import Any

import pytest

from retick.errors import HistoryEvicted, UsageError
from retick.games.fighter import Fighter
from retick.rollback import RollbackEngine, SyncTest
from retick.rollback.engine.checks import LONGEST_HISTORY, NEWEST_FRAME
from retick.sim.world import WorldSimulation
from tests.toys import Tally, TallyWorld

SEED = 7


def engine(sim: Any, **options: Any) -> RollbackEngine:
    options.setdefault("local_player", 0)
    return RollbackEngine(sim, sim.initial_state(SEED), **options)


def fighting(frames: int, **options: Any) -> RollbackEngine:
    e = engine(Fighter(), **options)
    for _ in range(frames):
        e.advance(2)
    return e


@pytest.mark.parametrize("player", [-1, 2, 100, 10**6, 2**40, None, 1.5, "1"])
def test_a_seat_that_does_not_exist_is_refused_by_every_question_about_it(player: Any) -> None:
    e = fighting(5)
    for ask in (lambda: e.first_missing(player), lambda: e.inputs_of(player, 0, 2)):
        with pytest.raises(UsageError, match=r"player must be from 0 to 1, not"):
            ask()


@pytest.mark.parametrize("frame", [-1, 6, 2**32, 2**64, -(2**70), None, 1.5, "1"])
def test_a_frame_that_is_not_held_is_refused_by_every_question_about_it(frame: Any) -> None:
    e = fighting(5)
    for ask in (e.state_at, e.checksum_at, e.inputs_at, lambda first: e.inputs_of(0, first, 2**40)):
        with pytest.raises(HistoryEvicted, match="is not in history"):
            ask(frame)


def test_inputs_are_asked_for_up_to_the_last_sure_one() -> None:
    e = fighting(5)
    assert e.inputs_of(0, 0, 5) == [2] * 5
    assert e.inputs_of(0, 3, 3) == e.inputs_of(0, 3, -5) == []
    with pytest.raises(HistoryEvicted, match="frame 5 is not"):
        e.inputs_of(0, 0, 2**70)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"history": 2.5}, "history must be at least 2 frames, not 2.5"),
        ({"history": "9"}, "history must be at least 2 frames, not '9'"),
        ({"history": LONGEST_HISTORY + 1}, "history must be at most"),
        ({"history": 2**62}, "history must be at most"),
        ({"prediction_window": 2.5}, "prediction_window must be from 0 to history"),
        ({"start_frame": 1.5}, "start_frame must be 0 or more"),
        ({"start_frame": NEWEST_FRAME + 1}, "start_frame must be 0 or more and at most 4294967294"),
    ],
)
def test_settings_that_no_engine_can_have_are_named(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        engine(Fighter(), **options)


@pytest.mark.parametrize("players", [0, -1, 2.5, None, 2**40])
def test_a_game_without_a_number_of_players_is_refused(players: Any) -> None:
    sim = Tally(2)
    sim.num_players = players
    with pytest.raises(UsageError, match="num_players must be from 1"):
        RollbackEngine(sim, None, local_players=())


@pytest.mark.parametrize("size", [0, -1, 9, 2.5, "2", None])
def test_a_game_with_impossible_inputs_is_refused(size: Any) -> None:
    sim = Tally(2)
    sim.input_size = size  # type: ignore[attr-defined]  # a game may have one
    with pytest.raises(UsageError, match="input_size must be from 1 to 8 bytes"):
        RollbackEngine(sim, None, local_player=0)


@pytest.mark.parametrize("state", [None, 5, Fighter().initial_state(1).p1])
def test_the_state_of_another_game_is_refused_before_the_first_frame(state: Any) -> None:
    with pytest.raises(UsageError, match="Fighter steps a FighterState"):
        RollbackEngine(Fighter(), state, local_player=0)


def test_the_last_frame_that_has_a_number_is_the_last_to_run() -> None:
    e = engine(Tally(2), start_frame=NEWEST_FRAME - 1)
    e.advance(3)
    e.advance(4)
    assert e.inputs_at(NEWEST_FRAME) == (4, 0)
    with pytest.raises(UsageError, match="frames are numbered up to 4294967294"):
        e.advance(5)
    assert e.state_at(e.frame).totals == (7, 0)


@pytest.mark.parametrize("guess", [-1, 65536, 2**70, None, 1.5])
def test_a_guess_that_no_player_could_press_is_refused(guess: Any) -> None:
    e = engine(Fighter(), predictor=lambda *_: guess)
    with pytest.raises(UsageError, match=r"the predictor's guess for player 1 in frame 0 must be .* 0 to 65535"):
        e.advance(0)


class Fragile(Tally):
    """Raises in one frame, as long as it is told to."""

    breaks_at = -1

    def step(self, state: Any, inputs: Any) -> Any:
        if state.frame == self.breaks_at:
            raise RuntimeError("out of luck")
        return super().step(state, inputs)


class FragileWorld(TallyWorld):
    breaks_at = -1

    def advance(self, inputs: Any) -> None:
        if dict(self.fields())["frame"] == self.breaks_at:
            raise RuntimeError("out of luck")
        super().advance(inputs)


def _fragile(kind: str) -> tuple[Any, Any, bool]:
    """What is told to break, the game, and whether it saves seldom."""
    if kind == "pure":
        game = Fragile(2)
        return game, game, False
    world = FragileWorld(2)
    return world, WorldSimulation(world), kind == "sparse"


@pytest.mark.parametrize("kind", ["pure", "world", "sparse"])
@pytest.mark.parametrize("asks", [lambda e: e.state, lambda e: e.stats, lambda e: e.advance(3)])
def test_a_game_that_raises_in_a_rollback_is_rolled_back_again(kind: str, asks: Callable[[Any], Any]) -> None:
    fuse, sim, sparse = _fragile(kind)
    e = engine(sim, history=16, sparse_saving=sparse)
    for frame in range(10):
        e.advance(frame)
    e.add_remote_inputs(1, 3, [9])
    fuse.breaks_at = 6
    for _ in range(2):
        with pytest.raises(RuntimeError):
            asks(e)
    fuse.breaks_at = -1
    straight = Tally(2)
    state = straight.initial_state(SEED)
    for frame in range(10):
        state = straight.step(state, (frame, 0 if frame < 3 else 9))
    assert dict(sim.fields(e.state)) == dict(straight.fields(state))
    assert e.stats == (1, 7, 7)


@pytest.mark.parametrize("kind", ["pure", "world", "sparse"])
def test_a_frame_that_raised_is_tried_again_from_the_same_state(kind: str) -> None:
    fuse, sim, sparse = _fragile(kind)
    e = engine(sim, history=16, sparse_saving=sparse)
    for frame in range(10):
        e.advance(frame)
    before = dict(sim.fields(e.state))
    fuse.breaks_at = 10
    with pytest.raises(RuntimeError):
        e.advance(5)
    assert e.frame == 10
    assert dict(sim.fields(e.state)) == before
    fuse.breaks_at = -1
    e.advance(5)
    assert dict(sim.fields(e.state))["totals[0]"] == sum(range(10)) + 5


def test_a_predictor_that_raises_loses_no_correction() -> None:
    broken = False

    def last(_player: int, frame: int, known: int, _base: int) -> int:
        if broken and frame == 6:
            raise RuntimeError("no idea")
        return known

    wary, plain = engine(Fighter(), predictor=last), engine(Fighter())
    for e in (wary, plain):
        for _ in range(10):
            e.advance(1)
        e.add_remote_inputs(1, 3, [2])
    broken = True
    with pytest.raises(RuntimeError):
        wary.state  # noqa: B018 - reading it rolls back
    broken = False
    assert wary.state == plain.state
    assert wary.stats == plain.stats


def test_an_input_whose_guess_is_forgotten_is_refused_and_not_passed_over() -> None:
    e = engine(Tally(2), history=4)
    for _ in range(5000):
        e.advance(1)
    before = e.state
    with pytest.raises(HistoryEvicted, match="what was guessed is forgotten"):
        e.add_remote_inputs(1, 0, [2])
    assert e.add_remote_inputs(1, 4998, [3, 3]) == 2
    assert e.state != before


def test_a_duplicate_older_than_what_is_remembered_is_fine() -> None:
    e = engine(Tally(2), history=4)
    for frame in range(5000):
        e.add_remote_inputs(1, frame, [frame % 5])
        e.advance(1)
    assert e.add_remote_inputs(1, 2, [2, 3]) == 0
    assert e.confirmed_frame == 4999


@pytest.mark.compiled_only
def test_an_engine_that_was_never_made_ready_is_harmless() -> None:
    class Careless(RollbackEngine):
        def __init__(self) -> None:
            """Forgets what it is made of."""

    class CarelessTest(SyncTest):
        def __init__(self) -> None:
            """The same."""

    e = Careless()
    assert e.confirmed_frame == -1
    assert e.state is None
    with pytest.raises(UsageError):
        e.advance(1)
    assert CarelessTest().state is None


@pytest.mark.parametrize("distance", [0, 1001, 2.5, None, "7"])
def test_a_sync_test_over_an_impossible_distance_is_refused(distance: Any) -> None:
    with pytest.raises(UsageError, match="distance must be from 1 to 1000 frames"):
        SyncTest(Fighter(), Fighter().initial_state(1), distance=distance)
