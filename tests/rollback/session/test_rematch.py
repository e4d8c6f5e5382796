"""Playing again: when all have proposed it, also after newcomers and drops meanwhile."""

import itertools

import pytest

from retick.errors import UsageError
from retick.rollback.events import RematchProposed
from retick.rollback.session.inside import inside_of
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from tests.rollback.session.matches import (
    LINK,
    STAY,
    assert_all_play,
    assert_nobody_saw_a_desync,
    leave,
    playing_mesh,
    started_mesh,
)
from tests.toys import Tally


def test_a_rematch_starts_when_all_want_it_with_seats_moved_on() -> None:
    mesh = started_mesh(3)
    mesh.play(60)
    first_seed = inside_of(mesh["peer0"].session).match.seed
    by_number = sorted((peer.session.peer_id, peer.session.local_players) for peer in mesh.alive)
    for name in ("peer0", "peer1"):
        mesh[name].session.rematch()
    mesh.run(1.0)
    assert inside_of(mesh["peer2"].session).match.number == 0
    assert len(mesh["peer2"].events_of(RematchProposed)) == 2
    mesh["peer2"].session.rematch()
    for peer in mesh.alive:
        peer.rows.clear()
        peer.checksums.clear()
        peer._final = -1
    mesh.run(5.0)
    assert [inside_of(peer.session).match.number for peer in mesh.alive] == [1, 1, 1]
    assert by_number == [(0, (0,)), (1, (1,)), (2, (2,))]
    moved = sorted((peer.session.peer_id, peer.session.local_players) for peer in mesh.alive)
    assert moved == [(0, (1,)), (1, (2,)), (2, (0,))]
    assert inside_of(mesh["peer0"].session).match.seed != first_seed
    engines = [inside_of(peer.session).match.engine for peer in mesh.alive]
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
    [(free,)] = {peer.session.gone for peer in mesh.alive}
    taken = [player for peer in mesh.alive for player in peer.session.local_players]
    assert sorted([free, *taken]) == [0, 1, 2]
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
        mesh.run(0.3)
    assert_all_play(mesh, 2)


def test_a_rematch_that_is_proposed_before_the_last_one_has_begun_everywhere_is_heard() -> None:
    mesh = playing_mesh(3)
    mesh.link("peer1", "peer2", Conditions(latency=0.4))
    for peer in mesh.alive:
        peer.session.rematch()
    mesh.run_until(lambda: inside_of(mesh["peer0"].session).match.number == 1, limit=2.0, what="one has begun")
    assert inside_of(mesh["peer1"].session).match.number == 0
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


def seats_of(mesh: Mesh) -> dict[str, tuple[int, ...]]:
    return {peer.name: peer.session.local_players for peer in mesh.alive}


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 0, 2)])
def test_the_applications_decide_who_has_which_seat(order: tuple[int, ...]) -> None:
    mesh = playing_mesh(3)
    before = seats_of(mesh)
    mesh["peer0"].session.rematch(order)
    mesh.run(0.5)
    for name in ("peer1", "peer2"):
        mesh[name].session.rematch(mesh[name].events_of(RematchProposed)[0].seats)
    mesh.run(1.0)
    assert seats_of(mesh) == {name: (order[seats[0]],) for name, seats in before.items()}
    assert_all_play(mesh, 1)


def test_free_seats_and_several_of_one_peer_move_as_they_were_proposed() -> None:
    mesh = Mesh(lambda: Tally(4), seats={"a": 2, "b": 1, "c": 1}, config=STAY, conditions=LINK)
    mesh.start()
    mesh.play(60)
    order = (3, 1, 0, 2)
    before, free = seats_of(mesh), mesh["c"].session.local_players[0]
    leave(mesh, "c")
    for peer in mesh.alive:
        peer.session.rematch(order)
    mesh.run(1.0)
    assert seats_of(mesh) == {name: tuple(sorted(order[seat] for seat in before[name])) for name in ("a", "b")}
    assert mesh["a"].session.gone == mesh["b"].session.gone == (order[free],)
    assert_all_play(mesh, 1)


def test_nobody_begins_while_proposals_differ_and_the_one_of_the_lowest_id_can_be_taken_over() -> None:
    mesh = playing_mesh(3)
    mesh["peer0"].session.rematch((1, 0, 2))
    mesh["peer1"].session.rematch()
    mesh["peer2"].session.rematch((0, 1, 2))
    mesh.run(1.0)
    assert {inside_of(peer.session).match.number for peer in mesh.alive} == {0}
    for name, seats in (("peer2", ()), ("peer0", (0, 1, 2))):
        with pytest.raises(UsageError, match="was proposed already, and stands"):
            mesh[name].session.rematch(seats)
    mesh["peer1"].session.rematch((1, 0, 2))
    mesh["peer2"].session.rematch((1, 0, 2))
    mesh.run(1.0)
    assert_all_play(mesh, 1)


def test_one_that_wants_other_seats_in_every_slot_keeps_all_from_beginning_and_sets_nobody_against_anybody() -> None:
    mesh = playing_mesh(3)
    liar = inside_of(mesh["peer0"].session)
    orders = itertools.cycle([(1, 0, 2), (0, 2, 1)])
    mesh["peer0"].session.rematch((1, 0, 2))
    for _ in range(6):
        liar.rematching.wanted, liar.is_quiet = next(orders), False
        mesh.run(0.5)
    for name in ("peer1", "peer2"):
        mesh[name].session.rematch((2, 1, 0))
    mesh.run(2.0)
    assert {inside_of(peer.session).match.number for peer in mesh.alive} == {0}
    assert_all_play(mesh, 0)


def test_an_order_for_another_number_of_seats_begins_nothing() -> None:
    mesh = playing_mesh(3)
    for peer in mesh.alive:
        inside = inside_of(peer.session)
        inside.rematching.wanted, inside.is_quiet = (1, 0), False
    mesh.run(2.0)
    assert_all_play(mesh, 0)


@pytest.mark.parametrize("seats", [(0, 1), (0, 0, 1), (1, 2, 3)])
def test_a_proposal_that_is_no_order_is_an_error_at_once(seats: tuple[int, ...]) -> None:
    mesh = playing_mesh(3)
    with pytest.raises(UsageError, match="each of 0 to 2 once"):
        mesh["peer0"].session.rematch(seats)


@pytest.mark.parametrize("players", [2, 3])
def test_a_rematch_begins_although_nobody_runs_frames(players: int) -> None:
    """As after a desync: windows show a page and only exchange datagrams."""
    mesh = playing_mesh(players)
    for peer in mesh.alive:
        peer.session.due = lambda *, now: False
    mesh.run(0.5)
    for peer in mesh.alive:
        peer.session.rematch()
    mesh.run(1.5)
    assert [inside_of(peer.session).match.number for peer in mesh.alive] == [1] * players
