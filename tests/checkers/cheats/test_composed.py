"""The seams of a cheat: each deed does what it says to those whom it is about, and its own session stays whole."""

from collections.abc import Iterable
from functools import partial
from random import Random
from typing import Any

import pytest

from retick.errors import UsageError
from retick.rollback.events import MessageReceived
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.inside import inside_of
from retick.rollback.session.messages.agreement import decode_item
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.session.peer import Peer
from retick.rollback.session.session import RollbackSession
from retick.testing.mesh import Mesh
from tests.checkers.cheats import CHEATS, Cheat, CheatingSession, ComposedCheat, Rule
from tests.checkers.cheats.composed import DEEDS, PHASES, UNCAUSED
from tests.checkers.cheats.forging import KINDS, MESSAGES, PAYLOADS, Draws, kind_of, read_inputs
from tests.toys import Tally


def cheating(*rules: Rule, players: int = 2, begins: float = 0.0, cheat: Any = None) -> Mesh:
    """The last of the peers cheats."""
    names = [f"peer{number}" for number in range(players)]
    sessions: dict[str, Any] = dict.fromkeys(names, RollbackSession)
    made = cheat or partial(ComposedCheat, rules=rules)
    sessions[names[-1]] = partial(CheatingSession, cheat=made, dice=Random(1), begins=begins)
    mesh = Mesh(lambda: Tally(players), make_session=sessions, config=MatchConfig())
    mesh.start()
    return mesh


def said(mesh: Mesh, name: str = "peer0") -> list[bytes]:
    return [event.data for event in mesh[name].events_of(MessageReceived)]


def say(mesh: Mesh, text: bytes = b"truth") -> None:
    list(mesh.peers.values())[-1].session.send_message(text)


@pytest.mark.parametrize(
    ("what", "heard"),
    [
        ("withhold", []),
        ("delay", [b"truth"]),
        ("repeat", [b"truth", b"truth"]),
        ("vanish-before", []),
        ("vanish-after", [b"truth"]),
    ],
)
def test_what_is_done_with_a_message(what: str, heard: list[bytes]) -> None:
    mesh = cheating(Rule(what=what, kind="APPLICATION", seconds=0.5))
    say(mesh)
    mesh.run(0.3)
    assert len(said(mesh)) == len(heard) - (what in ("delay", "repeat"))
    mesh.run(1.0)
    assert said(mesh) == heard
    cheat = mesh["peer1"].session
    assert cheat.cheat.broken
    assert cheat.is_gone == what.startswith("vanish")


@pytest.mark.parametrize("what", ["forge", "contradict", "say-twice", "renumber", "break"])
def test_a_message_is_replaced_or_comes_twice(what: str) -> None:
    mesh = cheating(Rule(what=what, kind="APPLICATION"))
    say(mesh)
    mesh.run(0.5)
    assert said(mesh) != [b"truth"]
    assert (b"truth" in said(mesh)) == (what == "say-twice")


def test_a_second_version_is_the_same_for_all_victims() -> None:
    mesh = cheating(Rule(what="contradict", kind="APPLICATION"), players=3)
    say(mesh)
    mesh.run(0.5)
    assert said(mesh, "peer0") == said(mesh, "peer1") != [b"truth"]


@pytest.mark.parametrize(("whom", "count"), [("one", 1), ("all", 4)])
def test_only_victims_are_treated_differently(whom: str, count: int) -> None:
    mesh = cheating(Rule(what="withhold", kind="APPLICATION", whom=whom, seed=3), players=5)
    say(mesh)
    mesh.run(0.5)
    assert sum(not said(mesh, f"peer{number}") for number in range(4)) == count


def test_some_are_neither_none_nor_all_for_some_seeds() -> None:
    counts = set()
    for seed in range(7):
        mesh = cheating(players=5)
        cheat: Any = mesh["peer4"].session.cheat
        rule = Rule(what="withhold", kind="APPLICATION", whom="some", seed=seed)
        counts.add(sum(cheat.is_victim(rule, peer) for peer in cheat.others))
    assert counts & {1, 2, 3}


def test_friends_are_told_the_truth() -> None:
    friend = partial(ComposedCheat, rules=(Rule(what="withhold", kind="APPLICATION"),), friends=("peer0",))
    mesh = cheating(players=3, cheat=friend)
    say(mesh)
    mesh.run(0.5)
    assert said(mesh, "peer0") == [b"truth"]
    assert said(mesh, "peer1") == []


def test_a_rule_is_about_a_phase() -> None:
    phases: list[str] = []
    rule = Rule(what="withhold", kind="APPLICATION", during="leave")
    mesh = cheating(cheat=partial(ComposedCheat, rules=(rule,), phases=lambda: phases))
    say(mesh, b"before")
    mesh.run(0.3)
    phases.append("leave")
    say(mesh, b"meanwhile")
    mesh.run(0.3)
    assert said(mesh) == [b"before"]


