"""High and low part together are the exact sum and product."""

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from retick.sim.maths.kernel import product_error, root_error, sum_error

usual = st.floats(min_value=-1e100, max_value=1e100).filter(lambda x: x == 0 or abs(x) > 1e-100)


@given(usual, usual)
def test_a_sum_and_its_error_are_exact(a: float, b: float) -> None:
    assert Fraction(a + b) + Fraction(sum_error(a, b, a + b)) == Fraction(a) + Fraction(b)


@given(usual, usual)
def test_a_product_and_its_error_are_exact(a: float, b: float) -> None:
    assert Fraction(a * b) + Fraction(product_error(a, b, a * b)) == Fraction(a) * Fraction(b)


@given(st.floats(min_value=1e-50, max_value=1e50), st.floats(-1, 1))
def test_a_root_and_its_error_have_twice_the_digits(square: float, low: float) -> None:
    low *= math.ulp(square) / 2
    root = math.sqrt(square)
    exact = Fraction(square) + Fraction(low)
    assert abs((Fraction(root) + Fraction(root_error(square, low, root))) ** 2 / exact - 1) < Fraction(1, 2**100)
