"""Known states of networks, each with its words: one router, two routers, IPv6, firewalls."""

from retick.routes import PathKind
from retick.transport import Nat, NatKind
from tests.routes.matches import between, is_direct

SYMMETRIC = Nat(kind=NatKind.SYMMETRIC)


def test_two_behind_one_router_meet_on_the_local_network_though_it_has_no_hairpin() -> None:
    for nat in (Nat(), SYMMETRIC, Nat(hairpin=True, kind=NatKind.FULL_CONE)):
        mesh = between(nat, None, behind={"peer1": "peer0"})
        mesh.run(5.0)
        assert mesh.kinds("peer0") == {1: PathKind.LOCAL}
        assert mesh.kinds("peer1") == {0: PathKind.LOCAL}
        assert mesh["peer0"].session.routes.report()[0].text == "direct, on the local network"
        mesh.verify()


def test_two_routers_in_a_row_are_passed_like_the_stricter_one() -> None:
    mesh = between((Nat(), Nat()), Nat())
    mesh.run(5.0)
    assert is_direct(mesh, "peer0")
    mesh.verify()
    mesh = between((Nat(), SYMMETRIC), Nat())
    mesh.run(5.0)
    assert mesh.kinds("peer0") == {1: PathKind.RELAY}
    assert "no probe came through" in mesh["peer0"].session.routes.report()[0].text
    mesh.verify()


def test_two_routers_in_a_row_of_the_lenient_sort_need_more_than_the_first_round_at_most() -> None:
    lenient = Nat(lenient=True)
    mesh = between((lenient, lenient), lenient)
    mesh.run(8.0)
    mesh.verify()


def test_ipv6_is_used_where_ipv4_has_no_way_and_firewalls_are_opened_from_inside() -> None:
    firewall = Nat(kind=NatKind.PORT_RESTRICTED, translates=False)
    mesh = between(SYMMETRIC, SYMMETRIC, ipv6={"peer0": firewall, "peer1": firewall})
    mesh.run(5.0)
    assert mesh.kinds("peer0") == {1: PathKind.IPV6}
    assert mesh["peer0"].session.routes.report()[0].text == "direct over IPv6"
    mesh.verify()


def test_where_only_the_port_of_the_relay_may_be_sent_to_the_match_stays_there() -> None:
    mesh = between(Nat(reachable_ports=frozenset({7788})), Nat())
    mesh.run(6.0)
    assert mesh.kinds("peer0") == {1: PathKind.RELAY}
    assert "no probe came through" in mesh["peer0"].session.routes.report()[0].text
    mesh.play(500)
    mesh.verify()


def test_without_routers_the_path_is_direct() -> None:
    mesh = between(None, None)
    mesh.run(2.0)
    assert is_direct(mesh, "peer0")
    assert is_direct(mesh, "peer1")


def test_a_mapped_port_is_told_when_it_is_known() -> None:
    mesh = between(SYMMETRIC, SYMMETRIC)
    mesh.run(6.0)
    assert mesh.kinds("peer0") == {1: PathKind.RELAY}
    mesh["peer1"].session.routes.add_mapped("203.0.113.9", 9, now=mesh.network.now)
    mesh.run(3.0)
    assert mesh["peer0"].session.routes.peers[1]._candidates["203.0.113.9", 9] is PathKind.MAPPED
