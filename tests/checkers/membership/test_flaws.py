"""Each flaw that is planted is found."""

from types import GeneratorType
from typing import Any

import pytest

from retick.rollback.session import outcome
from tests.checkers.membership.cuts import search_cuts
from tests.checkers.membership.flaws import FLAWS, Flaw
from tests.checkers.membership.plans import run_plans
from tests.checkers.membership.setups import PLANS
from tests.checkers.membership.slots import SlotSearch, search_slots

SLOW = {
    "no help on opening a slot", "the next slot proves a decision", "any history", "no countersignature",
    "one deadline", "signatures unchecked", "the clock starts with news", "two consents",
}  # fmt: skip


@pytest.mark.parametrize(
    "flaw", [pytest.param(flaw, id=name, marks=[pytest.mark.soak] * (name in SLOW)) for name, flaw in FLAWS.items()]
)
def test_a_planted_flaw_is_found(flaw: Flaw) -> None:
    with flaw.planted():
        if isinstance(flaw.found_by, SlotSearch):
            found = search_slots(flaw.found_by, most_states=400_000)
            assert found.wrongs
            assert 0 < len(found.way) < 30
        else:
            assert run_plans(flaw.found_by, 2000).wrongs


def test_a_plan_is_the_same_from_its_seed() -> None:
    flaw = FLAWS["one round against two liars"]
    with flaw.planted():
        assert run_plans(PLANS["five-two-liars"], 100)[::2] == run_plans(PLANS["five-two-liars"], 100)[::2]


def test_a_cut_by_the_highest_claim_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def highest_first(values: Any, **how: Any) -> list[Any]:
        return [max(values)] * 3 if isinstance(values, GeneratorType) and not how else sorted(values, **how)

    monkeypatch.setattr(outcome, "sorted", highest_first, raising=False)
    assert search_cuts(2).wrongs


def test_a_cut_by_the_first_tail_that_shows_an_input_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def first_shown(frame: int, tails: Any) -> list[tuple[int, int]]:
        shown = [tail.inputs[frame - tail.first] for tail in tails if tail.first <= frame < tail.missing]
        return [(shown[-1], 1)] if shown else []

    monkeypatch.setattr(outcome, "_shown", first_shown)
    assert search_cuts(2).wrongs
