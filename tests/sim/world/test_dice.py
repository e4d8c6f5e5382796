"""Dice: the numbers of XorShift32, as a part of a world."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.sim import Dice, XorShift32


def seeded(seed: int) -> Dice:
    dice = Dice()
    dice.seed(seed)
    return dice


@given(st.integers(1, 0xFFFFFFFF))
def test_dice_are_xorshift32_from_their_state(seed: int) -> None:
    dice = seeded(seed)
    expected = XorShift32(dice.state)
    for limit in (6, 1, 1 << 32):
        number, expected = expected.below(limit)
        assert dice.below(limit) == number
    number, expected = expected.between(-5, 5)
    assert dice.between(-5, 5) == number
    number, expected = expected.next()
    assert dice.next() == number
    flipped, expected = expected.flip()
    assert dice.flip() == flipped
    assert dice.state == expected.state


@given(st.integers(1, 0xFFFFFFFF), st.floats(-1e6, 1e6), st.floats(0.001, 1e6))
def test_a_uniform_number_is_in_its_bounds(seed: int, low: float, width: float) -> None:
    assert low <= seeded(seed).uniform(low, low + width) <= low + width


def test_small_seeds_do_not_begin_alike() -> None:
    assert len({seeded(seed).below(10) for seed in range(1, 40)}) == 10
    with pytest.raises(UsageError, match="seed must be an integer from 1"):
        seeded(0)


def test_a_choice_is_one_of_the_items() -> None:
    dice = seeded(4)
    assert {dice.choice("abc") for _ in range(50)} == {"a", "b", "c"}
    with pytest.raises(UsageError, match="nothing to choose from"):
        dice.choice([])
