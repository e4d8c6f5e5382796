"""What ``retick doctor`` concludes: from surveys of simulated routers, and from findings that no simulation has."""

from ipaddress import ip_address
from random import Random
from typing import Any

import pytest

from retick.cli.doctor import Diagnosis, Findings
from retick.playing.way_in import NO_RELAY
from retick.relay import Hairpin, Mapping, Reflection
from retick.transport import Nat, NatKind
from tests.relay.meeting import FIRST, Meeting

RELAY = ("relay.example.org", 7788)
INSIDE, OUTSIDE = "10.0.9.2", "203.0.113.9"


def surveyed(nat: Nat | None, **more: Any) -> Diagnosis:
    """The diagnosis of a machine behind such a router."""
    meeting = Meeting()
    router = None if nat is None else meeting.network.router(OUTSIDE, nat)
    own = "203.0.113.8" if nat is None else INSIDE
    survey, hairpin = Reflection(FIRST, entropy=Random(1).randbytes), Hairpin(FIRST, entropy=Random(2).randbytes)
    for number, endpoint in enumerate((survey, *hairpin.ends)):
        meeting.network.attach((own, 5000 + number), endpoint, behind=router)
    meeting.run(20.0)
    assert survey.is_done
    assert hairpin.is_done
    return Diagnosis(Findings(relay=RELAY, mapping=survey.result, own_host=own, hairpin=hairpin.result, **more))


def words(diagnosis: Diagnosis) -> dict[str, str]:
    return dict(diagnosis.lines())


@pytest.mark.parametrize(
    ("kind", "mapping", "filtering", "advice"),
    [
        (NatKind.FULL_CONE, "endpoint independent", "open", "a direct path to nearly everybody"),
        (NatKind.ADDRESS_RESTRICTED, "endpoint independent", "open", "a direct path to nearly everybody"),
        (NatKind.PORT_RESTRICTED, "endpoint independent", "port-restricted", "a direct path to most"),
        (NatKind.SYMMETRIC, "symmetric", "port-restricted", "matches are relayed"),
    ],
)
def test_each_kind_of_router_has_its_words(kind: NatKind, mapping: str, filtering: str, advice: str) -> None:
    diagnosis = surveyed(Nat(kind=kind))
    values = diagnosis.values()
    assert (values["mapping"], values["filtering"]) == (mapping, filtering)
    assert values["outside_address"] == OUTSIDE
    assert values["relay_reachable"] is values["udp_works"] is True
    assert values["hairpin"] is False
    assert values["carrier_grade_nat"] is None
    assert values["round_trip_ms"] == pytest.approx(80.0)
    assert advice in values["advice"]
    assert mapping in words(diagnosis)["mapping"]
    assert "round trip 80 ms" in words(diagnosis)["relay"]


def test_a_machine_without_a_router_has_no_translation() -> None:
    diagnosis = surveyed(None)
    assert (diagnosis.mapping, diagnosis.filtering) == ("none", "open")
    assert diagnosis.is_carrier_grade is False
    assert diagnosis.values()["hairpin"] is None
    assert "not needed" in words(diagnosis)["hairpin"]
    assert "nothing to do" in diagnosis.advice()


def test_a_firewall_without_translation_is_told_from_a_router() -> None:
    diagnosis = surveyed(Nat(translates=False))
    assert (diagnosis.mapping, diagnosis.filtering) == ("none", "port-restricted")
    assert "symmetric" in diagnosis.advice()


def test_hairpin_is_told() -> None:
    assert words(surveyed(Nat(hairpin=True)))["hairpin"] == "yes"
    assert words(surveyed(Nat(hairpin=False)))["hairpin"].startswith("no:")


