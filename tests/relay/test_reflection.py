"""The survey of a router by a relay's two ports tells the kinds apart, as far as one address can."""

from random import Random

import pytest

from retick.relay import Reflection
from retick.transport import Conditions, Nat, NatKind
from tests.relay.meeting import FIRST, Meeting, make_server


def survey(nat: Nat | None, *, loss: float = 0.0, seed: int = 1) -> Reflection:
    meeting = Meeting(seed=seed, conditions=Conditions.round_trip(0.08, loss=loss))
    router = None if nat is None else meeting.network.router("203.0.113.9", nat)
    asked = Reflection(FIRST, entropy=Random(seed).randbytes)
    address = ("203.0.113.8", 5000) if nat is None else ("10.0.9.2", 5000)
    meeting.network.attach(address, asked, behind=router)
    meeting.run(20.0)
    assert asked.is_done
    assert asked.next_timeout() is None
    assert asked.events() == []
    return asked


@pytest.mark.parametrize(
    ("kind", "is_symmetric", "lets_others_in"),
    [
        (NatKind.FULL_CONE, False, True),
        (NatKind.ADDRESS_RESTRICTED, False, True),
        (NatKind.PORT_RESTRICTED, False, False),
        (NatKind.SYMMETRIC, True, False),
        (None, False, True),
    ],
)
def test_each_kind_is_told(kind: NatKind | None, is_symmetric: bool, lets_others_in: bool) -> None:
    for loss, seed in ((0.0, 1), (0.1, 2), (0.1, 3)):
        found = survey(None if kind is None else Nat(kind=kind), loss=loss, seed=seed).result
        assert str(found.host) == ("203.0.113.8" if kind is None else "203.0.113.9")
        assert (found.is_symmetric, found.lets_others_in) == (is_symmetric, lets_others_in)
        assert found.round_trip == pytest.approx(0.08)


def test_a_relay_that_cannot_be_reached_leaves_the_result_empty() -> None:
    found = survey(Nat(reachable_ports=frozenset({53}))).result
    assert found.host is None
    assert found.is_symmetric is None


def test_where_only_the_first_port_is_reachable_the_mapping_is_not_known() -> None:
    found = survey(Nat(reachable_ports=frozenset({FIRST[1]}))).result
    assert found.host is not None
    assert found.is_symmetric is None
    assert found.lets_others_in is False


def test_a_relay_without_a_second_port_says_only_the_address() -> None:
    server = make_server()
    server._ports = (FIRST[1], 0)
    asked = Reflection(FIRST, entropy=Random(1).randbytes)
    for data, _ in asked.datagrams_to_send(now=0.0):
        server.receive_datagram(data, ("203.0.113.9", 5000), now=0.0)
    asked.receive_datagram(b"nonsense", FIRST, now=0.1)
    for data, _ in server.datagrams_to_send(now=0.0):
        asked.receive_datagram(data, FIRST, now=0.1)
    asked.handle_timeout(now=0.1)
    assert asked.is_done
    assert str(asked.result.host) == "203.0.113.9"
    assert asked.result.is_symmetric is asked.result.lets_others_in is None
