"""Who hears whom: one accuser removes one edge, and a peer is lost when no chain of edges leads to it."""

from hypothesis import given
from hypothesis import strategies as st

from retick.rollback.session.inside import inside_of
from retick.rollback.session.members import Hearing
from tests.rollback.session.matches import playing_mesh, towards

PEERS = range(6)
said = st.lists(st.tuples(st.sampled_from(PEERS), st.sampled_from(PEERS)).filter(lambda pair: pair[0] != pair[1]))


def hearing_after(words: list[tuple[int, int]]) -> Hearing:
    hearing = Hearing()
    for by, peer_id in words:
        hearing.add(by, peer_id, 10)
    return hearing


@given(st.sampled_from(PEERS), st.sampled_from(PEERS))
def test_one_accuser_removes_its_own_edge_and_nobody(by: int, peer_id: int) -> None:
    if by == peer_id:
        return
    hearing = hearing_after([(by, peer_id)])
    assert not hearing.hears(by, peer_id)
    assert hearing.hears(peer_id, by)
    for start in PEERS:
        assert hearing.connected(start, set(PEERS) - {start}) == set(PEERS) - {start}


@given(said)
def test_whoever_is_connected_to_one_that_is_connected_to_us_is_connected_to_us(words: list[tuple[int, int]]) -> None:
    hearing = hearing_after(words)
    for start in PEERS:
        found = {start} | hearing.connected(start, set(PEERS) - {start})
        for other in found:
            assert hearing.connected(other, set(PEERS) - {other}) <= found


@given(said, st.sampled_from(PEERS), st.lists(st.sampled_from(PEERS)))
def test_what_one_peer_says_changes_nothing_between_others_that_hear_each_other(
    words: list[tuple[int, int]], liar: int, lies: list[int]
) -> None:
    honest = set(PEERS) - {liar}
    truth = [(by, peer_id) for by, peer_id in words if peer_id not in honest and by != liar]
    hearing = hearing_after([*truth, *((liar, peer_id) for peer_id in lies if peer_id != liar)])
    for start in honest:
        assert honest - {start} <= hearing.connected(start, set(PEERS) - {start})


@given(said, said)
def test_more_words_never_connect_anybody(words: list[tuple[int, int]], more: list[tuple[int, int]]) -> None:
    before, after = hearing_after(words), hearing_after([*words, *more])
    for start in PEERS:
        assert after.connected(start, PEERS) <= before.connected(start, PEERS)


@given(said)
def test_a_peer_that_every_other_one_names_is_connected_to_nobody(words: list[tuple[int, int]]) -> None:
    hearing = hearing_after([*words, *((by, 0) for by in PEERS if by)])
    for start in set(PEERS) - {0}:
        assert 0 not in hearing.connected(start, set(PEERS) - {start})


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