def test_a_blocked_network_and_a_relay_that_is_down_cannot_be_told_apart() -> None:
    diagnosis = surveyed(Nat(reachable_ports=frozenset({53})))
    assert diagnosis.is_reachable is False
    assert diagnosis.udp_works is None
    assert "blocked here, or the relay is down" in words(diagnosis)["UDP"]
    assert {words(diagnosis)[title] for title in ("mapping", "filtering", "hairpin", "outside address")} == {
        "not known"
    }
    assert "blocks UDP" in diagnosis.advice()


def test_where_the_second_port_is_closed_the_mapping_is_not_known() -> None:
    diagnosis = surveyed(Nat(reachable_ports=frozenset({FIRST[1]})))
    assert diagnosis.is_reachable
    assert diagnosis.mapping is None
    assert "second port" in words(diagnosis)["mapping"]
    assert "second port" in diagnosis.advice()


def test_a_port_on_which_nothing_listens_shows_that_udp_works() -> None:
    nothing = Mapping(host=None, port=0, round_trip=0.0, is_symmetric=None, lets_others_in=None)
    diagnosis = Diagnosis(Findings(relay=RELAY, mapping=nothing, is_refused=True))
    assert diagnosis.udp_works
    assert diagnosis.is_reachable is False
    assert "no relay runs on that port" in diagnosis.advice()
    assert "nothing listens" in words(diagnosis)["relay"]


def test_without_a_relay_the_advice_says_how_to_start_one() -> None:
    diagnosis = Diagnosis(Findings(relay=None, own_host="192.168.1.20"))
    assert diagnosis.is_reachable is diagnosis.udp_works is None
    assert diagnosis.advice() == NO_RELAY
    assert "retick relay" in NO_RELAY
    assert "none is configured" in words(diagnosis)["relay"]


def test_a_relay_that_cannot_be_asked_says_why() -> None:
    diagnosis = Diagnosis(Findings(relay=RELAY, problem="no address is known for 'relay.example.org'"))
    assert diagnosis.advice() == "no address is known for 'relay.example.org'"
    assert "cannot be asked" in words(diagnosis)["relay"]
    assert words(diagnosis)["UDP"] == "not known"


@pytest.mark.parametrize(
    ("router_host", "is_double", "is_carrier_grade", "said"),
    [
        (None, None, None, "does not tell"),
        (OUTSIDE, False, False, "no"),
        ("100.70.1.2", True, True, "yes"),
        ("192.168.0.5", True, None, "a second router"),
    ],
)
def test_a_second_translation_is_known_if_the_router_tells_its_address(
    router_host: str | None, is_double: bool | None, is_carrier_grade: bool | None, said: str
) -> None:
    diagnosis = surveyed(Nat(kind=NatKind.SYMMETRIC), router_host=router_host)
    assert (diagnosis.is_double, diagnosis.is_carrier_grade) == (is_double, is_carrier_grade)
    assert said in words(diagnosis)["carrier-grade NAT"]
    assert ("--map-port" in diagnosis.advice()) is not bool(is_double)


def test_a_machine_with_an_address_of_carriers_is_behind_one() -> None:
    seen = Mapping(host=ip_address(OUTSIDE), port=5, round_trip=0.1, is_symmetric=False, lets_others_in=False)
    assert Diagnosis(Findings(relay=RELAY, mapping=seen, own_host="100.64.3.4")).is_carrier_grade


def test_ipv6_has_four_answers() -> None:
    none = Mapping(host=None, port=0, round_trip=0.0, is_symmetric=None, lets_others_in=None)
    seen = Mapping(host=ip_address("2001:db8::7"), port=5, round_trip=0.1, is_symmetric=False, lets_others_in=False)

    def said(**more: Any) -> str:
        return words(Diagnosis(Findings(relay=RELAY, **more)))["IPv6"]

    assert said() == "no global address"
    assert "no IPv6 address to try" in said(own_v6="2001:db8::7")
    assert "does not answer over it" in said(own_v6="2001:db8::7", mapping_v6=none)
    assert said(own_v6="2001:db8::7", mapping_v6=seen).endswith("the relay answers over it")