def test_a_cheat_is_honest_until_it_begins() -> None:
    mesh = cheating(Rule(what="withhold", kind="APPLICATION"), begins=1.0)
    say(mesh, b"early")
    mesh.run(1.1)
    say(mesh, b"late")
    mesh.run(0.3)
    assert said(mesh) == [b"early"]


@pytest.mark.parametrize("what", sorted(UNCAUSED))
def test_what_needs_no_message_is_done_by_itself(what: str) -> None:
    mesh = cheating(Rule(what=what, kind="APPLICATION"), players=3)
    mesh.run(3.0)
    assert mesh["peer2"].session.cheat.broken > (1 if what == "goodbye" else 5)
    assert said(mesh) if what in ("unasked", "flood") else True


@pytest.mark.parametrize("what", ["withhold", "break", "repeat"])
def test_datagrams_are_kinds_too(what: str) -> None:
    mesh = cheating(Rule(what=what, kind="DATAGRAM"))
    mesh.run(2.0)
    frame = mesh["peer0"].session.frame
    assert (frame > 100) == (what != "withhold")
    assert mesh["peer1"].session.cheat.broken > 50


def test_one_that_withholds_its_inputs_is_waited_for() -> None:
    mesh = cheating(*CHEATS["no-inputs"], begins=0.5)
    mesh.run(3.0)
    assert 20 < mesh["peer0"].session.frame < 60


def test_one_that_vanishes_sends_nothing_more() -> None:
    mesh = cheating(*CHEATS["vanishes"])
    mesh.run(1.0)
    before = mesh.network.path("peer1", "peer0").sent
    mesh.run(5.0)
    assert mesh.network.path("peer1", "peer0").sent == before


def test_what_a_cheats_own_session_raises_ends_it_and_nobody_else() -> None:
    class Raises(Cheat):
        def turn(self, now: float) -> None:
            raise UsageError("by its own fault")

    mesh = cheating(cheat=Raises)
    mesh.run(1.0)
    assert str(mesh["peer1"].session.error) == "by its own fault"
    assert mesh["peer0"].session.running


class Collects(Cheat):
    """Notes what it would send, by kind."""

    sent: dict[str, bytes]

    def __init__(self, session: Any, dice: Random) -> None:
        super().__init__(session, dice)
        self.sent = {}

    def message(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        self.sent.setdefault(kind_of(data), data)
        return (data,)


@pytest.mark.parametrize("kind", MESSAGES)
def test_every_kind_of_message_is_forged_in_its_shape(kind: str) -> None:
    session: Any = cheating(players=3)["peer2"].session
    draws = Draws(session, Random(1))
    messages = {draws.message(kind) for _ in range(20)}
    assert all(kind_of(message) == kind for message in messages)
    assert len(messages) > 1 or kind in ("READY", "JOINED")


@pytest.mark.parametrize("kind", PAYLOADS)
def test_every_kind_of_payload_is_forged_in_its_shape(kind: str) -> None:
    draws = Draws(cheating(players=3)["peer2"].session, Random(1))
    assert {kind_of(draws.payload(kind), is_payload=True) for _ in range(20)} == {kind}


def test_another_statement_is_signed_and_accepted_as_the_liars_own() -> None:
    mesh = cheating(cheat=Collects, players=3)
    mesh["peer0"].session.pause()
    mesh.run(0.5)
    cheat: Any = mesh["peer2"].session.cheat
    draws = Draws(mesh["peer2"].session, Random(1))
    agreement = inside_of(mesh["peer0"].session).membership.agreement
    for kind in ("STATEMENT", "CONSENT"):
        data = cheat.sent[kind]
        others = {draws.another(kind, data) for _ in range(20)}
        assert len(others - {data}) > 3 or kind == "CONSENT"
        for other in others:
            agreement._check(decode_item(other))
        assert draws.renumbered(kind, data) != data
    forged = [draws.in_anothers_name() for _ in range(20)]
    assert {decode_item(each).signatures[0].peer_id for each in forged} > {cheat.session.peer_id}


def test_no_kind_and_no_phase_is_left_out() -> None:
    assert set(KINDS) >= {kind.name for kind in MessageKind}
    assert {rule.what for rules in CHEATS.values() for rule in rules} < set(DEEDS)
    assert all(rule.during in PHASES and rule.kind in KINDS for rules in CHEATS.values() for rule in rules)


def test_a_payload_that_is_no_input_packet_is_told_apart() -> None:
    assert read_inputs(b"\xf0\x00") is None
    assert kind_of(b"") == kind_of(b"\xee") == ""
    assert kind_of(b"\xf0", is_payload=True) == "WANT"
