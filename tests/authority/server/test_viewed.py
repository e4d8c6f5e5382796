"""How far behind a player saw the others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.authority.server.player import SLACK_TICKS, measured_ticks, ticks_behind


def behind(viewed: int, *, early: int = 2, rtt: float = 0.1, most: int = 60) -> int:
    return ticks_behind(viewed, early=early, measured=measured_ticks(rtt=rtt, delay=0.1, rate=60), most=most)


@pytest.mark.parametrize(("viewed", "ticks"), [(0, 1), (7, 1), (16, 1), (23, 1), (24, 2), (5 * 16 + 8, 6), (160, 10)])
def test_a_claim_is_taken_as_the_nearest_tick(viewed: int, ticks: int) -> None:
    assert behind(viewed) == ticks


def test_a_claim_is_limited_by_what_was_measured() -> None:
    # Early by 2, one to the tick itself, 6 of the round trip, 6 of drawing, and the slack.
    assert behind(10_000) == 2 + 1 + 12 + SLACK_TICKS
    assert behind(10_000, early=0, rtt=0.0) == 1 + 6 + SLACK_TICKS
    assert behind(10_000, most=4) == 4


@given(st.integers(0, 1 << 32), st.integers(0, 127), st.floats(0, 10), st.integers(1, 600))
def test_the_result_is_within_its_bounds(viewed: int, early: int, rtt: float, most: int) -> None:
    assert 1 <= behind(viewed, early=early, rtt=rtt, most=most) <= most
