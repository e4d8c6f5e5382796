"""Inputs of a peer that is not heard come through another one: asked for, never trusted against what is known."""

from typing import Any

import pytest

from retick.rollback.events import InputConflictDetected, PeerDisconnected, PlayersDropped
from retick.rollback.session.agreement import STEP
from retick.rollback.session.inside import inside_of
from retick.rollback.session.messages.forward import (
    MOST_PASSED,
    PASS,
    WANT,
    PassedInputs,
    WantedInputs,
    encode_pass,
    encode_want,
)
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from tests.rollback.session.matches import STAY, assert_all_play, playing_mesh, towards

pytestmark = pytest.mark.long


def payload(mesh: Mesh, sender: str, receiver: str, data: bytes) -> None:
    connection = towards(mesh, sender, receiver).connection
    assert connection is not None
    connection.send_unreliable(data)


def counted(mesh: Mesh, receiver: str, sender: str) -> dict[str, int]:
    exchange = towards(mesh, receiver, sender).exchange
    assert exchange is not None
    return dict(exchange.dropped)


def stalled(mesh: Mesh, name: str) -> float:
    return float(mesh[name].session.stats(now=mesh.network.now).stalled_seconds)


@pytest.mark.parametrize("players", [3, 4, 8])
def test_a_cut_between_two_does_not_stop_the_match_not_even_before_the_links_time_out(players: int) -> None:
    mesh = playing_mesh(players)
    mesh.cut("peer0", "peer1", 600.0)
    mesh.run(2.5)
    assert towards(mesh, "peer0", "peer1").is_heard
    assert all(stalled(mesh, peer.name) < 1.0 for peer in mesh.alive)
    mesh.run(20.0)
    assert not towards(mesh, "peer0", "peer1").is_heard
    assert all(stalled(mesh, peer.name) < 2.5 for peer in mesh.alive)
    assert all(not peer.events_of(PlayersDropped) for peer in mesh.alive)
    assert_all_play(mesh, 0)


def test_a_lossy_third_peer_is_enough() -> None:
    mesh = playing_mesh(3, conditions=Conditions(latency=0.04, jitter=0.01, loss=0.1))
    mesh.cut("peer0", "peer1", 600.0)
    mesh.run(15.0)
    assert all(not peer.events_of(PlayersDropped) for peer in mesh.alive)
    assert_all_play(mesh, 0)


def test_nothing_is_asked_for_while_all_hear_each_other() -> None:
    mesh = playing_mesh(4)
    for peer in mesh.alive:
        part: Any = inside_of(peer.session).input_forwarding
        part.receive = lambda *details: pytest.fail("a WANT or PASS without need")
    mesh.run(5.0)


def test_inputs_that_nobody_asked_for_are_dropped_and_counted() -> None:
    mesh = playing_mesh(3)
    session = mesh["peer0"].session
    (player,) = mesh["peer1"].session.local_players
    frame = session.frame + 20
    payload(mesh, "peer2", "peer0", encode_pass(PassedInputs(0, player, frame, (9,)), 2))
    mesh.run(0.5)
    assert counted(mesh, "peer0", "peer2") == {"PassNotAsked": 1}
    assert_all_play(mesh, 0)


def test_bad_payloads_are_dropped_and_counted() -> None:
    mesh = playing_mesh(3)
    for data in (
        bytes((WANT,)),
        bytes((PASS, 0, 0)),
        encode_want(WantedInputs(5, 1, 0)),
        encode_pass(PassedInputs(5, 1, 0, (1,)), 2),
        encode_want(WantedInputs(0, 77, 0)),
        bytes((0xFF, 1, 2)),
    ):
        payload(mesh, "peer2", "peer0", data)
    mesh.run(0.5)
    found = counted(mesh, "peer0", "peer2")
    assert sum(found.values()) == 6
    assert found["AnotherMatch"] == 2
    assert_all_play(mesh, 0)


def test_a_lie_about_what_is_known_is_refused_and_reported_once() -> None:
    mesh = playing_mesh(3)
    mesh.cut("peer0", "peer1", 600.0)
    mesh.run(5.0)
    session = inside_of(mesh["peer0"].session)
    (player,) = mesh["peer1"].session.local_players
    known = session.match.engine.first_missing(player) - 3
    value = session.match.engine.inputs_of(player, known, known + 1)[0]
    for _ in range(3):
        payload(mesh, "peer2", "peer0", encode_pass(PassedInputs(0, player, known, (value ^ 1,)), 2))
    mesh.run(0.5)
    [event] = mesh["peer0"].events_of(InputConflictDetected)
    assert (event.peer, event.player, event.frame) == (mesh["peer2"].session.peer_id, player, known)
    assert counted(mesh, "peer0", "peer2")["InputConflict"] == 3
    assert_all_play(mesh, 0)


