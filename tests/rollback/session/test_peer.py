"""A remote peer of a session: long messages leave room for short ones, and its figures are those of its link."""

from retick.rollback.match.stats import PathStats
from retick.rollback.session.peer import LONG_MESSAGES_LIMIT, Peer, Role
from tests.rollback.session.matches import playing_mesh, towards


def test_a_peer_without_a_connection_sends_nothing_and_has_no_figures() -> None:
    peer = Peer(3, (2,))
    assert not peer.is_connected
    assert not peer.send(b"short")
    assert not peer.send_if_room(b"long")
    assert peer.path() == PathStats()
    assert peer.role is Role.PLAYER


def test_long_messages_stop_at_a_limit_and_a_short_one_still_goes_out() -> None:
    mesh = playing_mesh(2)
    peer = towards(mesh, "peer0", "peer1")
    assert peer.connection is not None
    sent = 0
    while peer.send_if_room(bytes(10_000)):
        sent += 10_000
    assert LONG_MESSAGES_LIMIT - 20_000 < sent <= LONG_MESSAGES_LIMIT
    assert peer.connection.queued_bytes <= LONG_MESSAGES_LIMIT
    assert peer.send(b"\x00short")


def test_of_a_transfer_no_more_waits_in_a_link_than_it_has_in_flight() -> None:
    mesh = playing_mesh(2)
    peer = towards(mesh, "peer0", "peer1")
    assert peer.connection is not None
    while peer.send_part(bytes(1000)):
        pass
    assert peer.connection.queued_bytes <= peer.connection.window_bytes + 1000 < 50_000
    mesh.run(0.5)
    assert peer.connection.queued_bytes == 0
    assert peer.send_part(b"\x00the next one")


def test_the_path_of_a_peer_is_what_its_link_has_measured() -> None:
    mesh = playing_mesh(2)
    mesh.run(1.0)
    peer = towards(mesh, "peer0", "peer1")
    assert peer.connection is not None
    path, link = peer.path(), peer.connection.stats
    assert path.rtt is not None
    assert (path.rtt, path.packets_in, path.bytes_out) == (link.rtt, link.packets_received, link.bytes_sent)
