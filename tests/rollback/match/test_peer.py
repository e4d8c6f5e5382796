"""One remote peer, one set of figures: of the exchange, and of the link where there is one."""

from random import Random

from retick.link import LinkEndpoint
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.match import Match
from retick.rollback.match.peer import MatchPeer
from retick.rollback.session.inside import inside_of
from retick.rollback.session.peer import Peer
from tests.rollback.session.matches import lone_match, packet, playing_mesh
from tests.toys import Tally


def test_without_a_match_there_is_nothing_to_tell() -> None:
    stats = MatchPeer("them", (1,)).stats(5.0)
    assert (stats.rtt, stats.packets_in, stats.packets_out, stats.unacknowledged, stats.dropped) == (None, 0, 0, 0, {})


def test_without_a_link_the_exchange_counts() -> None:
    match = lone_match()
    [exchange] = match.exchanges
    for frame in range(10):
        match.advance(frame, frame / 60)
        match.packets(frame / 60)
        match.receive(exchange, packet(frame, (1,), ack=frame), frame / 60)
    match.receive(exchange, b"?", 1.0)
    stats = match.stats(1.0).peers["them"]
    assert (stats.packets_in, stats.packets_out) == (11, 10)
    assert stats.bytes_in > 100
    assert stats.bytes_out > 100
    assert (stats.rtt, stats.jitter, stats.loss_in, stats.loss_out) == (None, None, 0.0, 0.0)
    assert stats.unacknowledged == 0
    assert sum(stats.dropped.values()) == 1
    assert 8 < stats.packets_per_second_out < 12


def test_over_a_link_the_figures_are_the_links() -> None:
    mesh = playing_mesh(2)
    mesh.run(3.0)
    session = mesh["peer0"].session
    [peer] = inside_of(session).peers.values()
    [stats] = session.stats(now=mesh.network.now).peers.values()
    assert stats == peer.stats(mesh.network.now)
    link = peer.connection.stats
    assert (stats.packets_out, stats.bytes_out) == (link.packets_sent, link.bytes_sent)
    assert (stats.packets_in, stats.bytes_in) == (link.packets_received, link.bytes_received)
    assert stats.rtt == link.rtt
    assert stats.packets_out > peer.exchange.packets_out
    assert 55 < stats.packets_per_second_out < 70


def test_no_round_trip_is_reported_before_one_was_measured() -> None:
    peer = Peer(1, (1,))
    peer.attach(LinkEndpoint(entropy=Random(1).randbytes).dial("nobody"))
    assert (peer.stats(0.0).rtt, peer.stats(0.0).jitter) == (None, None)


def test_a_peer_that_is_removed_has_no_exchange_and_can_take_part_again() -> None:
    match = Match(Tally(), seed=1, local_players=(0,), config=MatchConfig())
    peer = MatchPeer("them", (1,))
    exchange = match.add_peer(peer)
    assert peer.exchange is exchange
    assert exchange.peer is peer
    match.remove_peer(peer)
    assert peer.exchange is None
    assert match.exchanges == []
    assert match.add_peer(peer) is not exchange
