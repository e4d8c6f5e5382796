"""The limiter: never more than it says, in any order of wishes, and a motor may keep its number in the state."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.netrunner.config import RateLimit


def run(limit: RateLimit, wishes: list[bool]) -> list[int]:
    """The ticks at which it happened."""
    wait, done = 0, []
    for tick, wanted in enumerate(wishes):
        happens, wait = limit.step(wait, wanted)
        assert 0 <= wait <= limit.longest_wait
        assert wanted or not happens
        if happens:
            done.append(tick)
    return done


@given(st.integers(1, 8), st.integers(1, 4), st.lists(st.booleans(), max_size=80))
def test_no_span_of_ticks_has_more_than_the_limit_allows(every: int, burst: int, wishes: list[bool]) -> None:
    done = run(RateLimit(every=every, burst=burst), wishes)
    for first in range(len(done)):
        for last in range(first, len(done)):
            assert last - first + 1 <= burst + (done[last] - done[first]) // every


def test_whoever_always_wants_gets_a_burst_and_then_one_in_every_so_many_ticks() -> None:
    assert run(RateLimit(every=6), [True] * 20) == [0, 6, 12, 18]
    assert run(RateLimit(every=6, burst=3), [True] * 20) == [0, 1, 2, 6, 12, 18]
    assert run(RateLimit(every=1), [True] * 5) == [0, 1, 2, 3, 4]


@given(st.integers(1, 8), st.integers(1, 4), st.lists(st.booleans(), max_size=80), st.randoms())
def test_an_honest_client_that_limits_itself_is_never_limited_by_the_server(
    every: int, burst: int, wishes: list[bool], dice: object
) -> None:
    """Some of its commands are lost: what arrives is a part of what the limit allowed, and so is allowed too."""
    limit = RateLimit(every=every, burst=burst)
    kept = [tick for tick in run(limit, wishes) if dice.random() < 0.7]  # type: ignore[attr-defined]  # a Random
    assert run(limit, [tick in kept for tick in range(len(wishes))]) == kept


@pytest.mark.parametrize("wrong", [{"every": 0}, {"every": 3, "burst": 0}])
def test_a_limit_that_allows_nothing_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="1 or more"):
        RateLimit(**wrong)
