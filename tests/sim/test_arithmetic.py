"""The generator, fixed-point numbers and checksums, against published values and their laws."""

import zlib
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.sim import fixed
from retick.sim.checksum import crc32, fnv1a
from retick.sim.prng import XorShift32

int32 = st.integers(-(2**31), 2**31 - 1)
scales = st.sampled_from([1, 16, 256, 1000, 65536])


def test_the_generator_gives_the_published_sequence() -> None:
    rng = XorShift32.seeded(1)
    drawn = []
    for _ in range(5):
        value, rng = rng.next()
        drawn.append(value)
    assert drawn == [270369, 67634689, 2647435461, 307599695, 2398689233]


def test_drawing_leaves_the_generator_alone() -> None:
    rng = XorShift32.seeded(77)
    assert rng.next() == rng.next()
    assert rng == XorShift32(77)


@given(st.integers(1, 2**32 - 1), st.integers(1, 2**32))
def test_bounded_draws_are_the_high_half_of_the_product(seed: int, limit: int) -> None:
    rng = XorShift32.seeded(seed)
    value, after = rng.next()
    assert rng.below(limit) == ((value * limit) >> 32, after)
    assert 0 <= rng.below(limit)[0] < limit
    assert rng.flip() == (bool(value & 1), after)
    assert rng.between(-5, limit - 5) == (((value * limit) >> 32) - 5, after)


@pytest.mark.parametrize("seed", [0, -1, 2**32, 1.5, None])
def test_seeds_that_are_none_are_refused(seed: int) -> None:
    with pytest.raises(UsageError, match="seed must be an integer from 1"):
        XorShift32.seeded(seed)


def test_empty_ranges_are_refused() -> None:
    rng = XorShift32.seeded(1)
    with pytest.raises(UsageError, match="limit from 1"):
        rng.below(0)
    with pytest.raises(UsageError, match=r"not \[3, 3\)"):
        rng.between(3, 3)


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


def test_fnv_takes_one_round_a_field() -> None:
    assert fnv1a(()) == 2166136261
    assert fnv1a((1,)) == ((2166136261 ^ 1) * 16777619) & 0xFFFFFFFF
    assert fnv1a((-1,)) == fnv1a((0xFFFFFFFF,))
    assert fnv1a((1, 2)) != fnv1a((2, 1))


@given(st.binary(), st.binary())
def test_crc_is_zlibs_and_continues(head: bytes, tail: bytes) -> None:
    assert crc32(head + tail) == zlib.crc32(head + tail) == crc32(tail, crc32(head))
    assert crc32(b"123456789") == 0xCBF43926


@pytest.mark.parametrize("state", [0, -1, 2**32, 2**40, 1.5, None])
def test_a_generator_cannot_be_made_where_it_never_changes(state: Any) -> None:
    for make in (XorShift32, XorShift32.seeded):
        with pytest.raises(UsageError, match="seed must be an integer from 1 to 4294967295"):
            make(state)
    assert XorShift32(1).next() == (270369, XorShift32(270369))
