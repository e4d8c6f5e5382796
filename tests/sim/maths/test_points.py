"""The distance of two points."""

import math
from decimal import Decimal, localcontext
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.sim import Vector2, maths
from tests.sim.maths.reference import ulps

NUMBERS = st.floats(-1e150, 1e150) | st.floats(-1000, 1000) | st.integers(-100, 100).map(float)


@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS)
def test_a_distance_is_within_two_units_in_the_last_place(ax: float, ay: float, bx: float, by: float) -> None:
    found = maths.dist((ax, ay), (bx, by))
    with localcontext() as context:
        context.prec = 800
        true = ((Decimal(ax) - Decimal(bx)) ** 2 + (Decimal(ay) - Decimal(by)) ** 2).sqrt()
        assert found == 0 == true or ulps(found, true) < 2
    assert math.isclose(found, math.dist((ax, ay), (bx, by)), rel_tol=1e-14, abs_tol=5e-324)
    assert found == maths.dist((bx, by), (ax, ay)) == maths.dist(Vector2(ax, ay), [bx, by])


WRONG = [
    ((1, 2, 3), (1, 2, 3)),
    ((1, 2, 3), (1,)),
    ((), ()),
    ((1, "a"), (0, 0)),
    ((math.nan, 1), (0, 0)),
    ((math.inf, 1), (math.inf, 0)),
    ((1.7e308, 1e308), (0, 0)),
    (3, 4),
]


@pytest.mark.parametrize(("p", "q"), WRONG)
def test_what_is_no_pair_of_points_is_refused(p: Any, q: Any) -> None:
    with pytest.raises((TypeError, ValueError, OverflowError)):
        maths.dist(p, q)


def test_an_infinite_distance_is_infinite() -> None:
    assert maths.dist((math.inf, 0), (0, 0)) == math.inf
    assert maths.dist((1e308, 0), (-1e308, 0)) == math.inf == math.dist((1e308, 0), (-1e308, 0))
