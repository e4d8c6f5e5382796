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
def test_the_last_word_of_one_who_is_lost_reaches_all_through_one_who_heard_it(seed: int) -> None:
    mesh = playing_mesh(3, seed=seed)
    mesh["peer0"].session.rematch()
    mesh["peer1"].session.rematch()
    mesh.run(0.5)
    mesh.cut("peer1", "peer2", 60.0)
    mesh["peer2"].session.rematch()
    mesh.run(0.2)
    assert [inside_of(mesh[name].session).match.number for name in ("peer0", "peer1")] == [1, 0]
    leave(mesh, "peer2")
    mesh.run(3.0)
    assert_all_play(mesh, 1)


def test_no_match_begins_before_it_is_agreed_who_has_left() -> None:
    mesh = playing_mesh(3)
    mesh["peer2"].session.rematch()
    mesh.run(0.5)
    mesh.crash("peer2")
    first = mesh["peer0"]
    agreement = inside_of(first.session).drop_agreement
    mesh.run_until(lambda: agreement.undecided, limit=5.0, what="it is lost, and its frame is not agreed")
    mesh["peer1"].session.rematch()
    first.session.rematch()
    mesh.run(5.0)
    assert_all_play(mesh, 1)
    # Dropped in the match that it was lost in.
    for peer in mesh.alive:
        kinds = [type(event) for event in peer.events if isinstance(event, MatchStarted | PlayersDropped)]
        assert kinds == [MatchStarted, PlayersDropped, MatchStarted]
