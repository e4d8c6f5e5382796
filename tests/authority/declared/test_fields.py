import struct
from math import cos, isclose, pi, sin
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.authority import Angle, Flag, Real, Whole
from retick.authority.declared.fields import check_declared, clamp, code_of, quantise, span_of, unquantise
from retick.errors import UsageError


@pytest.mark.parametrize("kind", [Real(0.0, 0.1, steps=25), Real(-0.1, 0.1, steps=5), Real(-2.3, 4.1, steps=45)])
def test_a_value_at_its_bound_fits_its_public_field(kind: Real) -> None:
    _, low, high = span_of("x", kind, exact=False)
    for value in (kind.lowest, kind.highest, -1e9, 1e9):
        assert low <= quantise(kind, clamp(kind, value), exact=False) <= high


def test_whole_numbers_fit_32_bits_one_way_or_the_other() -> None:
    for kind in (Whole(0, 2**32 - 1), Whole(-(2**31), 2**31 - 1)):
        assert struct.pack("<" + code_of(kind), clamp(kind, 2**40)) != struct.pack("<i", 0)
    with pytest.raises(UsageError, match=r"'n'.*sign"):
        check_declared("state", ["n"], {"n": Whole(-1, 2**31)})


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ({"x": Real(1, 1), "n": Whole(0, 5)}, "field 'x' of the state: bounds must ascend"),
        ({"x": Real(0, 1, steps=-3), "n": Whole(0, 5)}, "field 'x' of the state: steps must be 0"),
        ({"x": Real(0, 1), "n": Whole(5, 4)}, "field 'n' of the state: bounds must ascend"),
        ({"x": Angle(steps=-1), "n": Flag()}, "field 'x' of the state: steps must be 0"),
        ({"x": float, "n": Whole(0, 5)}, "field 'x' of the state must be a Real, Angle, Whole or Flag, not"),
        ({"x": Real(0, 1)}, "'n' is missing"),
        ({"x": Real(0, 1), "n": Flag(), "m": Flag()}, "'m' is declared, and the state has no such field"),
        ({"n": Flag(), "x": Real(0, 1)}, "in its order: 'x' comes before 'n'"),
    ],
)
def test_an_error_in_a_declaration_names_the_field(declared: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_declared("state", ["x", "n"], declared)
    assert words in str(caught.value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_an_angle_is_brought_within_half_a_turn_and_stays_there(value: float) -> None:
    angle = clamp(Angle(), value)
    assert -3.1415928 < angle < 3.1415928
    assert clamp(Angle(), angle) == angle
    _, low, high = span_of("yaw", Angle(steps=100), exact=False)
    assert low <= quantise(Angle(steps=100), angle, exact=False) <= high
    bits = quantise(Angle(), angle, exact=True)
    assert unquantise(Angle(), bits, exact=True) == angle


@given(st.floats(-1e9, 1e9))
def test_an_angle_points_where_it_pointed_before(value: float) -> None:
    """1e9 radians is a direction like any other; clamped to pi it would be another one."""
    angle = clamp(Angle(), value)
    assert isclose(cos(angle), cos(value), abs_tol=1e-5)
    assert isclose(sin(angle), sin(value), abs_tol=1e-5)


def test_an_angle_that_is_no_number_is_zero_and_half_a_turn_is_itself() -> None:
    assert clamp(Angle(), float("nan")) == clamp(Angle(), float("inf")) == 0.0
    assert clamp(Angle(), pi) == pytest.approx(pi)
    assert clamp(Angle(), -pi) == pytest.approx(-pi)
