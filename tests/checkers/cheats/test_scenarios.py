"""Scenarios with a cheat, drawn from its name and a seed."""

from collections import Counter

from tests.checkers.cheats import CHEATS
from tests.checkers.cheats.scenarios import CheatScenario


def test_scenarios_cover_roles_places_sizes_and_limits() -> None:
    drawn = [CheatScenario.drawn(name, seed) for name in CHEATS for seed in range(12)]
    assert {len(each.peers) for each in drawn} == {2, 3, 4, 5, 6, 8}
    roles = Counter(each.role for each in drawn)
    assert all(roles[role] > 40 for role in ("player", "newcomer", "spectator"))
    places = Counter(each.peers.index(each.culprit) for each in drawn if each.role == "player")
    assert places[0] > 100
    assert places[1] > 100
    assert any(each.returning and each.returns_twice for each in drawn)
    assert any(each.watched for each in drawn)
    assert {each.config.history for each in drawn} >= {32, 40, 64, 128}
    assert max(each.seconds for each in drawn) > 30.0
    assert all(each.returning in ("", *each.honest) for each in drawn)
    assert CheatScenario.drawn("no-inputs", 7) == CheatScenario.drawn("no-inputs", 7)


def test_the_number_of_machines_may_be_given_but_not_below_what_a_cheat_needs() -> None:
    assert len(CheatScenario.drawn("false-leads", 1, peers=7).peers) == 7
    assert len(CheatScenario.drawn("two-drops", 1, peers=2).peers) == 4


def test_two_honest_machines_come_apart_where_a_cheat_needs_it() -> None:
    for seed in range(20):
        scenario = CheatScenario.drawn("withholds-forward", seed, peers=4)
        assert scenario.apart is not None
        assert set(scenario.apart) < set(scenario.honest)
        assert len(set(scenario.apart)) == 2
        assert scenario.returning == ""
    assert CheatScenario.drawn("withholds-drop", 1).apart is None
