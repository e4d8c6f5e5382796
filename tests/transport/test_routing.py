"""Routers in a simulated network: who reaches whom, from which address, and what a TTL does."""

from itertools import product
from typing import Any

import pytest

from retick.errors import UsageError
from retick.transport import Conditions, Nat, NatKind, SimulatedNetwork
from tests.transport.echo import Recorder

CONES = (NatKind.FULL_CONE, NatKind.ADDRESS_RESTRICTED, NatKind.PORT_RESTRICTED)
RELAY = ("198.51.100.1", 7788)
ANN, BOB = ("10.0.1.2", 5001), ("10.0.2.2", 5002)


class Lab:
    """Ann and Bob behind routers of their own, and somebody on the internet who sees both."""

    def __init__(
        self, ann: Nat, bob: Nat, *, seed: int = 1, one_router: bool = False, carrier: Nat | None = None
    ) -> None:
        self.network = SimulatedNetwork(seed=seed, conditions=Conditions(latency=0.02))
        self.relay, self.ann, self.bob = Recorder(), Recorder(), Recorder()
        self.network.attach(RELAY, self.relay)
        outside = None if carrier is None else self.network.router("192.0.2.1", carrier)
        self.routers = [self.network.router("203.0.113.1", ann, behind=outside)]
        self.routers.append(self.routers[0] if one_router else self.network.router("203.0.113.2", bob, behind=outside))
        self.network.attach(ANN, self.ann, behind=self.routers[0])
        self.network.attach(BOB, self.bob, behind=self.routers[1])

    def send(self, sender: Any, data: bytes, target: Any, *ttl: int) -> None:
        endpoint = {ANN: self.ann, BOB: self.bob, RELAY: self.relay}[sender]
        endpoint.outbox.append((data, target, *ttl) if ttl else (data, target))
        self.network.flush(sender)

    def run(self, seconds: float = 0.5) -> None:
        self.network.run(until=self.network.now + seconds)

    def seen(self, sender: Any) -> Any:
        """The address from which the relay sees one of them."""
        self.send(sender, b"who am I", RELAY)
        self.run()
        return self.relay.received[-1][2]

    def punch(self, *ttl: int) -> tuple[bool, bool]:
        """Both send to where the relay sees the other, thrice, and answer whoever came; who heard whom."""
        ann, bob = self.seen(ANN), self.seen(BOB)
        self.send(ANN, b"punch", bob, *ttl)
        self.run(0.1)
        for _ in range(3):
            for sender, other, endpoint in ((ANN, bob, self.ann), (BOB, ann, self.bob)):
                came = [address for _, data, address in endpoint.received if data == b"punch"]
                self.send(sender, b"punch", came[-1] if came else other)
            self.run()
        return b"punch" in self.ann.payloads, b"punch" in self.bob.payloads


def test_the_inside_address_is_not_seen_outside_and_answers_come_back() -> None:
    lab = Lab(Nat(), Nat())
    lab.relay.echo = True
    assert lab.seen(ANN) == ("203.0.113.1", 5001)
    assert lab.ann.payloads == [b"echo who am I"]
    assert lab.ann.received[0][2] == RELAY


def test_a_stranger_and_an_inside_address_of_another_network_reach_nobody() -> None:
    lab = Lab(Nat(), Nat())
    lab.send(RELAY, b"x", ("203.0.113.1", 5001))
    lab.send(RELAY, b"x", ANN)
    lab.send(BOB, b"x", ANN)
    lab.send(BOB, b"x", "no address of the internet")
    lab.run()
    assert lab.ann.received == []
    assert lab.routers[0].dropped["unmapped"] == 1
    assert lab.network.undeliverable == 3


@pytest.mark.parametrize(("ann", "bob"), [*product(NatKind, NatKind)], ids=lambda kind: kind.value)
def test_a_direct_path_exists_for_all_pairs_but_two(ann: NatKind, bob: NatKind) -> None:
    hard = {NatKind.PORT_RESTRICTED, NatKind.SYMMETRIC}
    possible = not (NatKind.SYMMETRIC in (ann, bob) and {ann, bob} <= hard)
    assert Lab(Nat(kind=ann), Nat(kind=bob)).punch() == (possible, possible)


