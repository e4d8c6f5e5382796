"""Every result is within two units in the last place of the true value, and mostly is the nearest double."""

import math
from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from retick.sim import maths
from tests.sim.maths.reference import REFERENCE, ulps
from tests.sim.maths.samples import EDGES, NAMES, samples

pytestmark = pytest.mark.long

# What was measured over ten million arguments is in docs/concepts/floats.md, and is a little less than this.
BOUNDS = {"sin": 0.85, "cos": 0.85, "tan": 1.4}
ALMOST_EXACT = 0.55
"""The other functions, where the result is a normal number."""
SUBNORMAL = 1.05
"""A result below 2.2e-308 is rounded a second time."""

finite = st.floats(allow_nan=False, allow_infinity=False)


def bound(name: str, true: Decimal) -> float:
    return BOUNDS.get(name, ALMOST_EXACT) if abs(true) > 2.3e-308 else SUBNORMAL


def check(name: str, *arguments: float) -> None:
    result, true = getattr(maths, name)(*arguments), REFERENCE[name](*arguments)
    error = ulps(result, true)

    assert error <= bound(name, true), (name, arguments, error)


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", NAMES)
def test_many_arguments_of_each_function(name: str, count: int) -> None:
    for arguments in samples(name, count, seed=2026):
        check(name, *arguments)


@pytest.mark.parametrize("name", ["sin", "cos", "tan", "atan"])
@given(x=finite)
def test_any_angle(name: str, x: float) -> None:
    check(name, x)


@pytest.mark.parametrize("name", ["asin", "acos"])
@given(x=st.floats(-1, 1))
def test_any_sine(name: str, x: float) -> None:
    check(name, x)


@pytest.mark.parametrize("name", ["log", "log2", "log10", "sqrt"])
@given(x=st.floats(min_value=5e-324, allow_infinity=False))
def test_any_positive_number(name: str, x: float) -> None:
    check(name, x)


@given(st.floats(-745, 709.78))
def test_any_exponent(x: float) -> None:
    check("exp", x)


@given(finite, finite)
def test_any_point(x: float, y: float) -> None:
    assume(y != 0)
    check("atan2", y, x)
    if max(abs(x), abs(y)) < 1e308:
        check("hypot", x, y)


@given(st.floats(min_value=5e-324, allow_infinity=False), st.floats(-700, 700))
def test_any_power(x: float, size: float) -> None:
    logarithm = math.log(x)
    assume(logarithm != 0)
    check("pow", x, size / logarithm)


@pytest.mark.parametrize("name", ["sin", "cos", "tan", "atan"])
def test_the_arguments_that_are_hard(name: str) -> None:
    for x in EDGES:
        check(name, x)
        check(name, -x)
    for quarters in range(1, 200_000, 977):
        check(name, quarters * (math.pi / 2))


@pytest.mark.parametrize("exponent", range(-1074, 1024, 97))
def test_logarithms_of_powers_of_two_are_exact(exponent: int) -> None:
    assert maths.log2(math.ldexp(1.0, exponent)) == exponent


def test_logarithms_of_powers_of_ten_and_powers_of_small_numbers_are_exact() -> None:
    for exponent in range(23):
        assert maths.log10(10**exponent) == exponent
        assert maths.pow(10, exponent) == 10**exponent
    for base in range(-20, 20):
        for exponent in range(12):
            assert maths.pow(base, exponent) == base**exponent
