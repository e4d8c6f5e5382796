"""Predicting: own inputs in their ticks, others' repeated; rounded numbers become what they may have been."""

from collections.abc import Sequence
from typing import Annotated, Any

from hypothesis import given
from hypothesis import strategies as st

from retick.authority.client.prediction import Prediction, keep_finer, load_fields
from retick.authority.frames import SnapshotFrame
from retick.authority.holding import HeldSnapshot, Seat
from retick.sim import U8, Cache, Most, World
from tests.authority.client.yard import LEFT, RIGHT, SPEED, STEP, Walker, Yard


def held(world: World, tick: int, **seats: int) -> HeldSnapshot:
    frame = SnapshotFrame(tick, 0, 0, 0, 0, 0, (), b"")
    known = {int(name[1:]): Seat(connected=True, input=pressed) for name, pressed in seats.items()}
    return HeldSnapshot(frame, world.save(), known, ())


def two_walkers() -> Yard:
    yard = Yard()
    yard.walkers = [Walker(player=0, x=100.0, y=0.0), Walker(player=1, x=300.0, y=0.0)]
    return yard


def test_own_inputs_run_in_their_ticks_and_those_of_others_are_repeated() -> None:
    prediction = Prediction(Yard(), 0)
    assert prediction.restart(held(two_walkers(), 10, s0=LEFT, s1=LEFT), lambda _tick: 0) == 0
    own = {11: RIGHT, 12: 0, 13: RIGHT}
    assert prediction.run_through(13, own.__getitem__) == 3
    one, other = prediction.world.walkers
    assert (one.x, other.x) == (100.0 + SPEED + SPEED, 300.0 - SPEED - SPEED - SPEED)
    assert sorted(prediction.history) == [10, 11, 12, 13]
    assert prediction.present == prediction.world.save()
    assert prediction.before == prediction.history[12]


def test_a_new_snapshot_is_run_up_to_the_same_tick() -> None:
    prediction = Prediction(Yard(), 0)
    server = two_walkers()
    prediction.restart(held(server, 10), lambda _tick: RIGHT)
    prediction.run_through(20, lambda _tick: RIGHT)
    before = prediction.present
    for _ in range(5):
        server.advance((RIGHT, 0, 0, 0))
    assert prediction.restart(held(server, 15), lambda _tick: RIGHT) == 5
    assert prediction.tick == 20
    assert prediction.present == before
    assert min(prediction.history) == 15


@given(st.lists(st.sampled_from([0, RIGHT, LEFT]), min_size=30, max_size=60), st.floats(100, 101))
def test_rounded_snapshots_never_correct_by_more_than_half_a_step_and_errors_do_not_grow(
    pressed: list[int], start: float
) -> None:
    truth = Yard()
    truth.walkers = [Walker(player=0, x=start, y=0.0)]
    prediction = Prediction(Yard(), 0)

    def rounded() -> Yard:
        made = Yard()
        made.load(truth.save())
        made.walkers[0].x = round(made.walkers[0].x / STEP) * STEP
        return made

    prediction.restart(held(rounded(), 1), lambda tick: pressed[tick])
    worst = abs(prediction.world.walkers[0].x - start)
    assert worst <= STEP / 2
    for tick in range(2, len(pressed) - 4):
        prediction.run_through(tick + 3, lambda tick: pressed[tick])
        before = prediction.world.walkers[0].x
        truth.advance((pressed[tick], 0, 0, 0))
        prediction.restart(held(rounded(), tick), lambda tick: pressed[tick])
        assert abs(prediction.world.walkers[0].x - before) <= STEP / 2 + 1e-9
        there = Yard()
        there.load(prediction.history[tick])
        error = abs(there.walkers[0].x - truth.walkers[0].x)
        assert error <= worst + 1e-9
        worst = max(error, 1e-9)


def test_a_number_that_is_far_from_the_prediction_is_as_the_snapshot_has_it() -> None:
    snapshot, predicted = two_walkers(), two_walkers()
    predicted.walkers[0].x = 100.0 + 2 * STEP
    predicted.walkers[1].x = 300.0 + STEP / 4
    keep_finer(snapshot, predicted, 3)
    assert [walker.x for walker in snapshot.walkers] == [100.0, 300.0 + STEP / 4]


class Fragile(World):
    num_players = 1
    count: U8
    rows: Annotated[list[U8], Most(3)]
    cache: Cache[Any] = None

    def rebuild(self) -> None:
        self.cache = 1 // (9 - self.count)

    def advance(self, inputs: Sequence[int]) -> None:
        self.count += 1
        self.cue("tick")
        if self.count == 5:
            raise RuntimeError("five")


def test_an_error_of_the_game_shows_the_snapshot_until_one_works() -> None:
    prediction = Prediction(Fragile(), 0)
    server = Fragile()
    server.count = 3
    prediction.restart(held(server, 10), lambda _tick: 0)
    prediction.run_through(13, lambda _tick: 0)
    assert prediction.failure is not None
    assert "RuntimeError: five" in prediction.failure
    assert (prediction.tick, prediction.world.count, prediction.cues) == (13, 3, {})
    assert prediction.present == prediction.before == server.save()
    server.count = 6
    prediction.restart(held(server, 12), lambda _tick: 0)
    assert prediction.failure is None
    assert (prediction.tick, prediction.world.count) == (13, 7)


def test_a_rebuild_that_raises_is_an_error_of_the_game_too() -> None:
    prediction = Prediction(Fragile(), 0)
    server = Fragile()
    server.count = 9
    prediction.restart(held(server, 10), lambda _tick: 0)
    prediction.run_through(12, lambda _tick: 0)
    assert prediction.failure is not None
    assert "ZeroDivisionError" in prediction.failure
    shown = Fragile()
    load_fields(shown, prediction.present)
    assert shown.count == 9
