"""The engine at its edges: numbers that no ring holds, games that raise, and worlds that save seldom."""

from collections.abc import Callable
from typing import Any

import pytest

from retick.errors import HistoryEvicted, UsageError
from retick.games.fighter import Fighter
from retick.rollback import RollbackEngine, SyncTest
from retick.rollback.engine.checks import NEWEST_FRAME
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
    for ask in (lambda: e.first_missing(player), lambda: e.is_missing(player, 0), lambda: e.inputs_of(player, 0, 2)):
        with pytest.raises(UsageError, match=r"player must be from 0 to 1, not"):
            ask()


@pytest.mark.parametrize("frame", [-1, 6, 2**32, 2**64, -(2**70), None, 1.5, "1"])
def test_a_frame_that_is_not_held_is_refused_by_every_question_about_it(frame: Any) -> None:
    e = fighting(5)
    for ask in (e.state_at, e.checksum_at, e.inputs_at, lambda first: e.inputs_of(0, first, 2**40)):
        with pytest.raises(HistoryEvicted, match="is not in history"):
            ask(frame)


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


def test_the_inputs_that_are_held_for_sure_are_held_and_the_ring_is_as_small_as_it_was_asked_for() -> None:
    e = engine(Tally(2), history=8, inputs_remembered=100)
    for frame in range(500):
        e.add_remote_inputs(1, frame, [5])
        # As far ahead as an input may be: its row takes the place of an old one.
        e.add_remote_inputs(1, frame + 8, [5])
        e.advance(frame)
        first = e.held_from()
        assert first == max(0, frame + 1 + 8 + 1 - 128)
        assert e.inputs_of(0, first, frame + 1) == list(range(first, frame + 1))
    with pytest.raises(HistoryEvicted):
        e.inputs_of(0, e.held_from() - 2, 450)
    assert engine(Tally(2), history=40, inputs_remembered=0).held_from() == 0


def test_an_input_is_missing_up_to_the_first_that_is_not_confirmed_and_never_of_one_who_is_dropped() -> None:
    e = engine(Tally(3))
    e.add_remote_inputs(1, 0, [1, 1, 1])
    assert [e.is_missing(1, frame) for frame in (0, 2, 3, 9)] == [False, False, True, True]
    assert e.is_missing(2, 0)
    e.drop_player(2, 0)
    assert not e.is_missing(2, 9)
