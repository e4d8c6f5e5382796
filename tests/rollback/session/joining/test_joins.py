"""Newcomers as the players see them: announced, promised a frame, let in; and whose word counts."""

import pytest

from retick.link import Reason
from retick.rollback.events import (
    MatchStarted,
    PeerDisconnected,
)
from retick.rollback.session.inside import inside_of
from retick.rollback.session.messages.join import Meet, encode_meet
from retick.rollback.session.messages.kinds import MessageKind, encode_byte, encode_byte_and_number
from retick.rollback.session.peer import SPECTATOR_ID
from tests.rollback.session.matches import (
    assert_all_play,
    started_mesh,
    towards,
    with_a_free_seat,
)


def test_a_commit_and_a_promise_out_of_the_blue_change_nothing() -> None:
    mesh = started_mesh(2)
    mesh.play(60)
    for number in (0, 1, 77):
        inside_of(mesh["peer1"].session).peers[0].send(encode_byte_and_number(MessageKind.COMMIT, number, 5))
        inside_of(mesh["peer1"].session).peers[0].send(encode_byte_and_number(MessageKind.PROMISE, number, 5))
        inside_of(mesh["peer1"].session).peers[0].send(encode_byte(MessageKind.CANCEL, number))
    mesh.play(300)
    mesh.verify()


def test_a_commit_for_one_who_plays_already_does_not_silence_it() -> None:
    mesh = started_mesh(2)
    mesh.play(60)
    inside_of(mesh["peer1"].session).peers[0].send(encode_byte_and_number(MessageKind.COMMIT, 0, 100_000))
    mesh.play(300)
    engine = inside_of(mesh["peer1"].session).match.engine
    assert any(engine.inputs_at(frame)[0] for frame in range(200, engine.final_state_frame))
    assert len(mesh["peer0"].events_of(MatchStarted)) == 1
    mesh.verify()


def test_a_peer_that_promises_and_loses_the_newcomer_drops_it_when_the_commit_comes() -> None:
    mesh = with_a_free_seat(4)
    mesh.restart("peer3", every=600.0)
    member = inside_of(mesh["peer1"].session)
    mesh.run_until(lambda: member.joins.has_promised, limit=4.0, what="it is about to come in")
    mesh["peer3"].session.close("changed my mind")
    mesh.run(0.3)
    mesh.crash("peer3")
    mesh.run(5.0)
    assert not member.joins.has_promised
    assert_all_play(mesh, 0)


def test_a_player_does_not_pass_its_promise_before_it_hears_more() -> None:
    mesh = with_a_free_seat(4)
    mesh.restart("peer3", every=600.0)
    member = mesh["peer1"].session
    mesh.run_until(lambda: inside_of(member).joins.has_promised, limit=4.0, what="it has promised")
    promised = inside_of(member).match.barrier
    mesh.cut("peer0", "peer1", 1.5)
    mesh.run(1.4)
    assert inside_of(member).joins.has_promised
    assert member.frame <= promised
    mesh.run(6.0)
    assert not inside_of(member).joins.has_promised
    assert_all_play(mesh, 0)


@pytest.mark.parametrize("whose", ["peer0", "peer1", "peer2", "spectators"])
def test_a_meet_for_an_id_that_is_no_newcomers_shows_the_sponsor_out(whose: str) -> None:
    mesh = with_a_free_seat(4)
    peer_id = SPECTATOR_ID if whose == "spectators" else mesh[whose].session.peer_id
    free = mesh["peer0"].session.gone
    towards(mesh, "peer0", "peer1").send(encode_meet(Meet(peer_id, free, 10, "x")))
    mesh.run(1.0)
    assert [event.reason for event in mesh["peer1"].events_of(PeerDisconnected)][-1] == Reason.VIOLATION
    mesh.crash("peer0")
    mesh.run(5.0)
    assert_all_play(mesh, 0)
