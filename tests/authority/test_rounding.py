"""Floats to the whole numbers that are sent: nearest, within bounds for any float, and alike in both forms."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.authority.survey import steps_of, turn_of
from tests.twin import Twin

FLOATS = st.floats() | st.floats(-1000, 1000)
STEPS = st.sampled_from([1 / 16, 0.1, 1.0, 7.0, 1e-3, 1e6])
SPANS = st.integers(1, 0xFFFFFFFF)


@given(FLOATS, st.floats(-1e6, 1e6), STEPS, SPANS)
def test_any_float_becomes_a_step_from_0_to_the_span(value: float, low: float, step: float, span: int) -> None:
    found = steps_of(value, low, step, span)
    assert type(found) is int
    assert 0 <= found <= span
    exact = (value - low) / step
    if math.isnan(exact) or exact <= 0:
        assert found == 0
    elif exact >= span:
        assert found == span
    else:
        assert found == round(exact)


@given(st.integers(0, 5000), st.sampled_from([-500.0, 0.0, 7.5]), st.sampled_from([1 / 16, 0.25, 0.1, 3.0]))
def test_what_was_rounded_once_stays_as_it_is(number: int, low: float, step: float) -> None:
    assert steps_of(low + number * step, low, step, 5000) == number


@given(st.integers(0, 1000), st.floats(-0.5, 0.5, exclude_min=True, exclude_max=True))
def test_a_value_goes_to_the_nearest_step(number: int, off: float) -> None:
    assert abs(steps_of(number + off, 0.0, 1.0, 1000) - (number + off)) <= 0.5


@pytest.mark.parametrize(("value", "steps"), [(0.5, 0), (1.5, 2), (2.5, 2), (3.5, 4)])
def test_halves_go_to_the_even_step(value: float, steps: int) -> None:
    assert steps_of(value, 0.0, 1.0, 9) == steps


@given(FLOATS)
def test_any_float_becomes_a_part_of_a_turn(value: float) -> None:
    found = turn_of(value)
    assert 0 <= found <= 65535
    if not math.isfinite(value):
        assert found == 0


@given(st.integers(0, 65535), st.integers(-1000, 1000))
def test_angles_wrap_and_never_clamp(part: int, turns: int) -> None:
    assert turn_of((part / 65536 + turns) * 2 * math.pi) == part


def story(values: Sequence[str], low: float, step: float, span: int) -> list[str]:
    return [f"{steps_of(float(each), low, step, span)} {turn_of(float(each))}" for each in values]


@pytest.mark.compiled_only
def test_compiled_and_uncompiled_give_the_same_numbers(twin: Twin) -> None:

    @given(st.lists(FLOATS.map(str), max_size=40), st.floats(-1e6, 1e6), STEPS, SPANS)
    def agree(values: list[str], low: float, step: float, span: int) -> None:
        twin.agrees(story, values, low, step, span)

    agree()
