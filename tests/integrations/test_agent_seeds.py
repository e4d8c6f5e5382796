"""Every seed of an agents' library is one of a game."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.integrations.vector import HIGHEST_SEED, game_seed
from retick.sim.prng import check_seed


@given(st.integers(min_value=0))
def test_every_number_becomes_a_seed_and_a_seed_stays_as_it_is(number: int) -> None:
    seed = game_seed(number)
    assert check_seed(seed) == seed
    assert seed == number or not 1 <= number <= HIGHEST_SEED


def test_zero_becomes_the_highest_seed() -> None:
    assert game_seed(0) == game_seed(2**32) == HIGHEST_SEED


@pytest.mark.parametrize("wrong", [-1, 1.0, "1", None])
def test_what_is_no_number_from_0_on_is_refused(wrong: object) -> None:
    with pytest.raises(UsageError, match="seed must be an integer of 0 or more"):
        game_seed(wrong)  # type: ignore[arg-type]  # what callers may get wrong
