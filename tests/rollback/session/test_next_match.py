"""One match follows another while peers come and are lost: all who are there end in the same one, and nobody waits."""

import pytest

from retick.rollback.events import (
    MatchStarted,
    PlayersDropped,
)
from retick.rollback.session.inside import inside_of
from retick.rollback.session.peer import Role
from tests.rollback.session.matches import (
    assert_all_play,
    leave,
    playing_mesh,
)


def test_a_rematch_sends_one_who_is_still_coming_in_away_to_come_again() -> None:
    mesh = playing_mesh(3)
    leave(mesh, "peer2")
    mesh.restart("peer2", every=0.2)
    sponsor = inside_of(mesh["peer0"].session)
    mesh.run_until(lambda: any(p.role is Role.NEWCOMER for p in sponsor.peers.values()), limit=4.0, what="it calls")
    mesh["peer0"].session.rematch()
    mesh["peer1"].session.rematch()
    mesh.run_until(lambda: mesh["peer2"].playing, limit=6.0, what="it is in")
    assert_all_play(mesh, 1)


@pytest.mark.parametrize("seed", range(3))
def test_all_begin_the_next_match_in_one_slot_though_two_do_not_hear_each_other(seed: int) -> None:
    mesh = playing_mesh(3, seed=seed)
    mesh["peer0"].session.rematch()
    mesh["peer1"].session.rematch()
    mesh.run(0.5)
    mesh.cut("peer1", "peer2", 60.0)
    mesh["peer2"].session.rematch()
    mesh.run(1.5)
    assert [inside_of(mesh[name].session).match.number for name in ("peer0", "peer1")] == [1, 1]
    leave(mesh, "peer2")
    mesh.run(3.0)
    assert_all_play(mesh, 1)


def test_a_peer_is_dropped_in_the_match_in_which_it_was_lost() -> None:
    mesh = playing_mesh(3)
    mesh["peer2"].session.rematch()
    mesh.run(0.5)
    mesh.crash("peer2")
    mesh["peer1"].session.rematch()
    mesh.run(0.5)
    mesh["peer0"].session.rematch()
    mesh.run(15.0)
    assert_all_play(mesh, 1)
    for peer in mesh.alive:
        kinds = [type(event) for event in peer.events if isinstance(event, MatchStarted | PlayersDropped)]
        assert kinds == [MatchStarted, PlayersDropped, MatchStarted]
        assert peer.session.gone == (2,) or len(peer.session.gone) == 1


def test_matches_are_counted_past_the_byte_that_packets_carry() -> None:
    """What was signed in a match never fits another one of the session."""
    mesh = playing_mesh(3)
    for peer in mesh.alive:
        inside_of(peer.session).match_count = 255
    for _ in range(2):
        for peer in mesh.alive:
            peer.session.rematch()
        mesh.run(1.0)
    for peer in mesh.alive:
        inside = inside_of(peer.session)
        assert (inside.match_count, inside.match.number) == (257, 2)
        assert inside.signed_ranges.by(0, (0,), inside.match).number == 257
