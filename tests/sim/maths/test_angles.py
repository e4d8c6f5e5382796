"""Angles are wrapped into one turn, and turned the short way round."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.sim.maths import degrees, nearest_turn, pi, radians, tau, turned_towards, wrapped

angles = st.floats(-1e4, 1e4)


@given(st.floats(-1e15, 1e15))
def test_a_wrapped_angle_is_in_one_turn_and_stays_there(angle: float) -> None:
    once = wrapped(angle)
    assert -pi <= once <= pi
    assert wrapped(once) == once
    assert math.isclose(math.remainder(angle - once, tau), 0, abs_tol=1e-9 + abs(angle) * 1e-15)


@given(angles, angles)
def test_the_nearest_turn_leads_to_the_other_direction(start: float, end: float) -> None:
    turn = nearest_turn(start, end)
    assert abs(turn) <= pi
    assert math.isclose(math.cos(start + turn), math.cos(end), abs_tol=1e-9)


@given(angles, angles, st.floats(0, 4))
def test_a_limited_turn_comes_closer_and_never_overshoots(angle: float, target: float, most: float) -> None:
    after = turned_towards(angle, target, most)
    before_rest, rest = abs(nearest_turn(angle, target)), abs(nearest_turn(after, target))
    assert rest <= before_rest + 1e-9
    assert before_rest - rest <= most + 1e-9
    if before_rest <= most:
        assert after == wrapped(target)


def test_turns_go_the_short_way_round() -> None:
    assert nearest_turn(3.0, -3.0) == pytest.approx(tau - 6)
    assert turned_towards(3.0, -3.0, 0.1) == pytest.approx(3.1)
    assert turned_towards(0.5, -0.5, 0.25) == 0.25
    assert turned_towards(0, 1, 5) == 1.0


def test_what_is_no_angle_is_refused() -> None:
    for call in (lambda: wrapped(math.inf), lambda: wrapped(math.nan), lambda: nearest_turn(0.0, math.nan)):
        with pytest.raises(ValueError, match=r"wrapped\((inf|nan)\) has no value"):
            call()
    with pytest.raises(TypeError, match="takes a float or an int"):
        turned_towards("1", 0.0, 0.1)  # type: ignore[arg-type]  # the mistake is the test


@given(st.floats(-1e6, 1e6))
def test_degrees_and_radians_are_one_product(angle: float) -> None:
    assert degrees(angle) == math.degrees(angle)
    assert radians(angle) == math.radians(angle)
