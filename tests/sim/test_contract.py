"""The contract's optional parts are found by their methods, and the size of an input is checked."""

from typing import Any

import pytest

from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.sim import NamesItself, PacksState, RunsInBulk, input_size_of


class Bare:
    """Nothing but what is required."""


def test_optional_parts_are_found_by_their_methods() -> None:
    for part in (PacksState, RunsInBulk, NamesItself):
        assert isinstance(Fighter(), part)
        assert not isinstance(Bare(), part)


class Sized:
    def __init__(self, input_size: Any) -> None:
        self.input_size = input_size


def test_an_input_has_two_bytes_unless_the_game_says_otherwise() -> None:
    assert input_size_of(Bare()) == 2
    assert [input_size_of(Sized(size)) for size in (1, 8)] == [1, 8]


@pytest.mark.parametrize("size", [0, 9, -1, "2", None, 2.0])
def test_a_size_that_makes_no_sense_is_refused_with_its_value(size: Any) -> None:
    with pytest.raises(UsageError, match="input_size must be from 1 to 8 bytes, not"):
        input_size_of(Sized(size))
