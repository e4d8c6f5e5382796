"""Honest machines with composed cheats among them; ``python -m benchmarks cheats`` plays more."""

from dataclasses import replace
from typing import Any

import pytest

import retick
from retick.rollback.events import MessageReceived
from retick.rollback.session.inside import SessionInside
from tests.checkers.cheats import CHEATS, Rule, bounds
from tests.checkers.cheats.match import CheatFailure, play_cheats
from tests.checkers.cheats.scenarios import CheatScenario, Happening

pytestmark = pytest.mark.long

COUNT = 24 if retick.is_compiled() else 6
"""Soak plays 1,500. Where the kernels' sources run, a match takes ten times as long."""
EACH = 3
COLLUDING = 6


def play_seeds(first: int, count: int, *, colluding: bool = False) -> None:
    for seed in range(first, first + count):
        try:
            play_cheats(CheatScenario.drawn(seed, colluding=colluding))
        except CheatFailure as failure:
            more = " --colluding" * colluding
            pytest.fail(f"{failure}\nagain: python -m benchmarks cheats --matches 1{more} --seed {seed} --shrink")


@pytest.mark.parametrize("first", range(1, COUNT + 1, EACH))
def test_honest_machines_end_as_one_whatever_a_cheat_does(first: int) -> None:
    play_seeds(first, EACH)


@pytest.mark.parametrize("first", range(1, COLLUDING + 1, EACH))
def test_honest_machines_are_never_split_by_two_that_collude(first: int) -> None:
    play_seeds(first, EACH, colluding=True)


@pytest.mark.parametrize("name", CHEATS)
def test_honest_machines_end_as_one_whatever_one_with_a_name_does(name: str) -> None:
    scenario = CheatScenario.drawn(1, peers=4)
    role = "spectator" if name.startswith("watches") else "player"
    culprits = ("cheat",) if role == "spectator" else ("peer3",)
    join = Happening(at=1.0, kind="join", who="peer1", seconds=3.5)
    outcome = play_cheats(
        replace(scenario, rules=(CHEATS[name],), role=role, culprits=culprits, happenings=(join,), seconds=9.0)
    )
    assert outcome.broken, "the cheat never had a chance"


def one(*rules: Rule, players: int = 3, **changes: Any) -> CheatScenario:
    """A match with this cheat, in which somebody pauses."""
    drawn = CheatScenario.drawn(2, peers=players)
    pause = Happening(at=1.0, kind="pause", who=f"peer{players - 2}", seconds=1.0)
    usual: dict[str, Any] = {
        "rules": (rules,), "traits": (frozenset(),), "role": "player", "culprits": (drawn.peers[-1],),
        "happenings": (pause,), "seconds": 7.0, "measured": False, "watched": False,
    }  # fmt: skip
    return replace(drawn, **{**usual, **changes})


def test_machines_that_were_split_notice_it_and_go_on_from_one_state() -> None:
    scenario = one(*CHEATS["signs-both"], players=4)
    outcomes = [play_cheats(replace(scenario, seed=seed)) for seed in range(3)]
    assert any(outcome.resynced for outcome in outcomes)
    assert all(outcome.shown_out for outcome in outcomes)


def test_a_match_repeats_exactly() -> None:
    assert play_cheats(CheatScenario.drawn(3)) == play_cheats(CheatScenario.drawn(3))


def test_a_cheat_that_breaks_nothing_is_played_with_to_the_end() -> None:
    outcome = play_cheats(one(seed=2))
    assert outcome.with_cheat
    assert not outcome.broken
    assert not outcome.shown_out
    assert outcome.longest_hold < 1.0


# What the checks would find, planted; ``flaws`` has errors in what peers decide.


def failure_of(scenario: CheatScenario) -> str:
    with pytest.raises(CheatFailure) as caught:
        play_cheats(scenario)
    return caught.value.kind


FLOOD = Rule(what="flood", kind="APPLICATION")


def test_an_exception_that_escapes_is_a_failure_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def planted(self: Any, event: Any) -> None:
        if isinstance(event, MessageReceived):
            raise ZeroDivisionError("planted")

    monkeypatch.setattr(SessionInside, "tell", planted)
    assert failure_of(one(FLOOD)) == "ZeroDivisionError"


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [("MOST_MEMORY", 1000, "Memory"), ("AHEAD_OF_CLOCK", -1000, "Driven"), ("CALLS_AT_ONCE", 1, "Work")],
)
def test_costs_beyond_the_bounds_are_failures(
    monkeypatch: pytest.MonkeyPatch, name: str, value: int, kind: str
) -> None:
    monkeypatch.setattr(bounds, name, value)
    assert failure_of(one(FLOOD, measured=True)) == kind


def test_machines_that_are_held_are_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "longest_hold", lambda config, members, **details: 1.0)
    assert failure_of(one(*CHEATS["vanishes"])) == "Held"


def test_machines_that_differ_without_a_reason_are_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Rule, "splits", False)
    assert failure_of(one(*CHEATS["signs-both"], players=4)) in ("Differ", "Alarm")


def test_machines_that_are_lost_are_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    drop = Happening(at=1.0, kind="pause", who="peer1", seconds=1.0)
    from tests.checkers.cheats.match import _CheatMatch

    def shown_out(self: Any, happening: Happening) -> None:
        self.mesh["peer1"].session.drop(self.mesh["peer0"].session.peer_id)

    monkeypatch.setattr(_CheatMatch, "_pause", shown_out)
    assert failure_of(one(happenings=(drop,))) == "Lost"
