"""A newcomer in a running match: the state, the inputs since then, and its first own frame."""

from typing import Any

import pytest

from retick.link import Reason
from retick.rollback.events import (
    MatchEnded,
    MatchStarted,
    PeerDisconnected,
    PlayersReturned,
    Stalled,
)
from retick.rollback.session.inside import inside_of
from retick.rollback.session.joining.newcomer import LONGEST_DOUBT, NOT_LET_IN
from retick.rollback.session.messages.agreement import Signature, SignedItem, Statement, encode_item, encode_statement
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.session.peer import Peer, Phase
from retick.transport.conditions import Conditions
from tests.rollback.session.matches import (
    assert_all_play,
    assert_nobody_saw_a_desync,
    leave,
    playing_mesh,
    started_mesh,
    towards,
    with_a_free_seat,
)


@pytest.mark.long
def test_a_peer_returns_within_two_seconds_and_nobody_stalls_for_it() -> None:
    mesh = started_mesh(4, conditions=Conditions(latency=0.05, loss=0.02))
    mesh.play(120)
    seat = mesh.crash("peer2").session.local_players
    mesh.run(30.0)
    stalls = {peer.name: len(peer.events_of(Stalled)) for peer in mesh.alive}
    before = mesh.network.now
    mesh.restart("peer2")
    mesh.run_until(lambda: mesh["peer2"].playing, limit=2.0, what="the peer plays again")
    first = mesh["peer2"].events_of(MatchStarted)[0].frame
    mesh.run_until(lambda: mesh["peer2"].final_frame > first, limit=2.0, what="its own inputs count")
    assert mesh.network.now - before < 2.0
    mesh.run(5.0)
    assert {p.name: len(p.events_of(Stalled)) for p in mesh.alive if p.name != "peer2"} == stalls
    returns = {(e.players, e.frame) for p in mesh.alive for e in p.events_of(PlayersReturned)}
    assert returns == {(seat, first)}
    mesh.verify()
    assert_nobody_saw_a_desync(mesh)


def test_the_host_can_leave_and_come_back_like_anyone_else() -> None:
    mesh = started_mesh(3)
    mesh.play(60)
    mesh.crash("peer0")
    mesh.run(6.0)
    mesh.restart("peer0", through="peer2")
    mesh.run(6.0)
    assert mesh["peer0"].playing
    mesh.verify()


def test_one_who_is_alone_waits_for_somebody_to_join() -> None:
    mesh = started_mesh(2)
    mesh.play(60)
    mesh["peer1"].session.close()
    mesh.run(0.5)
    mesh.crash("peer1")
    mesh.run(3.0)
    assert mesh["peer0"].session.running
    assert mesh["peer0"].events_of(PeerDisconnected)[0].text == "goodbye"
    mesh.restart("peer1")
    mesh.run(4.0)
    assert mesh["peer1"].playing
    mesh.verify()


def test_a_newcomer_whose_sponsor_is_lost_with_the_decision_hears_it_from_the_others() -> None:
    mesh = playing_mesh(4)
    leave(mesh, "peer3")
    mesh.restart("peer3", every=600.0)
    member, newcomer = mesh["peer1"].session, mesh["peer3"].session
    mesh.run_until(lambda: inside_of(member).membership._ready is not None, limit=4.0, what="it is about to come in")
    mesh.cut("peer0", "peer3", 60.0)
    mesh.run_until(lambda: bool(mesh["peer1"].events_of(PlayersReturned)), limit=2.0, what="it is in")
    mesh["peer0"].session.close()
    mesh.run(0.3)
    mesh.crash("peer0")
    mesh.run(8.0)
    assert mesh["peer3"].playing
    assert newcomer.running
    assert_all_play(mesh, 0)


