"""The search visits every state, finds what is wrong, and shows the shortest way to it."""

from collections.abc import Iterable
from typing import Any

import pytest

from retick.rollback.match.match import Match
from retick.rollback.session.drop_agreement import DropAgreement
from retick.rollback.session.forwarding import InputForwarding
from retick.rollback.session.joining import sponsor as sponsor_module
from retick.rollback.session.members import Hearing
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.session.peer import Peer
from tests.checkers.membership.link import Item
from tests.checkers.membership.search import Counterexample, search
from tests.checkers.membership.setups import Setup
from tests.checkers.membership.state import Budget, State
from tests.checkers.membership.world import World

JOIN = Setup("join", 3, Budget(joins=1), free=1)
CRASH = Setup("crash", 3, Budget(exits=1), may_exit="C")
CUT = Setup("cut", 3, Budget(faults=1), fault_kinds=("cut",))
JOIN_CRASH = Setup("join, C exits", 3, Budget(joins=1, exits=1), free=1, may_exit="C")


def is_propose(item: Item) -> bool:
    return item[0] == "message" and item[1][0] == MessageKind.PROPOSE


def about_to_promise() -> tuple[World, State]:
    """A newcomer is level with the others, which are about to be asked for a frame; three frames may run meanwhile."""
    world, state = JOIN.begin()
    state, _ = world.apply(state, ("dial", 2, 0))
    while not any(is_propose(world.machines.items[item]) for channel in state.channels for item in channel[4]):
        state, _ = world.apply(state, next(world.ordinary_steps(state)))
    return world, state._replace(budget=Budget(frames=3))


def found_in(world: World, start: State) -> Counterexample:
    """The counterexample that must be there; following it again leads to the same."""
    example = search(world, start).counterexample
    assert example is not None
    state, wrongs = start, list[str]()
    for step in example.steps:
        assert not wrongs
        assert step in list(world.steps(state))
        state, wrongs = world.apply(state, step)
    assert example.describe(world).endswith("\n".join(example.wrongs))
    return example


@pytest.mark.parametrize("setup", [JOIN, CRASH], ids=lambda setup: setup.name)
def test_the_protocol_holds_in_every_state(setup: Setup) -> None:
    world, start = setup.begin()
    found = search(world, start)
    assert found.counterexample is None, found.counterexample.describe(world)
    assert found.is_complete
    assert found.states > 50


def test_a_search_that_is_stopped_says_so() -> None:
    world, start = JOIN.begin()
    found = search(world, start, most_states=50)
    assert not found.is_complete
    assert found.counterexample is None


# Errors that are planted in the protocol, and found.


def test_planted_a_newcomer_plays_from_the_least_of_the_promised_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sponsor_module, "max", min, raising=False)
    assert len(found_in(*about_to_promise()).steps) < 30


def test_planted_nobody_stops_at_its_promised_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Match, "barrier", property(lambda match: None, lambda match, frame: None))
    monkeypatch.setattr(Match, "fence", 1 << 62, raising=False)
    assert len(found_in(*about_to_promise()).steps) < 30


def test_planted_a_drop_is_decided_without_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    decide = DropAgreement.decide

    def alone(agreement: DropAgreement, survivors: Any, *rest: Any) -> dict[int, int]:
        return decide(agreement, (), *rest)

    monkeypatch.setattr(DropAgreement, "decide", alone)
    example = found_in(*CRASH.begin())
    assert len(example.steps) < 10
    assert "decide differently" in example.wrongs[0] or "other inputs" in example.wrongs[0]


def test_planted_inputs_are_not_passed_on_where_a_path_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(InputForwarding, "_answer", lambda asked, match: None)
    assert len(found_in(*CUT.begin()).steps) < 60


def test_planted_one_accuser_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    def beside(hearing: Hearing, start: int, peer_ids: Iterable[int]) -> set[int]:
        return {peer_id for peer_id in peer_ids if hearing.hears(start, peer_id)}

    monkeypatch.setattr(Hearing, "connected", beside)
    example = found_in(*CUT.begin())
    assert len(example.steps) < 30
    assert "connected by a chain" in example.wrongs[0]


@pytest.mark.parametrize(
    ("kind", "setup"),
    [(MessageKind.DROP, CRASH), (MessageKind.CANCEL, JOIN_CRASH)],
    ids=lambda value: getattr(value, "name", ""),
)
def test_planted_a_message_is_not_sent(kind: MessageKind, setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    send = Peer.send
    monkeypatch.setattr(Peer, "send", lambda peer, message: message[0] == kind or send(peer, message))
    example = found_in(*setup.begin())
    assert len(example.steps) < 60
    # Where a bound in seconds ends the waiting, somebody is expelled who is there.
    assert "stuck" in example.wrongs[0] or "which is there" in example.wrongs[0] or "ends" in example.wrongs[0]