def test_behind_a_symmetric_router_a_peer_shows_up_from_another_port_than_it_signalled() -> None:
    lab = Lab(Nat(kind=NatKind.SYMMETRIC), Nat(kind=NatKind.FULL_CONE))
    assert lab.punch() == (True, True)
    signalled = lab.relay.received[0][2]
    assert {address for _, _, address in lab.bob.received} != {signalled}


def test_an_early_probe_spoils_the_way_through_a_lenient_router_and_a_short_ttl_saves_it() -> None:
    lenient = Nat(kind=NatKind.PORT_RESTRICTED, lenient=True)
    assert Lab(lenient, lenient).punch() != (True, True)
    for ttl in (2, 3, 4):
        assert Lab(lenient, lenient).punch(ttl) == (True, True)


@pytest.mark.parametrize("hairpin", [False, True])
def test_two_behind_one_router_meet_at_its_address_only_with_hairpin_and_by_their_own_addresses_always(
    hairpin: bool,
) -> None:
    lab = Lab(Nat(hairpin=hairpin), Nat(), one_router=True)
    assert lab.punch() == (hairpin, hairpin)
    lab.send(ANN, b"local", BOB)
    lab.run()
    assert lab.bob.received[-1][1:] == (b"local", ANN)
    assert bool(lab.routers[0].dropped["hairpin"]) is not hairpin


@pytest.mark.parametrize("carrier", NatKind)
def test_behind_a_carrier_both_routers_translate_and_both_filter(carrier: NatKind) -> None:
    lab = Lab(Nat(), Nat(), carrier=Nat(kind=carrier, hairpin=True))
    lab.relay.echo = True
    host, port = lab.seen(ANN)
    assert host == "192.0.2.1"
    assert lab.ann.payloads == [b"echo who am I"]
    lab.send(RELAY, b"again", (host, port))
    lab.run()
    assert lab.ann.payloads[-1] == b"again"
    assert lab.punch() == ((True, True) if carrier in CONES else (False, False))


def test_a_ttl_counts_routers_and_what_dies_before_the_other_router_leaves_no_trace_there() -> None:
    for ttl, mapped, arrived in ((1, False, False), (2, True, False), (9, True, False), (10, True, True)):
        lab = Lab(Nat(), Nat())
        lab.send(ANN, b"probe", RELAY, ttl)
        lab.run()
        assert (lab.routers[0].owner(5001) == ANN) == mapped
        assert bool(lab.relay.received) == arrived
    for ttl, reached, inside in ((9, 0, False), (10, 0, False), (11, 0, True)):
        lab = Lab(Nat(kind=NatKind.FULL_CONE), Nat(kind=NatKind.FULL_CONE))
        lab.seen(BOB)
        lab.send(ANN, b"probe", ("203.0.113.2", 5002), ttl)
        lab.run()
        assert bool(lab.bob.received) == inside, ttl
        assert lab.network.expired + lab.routers[1].dropped["expired"] == (not inside) + reached


def test_a_ttl_counts_without_routers_too() -> None:
    network = SimulatedNetwork(hops=3)
    first, second = Recorder(), Recorder()
    network.attach("a", first)
    network.attach("b", second)
    first.outbox += [(b"dies", "b", 3), (b"lives", "b", 4), (b"plain", "b")]
    network.flush("a")
    network.run(until=1.0)
    assert second.payloads == [b"lives", b"plain"]
    assert network.expired == 1


def test_the_conditions_of_a_way_are_those_between_the_two_machines() -> None:
    lab = Lab(Nat(), Nat())
    lab.network.link(ANN, RELAY, Conditions(latency=0.3), Conditions(latency=0.2))
    lab.relay.echo = True
    lab.send(ANN, b"x", RELAY)
    lab.run(1.0)
    assert lab.relay.received[0][0] == pytest.approx(0.3)
    assert lab.ann.received[0][0] == pytest.approx(0.5)
    lab.network.cut(ANN, RELAY, 10.0)
    lab.send(RELAY, b"lost", lab.relay.received[0][2])
    lab.run(1.0)
    assert len(lab.ann.received) == 1


