"""Newcomers as the players see them: announced, named in statements, let in; and whose word counts."""

from typing import Any

import pytest

from retick.link import Reason
from retick.rollback.events import MatchStarted, PeerDisconnected, PlayersReturned
from retick.rollback.session.inside import inside_of
from retick.rollback.session.messages.agreement import Taken, encode_taken
from retick.rollback.session.messages.join import Meet, encode_joined, encode_meet
from retick.rollback.session.messages.kinds import MessageKind, encode_byte
from retick.rollback.session.peer import SPECTATOR_ID, Peer, Role
from retick.testing.mesh import Mesh
from tests.rollback.session.matches import (
    assert_all_play,
    leave,
    playing_mesh,
    started_mesh,
    towards,
    with_a_free_seat,
)


def coming_in(mesh: Mesh, name: str = "peer3") -> Any:
    """Start a newcomer that says nothing of itself to the others before it is asked to; returns its inside."""
    mesh.restart(name, every=600.0)
    inside = inside_of(mesh[name].session)
    inside.newcomer._report_when_level = lambda match: None
    mesh.run_until(
        lambda: inside.match is not None and all(peer.is_connected for peer in inside.peers.values()),
        limit=4.0,
        what="it has a state and all links",
    )
    return inside


def newcomer_of(mesh: Mesh, name: str) -> Peer | None:
    """The newcomer as this peer knows it."""
    peers = inside_of(mesh[name].session).peers.values()
    return next((peer for peer in peers if peer.role is Role.NEWCOMER), None)


def test_words_about_newcomers_out_of_the_blue_change_nothing() -> None:
    mesh = started_mesh(3)
    mesh.play(60)
    for peer in inside_of(mesh["peer2"].session).peers.values():
        peer.send(encode_taken(Taken(0, bytes(32), 100_000, bytes(32))))
        peer.send(encode_byte(MessageKind.CANCEL, 0))
        peer.send(encode_byte(MessageKind.CANCEL, 77))
        peer.send(encode_joined())
    mesh.play(300)
    assert [len(peer.events_of(MatchStarted)) for peer in mesh.alive] == [1, 1, 1]
    mesh.verify()


def test_nobody_comes_in_before_all_players_have_heard_from_it() -> None:
    mesh = with_a_free_seat(4)
    newcomer = coming_in(mesh)
    towards(mesh, "peer3", "peer0").send(encode_joined())
    towards(mesh, "peer3", "peer1").send(encode_joined())
    mesh.run(2.5)
    assert mesh["peer0"].events_of(PlayersReturned) == []
    assert newcomer.match.joins_at is None
    towards(mesh, "peer3", "peer2").send(encode_joined())
    mesh.run_until(lambda: mesh["peer3"].playing, limit=3.0, what="it is in")
    assert_all_play(mesh, 0)


def test_a_player_that_is_not_ready_keeps_a_newcomer_out_and_holds_up_nobody() -> None:
    mesh = with_a_free_seat(4)
    liar: Any = inside_of(mesh["peer2"].session)
    liar.joins.ready_newcomer = lambda match: None
    mesh.restart("peer3", every=600.0)
    frame = mesh["peer0"].session.frame
    mesh.run(10.0)
    assert mesh["peer0"].session.frame > frame + 560
    assert not mesh["peer3"].playing
    mesh.run(25.0)
    assert newcomer_of(mesh, "peer0") is None
    [gone] = mesh["peer3"].events_of(PeerDisconnected)[:1]
    assert gone.text == "joining took too long: try again"
    mesh.crash("peer3")
    mesh.run(1.0)
    assert_all_play(mesh, 0)


def test_a_newcomer_that_a_statement_names_is_a_member_even_if_it_is_lost_before_the_decision() -> None:
    mesh = with_a_free_seat(4)
    mesh.restart("peer3", every=600.0)
    member = inside_of(mesh["peer1"].session)
    mesh.run_until(lambda: member.membership._ready is not None, limit=4.0, what="it is about to come in")
    mesh["peer3"].session.close("changed my mind")
    mesh.run(0.3)
    mesh.crash("peer3")
    mesh.run(12.0)
    assert newcomer_of(mesh, "peer1") is None
    assert len({peer.session.gone for peer in mesh.alive}) == 1
    assert_all_play(mesh, 0)


def test_one_that_two_others_tell_different_frames_does_not_play() -> None:
    """One of two members lies: the newcomer cannot know which, and comes again."""
    mesh = playing_mesh(3)
    leave(mesh, "peer2")
    liar: Any = inside_of(mesh["peer1"].session)
    let_play = liar.joins.let_play

    def lie(newcomer: Peer, frame: int, taken: Taken, match: Any) -> None:
        let_play(newcomer, frame, taken._replace(frame=frame + 7), match)

    liar.joins.let_play = lie
    mesh.restart("peer2", every=600.0)
    mesh.run(8.0)
    assert not mesh["peer2"].playing
    mesh.crash("peer2")
    mesh.run(8.0)
    assert_all_play(mesh, 0)


def test_one_liar_among_three_members_does_not_keep_a_newcomer_from_the_frame_of_the_others() -> None:
    mesh = with_a_free_seat(4)
    liar: Any = inside_of(mesh["peer0"].session)
    let_play = liar.joins.let_play
    liar.joins.let_play = lambda newcomer, frame, taken, match: let_play(
        newcomer, frame, taken._replace(frame=frame - 9, history=bytes(32)), match
    )
    mesh.restart("peer3", every=600.0)
    mesh.run_until(lambda: mesh["peer3"].playing, limit=6.0, what="it is in")
    frames = {event.frame for peer in mesh.alive for event in peer.events_of(PlayersReturned)}
    assert frames == {mesh["peer3"].events_of(MatchStarted)[0].frame}
    assert_all_play(mesh, 0)


def test_the_keys_that_a_sponsor_tells_two_members_must_be_the_same_or_nobody_comes_in() -> None:
    mesh = with_a_free_seat(4)
    sponsor: Any = inside_of(mesh["peer0"].session)
    expect: Any = inside_of(mesh["peer2"].session)
    receive = expect.joins._expect
    expect.joins._expect = lambda meet, peer, match: receive(meet._replace(key=b"f" * 32), peer, match)
    mesh.restart("peer3", every=600.0)
    mesh.run(12.0)
    assert mesh["peer1"].events_of(PlayersReturned) == []
    assert all(sponsor.peer_id in inside_of(mesh[name].session).peers for name in ("peer1", "peer2"))


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


def test_a_meet_from_one_that_is_not_the_sponsor_shows_it_out() -> None:
    mesh = with_a_free_seat(4)
    free = mesh["peer0"].session.gone
    towards(mesh, "peer2", "peer1").send(encode_meet(Meet(9, free, 10, "x")))
    mesh.run(1.0)
    assert [event.reason for event in mesh["peer1"].events_of(PeerDisconnected)][-1] == Reason.VIOLATION


def test_a_meet_for_seats_that_are_not_free_waits_and_leads_to_nothing() -> None:
    mesh = with_a_free_seat(4)
    taken = mesh["peer2"].session.local_players
    for number in range(5):
        towards(mesh, "peer0", "peer1").send(encode_meet(Meet(9 + number, taken, 10, "x")))
    mesh.run(1.0)
    assert newcomer_of(mesh, "peer1") is None
    assert len(inside_of(mesh["peer1"].session).joins._early_meets) == 1
    assert_all_play(mesh, 0)
