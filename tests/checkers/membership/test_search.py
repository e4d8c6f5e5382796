"""Every state and many plans hold; what a search says can be repeated."""

import pytest

from tests.checkers.membership import honest
from tests.checkers.membership.cuts import search_cuts
from tests.checkers.membership.honest import AGREEMENT_FIELDS, SLOT_FIELDS, Honest, Rules, View
from tests.checkers.membership.plans import run_plans
from tests.checkers.membership.setups import PLAIN, PLANS, SEARCHES
from tests.checkers.membership.slots import SlotSearch, World, search_slots

Pictured = tuple[int, frozenset[int], float | None, frozenset[tuple[int, int]], frozenset[int] | None]
"""What a peer is in: how many slots it has decided, its members, since when its slot is open, and who is in it."""


def test_a_digest_looks_at_every_field() -> None:
    """A new field must be put into ``digest_of``, or be one on which no future depends."""
    agreement = Honest(0, Rules(3, 2, (3, 3))).agreement
    assert vars(agreement).keys() == AGREEMENT_FIELDS
    assert set(type(agreement._slot).__slots__) == SLOT_FIELDS


@pytest.mark.parametrize("name", ["doubt", "accuse", "slot"])
def test_the_agreement_holds_in_every_state(name: str) -> None:
    setup = SEARCHES[name]
    found = search_slots(setup._replace(alphabet=setup.alphabet._replace(variants=(1,))))
    assert found.wrongs == (), found.way
    assert found.is_complete
    assert found.states > 1000


def test_a_search_that_is_stopped_says_so() -> None:
    found = search_slots(SEARCHES["all"], most_states=500)
    assert not found.is_complete
    assert found.wrongs == ()


@pytest.mark.parametrize("name", PLANS)
def test_the_agreement_holds_in_plans(name: str) -> None:
    found = run_plans(PLANS[name], 150, seed=1_000_000)
    assert found.wrongs == {}


@pytest.mark.parametrize("honest_members", [1, 2, 3])
def test_cuts_keep_what_honest_members_have(honest_members: int) -> None:
    assert search_cuts(honest_members).wrongs == ()


def reached(setup: SlotSearch) -> tuple[int, set[tuple[Pictured, ...]]]:
    """How many states there are, and what the peers are in, two by two."""
    with honest.scaled():
        world = World(setup)
        known = {world.start()}
        edges = list(known)
        while edges:
            state = edges.pop()
            for step in world.steps(state):
                after, wrongs = world.apply(state, step)
                assert wrongs == ()
                if after not in known:
                    known.add(after)
                    edges.append(after)
        pictures = [pictured(view) for view in world.peers.views]
        return len(known), {tuple(pictures[peer] for peer in each.peers) for each in known}


def pictured(view: View) -> Pictured:
    vector = None if view.vector is None else frozenset(author for author, _ in view.vector)
    stated = frozenset((author, len(bodies)) for author, bodies in view.bodies)
    return len(view.decisions), view.members, view.opened_at, stated, vector


SMALL = SEARCHES["slot"]._replace(alphabet=PLAIN._replace(variants=(1,), consents="v"), news=0)


def test_what_changes_nothing_now_changes_nothing_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such messages are left out: with them there are more states, and the peers reach the same ones."""
    states, peers = reached(SMALL)
    monkeypatch.setattr(World, "_is_news", lambda *details: True)
    more_states, same_peers = reached(SMALL)
    assert more_states > states
    assert same_peers == peers


def test_peers_that_are_alike_can_be_exchanged() -> None:
    """Where they are, the first one may be the first to hear of anything."""

    def exchanged(picture: Pictured) -> Pictured:
        decisions, members, opened_at, stated, vector = picture
        other = {0: 1, 1: 0}
        return (
            decisions,
            members,
            opened_at,
            frozenset((other.get(author, author), count) for author, count in stated),
            None if vector is None else frozenset(other.get(author, author) for author in vector),
        )

    fewer_states, some = reached(SMALL)
    states, peers = reached(SMALL._replace(is_symmetric=False))
    assert states > fewer_states
    assert peers == some | {tuple(exchanged(picture) for picture in reversed(each)) for each in some}