def test_a_router_that_starts_again_has_forgotten_everybody() -> None:
    lab = Lab(Nat(keeps_ports=False), Nat())
    before = lab.seen(ANN)
    lab.routers[0].forget()
    lab.send(RELAY, b"x", before)
    lab.run()
    assert lab.ann.received == []
    assert lab.seen(ANN) != before


def test_one_seed_gives_one_run() -> None:
    def run(seed: int) -> list[Any]:
        lab = Lab(Nat(kind=NatKind.SYMMETRIC), Nat(keeps_ports=False), seed=seed)
        lab.punch()
        return [lab.relay.received, lab.ann.received, lab.bob.received]

    assert run(5) == run(5)
    assert run(5) != run(6)


def test_addresses_that_are_taken_or_have_no_host_are_refused() -> None:
    lab = Lab(Nat(), Nat())
    with pytest.raises(UsageError, match="taken"):
        lab.network.attach(("203.0.113.1", 9), Recorder())
    with pytest.raises(UsageError, match="taken"):
        lab.network.router("198.51.100.1", Nat())
    with pytest.raises(UsageError, match=r"\(host, port\)"):
        lab.network.attach("name", Recorder(), behind=lab.routers[0])


# IPv6 beside IPv4, and firewalls that translate nothing.

ANN_6, BOB_6 = ("2001:db8:1::2", 5001), ("2001:db8:2::2", 5002)


def two_families(ann: Nat, bob: Nat) -> tuple[SimulatedNetwork, Recorder, Recorder]:
    network = SimulatedNetwork(seed=1, conditions=Conditions(latency=0.02))
    ends = Recorder(), Recorder()
    for number, (four, six, firewall, end) in enumerate(((ANN, ANN_6, ann, ends[0]), (BOB, BOB_6, bob, ends[1])), 1):
        home = network.router(f"203.0.113.{number}", Nat())
        wall = network.router(f"2001:db8:{number}::1", firewall)
        network.attach(four, end, behind=home, also={six: wall})
    return network, *ends


def test_a_machine_with_two_families_sends_from_the_one_that_its_target_has() -> None:
    network, ann, bob = two_families(Nat(translates=False), Nat(translates=False, kind=NatKind.FULL_CONE))
    relay = Recorder()
    network.attach(RELAY, relay)
    ann.outbox += [(b"four", RELAY), (b"six", BOB_6)]
    network.flush(ANN)
    network.run(until=1.0)
    assert [(data, address) for _, data, address in relay.received] == [(b"four", ("203.0.113.1", 5001))]
    assert [(data, address) for _, data, address in bob.received] == [(b"six", ANN_6)]


def test_a_firewall_lets_in_whom_was_sent_to_and_both_together_open_it() -> None:
    network, ann, bob = two_families(Nat(translates=False), Nat(translates=False, timeout=30.0))
    ann.outbox.append((b"early", BOB_6))
    network.flush(ANN)
    network.run(until=1.0)
    assert bob.received == []
    bob.outbox.append((b"now", ANN_6))
    network.flush(BOB)
    network.run(until=2.0)
    assert ann.payloads == [b"now"]
    ann.outbox.append((b"and back", BOB_6))
    network.flush(ANN)
    network.run(until=3.0)
    assert bob.payloads == [b"and back"]
    network.run(until=40.0)
    ann.outbox.append((b"too late", BOB_6))
    network.flush(ANN)
    network.run(until=41.0)
    assert bob.payloads == [b"and back"]


def test_all_addresses_of_a_machine_go_with_it_and_each_is_one_machine() -> None:
    network, ann, _ = two_families(Nat(translates=False), Nat(translates=False))
    with pytest.raises(UsageError, match="taken"):
        network.attach(("10.0.9.2", 1), Recorder(), also={ANN_6: None})
    network.detach(BOB)
    network.attach(("10.0.9.2", 1), Recorder(), also={BOB_6: None})
    ann.outbox.append((b"x", BOB))
    network.flush(ANN)
    network.run(until=1.0)
    assert network.undeliverable == 1
