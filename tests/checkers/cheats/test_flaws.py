"""Errors planted in what peers decide are found by composed cheats, each within a stated number of seeds."""

import pytest

import retick
from tests.checkers.cheats.flaws import FLAWS, planted, seeds_until_found
from tests.checkers.cheats.scenarios import CheatScenario
from tests.checkers.cheats.shrink import failure_of

FOUND_BY = {
    "no-consents": 21,
    "nothing-else": 32,
    "not-passed-on": 6,
    "unsigned": 141,
    "late-if-told-otherwise": 270,
    "any-accuser": 6,
    "far-stop": 1121,
    "anybody-resumes": 223,
    "no-excuse": 116,
    "blames-in-a-slot": 12,
    "newcomers-are-members": 157,
    "roster-alone": 1852,
    "forged-ranges": 6,
}
"""The first seed that finds each error; ``python -m benchmarks cheats --flaw NAME`` finds it anew."""
MOST_SEEDS = 3000
"""Within which every error is found."""

pytestmark = pytest.mark.skipif(not retick.is_compiled(), reason="a match takes ten times as long with the sources")


@pytest.mark.long
@pytest.mark.parametrize("name", FLAWS)
def test_a_planted_error_is_found(name: str) -> None:
    with planted(name):
        assert failure_of(CheatScenario.drawn(FOUND_BY[name]))


@pytest.mark.soak
@pytest.mark.parametrize("name", FLAWS)
def test_every_planted_error_is_found_within_the_stated_number_of_seeds(name: str) -> None:
    assert seeds_until_found(name, most=MOST_SEEDS)[0]
