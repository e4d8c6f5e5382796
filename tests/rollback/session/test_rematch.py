"""Playing again: when all have proposed it, also after newcomers and drops meanwhile."""

import pytest

from retick.rollback.events import (
    RematchProposed,
)
from retick.rollback.session.messages.kinds import Kind, encode_byte
from retick.transport.conditions import Conditions
from tests.rollback.session.matches import (
    assert_all_play,
    assert_nobody_saw_a_desync,
    leave,
    playing_mesh,
    started_mesh,
    towards,
)


def test_a_rematch_starts_when_all_want_it_with_seats_moved_on() -> None:
    mesh = started_mesh(3)
    mesh.play(60)
    first_seed = mesh["peer0"].session.match.seed
    by_number = sorted((peer.session.peer_id, peer.session.local_players) for peer in mesh.alive)
    for name in ("peer0", "peer1"):
        mesh[name].session.rematch()
    mesh.run(1.0)
    assert mesh["peer2"].session.match.number == 0
    assert len(mesh["peer2"].events_of(RematchProposed)) == 2
    mesh["peer2"].session.rematch()
    for peer in mesh.alive:
        peer.rows.clear()
        peer.checksums.clear()
        peer._final = -1
    mesh.run(5.0)
    assert [peer.session.match.number for peer in mesh.alive] == [1, 1, 1]
    assert by_number == [(0, (0,)), (1, (1,)), (2, (2,))]
    moved = sorted((peer.session.peer_id, peer.session.local_players) for peer in mesh.alive)
    assert moved == [(0, (1,)), (1, (2,)), (2, (0,))]
    assert mesh["peer0"].session.match.seed != first_seed
    engines = [peer.session.match.engine for peer in mesh.alive]
    final = min(engine.final_state_frame for engine in engines)
    assert final > 150
    assert len({engine.checksum_at(final) for engine in engines}) == 1
    assert_nobody_saw_a_desync(mesh)


def test_those_who_are_left_can_play_again_and_a_newcomer_takes_the_free_seat() -> None:
    mesh = playing_mesh(3)
    leave(mesh, "peer2")
    for peer in mesh.alive:
        peer.session.rematch()
    mesh.run(1.0)
    assert [peer.session.gone for peer in mesh.alive] == [(0,), (0,)]
    assert sorted(player for peer in mesh.alive for player in peer.session.local_players) == [1, 2]
    assert_all_play(mesh, 1)
    mesh.restart("peer2")
    mesh.run_until(lambda: mesh["peer2"].playing, limit=4.0, what="it is in")
    assert_all_play(mesh, 1)


def test_a_newcomer_hears_what_was_proposed_before_it_came() -> None:
    mesh = playing_mesh(4)
    leave(mesh, "peer3")
    mesh["peer0"].session.rematch()
    mesh["peer1"].session.rematch()
    mesh.run(0.5)
    mesh.restart("peer3")
    mesh.run_until(lambda: mesh["peer3"].playing, limit=4.0, what="it is in")
    mesh["peer2"].session.rematch()
    mesh.run(0.5)
    mesh["peer3"].session.rematch()
    mesh.run(1.0)
    assert_all_play(mesh, 1)


def test_more_rematches_than_numbers() -> None:
    mesh = playing_mesh(2, conditions=Conditions(latency=0.002))
    for _ in range(258):
        for peer in mesh.alive:
            peer.session.rematch()
        mesh.run(0.04)
    assert_all_play(mesh, 2)


def test_a_rematch_that_is_proposed_before_the_last_one_has_begun_everywhere_is_heard() -> None:
    mesh = playing_mesh(3)
    mesh.link("peer1", "peer2", Conditions(latency=0.4))
    for peer in mesh.alive:
        peer.session.rematch()
    mesh.run_until(lambda: mesh["peer0"].session.match.number == 1, limit=2.0, what="one has begun")
    assert mesh["peer1"].session.match.number == 0
    mesh["peer0"].session.rematch()
    mesh.run(2.0)
    mesh["peer1"].session.rematch()
    mesh["peer2"].session.rematch()
    mesh.run(2.0)
    assert_all_play(mesh, 2)


def test_the_application_hears_each_proposal_once_and_may_repeat_its_own() -> None:
    mesh = playing_mesh(3)
    for _ in range(3):
        mesh["peer0"].session.rematch()
    mesh.run(0.5)
    proposer = mesh["peer0"].session.peer_id
    for name in ("peer1", "peer2"):
        assert [event.peer for event in mesh[name].events_of(RematchProposed)] == [proposer]
    assert mesh["peer0"].events_of(RematchProposed) == []
    assert_all_play(mesh, 0)


@pytest.mark.parametrize("number", [0, 3, 200])
def test_a_proposal_of_another_match_than_the_next_two_means_nothing(number: int) -> None:
    mesh = playing_mesh(2)
    towards(mesh, "peer1", "peer0").send(encode_byte(Kind.REMATCH, number))
    mesh["peer0"].session.rematch()
    mesh.run(1.0)
    assert mesh["peer0"].events_of(RematchProposed) == []
    assert_all_play(mesh, 0)


def test_seats_go_round_until_each_has_had_every_seat() -> None:
    mesh = playing_mesh(3)
    seats = []
    for _ in range(4):
        seats.append(tuple(peer.session.local_players[0] for peer in mesh.alive))
        for peer in mesh.alive:
            peer.session.rematch()
        mesh.run(1.0)
    assert seats[0] == seats[3]
    assert {seat for row in seats[:3] for seat in row[:1]} == {0, 1, 2}
    assert_all_play(mesh, 4)