def test_one_answer_for_each_asker_and_player_between_two_packets() -> None:
    mesh = playing_mesh(3)
    (player,) = mesh["peer1"].session.local_players
    answers: list[bytes] = []
    asker: Any = inside_of(mesh["peer0"].session).input_forwarding
    asker.receive = lambda peer, data, match, now: answers.append(data)
    session: Any = inside_of(mesh["peer2"].session)
    for _ in range(50):
        session.input_forwarding.receive(
            towards(mesh, "peer2", "peer0"),
            encode_want(WantedInputs(0, player, 10)),
            session.match,
            mesh.network.now,
        )
    mesh.run(0.5)
    assert len(answers) == 1
    passed = session.match.engine.inputs_of(player, 10, 10 + MOST_PASSED)
    assert answers[0] == encode_pass(PassedInputs(0, player, 10, tuple(passed)), 2)


def test_what_is_no_longer_held_or_not_known_is_not_answered() -> None:
    mesh = playing_mesh(3)
    mesh.play(5000)
    asker: Any = inside_of(mesh["peer0"].session).input_forwarding
    asker.receive = lambda *details: pytest.fail("an answer")
    for frame in (0, 1 << 31):
        payload(mesh, "peer0", "peer2", encode_want(WantedInputs(0, 1, frame)))
    mesh.run(0.5)
    assert counted(mesh, "peer2", "peer0") == {}
    assert_all_play(mesh, 0)


def test_who_says_that_it_hears_a_crashed_peer_holds_the_others_up_once_and_not_for_ever() -> None:
    """Attack 7: a crashed peer, and a liar that says it still hears it."""
    mesh = playing_mesh(4)
    liar: Any = inside_of(mesh["peer2"].session)
    liar.membership._unheard = list
    mesh.crash("peer3")
    mesh.run(STAY.disconnect_after + 3.0)
    assert mesh["peer0"].events_of(PlayersDropped) == []
    mesh.run(liar.disconnect_after + 2 * STEP + 1.0)
    for name in ("peer0", "peer1"):
        assert len(mesh[name].events_of(PlayersDropped)) == 1
        assert {event.peer for event in mesh[name].events_of(PeerDisconnected)} == {mesh["peer3"].session.peer_id}
    assert_all_play(mesh, 0)


def test_inputs_that_a_peer_we_hear_cannot_have_made_are_not_used() -> None:
    """The liar holds one peer back, and then answers for it with inputs that this peer has never made."""
    mesh = playing_mesh(3)
    asker: Any = inside_of(mesh["peer0"].session)
    waiting = mesh["peer1"].session
    (player,) = waiting.local_players
    part = asker.input_forwarding
    frame = asker.match.engine.first_missing(player)
    part._note_good_packets(asker.match, mesh.network.now)
    part._asked[mesh["peer2"].session.peer_id, player] = mesh.network.now
    payload(mesh, "peer2", "peer0", encode_pass(PassedInputs(0, player, frame, (9,) * MOST_PASSED), 2))
    mesh.run(0.2)
    exchange = towards(mesh, "peer0", "peer1").exchange
    assert exchange is not None
    assert counted(mesh, "peer1", "peer0") == {}
    assert counted(mesh, "peer0", "peer1") == {}
    assert_all_play(mesh, 0)


def test_what_was_passed_on_is_not_acknowledged_to_a_peer_that_did_not_send_it() -> None:
    mesh = playing_mesh(3)
    asker: Any = inside_of(mesh["peer0"].session)
    (player,) = mesh["peer1"].session.local_players
    # Nothing of peer1 arrives for a while, and peer2 makes up what it would have sent.
    mesh.cut("peer0", "peer1", 0.6)
    mesh.run(0.4)
    frame = asker.match.engine.first_missing(player)
    asker.input_forwarding._asked[mesh["peer2"].session.peer_id, player] = mesh.network.now
    payload(mesh, "peer2", "peer0", encode_pass(PassedInputs(0, player, frame, (9,) * MOST_PASSED), 2))
    mesh.run(2.0)
    assert "AckFromTheFuture" not in counted(mesh, "peer1", "peer0")
