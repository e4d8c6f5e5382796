"""Honest machines with one cheat among them, each cheat once; ``python -m benchmarks chaos --cheats`` plays more."""

from dataclasses import replace
from typing import Any

import pytest

import retick
from retick.rollback.events import MessageReceived
from retick.rollback.session.inside import SessionInside
from tests.checkers.cheats import CHEATS, Cheat, bounds
from tests.checkers.cheats.match import CheatFailure, CheatOutcome, play_cheat
from tests.checkers.cheats.scenarios import CheatScenario

pytestmark = pytest.mark.long

NAMES = list(CHEATS) if retick.is_compiled() else list(CHEATS)[::9]
"""Where the kernels' sources run, a match takes ten times as long."""
NAMES_ALWAYS = set(NAMES[::3])
SEEDS = (1, 2, 3, 4)


def play_until_broken(name: str) -> CheatOutcome:
    """Play seed after seed until the cheat had a chance to break its rule."""
    for seed in SEEDS:
        try:
            outcome = play_cheat(CheatScenario.drawn(name, seed))
        except CheatFailure as failure:
            pytest.fail(f"{failure}\nagain: python -m benchmarks chaos --cheat {name} --seed {seed}")
        if outcome.broken:
            break
    return outcome


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in NAMES_ALWAYS else pytest.mark.soak) for name in NAMES]
)
def test_honest_machines_end_as_one_whatever_a_cheat_does(name: str) -> None:
    outcome = play_until_broken(name)
    assert outcome.broken, "the cheat never had a chance"


def test_machines_that_were_split_notice_it_and_go_on_from_one_state() -> None:
    outcomes = [play_cheat(CheatScenario.drawn("changes-its-mind", seed)) for seed in range(6)]
    assert any(outcome.resynced for outcome in outcomes)
    assert all(outcome.shown_out for outcome in outcomes if outcome.resynced)


def test_a_match_repeats_exactly() -> None:
    scenario = CheatScenario.drawn("lies-in-rematch", 3)
    assert play_cheat(scenario) == play_cheat(scenario)


# What the checks would find, planted.


def failure_of(name: str, seed: int = 1, **changes: Any) -> str:
    with pytest.raises(CheatFailure) as caught:
        play_cheat(replace(CheatScenario.drawn(name, seed, peers=3), **changes))
    return caught.value.kind


def test_an_exception_that_escapes_is_a_failure_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def planted(self: Any, event: Any) -> None:
        if isinstance(event, MessageReceived):
            raise ZeroDivisionError("planted")

    monkeypatch.setattr(SessionInside, "tell", planted)
    assert failure_of("floods-application") == "ZeroDivisionError"


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [("MOST_MEMORY", 1000, "Memory"), ("AHEAD_OF_CLOCK", -1000, "Driven"), ("CALLS_AT_ONCE", 1, "Work")],
)
def test_costs_beyond_the_bounds_are_failures(
    monkeypatch: pytest.MonkeyPatch, name: str, value: int, kind: str
) -> None:
    monkeypatch.setattr(bounds, name, value)
    assert failure_of("floods-application", measured=True) == kind


def test_machines_that_are_held_are_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "longest_hold", lambda config, after_report: 1.0)
    assert failure_of("leaves-without-goodbye") == "Held"


def test_machines_that_differ_without_a_reason_are_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    splitting = [seed for seed in range(6) if play_cheat(CheatScenario.drawn("changes-its-mind", seed)).resynced]
    monkeypatch.setattr(CHEATS["changes-its-mind"], "splits", False)
    with pytest.raises(CheatFailure) as caught:
        play_cheat(CheatScenario.drawn("changes-its-mind", splitting[0]))
    assert caught.value.kind in ("Differ", "Alarm")


def test_a_cheat_that_breaks_nothing_is_played_with_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CHEATS, "nothing", Cheat)
    outcome = play_cheat(CheatScenario.drawn("nothing", 2, peers=4))
    assert outcome.with_cheat
    assert not outcome.broken
    assert not outcome.shown_out
