"""Inputs from one seed."""

import itertools

import pytest

from retick.errors import UsageError
from retick.sim.prng import seeded_inputs
from retick.testing import random_inputs
from tests.toys import Tally


class Wide:
    """A game whose inputs have 64 bits."""

    num_players = 3
    input_size = 8


def test_inputs_come_from_the_seed_alone() -> None:
    one, same, other = (list(seeded_inputs(Wide(), seed, 200)) for seed in (1, 1, 2))
    assert one == same != other
    assert len(set(one)) > 50


def test_buttons_are_held_for_a_few_frames() -> None:
    rows = list(seeded_inputs(Tally(3), 9, 200))
    changes = sum(one != two for one, two in itertools.pairwise(rows))
    assert 40 < changes < 160
    assert all(0 <= value <= 0xFFFF for row in rows for value in row)


def test_every_bit_of_an_input_is_pressed_at_some_time() -> None:
    pressed = 0
    for row in seeded_inputs(Wide(), 1, 3000):
        pressed |= row[0]
    assert pressed == (1 << 64) - 1


def test_a_mask_keeps_inputs_within_its_bits() -> None:
    assert all(value & ~0b1010 == 0 for row in seeded_inputs(Wide(), 1, 500, mask=0b1010) for value in row)


def test_more_frames_begin_with_the_same_inputs() -> None:
    assert list(seeded_inputs(Wide(), 5, 400))[:100] == list(seeded_inputs(Wide(), 5, 100))


def test_seed_0_is_no_seed() -> None:
    with pytest.raises(UsageError, match="seed must be an integer from 1"):
        next(seeded_inputs(Wide(), 0, 1))


def test_a_tests_random_inputs_are_the_same_ones() -> None:
    assert random_inputs(Tally(2), 50, seed=3) == list(seeded_inputs(Tally(2), 3, 50))
