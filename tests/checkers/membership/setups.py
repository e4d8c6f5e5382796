"""What is searched: which matches, what liars may say, and how many plans."""

from tests.checkers.membership.honest import Rules
from tests.checkers.membership.liar import Alphabet
from tests.checkers.membership.plans import PlanRules
from tests.checkers.membership.slots import SlotSearch

__all__ = ["PLANS", "SEARCHES"]

PLAIN = Alphabet(consents="vh", is_chained=False, tells=False, forges=False)
AWAKE, PATIENT = 3, 12
"""D in units: the shortest that there is, and the usual 8 s."""


def _three(name: str, alphabet: Alphabet, patience: int = AWAKE, news: int = 1, slots: int = 1) -> SlotSearch:
    return SlotSearch(name, Rules(3, 2, (patience,) * 2, slots), alphabet, news, is_symmetric=True)


SEARCHES = {
    setup.name: setup
    for setup in (
        _three("slot", PLAIN),
        _three("doubt", PLAIN._replace(consents="v"), patience=5),
        SlotSearch("accuse", Rules(3, 2, (AWAKE,) * 2), PLAIN._replace(names=((1,), (0,)))),
        SlotSearch(
            "crash", Rules(4, 2, (AWAKE,) * 2, crashed=1), PLAIN._replace(names=((), (3,)), consents="vn"), news=0
        ),
        SlotSearch(
            "two-liars",
            Rules(4, 2, (AWAKE,) * 2),
            PLAIN._replace(variants=(1,), is_chained=True, consents="v"),
            news=0,
            is_symmetric=True,
        ),
        _three("all", Alphabet()),
        _three("two", PLAIN._replace(variants=(1, 2), consents="v"), news=0, slots=2),
        _three("two-all", PLAIN._replace(consents="v"), news=0, slots=2),
    )
}
"""Every state is visited."""

PLANS = {
    setup.name: setup
    for setup in (
        PlanRules("four", Rules(4, 3, (AWAKE,) * 3)),
        PlanRules("four-patient", Rules(4, 3, (PATIENT,) * 3)),
        PlanRules("four-two-liars", Rules(4, 2, (AWAKE,) * 2)),
        PlanRules("four-crash", Rules(4, 2, (AWAKE,) * 2, crashed=1)),
        PlanRules("four-sleeper", Rules(4, 3, (PATIENT,) * 3), sleeps=PATIENT - 3),
        PlanRules("four-slots", Rules(4, 3, (AWAKE,) * 3, slots=2)),
        PlanRules("five-two-liars", Rules(5, 3, (AWAKE,) * 3)),
        PlanRules("five-crash", Rules(5, 3, (AWAKE,) * 3, crashed=1)),
        PlanRules("five-slots", Rules(5, 3, (AWAKE,) * 3, slots=2)),
    )
}
"""So many seeds are tried."""
