"""``retick doctor``: examines this network, and says what it means for online matches."""

import os
import select
import socket as sockets
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, ip_address
from typing import Annotated, Any, NamedTuple

import typer

from retick.cli.exit_codes import NO, UNKNOWN
from retick.cli.terminal import say, say_json, working
from retick.errors import NetworkUnavailable
from retick.playing.home_router import outside_host
from retick.playing.way_in import NO_RELAY, relay_address
from retick.relay import Hairpin, Mapping, Reflection
from retick.transport import Poll, UdpSocket, open_towards, open_udp
from retick.transport.discovery import own_address, own_address_towards, own_address_v6
from retick.transport.udp import SocketAddress

# The conclusions use no socket, so that a test can try every kind of network. A value that cannot be known is None, and
# the words say why.

CARRIER_GRADE = IPv4Network("100.64.0.0/10")
"""Reserved for carriers that translate addresses for many customers at once (RFC 6598)."""
_WORDS_OF_MAPPING = {
    None: "not known",
    "none": "none: no router translates the address",
    "endpoint independent": "endpoint independent (a cone): one outside port for everybody",
    "symmetric": "symmetric: another outside port for each receiver",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """All measurements."""

    relay: tuple[str, int] | None
    """Name and port of the relay; None if none is configured."""
    problem: str = ""
    """Why the relay could not be asked, such as an unknown name; empty if it could."""
    mapping: Mapping | None = None
    """The survey's result, over the address family that reached the relay."""
    own_host: str | None = None
    """The machine's own address towards the relay, or towards the internet."""
    is_refused: bool = False
    """Whether the relay's machine said that nothing listens there, so that UDP does arrive."""
    hairpin: bool | None = None
    """Whether the router forwards datagrams between machines behind it; None if not known."""
    own_v6: str | None = None
    """The machine's global IPv6 address; None if it has none."""
    mapping_v6: Mapping | None = None
    """The survey's result over IPv6; None if the relay or the machine has no such address."""
    router_host: str | None = None
    """The router's outside address, asked by NAT-PMP; None if it does not answer."""


class Line(NamedTuple):
    """One line of the report."""

    title: str
    words: str


class Diagnosis:
    """Conclusions from the findings."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        reached = findings.mapping if findings.mapping is not None and findings.mapping.host is not None else None
        self.mapping_seen = reached

    @property
    def is_reachable(self) -> bool | None:
        """Whether the relay answered; None if none is configured."""
        return None if self.findings.relay is None else self.mapping_seen is not None

    @property
    def udp_works(self) -> bool | None:
        """Whether UDP works; None if the relay may simply be down."""
        return True if self.mapping_seen is not None or self.findings.is_refused else None

    @property
    def is_translated(self) -> bool | None:
        if self.mapping_seen is None or self.findings.own_host is None:
            return None
        return str(self.mapping_seen.host) != self.findings.own_host

    @property
    def mapping(self) -> str | None:
        """``none``, ``endpoint independent`` or ``symmetric``; None if not known."""
        if self.mapping_seen is None:
            return None
        if self.is_translated is False:
            return "none"
        if self.mapping_seen.is_symmetric is None:
            return None
        return "symmetric" if self.mapping_seen.is_symmetric else "endpoint independent"

    @property
    def filtering(self) -> str | None:
        """``open`` (admits datagrams from ports that were not sent to) or ``port-restricted``; None if not known."""
        if self.mapping_seen is None or self.mapping_seen.lets_others_in is None:
            return None
        return "open" if self.mapping_seen.lets_others_in else "port-restricted"

    @property
    def is_double(self) -> bool | None:
        """Whether a second router translates addresses beyond the home router; None if not known."""
        if self.is_translated is False:
            return False
        if self.findings.router_host is None or self.mapping_seen is None:
            return None
        return self.findings.router_host != str(self.mapping_seen.host)

    @property
    def is_carrier_grade(self) -> bool | None:
        """Whether a carrier translates addresses, too; None if not known."""
        known = [host for host in (self.findings.own_host, self.findings.router_host) if host]
        if any(_is_carriers(host) for host in known):
            return True
        return False if self.is_double is False else None

    def lines(self) -> list[Line]:
        """The lines of the report, without the advice."""
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
        """What to expect and what to do, in one line."""
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
        """The values for ``--json``; null if not known."""
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
            return "none is configured: most of the following cannot be known"
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
            return "port-restricted: lets in only ports that were sent to"
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


# The survey provokes datagrams that a router does not expect, and some routers then give that socket another outside
# port. So its sockets are used for nothing else.

LONGEST = 20.0
"""Most seconds of the survey, which usually ends before."""
REFUSAL_SECONDS = 1.0


def examine(relay: tuple[str, int] | None, router_host: Callable[[], str | None]) -> Findings:
    """Measure everything; ``router_host`` asks the router for its outside address."""
    own_v6 = own_address_v6()
    if relay is None:
        return Findings(relay=None, own_host=own_address(), own_v6=own_v6, router_host=router_host())
    try:
        survey, hairpin, address = _survey(relay)
    except NetworkUnavailable as error:
        return Findings(relay=relay, problem=str(error), own_host=own_address(), own_v6=own_v6)
    return Findings(
        relay=relay,
        mapping=survey,
        own_host=own_address_towards(address),
        is_refused=survey.host is None and _is_refused(address),
        hairpin=hairpin,
        own_v6=own_v6,
        mapping_v6=_survey_v6(relay, address, survey) if own_v6 is not None else None,
        router_host=router_host(),
    )


def _survey(relay: tuple[str, int]) -> tuple[Mapping, bool | None, SocketAddress]:
    with ExitStack() as stack:
        first, address = open_towards(relay)
        stack.callback(first.close)
        others = []
        for _ in range(2):
            others.append(open_udp("::" if first.family == sockets.AF_INET6 else "0.0.0.0"))
            stack.callback(others[-1].close)
        survey, hairpin = Reflection(address, entropy=os.urandom), Hairpin(address, entropy=os.urandom)
        ends = zip(hairpin.ends, others, strict=True)
        polls = [Poll(survey, first), *(Poll(end, socket) for end, socket in ends)]
        _run(polls, lambda: survey.is_done and hairpin.is_done)
        return survey.result, hairpin.result, address


def _survey_v6(relay: tuple[str, int], address: SocketAddress, found: Mapping) -> Mapping | None:
    """Survey over IPv6, if the relay's name has such an address and the first survey used IPv4."""
    if ":" in address[0]:
        return found
    with suppress(OSError, NetworkUnavailable), ExitStack() as stack:
        found_v6 = sockets.getaddrinfo(relay[0], relay[1], family=sockets.AF_INET6, type=sockets.SOCK_DGRAM)
        socket = open_udp("::")
        stack.callback(socket.close)
        survey = Reflection((str(found_v6[0][4][0]), relay[1]), entropy=os.urandom)
        _run([Poll(survey, socket)], lambda: survey.is_done)
        return survey.result
    return None


def _run(polls: list[Poll], is_done: Callable[[], bool]) -> None:
    end = time.monotonic() + LONGEST
    waiting: list[UdpSocket] = [poll.socket for poll in polls]
    while not is_done() and time.monotonic() < end:
        for poll in polls:
            poll.poll()
        select.select(waiting, [], [], 0.01)


def _is_refused(address: SocketAddress) -> bool:
    """Whether the machine says that nothing listens on the port, which a connected socket is told."""
    family = sockets.AF_INET6 if ":" in address[0] else sockets.AF_INET
    with sockets.socket(family, sockets.SOCK_DGRAM) as probe:
        try:
            probe.settimeout(REFUSAL_SECONDS)
            probe.connect(address)
            probe.send(bytes(1))
            probe.recv(1)
        except ConnectionError:
            return True
        except OSError:
            return False
    return False


def doctor(
    relay: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Relay to ask: name, name:port or [IPv6]:port.",
            show_default="that of RETICK_RELAY",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON; null means not known.")] = False,
) -> None:
    """Find out what kind of network this is, and what it means for matches over the internet.

    Asks a relay how it sees this machine, and the home router for its outside address. Takes some seconds.

    Exit code 0: online matches work from here. 1: the relay cannot be reached. 2: misuse. 3: no relay is configured.

    Example: retick doctor --relay relay.example.org
    """
    address = relay_address(relay)
    with working("asking the relay and the router"):
        diagnosis = Diagnosis(examine(address, outside_host))
    if as_json:
        say_json(diagnosis.values(), indent=2)
    else:
        lines = diagnosis.lines()
        width = max(len(line.title) for line in lines)
        say(*(f"{line.title:<{width}}  {line.words}" for line in lines), f"{'advice':<{width}}  {diagnosis.advice()}")
    if not diagnosis.is_reachable:
        raise typer.Exit(UNKNOWN if address is None else NO)
