"""Scenarios drawn from seeds."""

import pytest

from retick.rollback.match.config import MatchConfig
from retick.testing.scenarios import SMALL_HISTORIES, Scenario, limits_around


def test_scenarios_cover_what_they_promise() -> None:
    drawn = [Scenario.drawn(seed) for seed in range(300)]
    ways = [way for scenario in drawn for link in scenario.links for way in link[2:]]
    trips = [link[2].latency + link[3].latency for scenario in drawn for link in scenario.links]
    assert max(way.loss for way in ways) == 0.3
    assert max(trips) == pytest.approx(0.3)
    assert any(way.burst_enter for way in ways)
    assert any(way.duplicate for way in ways)
    assert any(way.reorder for way in ways)
    kinds = [trouble for scenario in drawn for trouble in scenario.troubles]
    assert {trouble.kind for trouble in kinds} == {"cut", "pause", "return", "alone", "hold"}
    assert max(trouble.seconds for trouble in kinds) > 4.5
    more = [trouble.kind for seed in range(50) for trouble in Scenario.drawn(seed, peers=4).troubles]
    assert set(more) == {"cut", "pause", "crash", "watch", "return", "alone", "hold"}
    alone = [trouble for seed in range(100) for trouble in Scenario.drawn(seed, peers=4).troubles]
    assert {trouble.peer for trouble in alone if trouble.kind == "alone"} == {"", "peer0", "peer1", "peer2", "peer3"}
    returned = [trouble.seconds for scenario in drawn for trouble in scenario.troubles if trouble.kind == "return"]
    assert min(returned) < 1.0 < 5.0 < max(returned)
    assert {each.rematch for each in drawn} == {(), (0, 1), (1, 0)}
    assert all(each.reconnect for each in drawn if any(trouble.kind == "alone" for trouble in each.troubles))
    assert Scenario.drawn(7) == Scenario.drawn(7)


def test_a_share_has_small_limits_and_a_share_is_long() -> None:
    drawn = [Scenario.drawn(seed) for seed in range(300)]
    usual = MatchConfig()
    assert {each.config.history for each in drawn} == {*SMALL_HISTORIES, usual.history}
    assert 60 < sum(each.config.history < usual.history for each in drawn) < 120
    assert 3 < sum(each.frames > 600 for each in drawn) < 30


@pytest.mark.parametrize("history", SMALL_HISTORIES)
def test_a_match_of_ten_seconds_passes_every_small_limit(history: int) -> None:
    limits = limits_around(history)
    MatchConfig(**limits)
    assert all(value < 600 for value in limits.values())
