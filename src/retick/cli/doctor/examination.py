"""Measures: asks the relay from sockets of its own, and the router for its outside address.

The survey makes datagrams come that a router does not expect, and some routers then give that socket another outside
port. So these sockets are used for nothing else.
"""

import os
import select
import socket as sockets
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress

from retick.cli.doctor.diagnosis import Findings
from retick.errors import NetworkUnavailable
from retick.relay import Hairpin, Mapping, Reflection
from retick.transport import Poll, UdpSocket, open_towards, open_udp
from retick.transport.discovery import own_address, own_address_towards, own_address_v6
from retick.transport.udp import SocketAddress

__all__ = ["examine"]

LONGEST = 20.0
"""Seconds; the survey ends before by itself."""
REFUSAL_SECONDS = 1.0


def examine(relay: tuple[str, int] | None, router_host: Callable[[], str | None]) -> Findings:
    """Everything that can be measured here. ``router_host`` asks the router for its outside address."""
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
    """The survey over IPv6, if the relay's name has such an address and the first survey was not over it."""
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
    """Whether the machine there says that nothing listens on the port: a connected socket is told of it."""
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
