"""Corrections fade in pictures; teleports and long corrections are shown at once."""

from math import pi
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.authority.client.measures import all_things, places_of
from retick.authority.client.picture import Smoothing
from retick.sim import jump
from tests.authority.client.yard import Drone, Walker, Yard


def yards(**changed: float) -> tuple[Yard, Yard]:
    """A world as it was predicted, and as it is predicted now."""
    made = []
    for _ in range(2):
        yard = Yard()
        yard.walkers = [Walker(player=0, x=100.0, y=100.0)]
        yard.drones = [Drone(x=50.0, y=50.0, target=None)]
        made.append(yard)
    for name, value in changed.items():
        setattr(made[1].walkers[0], name, value)
    return made[0], made[1]


def corrected(smoothing: Smoothing, before: Yard, after: Yard, now: float = 1.0) -> Any:
    return smoothing.correct(places_of(before, 0), places_of(after, 0), {before.walkers[0].id}, now)


def drawn(smoothing: Smoothing, world: Yard, now: float) -> Walker:
    shown = Yard()
    shown.load(world.save())
    smoothing.draw(all_things(shown), now)
    walker: Walker = shown.walkers[0]
    return walker


def test_after_a_correction_a_thing_is_drawn_where_it_was_and_gets_to_its_place() -> None:
    smoothing = Smoothing(0.1, None)
    before, after = yards(x=110.0, heading=0.5)
    correction = corrected(smoothing, before, after)
    assert (correction.distance, correction.is_above_step, correction.jumped) == (10.0, True, False)
    assert drawn(smoothing, after, 1.0).x == pytest.approx(100.0)
    assert drawn(smoothing, after, 1.0).heading == pytest.approx(0.0)
    places = [drawn(smoothing, after, 1.0 + number / 60).x for number in range(60)]
    assert places == sorted(places)
    assert places[-1] == 110.0
    assert after.walkers[0].x == 110.0


@given(st.lists(st.floats(-30, 30), min_size=1, max_size=8))
def test_many_corrections_never_make_a_picture_jump(moves: list[float]) -> None:
    smoothing = Smoothing(0.1, None)
    before, after = yards()
    now, shown = 1.0, 100.0
    for move in moves:
        after.walkers[0].x = before.walkers[0].x + move
        corrected(smoothing, before, after, now)
        assert drawn(smoothing, after, now).x == pytest.approx(shown, abs=1e-6)
        before.walkers[0].x = after.walkers[0].x
        now += 1 / 60
        shown = drawn(smoothing, after, now).x


def test_a_teleport_and_a_long_correction_are_shown_at_once() -> None:
    smoothing = Smoothing(0.1, None)
    before, after = yards(x=101.0)
    corrected(smoothing, before, after)
    jump(after.walkers[0])
    correction = corrected(smoothing, before, after)
    assert (correction.jumped, correction.distance) == (True, 0.0)
    assert drawn(smoothing, after, 1.0).x == 101.0
    before, after = yards(x=600.0)
    jump(after.walkers[0])
    corrected(smoothing, before, after)
    assert smoothing.snaps == 0
    before, after = yards(x=165.0)
    corrected(smoothing, before, after)
    assert smoothing.snaps == 1
    assert drawn(smoothing, after, 1.0).x == 165.0
    short = Smoothing(0.1, 0.5)
    before, after = yards(x=101.0)
    corrected(short, before, after)
    assert short.snaps == 1


def test_what_is_left_of_a_correction_is_dropped_when_the_thing_jumps() -> None:
    smoothing = Smoothing(0.1, None)
    before, after = yards(x=110.0)
    corrected(smoothing, before, after)
    jump(after.walkers[0])
    assert drawn(smoothing, after, 1.0).x == 110.0


def test_angles_fade_the_shorter_way_and_things_of_the_past_have_no_offset() -> None:
    smoothing = Smoothing(0.1, None)
    before, after = yards(heading=-pi + 0.1)
    before.walkers[0].heading = pi - 0.1
    after.drones[0].x = 55.0
    correction = corrected(smoothing, before, after)
    assert correction.distance == 0.0
    assert drawn(smoothing, after, 1.0).heading == pytest.approx(-pi - 0.1)
    assert len(smoothing) == 1


def test_what_is_left_of_a_correction_goes_with_a_thing_that_gets_another_id() -> None:
    smoothing = Smoothing(0.1, None)
    before, after = yards(x=110.0)
    corrected(smoothing, before, after)
    later = Yard()
    later.walkers = [Walker(player=1, x=110.0, y=100.0), Walker(player=0, x=110.0, y=100.0)]
    smoothing.rename({2: 1})
    smoothing.correct({2: places_of(after, 0)[1]}, places_of(later, 0), {2}, 1.0)
    shown = {walker.player: walker.x for walker in later.walkers}
    smoothing.draw(all_things(later), 1.0)
    assert [walker.x for walker in later.walkers] == [shown[1], pytest.approx(100.0)]


def test_a_thing_that_is_new_or_gone_has_no_offset() -> None:
    smoothing = Smoothing(0.1, None)
    before, after = yards(x=110.0)
    corrected(smoothing, before, after)
    after.walkers = []
    smoothing.draw(all_things(after), 1.0)
    smoothing.correct(places_of(before, 0), places_of(after, 0), set(), 1.1)
    assert len(smoothing) == 0
