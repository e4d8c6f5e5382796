"""Flaws that are planted in the agreement, each with the search that must find it."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple
from unittest import mock

from retick.rollback.session import agreement as agreement_module
from retick.rollback.session import outcome as outcome_module
from retick.rollback.session.agreement import Agreement
from retick.rollback.session.messages.agreement import SignedItem, ToldOutcome, decode_item, head_of
from tests.checkers.membership import honest
from tests.checkers.membership.honest import ITEM_KINDS, Rules
from tests.checkers.membership.plans import PlanRules
from tests.checkers.membership.setups import AWAKE, PLAIN, PLANS
from tests.checkers.membership.slots import SlotSearch

__all__ = ["FLAWS", "Flaw"]


class Flaw(NamedTuple):
    """A flaw, how to plant it, and what finds it."""

    name: str
    found_by: SlotSearch | PlanRules
    patches: tuple[Callable[[], Any], ...] = ()
    """Each makes a context in which the flaw is there."""

    @contextmanager
    def planted(self) -> Iterator[None]:
        with ExitStack() as stack:
            for patch in self.patches:
                stack.enter_context(patch())
            yield


def _method(name: str, instead: Callable[..., Any]) -> Callable[[], Any]:
    """A method of the agreement is ``instead``, which is given the true one first."""
    true = getattr(Agreement, name)

    def flawed(agreement: Any, *details: Any, **more: Any) -> Any:
        return instead(true, agreement, *details, **more)

    return lambda: mock.patch.object(Agreement, name, flawed)


def _one_deadline(true: Any, agreement: Any, item: SignedItem, now: float) -> float:
    found: float = true(agreement, item._replace(signatures=item.signatures[:1]), now)
    return found


def _passed_on_unsigned(true: Any, agreement: Any, kind: int, before: Any, body: bytes) -> SignedItem:
    return SignedItem(kind, before, body) if before else true(agreement, kind, before, body)


def _from_anybody(true: Any, agreement: Any, sender: int, data: bytes, now: float) -> None:
    true(agreement, decode_item(data).signatures[-1].peer_id if data[0] in ITEM_KINDS else sender, data, now)


def _lost_unordered(true: Any, agreement: Any, vector: Any, absent: frozenset[int], now: float) -> None:
    silent = {author for author in vector if not agreement._has_consented(author, vector)}
    lost = agreement._without_one_statement() | absent | silent
    agreement._conclude(agreement._vector_without(lost), frozenset(lost), now)


def _next_slot_as_proof(true: Any, agreement: Any, sender: int, data: bytes) -> None:
    true(agreement, sender, data)
    slot = agreement._slot
    if slot.vector is not None and slot.decision is None:
        agreement._conclude(slot.vector, slot.absent, 0.0)


def _absent_if_anybody_says_so(true: Any, agreement: Any) -> frozenset[int] | None:
    slot = agreement._slot
    named = {peer_id for said in agreement.statements() for peer_id, _ in said.unheard} - {agreement.own}
    return frozenset(named) if agreement.members.keys() - named <= slot.statements.keys() else None


def _consents_again(true: Any, agreement: Any, now: float) -> None:
    slot = agreement._slot
    if slot.vector is not None and slot.decision is None and now >= agreement._statements_end():
        slot.vector = None
    true(agreement, now)


def _any_history(true: Any, agreement: Any, sender: int, data: bytes, now: float) -> None:
    agreement.history, history = head_of(decode_item(data).body)[1], agreement.history
    try:
        true(agreement, sender, data, now)
    finally:
        agreement.history = history


def _told_by_one(true: Any, agreement: Any) -> ToldOutcome:
    told: ToldOutcome = Counter(agreement._slot.told.values()).most_common(1)[0][0]
    return told


def _unchecked(true: Any, agreement: Any, item: SignedItem) -> None:
    verify, agreement._verify = agreement._verify, lambda *details: None
    try:
        true(agreement, item)
    finally:
        agreement._verify = verify


def _first_two(item: SignedItem, known: Any) -> bool:
    return len(known) >= 2


def _clock_from_news(true: Any, agreement: Any, now: float) -> None:
    agreement.open(now)


def _opened_without_help(true: Any, agreement: Any, now: float) -> None:
    if agreement._slot.opened_at is None:
        agreement._slot.opened_at = now


def _only_direct(own: int, peer_ids: Any, said: Any) -> set[int]:
    broken = {frozenset((author, peer_id)) for author, each in said.items() for peer_id, _ in each.unheard}
    return {own} | {peer_id for peer_id in peer_ids if frozenset((own, peer_id)) not in broken}


def _always(value: Any) -> Callable[..., Any]:
    return lambda *details: value


SLOT = SlotSearch("slot", Rules(3, 2, (AWAKE,) * 2), PLAIN, is_symmetric=True)
DOUBT = SlotSearch("doubt", Rules(3, 2, (5, 5)), PLAIN._replace(consents="v"))
ACCUSE = SlotSearch("accuse", Rules(3, 2, (AWAKE,) * 2), PLAIN._replace(names=((1,), (0,))))
CRASH = SlotSearch("crash", Rules(4, 2, (AWAKE,) * 2, crashed=1), PLAIN._replace(names=((), (3,))), news=0)
TELLS = SlotSearch("tells", Rules(3, 2, (AWAKE,) * 2), PLAIN._replace(tells=True, consents=""), is_symmetric=True)
FORGES = SlotSearch("forges", Rules(3, 2, (AWAKE,) * 2), PLAIN._replace(forges=True, consents=""))
EARLY = SlotSearch(
    "early", Rules(3, 2, (AWAKE,) * 2, slots=2), PLAIN._replace(variants=(1, 1), consents="", forges=True), 0
)
TWO = SlotSearch(
    "two", Rules(3, 2, (AWAKE,) * 2, slots=2), PLAIN._replace(variants=(1, 2), consents="v"), 0, is_symmetric=True
)

FLAWS = {
    flaw.name: flaw
    for flaw in (
        # Those that the protocol's proposal lists.
        Flaw("one deadline", SLOT, (_method("_deadline", _one_deadline),)),
        Flaw(
            "no countersignature",
            SLOT,
            (_method("_signed", _passed_on_unsigned), _method("receive", _from_anybody)),
        ),
        Flaw("decided without consents", SLOT, (_method("_has_all_consents", _always(True)),)),
        Flaw(
            "one round against two liars",
            PLANS["five-two-liars"],
            (
                lambda: mock.patch.object(agreement_module, "most_liars", lambda members: min(1, members - 2)),
                lambda: mock.patch.object(outcome_module, "most_liars", lambda members: min(1, members - 2)),
            ),
        ),
        Flaw("steps of delta", SLOT, (lambda: mock.patch.dict(honest.SECONDS, STEP=honest.SECONDS["DELTA"]),)),
        Flaw("each its own D", SLOT._replace(rules=Rules(3, 2, (AWAKE, 2 * AWAKE)), is_symmetric=False)),
        Flaw("step 8 unordered", PLANS["four-sleeper"], (_method("_conclude_without_consents", _lost_unordered),)),
        Flaw("the next slot proves a decision", EARLY, (_method("_keep_waiting", _next_slot_as_proof),)),
        # One in each other rule.
        Flaw("absent is whom anybody names", ACCUSE, (_method("_absent_now", _absent_if_anybody_says_so),)),
        Flaw("two consents", SLOT, (_method("_advance", _consents_again),)),
        Flaw(
            "two statements",
            CRASH,
            (lambda: mock.patch.object(Agreement, "wants_statement", property(lambda agreement: agreement.is_open)),),
        ),
        Flaw("any history", FORGES, (_method("_receive_item", _any_history),)),
        Flaw("signatures unchecked", FORGES, (_method("_check", _unchecked),)),
        Flaw("told by one", TELLS, (_method("_told_by_enough", _told_by_one),)),
        Flaw(
            "one that does not hear is enough",
            ACCUSE,
            (lambda: mock.patch.object(outcome_module, "connected", _only_direct),),
        ),
        # Errors that the search has found.
        Flaw(
            "the first two consents",
            SLOT._replace(alphabet=PLAIN._replace(variants=(1,), consents="vgh"), news=0),
            (lambda: mock.patch.object(Agreement, "_has_enough", staticmethod(_first_two)),),
        ),
        Flaw("the clock starts with news", DOUBT, (_method("_start_clock", _clock_from_news),)),
        Flaw("no help on opening a slot", TWO, (_method("open", _opened_without_help),)),
        Flaw("a sleeper decides", PLANS["four-sleeper"], (_method("_must_be_told", _always(False)),)),
    )
}
