"""The seams of a cheat: what it withholds does not arrive, what it says arrives, and its own session stays whole."""

from collections.abc import Iterable
from functools import partial
from random import Random
from typing import Any

import pytest

from retick.errors import UsageError
from retick.rollback.events import MessageReceived
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.match import Match
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.session.peer import Peer
from retick.rollback.session.session import RollbackSession
from retick.testing.mesh import Mesh
from tests.checkers.cheats import CHEATS, Cheat, CheatingSession
from tests.checkers.cheats.cheat import kind_of, read_inputs
from tests.checkers.cheats.random_messages import Draws, random_message
from tests.toys import Tally


def cheating(cheat: type[Cheat], begins: float = 0.0) -> Mesh:
    """peer1 cheats against peer0."""
    maker = partial(CheatingSession, cheat=cheat, dice=Random(1), begins=begins)
    mesh = Mesh(Tally, make_session={"peer0": RollbackSession, "peer1": maker}, config=MatchConfig())
    mesh.start()
    return mesh


class Twists(Cheat):
    """Replaces every message of the application, and says one of its own after the hundredth frame."""

    def message(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        return self.instead(b"\0lie") if kind_of(data) is MessageKind.APPLICATION else (data,)

    def act(self, match: Match, now: float) -> None:
        if match.engine.frame == 100:
            self.say(self.others[0], b"\0unasked")


def said(mesh: Mesh) -> list[bytes]:
    return [event.data for event in mesh["peer0"].events_of(MessageReceived)]


def test_messages_are_replaced_and_sent_unasked() -> None:
    mesh = cheating(Twists)
    mesh["peer1"].session.send_message(b"truth")
    mesh.play(120)
    assert said(mesh) == [b"lie", b"unasked"]
    assert mesh["peer1"].session.cheat.broken == 2
    mesh.verify()


def test_a_cheat_is_honest_until_it_begins() -> None:
    mesh = cheating(Twists, begins=1.0)
    mesh["peer1"].session.send_message(b"truth")
    mesh.run(1.1)
    mesh["peer1"].session.send_message(b"truth")
    mesh.run(0.3)
    assert said(mesh) == [b"truth", b"lie"]


def test_one_that_withholds_its_inputs_is_waited_for() -> None:
    mesh = cheating(CHEATS["no-inputs"], begins=0.5)
    mesh.run(3.0)
    assert 20 < mesh["peer0"].session.frame < 60


def test_one_that_vanishes_sends_nothing_more() -> None:
    mesh = cheating(CHEATS["leaves-without-goodbye"])
    mesh.run(1.0)
    before = mesh.network.path("peer1", "peer0").sent
    mesh.run(5.0)
    assert mesh.network.path("peer1", "peer0").sent == before


def test_what_a_cheats_own_session_raises_ends_it_and_nobody_else() -> None:
    class Raises(Cheat):
        def act(self, match: Match, now: float) -> None:
            raise UsageError("by its own fault")

    mesh = cheating(Raises)
    mesh.run(1.0)
    assert str(mesh["peer1"].session.error) == "by its own fault"
    assert mesh["peer0"].session.running


@pytest.mark.parametrize("kind", MessageKind)
def test_every_kind_has_lies_of_its_shape(kind: MessageKind) -> None:
    session: Any = cheating(Cheat)["peer1"].session
    draws = Draws(session, Random(1))
    messages = {random_message(kind, draws) for _ in range(20)}
    assert all(message[0] == kind for message in messages)
    assert len(messages) > 1 or kind in (MessageKind.READY, MessageKind.JOINED)


def test_every_cheat_says_which_rule_it_breaks() -> None:
    assert all(cheat.rule for cheat in CHEATS.values())
    assert len({cheat.rule for cheat in CHEATS.values()}) == len(CHEATS)


def test_a_payload_that_is_no_input_packet_is_told_apart() -> None:
    assert read_inputs(b"\xf0\x00") is None
    assert kind_of(b"") is None
    assert kind_of(b"\xee") is None
