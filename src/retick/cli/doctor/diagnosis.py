"""What was measured, in words: no socket here, so that every kind of network can be tried in a test.

Where an answer cannot be known, the value is None and the words say why.
"""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, ip_address
from typing import Any, NamedTuple

from retick.playing.relay_address import NO_RELAY
from retick.relay import Mapping

__all__ = ["Diagnosis", "Findings", "Line"]

CARRIER_GRADE = IPv4Network("100.64.0.0/10")
"""Set apart for carriers that translate addresses for many customers at once (RFC 6598)."""
_WORDS_OF_MAPPING = {
    None: "not known",
    "none": "none: no router translates the address",
    "endpoint independent": "endpoint independent (a cone): one outside port for everybody",
    "symmetric": "symmetric: another outside port for each receiver",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What was measured."""

    relay: tuple[str, int] | None
    """The relay as it was named; None where none is configured."""
    problem: str = ""
    """Why the relay could not even be asked, such as a name that is not known."""
    mapping: Mapping | None = None
    """The survey's result, over the family of addresses that the relay was reached by."""
    own_host: str | None = None
    """The machine's own address towards the relay, or towards the internet."""
    is_refused: bool = False
    """Whether the relay's machine said that nothing listens there: then UDP arrives at it."""
    hairpin: bool | None = None
    own_v6: str | None = None
    """The machine's global IPv6 address; None if it has none."""
    mapping_v6: Mapping | None = None
    """The same survey over IPv6; None where the relay has no such address, or the machine."""
    router_host: str | None = None
    """The router's own outside address, as it says itself by NAT-PMP; None if it does not."""


class Line(NamedTuple):
    """One line of the report."""

    title: str
    words: str


class Diagnosis:
    """Conclusions from findings."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        reached = findings.mapping if findings.mapping is not None and findings.mapping.host is not None else None
        self.mapping_seen = reached

    @property
    def is_reachable(self) -> bool | None:
        """Whether the relay answered; None where none is configured."""
        return None if self.findings.relay is None else self.mapping_seen is not None

    @property
    def udp_works(self) -> bool | None:
        """None if it cannot be told from a relay that is down."""
        return True if self.mapping_seen is not None or self.findings.is_refused else None

    @property
    def is_translated(self) -> bool | None:
        if self.mapping_seen is None or self.findings.own_host is None:
            return None
        return str(self.mapping_seen.host) != self.findings.own_host

    @property
    def mapping(self) -> str | None:
        """``none``, ``endpoint independent`` or ``symmetric``; None if it is not known."""
        if self.mapping_seen is None:
            return None
        if self.is_translated is False:
            return "none"
        if self.mapping_seen.is_symmetric is None:
            return None
        return "symmetric" if self.mapping_seen.is_symmetric else "endpoint independent"

    @property
    def filtering(self) -> str | None:
        """``open`` (lets in ports that were not sent to) or ``port-restricted``; None if it is not known."""
        if self.mapping_seen is None or self.mapping_seen.lets_others_in is None:
            return None
        return "open" if self.mapping_seen.lets_others_in else "port-restricted"

    @property
    def is_double(self) -> bool | None:
        """Whether a second router translates beyond the home router; None if the home router does not tell."""
        if self.is_translated is False:
            return False
        if self.findings.router_host is None or self.mapping_seen is None:
            return None
        return self.findings.router_host != str(self.mapping_seen.host)

    @property
    def is_carrier_grade(self) -> bool | None:
        """Whether a carrier translates addresses, too; None if nothing shows it."""
        known = [host for host in (self.findings.own_host, self.findings.router_host) if host]
        if any(_is_carriers(host) for host in known):
            return True
        return False if self.is_double is False else None

    def lines(self) -> list[Line]:
        """The report, without its advice."""
        return [
            Line("relay", self._relay_words()),
            Line("UDP", self._udp_words()),
            Line("outside address", self._outside_words()),
            Line("mapping", self._mapping_words()),
            Line("filtering", self._filtering_words()),
            Line("hairpin", self._hairpin_words()),
            Line("carrier-grade NAT", self._carrier_words()),
            Line("IPv6", self._v6_words()),
        ]

    def advice(self) -> str:
        """One line: what to expect, and what to do."""
        if self.findings.relay is None:
            return NO_RELAY
        if self.findings.problem:
            return self.findings.problem
        if self.findings.is_refused:
            return "no relay runs on that port: start it there (retick relay), or correct the address"
        if self.mapping_seen is None:
            return "ask whether the relay runs; if others reach it, this network blocks UDP: use another one"
        if self.filtering == "open" and self.mapping in ("none", "endpoint independent"):
            return "nothing to do: a direct path to nearly everybody"
        if self.mapping == "none":
            return "a direct path to nearly everybody but those behind symmetric routers; they are relayed"
        if self.mapping == "endpoint independent":
            return "nothing to do: a direct path to most; to players behind symmetric routers through the relay"
        if self.mapping == "symmetric":
            more = "" if self.is_carrier_grade or self.is_double else "; a forwarded port (--map-port) may help"
            return f"matches are relayed, unless the other router is an open one{more}"
        return "online matches work through the relay; open its second port (UDP) to learn more"

    def values(self) -> dict[str, Any]:
        """For ``--json``: null is what cannot be known."""
        seen, findings = self.mapping_seen, self.findings
        return {
            "relay": None if findings.relay is None else f"{findings.relay[0]} port {findings.relay[1]}",
            "relay_reachable": self.is_reachable,
            "round_trip_ms": None if seen is None else round(seen.round_trip * 1000, 1),
            "udp_works": self.udp_works,
            "own_address": findings.own_host,
            "outside_address": None if seen is None else str(seen.host),
            "mapping": self.mapping,
            "filtering": self.filtering,
            "hairpin": self._hairpin(),
            "double_nat": self.is_double,
            "carrier_grade_nat": self.is_carrier_grade,
            "ipv6_address": findings.own_v6,
            "ipv6_relay_reachable": None if findings.mapping_v6 is None else findings.mapping_v6.host is not None,
            "advice": self.advice(),
        }

    def _relay_words(self) -> str:
        if self.findings.relay is None:
            return "none is configured: most of what follows cannot be known"
        name = f"{self.findings.relay[0]} port {self.findings.relay[1]}"
        if self.mapping_seen is not None:
            return f"{name} answers, round trip {self.mapping_seen.round_trip * 1000:.0f} ms"
        if self.findings.is_refused:
            return f"{name}: the machine is there, and nothing listens on this port"
        return f"{name} cannot be asked" if self.findings.problem else f"{name} does not answer"

    def _udp_words(self) -> str:
        if self.udp_works:
            return "works"
        if self.findings.relay is None or self.findings.problem:
            return "not known"
        return "not known: it is blocked here, or the relay is down"

    def _outside_words(self) -> str:
        if self.mapping_seen is None:
            return "not known"
        own = "" if self.is_translated is False or not self.findings.own_host else f"; here {self.findings.own_host}"
        return f"{self.mapping_seen.host}{own}"

    def _mapping_words(self) -> str:
        if self.mapping_seen is not None and self.mapping is None:
            return "not known: the relay's second port does not answer"
        return _WORDS_OF_MAPPING[self.mapping]

    def _filtering_words(self) -> str:
        if self.filtering == "open":
            rest = "" if self.mapping == "none" else " (full cone or address-restricted: one relay cannot tell)"
            return f"lets in ports that were not sent to{rest}"
        if self.filtering == "port-restricted":
            return "port-restricted: lets in only whom was sent to"
        return "not known"

    def _hairpin(self) -> bool | None:
        return None if self.is_translated is False else self.findings.hairpin

    def _hairpin_words(self) -> str:
        if self.is_translated is False:
            return "not needed: no router translates the address"
        if self.findings.hairpin is None:
            return "not known"
        return "yes" if self.findings.hairpin else "no: players in one household meet on the local network, or relayed"

    def _carrier_words(self) -> str:
        if self.is_carrier_grade is not None:
            return "yes: a forwarded port does not help" if self.is_carrier_grade else "no"
        if self.is_double:
            return "not known: a second router translates, the carrier's or one of yours"
        return "not known: the router does not tell its own outside address"

    def _v6_words(self) -> str:
        if self.findings.own_v6 is None:
            return "no global address"
        if self.findings.mapping_v6 is None:
            return f"{self.findings.own_v6}; the relay has no IPv6 address to try it with"
        if self.findings.mapping_v6.host is None:
            return f"{self.findings.own_v6}; the relay does not answer over it"
        return f"{self.findings.own_v6}; the relay answers over it"


def _is_carriers(text: str) -> bool:
    host = ip_address(text)
    return isinstance(host, IPv4Address) and host in CARRIER_GRADE
