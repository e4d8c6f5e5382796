"""Lost peers: survivors agree on the frame, tell each other what they know, and play on."""

from typing import Any

import pytest

from retick.link import Reason
from retick.rollback.events import (
    MatchEnded,
    PeerDisconnected,
    PlayersDropped,
)
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.messages.drop import Drop, Known, encode_drop
from retick.rollback.session.peer import Phase
from retick.transport.conditions import Conditions
from tests.rollback.session.matches import (
    assert_all_play,
    assert_nobody_saw_a_desync,
    leave,
    playing_mesh,
    started_mesh,
    towards,
)


@pytest.mark.parametrize("seed", range(4))
def test_survivors_drop_a_lost_peer_at_one_frame_though_they_had_different_inputs_from_it(seed: int) -> None:
    mesh = started_mesh(4, seed=seed)
    mesh.play(120)
    # One survivor stops hearing the victim long before the others do.
    mesh.cut("peer3", "peer1", 60.0)
    mesh.run(0.1)
    (seat,) = mesh.crash("peer3").session.local_players
    mesh.run(6.0)
    drops = [peer.events_of(PlayersDropped) for peer in mesh.alive]
    assert all(drops)
    assert len({(event.players, event.frame) for events in drops for event in events}) == 1
    mesh.play(600)
    mesh.verify()
    assert_nobody_saw_a_desync(mesh)
    frame = drops[0][0].frame
    assert all(peer.rows[at][seat] == 0 for peer in mesh.alive for at in range(frame, 600))


def test_two_peers_lost_at_once_are_dropped_by_agreement() -> None:
    mesh = started_mesh(5)
    mesh.play(60)
    seats = {mesh.crash("peer1").session.local_players}
    mesh.run(0.02)
    seats.add(mesh.crash("peer4").session.local_players)
    mesh.run(8.0)
    dropped = {frozenset((e.players, e.frame) for e in peer.events_of(PlayersDropped)) for peer in mesh.alive}
    assert len(dropped) == 1
    assert {players for players, _ in next(iter(dropped))} == seats
    mesh.play(500)
    mesh.verify()


def test_when_everyone_else_is_gone_the_match_ends_unless_the_config_says_otherwise() -> None:
    mesh = started_mesh(2, config=MatchConfig(disconnect_after=3.0))
    mesh.play(60)
    mesh.crash("peer1")
    mesh.run(6.0)
    assert mesh["peer0"].events_of(MatchEnded)[0].reason == "everyone else has left"


def test_a_peer_that_speaks_of_the_lost_before_it_knows_of_a_newcomer_tells_it_too() -> None:
    """The newcomer's sponsor is lost between its word to one member and its word to another."""
    conditions = Conditions(latency=0.05, jitter=0.01)
    for step in range(14):
        mesh = playing_mesh(4, seed=step, conditions=conditions)
        leave(mesh, "peer1")
        mesh.restart("peer1")
        mesh.run(0.5 + 0.03 * step)
        mesh.cut("peer2", "peer0", 60.0)
        mesh.pause("peer0", 2.5)
        mesh.run(20.0)
        others = [mesh[name] for name in ("peer2", "peer3")]
        frames = [peer.final_frame for peer in others]
        mesh.run(3.0)
        assert all(peer.final_frame > frame + 100 for peer, frame in zip(others, frames, strict=True)), step


def test_a_drop_is_reported_to_the_application_once_and_its_seat_is_free() -> None:
    mesh = playing_mesh(3)
    (seat,) = mesh["peer2"].session.local_players
    leave(mesh, "peer2")
    for peer in mesh.alive:
        [dropped] = peer.events_of(PlayersDropped)
        assert dropped.players == peer.session.gone == (seat,)
        assert len(peer.events_of(PeerDisconnected)) == 1
    assert_all_play(mesh, 0)


def test_one_whom_the_others_have_lost_ends_its_match() -> None:
    mesh = playing_mesh(3)
    lost = mesh["peer2"].session.peer_id
    towards(mesh, "peer0", "peer2").send(encode_drop(Drop(frozenset({lost}), (), ()), 2))
    mesh.run(1.0)
    assert mesh["peer2"].session.phase is Phase.ENDED
    mesh.crash("peer2")
    mesh.run(4.0)
    assert_all_play(mesh, 0)


def test_one_who_claims_inputs_and_does_not_show_them_is_expelled_with_an_event() -> None:
    mesh = playing_mesh(4)
    liar: Any = mesh["peer2"].session
    view = liar.drop_agreement.view

    def lie(*details: Any) -> Drop:
        drop: Drop = view(*details)
        return drop._replace(known=tuple(Known(each.player, each.missing + 5, ()) for each in drop.known))

    liar.drop_agreement.view = lie
    mesh.crash("peer3")
    mesh.run(6.0)
    gone = [event for event in mesh["peer0"].events_of(PeerDisconnected) if event.peer == liar.peer_id]
    assert [event.reason for event in gone] == [Reason.VIOLATION]
    assert gone[0].text == "inputs that are claimed and not shown"
    mesh.crash("peer2")
    mesh.run(4.0)
    assert_all_play(mesh, 0)