def test_a_newcomer_whom_too_few_tell_that_it_is_a_member_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    mesh = playing_mesh(3)
    leave(mesh, "peer2")
    mesh.restart("peer2", every=600.0)
    newcomer: Any = mesh["peer2"].session
    from_member, send = towards(mesh, "peer1", "peer0"), Peer.send
    held = from_member.peer_id

    def keep_back(peer: Peer, data: bytes) -> bool:
        is_to_newcomer = peer.peer_id not in (0, 1) and data[0] == MessageKind.TAKEN
        return (is_to_newcomer and peer in inside_of(mesh["peer1"].session).peers.values()) or send(peer, data)

    monkeypatch.setattr(Peer, "send", keep_back)
    mesh.run_until(lambda: bool(mesh["peer0"].events_of(PlayersReturned)), limit=6.0, what="it is a member")
    assert inside_of(newcomer).match.joins_at is None
    mesh.run(LONGEST_DOUBT + 0.5)
    assert newcomer.phase is Phase.ENDED
    assert mesh["peer2"].events_of(MatchEnded)[-1].reason == NOT_LET_IN
    assert held == 0
    mesh.crash("peer2")
    mesh.run(6.0)
    assert_all_play(mesh, 0)


def test_a_newcomer_that_loses_its_sponsor_gives_up_and_one_that_only_hears_so_does_not() -> None:
    mesh = playing_mesh(4)
    leave(mesh, "peer3")
    mesh.restart("peer3", every=600.0)
    newcomer: Any = mesh["peer3"].session
    mesh.run_until(
        lambda: inside_of(newcomer).match is not None and len(inside_of(newcomer).peers) == 3,
        limit=4.0,
        what="it has a state",
    )
    last = inside_of(newcomer).peers[max(inside_of(newcomer).peers)]
    rumour = Statement(0, bytes(32), last.peer_id, unheard=((0, 10),))
    item = SignedItem(MessageKind.STATEMENT, (Signature(last.peer_id, bytes(64)),), encode_statement(rumour, 2))
    inside_of(newcomer).routes.receive(last, encode_item(item), newcomer.phase)
    assert newcomer.running
    inside_of(newcomer).expel(inside_of(newcomer).peers[0])
    assert newcomer.phase is Phase.ENDED
    # Links that come up late find no sponsor to tell.
    inside_of(newcomer).newcomer.peer_connected(last)
    mesh.run(1.0)


def test_a_newcomer_plays_neutral_until_its_frame_and_its_own_input_from_then_on() -> None:
    mesh = with_a_free_seat(3)
    mesh.restart("peer2")
    mesh.run_until(lambda: mesh["peer2"].playing, limit=4.0, what="it is in")
    (seat,) = mesh["peer2"].session.local_players
    first = mesh["peer2"].events_of(MatchStarted)[0].frame
    assert_all_play(mesh, 0)
    rows = mesh["peer0"].rows
    assert {rows[frame][seat] for frame in range(first - 60, first)} == {0}
    assert {rows[frame][seat] for frame in range(first, max(rows))} > {0}


def test_a_newcomer_is_a_peer_like_any_other_when_the_next_one_comes() -> None:
    mesh = with_a_free_seat(4)
    mesh.restart("peer3")
    mesh.run_until(lambda: mesh["peer3"].playing, limit=4.0, what="it is in")
    leave(mesh, "peer1")
    mesh.restart("peer1", through="peer3")
    mesh.run_until(lambda: mesh["peer1"].playing, limit=4.0, what="the next one is in")
    assert_all_play(mesh, 0)
    assert [peer.session.gone for peer in mesh.alive] == [()] * 4


def test_a_newcomer_that_loses_a_peer_before_it_is_in_gives_up_with_words() -> None:
    mesh = with_a_free_seat(4)
    mesh.restart("peer3", every=600.0)
    newcomer: Any = mesh["peer3"].session
    inside_of(newcomer).newcomer._report_when_level = lambda match: None
    mesh.run_until(
        lambda: inside_of(newcomer).match is not None and len(inside_of(newcomer).peers) == 3,
        limit=4.0,
        what="it has a state",
    )
    mesh.run(0.3)
    there = towards(mesh, "peer2", "peer3").connection
    assert there is not None
    there.close(Reason.GOODBYE, "good game")
    mesh.run(0.3)
    assert newcomer.phase is Phase.ENDED
    assert mesh["peer3"].events_of(MatchEnded)[0].reason == "good game"
