"""Scenarios with cheats, drawn from a seed: they cover everything, and what fails is made shorter."""

from collections import Counter
from dataclasses import replace

from tests.checkers.cheats.composed import DEEDS, PHASES, WHOM
from tests.checkers.cheats.forging import KINDS
from tests.checkers.cheats.scenarios import HAPPENINGS, CheatScenario
from tests.checkers.cheats.shrink import shrunk

DRAWN = [CheatScenario.drawn(seed) for seed in range(1500)]


def test_scenarios_cover_rules_phases_happenings_and_sizes() -> None:
    rules = [rule for each in DRAWN for rules in each.rules for rule in rules]
    assert {rule.what for rule in rules} == set(DEEDS)
    assert {rule.kind for rule in rules} == set(KINDS)
    assert {rule.whom for rule in rules} == set(WHOM)
    assert {rule.during for rule in rules} == set(PHASES)
    assert {happening.kind for each in DRAWN for happening in each.happenings} == set(HAPPENINGS)
    assert {len(each.peers) for each in DRAWN} == {3, 4, 5, 6, 7, 8}
    roles = Counter(each.role for each in DRAWN)
    assert all(roles[role] > 40 for role in ("player", "newcomer", "spectator"))
    places = Counter(each.peers.index(each.culprits[0]) for each in DRAWN if each.role == "player")
    assert min(places[0], places[1]) > 100
    assert {each.config.history for each in DRAWN} >= {32, 40, 64, 128}
    assert CheatScenario.drawn(7) == CheatScenario.drawn(7) != CheatScenario.drawn(8)


def test_honest_machines_are_never_so_few_that_nothing_is_promised() -> None:
    for each in DRAWN:
        away = {happening.who for happening in each.happenings if happening.is_away}
        assert len(set(each.honest) - away) >= 2
        apart = [happening for happening in each.happenings if happening.kind == "apart"]
        if apart:
            assert set(each.honest) - away - {apart[0].who, apart[0].other}


def test_two_that_collude_are_among_five_and_more() -> None:
    for seed in range(100):
        scenario = CheatScenario.drawn(seed, colluding=True)
        assert len(scenario.culprits) == len(set(scenario.culprits)) == len(scenario.rules) == 2
        assert len(scenario.peers) >= 5
    assert len(CheatScenario.drawn(1, peers=7).peers) == 7


def test_what_fails_is_made_as_short_as_it_can_be() -> None:
    scenario = next(each for each in DRAWN if len(each.rules[0]) > 2 and len(each.happenings) > 1)
    [wanted] = scenario.rules[0][1:2]
    found = shrunk(scenario, lambda shorter: any(rule.kind == wanted.kind for rule in shorter.rules[0]))
    assert [rule.kind for rule in found.rules[0]] == [wanted.kind]
    assert found.happenings == ()
    assert found.traits == (frozenset(),)
    assert len(found.peers) <= 4
    assert shrunk(scenario, lambda shorter: False) == scenario


def test_a_scenario_says_what_it_is_in_a_few_lines() -> None:
    text = replace(DRAWN[0], traits=(frozenset({"patient"}),)).describe()
    assert DRAWN[0].culprits[0] in text
    assert str(DRAWN[0].rules[0][0]) in text
    assert "patient" in text
