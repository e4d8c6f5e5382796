"""Who hears whom: what each peer has stated about it, and who answers for a peer that we do not hear."""

from retick.rollback.session.inside import inside_of
from retick.rollback.session.members import Hearing
from tests.rollback.session.matches import playing_mesh, towards


def test_the_first_accuser_and_its_reason_are_kept() -> None:
    hearing = Hearing()
    assert hearing.add(3, 1, 10)
    assert hearing.add(2, 1, 12)
    assert not hearing.add(3, 1, 1)
    assert hearing.accusers == {1: 3}
    assert hearing.unheard_by(3) == {1: 10}
    assert hearing.unheard_by(1) == {}


def test_who_hears_a_peer_that_we_do_not_hear_is_the_one_to_forward() -> None:
    mesh = playing_mesh(4)
    session = mesh["peer0"].session
    victim = mesh["peer3"].session.peer_id
    assert inside_of(session).forwarders_of([victim]) == []
    session.drop(victim)
    assert len(inside_of(session).forwarders_of([victim])) == 2
    mesh["peer1"].session.drop(victim)
    mesh.run(1.0)
    assert inside_of(session).forwarders_of([victim]) == [towards(mesh, "peer0", "peer2")]
    assert len(inside_of(session).players_peers()) == 3
    assert len(inside_of(session).heard_peers()) == 2


def test_the_addresses_of_the_others_are_those_of_whom_we_hear() -> None:
    mesh = playing_mesh(3)
    session = mesh["peer0"].session
    assert len(session.peer_addresses) == 2
    mesh.crash("peer2")
    mesh.run(20.0)
    assert session.peer_addresses == (towards(mesh, "peer0", "peer1").connection.address,)
