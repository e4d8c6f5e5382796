"""Fixed-point arithmetic against exact fractions."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.sim import fixed
from tests.sim.maths.reference import decimal_pi

int32 = st.integers(-(2**31), 2**31 - 1)

scales = st.sampled_from([1, 16, 256, 1000, 65536])


@given(int32, int32)
def test_sums_wrap_like_two_complement(a: int, b: int) -> None:
    for result, exact in ((fixed.add(a, b), a + b), (fixed.sub(a, b), a - b)):
        assert -(2**31) <= result < 2**31
        assert (result - exact) % 2**32 == 0


def rounded(value: Fraction, rounding: fixed.Rounding) -> int:
    down = value.numerator // value.denominator
    if rounding == "floor" or value == down:
        return down
    if rounding == "ceil":
        return down + 1
    if rounding == "truncate":
        return down if value > 0 else down + 1
    half = value - down
    if half == Fraction(1, 2):
        return down + 1 if value > 0 else down
    return down + (half > Fraction(1, 2))


@given(int32, int32, scales, st.sampled_from(["floor", "ceil", "truncate", "nearest"]))
def test_products_and_quotients_round_as_stated(a: int, b: int, scale: int, rounding: fixed.Rounding) -> None:
    assert fixed.mul(a, b, scale, rounding) == fixed.i32(rounded(Fraction(a * b, scale), rounding))
    if b:
        assert fixed.div(a, b, scale, rounding) == fixed.i32(rounded(Fraction(a * scale, b), rounding))


@given(int32, scales, scales)
def test_rescaling_up_and_down_is_exact_where_it_can_be(value: int, scale: int, factor: int) -> None:
    small = value % 1000
    assert fixed.rescale(fixed.rescale(small, scale, scale * factor), scale * factor, scale) == small


@given(st.integers(0, 2**31 - 1), scales)
def test_square_roots_round_down(value: int, scale: int) -> None:
    root = fixed.isqrt(value, scale)
    assert root * root <= value * scale < (root + 1) * (root + 1)


def test_impossible_arithmetic_is_refused() -> None:
    with pytest.raises(UsageError, match="division of 5000 by 0"):
        fixed.div(5, 0, 1000)
    with pytest.raises(UsageError, match="negative"):
        fixed.isqrt(-1, 1000)
    with pytest.raises(UsageError, match="rounding must be"):
        fixed.mul(1, 1, 1, "up")  # type: ignore[arg-type] # the point of the test


@given(st.integers(-(2**70), 2**70))
def test_wrapping_keeps_the_low_32_bits_and_what_already_fits(value: int) -> None:
    assert fixed.i32(value) & 0xFFFFFFFF == fixed.u32(value) == value % 2**32
    assert -(2**31) <= fixed.i32(value) < 2**31
    assert fixed.i32(fixed.i32(value)) == fixed.i32(value)


@pytest.mark.parametrize("scale", [1, 1000, 65536, 1 << 30])
def test_sines_of_all_angles_are_the_nearest_integers(scale: int) -> None:
    step = decimal_pi() / (fixed.TURN // 2)
    for angle in range(0, fixed.TURN // 4, 1 if scale == 1000 else 17):
        exact = float(step * angle)
        sine = fixed.sin(angle, scale)
        # A double has 53 bits, so it can judge only what is not near the middle between two integers.
        for true, found in ((math.sin(exact), sine), (math.cos(exact), fixed.cos(angle, scale))):
            assert abs(found - true * scale) <= 0.5 + 1e-6
        assert fixed.sin(fixed.TURN // 2 - angle, scale) == sine
        assert fixed.sin(-angle, scale) == fixed.sin(angle + fixed.TURN // 2, scale) == -sine
        assert fixed.cos(angle + fixed.TURN // 4, scale) == -sine


@given(int32, int32)
def test_the_direction_is_the_nearest_angle(y: int, x: int) -> None:
    angle = fixed.atan2(y, x)
    assert 0 <= angle < fixed.TURN
    exact = math.atan2(y, x) * (fixed.TURN / math.tau)
    assert abs((angle - exact + fixed.TURN / 2) % fixed.TURN - fixed.TURN / 2) <= 0.5 + 1e-9


@given(st.integers(0, fixed.TURN - 1))
def test_the_direction_of_an_angles_own_vector_is_that_angle(angle: int) -> None:
    assert fixed.atan2(fixed.sin(angle, 1 << 20), fixed.cos(angle, 1 << 20)) == angle


def test_directions_along_the_axes() -> None:
    assert [fixed.atan2(y, x) for y, x in ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))] == [
        step * 8192 for step in range(8)
    ]
    assert fixed.atan2(0, 0) == 0


@given(int32, int32)
def test_a_length_is_rounded_down_and_wraps(x: int, y: int) -> None:
    assert fixed.length(x, y) == fixed.i32(math.isqrt(x * x + y * y))
    assert fixed.length(3000, -4000) == 5000
