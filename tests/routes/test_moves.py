"""Paths come and go in the middle of a match: relays die, routers forget, firewalls close. The match goes on."""

from ipaddress import ip_address
from typing import Any

import pytest

from retick.rollback.events import MatchEnded
from retick.routes import PathKind, RelayChanged
from retick.transport import Nat, NatKind
from tests.routes.matches import PAIRS, between, is_direct, longest_stall

SYMMETRIC = Nat(kind=NatKind.SYMMETRIC)


def test_a_path_that_falls_silent_is_left_and_used_again_when_it_answers() -> None:
    mesh = between(Nat(), Nat())
    mesh.run(3.0)
    assert is_direct(mesh, "peer0")
    mesh.cut("peer0", "peer1", 6.0)
    assert longest_stall(mesh, 5.0) <= 1.2
    assert mesh.kinds("peer0") == {1: PathKind.RELAY}
    assert "fell silent" in mesh.changes("peer0")[-1].text
    assert longest_stall(mesh, 12.0) <= 0.25
    assert is_direct(mesh, "peer0")
    assert is_direct(mesh, "peer1")
    mesh.verify()


def test_a_path_that_is_lost_in_one_direction_is_left_by_the_one_who_is_not_answered() -> None:
    mesh = between(Nat(), Nat())
    mesh.run(3.0)
    path = mesh.network.path(mesh.address_of("peer0"), mesh.address_of("peer1"))
    path.cut_until = mesh.network.now + 30.0
    assert longest_stall(mesh, 5.0) <= 1.2
    assert mesh.kinds("peer0") == {1: PathKind.RELAY}
    mesh.verify()


def test_a_path_that_comes_and_goes_is_used_ever_more_rarely() -> None:
    mesh = between(Nat(), Nat())
    mesh.run(3.0)
    for _ in range(12):
        mesh.cut("peer0", "peer1", 1.5)
        mesh.run(6.0)
    assert len(mesh.changes("peer0")) <= 12, "without hysteresis it would be 24"
    mesh.verify()


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_a_router_that_starts_again_costs_a_second_at_most(one: NatKind, other: NatKind) -> None:
    mesh = between(Nat(kind=one, keeps_ports=False), Nat(kind=other, keeps_ports=False))
    mesh.run(3.0)
    was_direct = is_direct(mesh, "peer0")
    router = mesh.router_of("peer0")
    assert router is not None
    router.forget()
    assert longest_stall(mesh, 12.0) <= 1.2
    assert is_direct(mesh, "peer0") == was_direct
    mesh.verify()


def test_a_mapping_that_expires_while_nothing_is_sent_is_kept_open() -> None:
    mesh = between(Nat(timeout=8.0), Nat(timeout=8.0))
    mesh.run(60.0)
    assert is_direct(mesh, "peer0")
    assert len(mesh.changes("peer0")) == 1
    mesh.verify()


def test_a_match_on_a_direct_path_does_not_notice_that_the_relay_dies() -> None:
    mesh = between(Nat(), Nat())
    mesh.run(3.0)
    mesh.stop_relay()
    assert longest_stall(mesh, 8.0) <= 0.05
    assert not mesh["peer0"].events_of(RelayChanged)[-1].is_reachable
    mesh.start_relay()
    assert longest_stall(mesh, 4.0) <= 0.05
    assert mesh["peer0"].events_of(RelayChanged)[-1].is_reachable
    mesh.cut("peer0", "peer1", 3.0)
    assert longest_stall(mesh, 3.0) <= 1.2, "the relay took both back"
    mesh.verify()


@pytest.mark.parametrize("seconds", [0.2, 1.0, 2.0])
def test_a_relayed_match_goes_on_within_three_seconds_after_the_relay_has_started_again(seconds: float) -> None:
    mesh = between(SYMMETRIC, Nat())
    mesh.run(3.0)
    mesh.stop_relay()
    mesh.run(seconds)
    mesh.start_relay()
    assert longest_stall(mesh, 6.0) <= seconds + 3.0
    frame = mesh["peer0"].session.frame
    mesh.run(1.0)
    assert mesh["peer0"].session.frame >= frame + 50
    assert not mesh["peer0"].events_of(MatchEnded)
    mesh.verify()


def test_a_path_that_is_silent_is_kept_while_the_relay_is_silent_too() -> None:
    mesh = between(Nat(), Nat())
    mesh.run(3.0)
    mesh.stop_relay()
    mesh.run(6.0)
    mesh.cut("peer0", "peer1", 1.5)
    assert longest_stall(mesh, 4.0) <= 1.8
    assert is_direct(mesh, "peer0")
    mesh.verify()


def _capture(mesh: Any, name: str) -> tuple[set[str], list[bytes]]:
    """The hosts that a machine sends to and hears from, and what it hears."""
    hosts: set[str] = set()
    heard: list[bytes] = []
    session = mesh[name].session
    network = mesh.network
    host = network._hosts[mesh.address_of(name)]

    class Tap:
        def receive_datagram(self, data: bytes, address: Any, *, now: float) -> None:
            hosts.add(address[0])
            heard.append(data)
            session.receive_datagram(data, address, now=now)

        def datagrams_to_send(self, *, now: float) -> Any:
            out = session.datagrams_to_send(now=now)
            hosts.update(datagram[1][0] for datagram in out)
            return out

        def __getattr__(self, called: str) -> Any:
            return getattr(session, called)

    host.endpoint = Tap()
    return hosts, heard


def test_in_relay_only_mode_no_machine_sees_the_address_of_another() -> None:
    mesh = between(Nat(kind=NatKind.FULL_CONE), Nat(kind=NatKind.FULL_CONE), relay_only=True)
    seen = [_capture(mesh, name) for name in mesh.peers]
    mesh.play(600)
    mesh.verify()
    assert [hosts for hosts, _ in seen] == [{"198.51.100.1"}] * 2
    for (_, heard), other in zip(seen, ("203.0.113.102", "203.0.113.101"), strict=True):
        assert not any(ip_address(other).packed in data or other.encode() in data for data in heard)
    for peer in mesh.alive:
        assert peer.session.routes.candidates() == ()
        [report] = peer.session.routes.report()
        assert report.text == "through the relay, as asked for"
    usual = between(Nat(), Nat())
    seen = [_capture(usual, name) for name in usual.peers]
    usual.run(3.0)
    assert all(len(hosts) > 1 for hosts, _ in seen), "the capture shows it where it is so"


def test_if_one_of_the_two_wants_the_relay_only_the_other_is_told_nothing() -> None:
    mesh = between(Nat(), Nat(), relay_only={"peer1"})
    mesh.run(5.0)
    assert mesh.kinds("peer0") == {1: PathKind.RELAY}
    assert "tells no address" in mesh["peer0"].session.routes.report()[0].text
    mesh.verify()
