"""The shortest match that still fails: rules, happenings, machines' traits and bad links are left out one by one."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from retick.transport.conditions import Conditions
from tests.checkers.cheats.match import CheatFailure, play_cheats
from tests.checkers.cheats.scenarios import CheatScenario

__all__ = ["failure_of", "shrunk"]

GOOD_LINK = Conditions(latency=0.03)


def failure_of(scenario: CheatScenario) -> str:
    """How a match fails, in words; "" if it does not."""
    try:
        play_cheats(scenario)
    except CheatFailure as failure:
        return str(failure)
    return ""


def shrunk(
    scenario: CheatScenario, fails: Callable[[CheatScenario], object] = failure_of, *, most: int = 200
) -> CheatScenario:
    """The shortest scenario that was found to fail as well, after at most ``most`` matches."""
    is_new = True
    while is_new:
        is_new = False
        for shorter in _shorter(scenario):
            most -= 1
            if most < 0:
                return scenario
            if fails(shorter):
                scenario, is_new = shorter, True
                break
    return scenario


def _shorter(scenario: CheatScenario) -> Iterator[CheatScenario]:
    for number, rules in enumerate(scenario.rules):
        for at in range(len(rules)):
            rest = (*rules[:at], *rules[at + 1 :])
            yield replace(scenario, rules=(*scenario.rules[:number], rest, *scenario.rules[number + 1 :]))
        if scenario.traits[number]:
            none = (*scenario.traits[:number], frozenset[str](), *scenario.traits[number + 1 :])
            yield replace(scenario, traits=none)
    for at in range(len(scenario.happenings)):
        yield replace(scenario, happenings=(*scenario.happenings[:at], *scenario.happenings[at + 1 :]))
    if scenario.watched or scenario.measured:
        yield replace(scenario, watched=False, measured=False)
    if any(there != GOOD_LINK or back != GOOD_LINK for _, _, there, back in scenario.links):
        yield replace(scenario, links=tuple((a, b, GOOD_LINK, GOOD_LINK) for a, b, _, _ in scenario.links))
    unused = [
        name for name in scenario.honest if not any(name in (each.who, each.other) for each in scenario.happenings)
    ]
    if len(scenario.peers) > 3 and len(unused) > 1:
        yield replace(scenario, peers=tuple(name for name in scenario.peers if name != unused[-1]))
    for number, rules in enumerate(scenario.rules):
        for at, rule in enumerate(rules):
            if rule.share < 1.0:
                whole = (*rules[:at], replace(rule, share=1.0), *rules[at + 1 :])
                yield replace(scenario, rules=(*scenario.rules[:number], whole, *scenario.rules[number + 1 :]))
