"""The generator against its published sequence and its laws."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.sim.prng import XorShift32


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


@pytest.mark.parametrize("state", [0, -1, 2**32, 2**40, 1.5, None])
def test_a_generator_cannot_be_made_where_it_never_changes(state: Any) -> None:
    for make in (XorShift32, XorShift32.seeded):
        with pytest.raises(UsageError, match="seed must be an integer from 1 to 4294967295"):
            make(state)
    assert XorShift32(1).next() == (270369, XorShift32(270369))
