"""Many endpoints on virtual time over bad links, from one seed: a lossy match in one process, faster than real time.

The clock is a heap of future events: datagrams that arrive, timeouts of endpoints, callbacks. Events at the same time
happen in the order in which they were scheduled, so a run repeats exactly. Each direction of each link has its own
random generator, derived from the seed and the order of attachment: other traffic does not change its draws.

An endpoint is on the internet, or behind a router, and that may be behind another. A datagram goes up through the
routers of its sender when it is sent, and down through those of its target when it arrives, since routers forget and
learn in between. The conditions of its way are those between the two endpoints, by their own addresses.
"""

from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from typing import Any

from retick.errors import UsageError
from retick.transport.conditions import Conditions, Path
from retick.transport.endpoint import Address, Endpoint
from retick.transport.nat import InternetAddress, Nat, Router

__all__ = ["Host", "SimulatedNetwork"]

INBOX_LIMIT = 2048
"""Datagrams that may wait for a polled or paused endpoint, as in a socket's buffer; more are dropped."""
LEAST_WAIT = 1e-4
"""Seconds between two wake-ups of an endpoint: an endpoint that is always due must not stop the clock."""
USUAL_TTL = 64
"""Routers that a datagram passes at most if its sender says nothing."""


class Host:
    """One attached endpoint, its inbox, and the time of its next wake-up."""

    __slots__ = (
        "address",
        "endpoint",
        "inbox",
        "inbox_dropped",
        "index",
        "on_events",
        "paused_until",
        "polled",
        "router",
        "wake_at",
    )

    def __init__(
        self,
        address: Address,
        endpoint: Endpoint,
        index: int,
        polled: bool,
        on_events: Callable[[list[Any]], None] | None,
        router: Router | None,
    ) -> None:
        self.address = address
        self.endpoint = endpoint
        self.index = index
        self.polled = polled
        self.on_events = on_events
        self.router = router
        """The router it is behind; None on the internet."""
        self.inbox: list[tuple[bytes, Address]] = []
        self.inbox_dropped = 0
        self.paused_until = 0.0
        self.wake_at = float("inf")


class SimulatedNetwork:
    """Drives the endpoints. ``conditions`` apply to every link for which ``link`` sets no others."""

    def __init__(
        self, *, seed: int = 0, conditions: Conditions | None = None, start: float = 0.0, hops: int = 8
    ) -> None:
        """``hops``: routers of the internet between any two that are on it; they count for a datagram's TTL."""
        self.now = start
        """Virtual seconds."""
        self.seed = seed
        self.conditions = conditions or Conditions()
        self.undeliverable = 0
        """Datagrams that arrived at an address without an endpoint."""
        self.expired = 0
        """Datagrams whose TTL ended between routers that are modelled."""
        self.hops = hops
        self._routers: dict[str, Router] = {}
        self._hosts: dict[Address, Host] = {}
        self._indices: dict[Address, int] = {}
        self._paths: dict[tuple[Address, Address], Path] = {}
        self._heap: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._order = count()

    # Endpoints and links.

    def attach(
        self,
        address: Address,
        endpoint: Endpoint,
        *,
        polled: bool = False,
        on_events: Callable[[list[Any]], None] | None = None,
        behind: Router | None = None,
    ) -> None:
        """Put an endpoint at an address. ``polled``: datagrams wait for ``poll(address)``, as in a game's loop.

        An endpoint that is not polled has its events given to ``on_events``, when there is one. ``behind`` a router
        the address is ``(host, port)``, and the endpoint is known by it in the calls of this network.
        """
        if address in self._hosts or _host_of(address) in self._routers:
            raise UsageError(f"address {address!r} is taken")
        if behind is not None and _host_of(address) is None:
            raise UsageError(f"behind a router an address is (host, port), not {address!r}")
        host = Host(address, endpoint, self._index(address), polled, on_events, behind)
        self._hosts[address] = host
        if not polled:
            self._push(self.now, self._resume, host)

    def detach(self, address: Address) -> None:
        """Remove the endpoint as if its process crashed. Datagrams on their way to it are lost."""
        self._hosts.pop(address, None)

    def move(self, address: Address, new_address: Address) -> None:
        """Give the endpoint another address, as a router does that forgot its mapping."""
        if new_address in self._hosts:
            raise UsageError(f"address {new_address!r} is taken")
        host = self._hosts.pop(address)
        host.address = new_address
        host.index = self._index(new_address)
        self._hosts[new_address] = host

    def router(self, host: str, nat: Nat, *, behind: Router | None = None) -> Router:
        """Put a router at an address, on the internet or behind another router; give it to ``attach``."""
        if host in self._routers or any(_host_of(address) == host for address in self._hosts):
            raise UsageError(f"host {host!r} is taken")
        router = Router(host, nat, seed=(self.seed << 32) ^ (len(self._routers) + 1), behind=behind)
        self._routers[host] = router
        return router

    def link(self, first: Address, second: Address, conditions: Conditions, back: Conditions | None = None) -> None:
        """Set the conditions from first to second, and ``back`` (or the same) from second to first."""
        self.path(first, second).conditions = conditions
        self.path(second, first).conditions = back or conditions

    def path(self, source: Address, target: Address) -> Path:
        """One direction of a link, with its counters."""
        key = (source, target)
        found = self._paths.get(key)
        if found is None:
            seed = (self.seed << 32) ^ (self._index(source) << 16) ^ self._index(target)
            found = self._paths[key] = Path(self.conditions, seed)
        return found

    def cut(self, first: Address, second: Address, seconds: float) -> None:
        """Lose everything between the two, both ways, for a time from now."""
        for path in (self.path(first, second), self.path(second, first)):
            path.cut_until = self.now + seconds

    def pause(self, address: Address, seconds: float) -> None:
        """Pause an endpoint's process: it does nothing for so long, and what arrives waits in its inbox."""
        host = self._hosts[address]
        host.paused_until = max(host.paused_until, self.now + seconds)
        if not host.polled:
            self._push(host.paused_until, self._resume, host)

    # Time and callbacks.

    def at(self, time: float, callback: Callable[[], None]) -> None:
        """Call back once at a virtual time."""
        self._push(max(time, self.now), callback)

    def every(
        self, interval: float, callback: Callable[[], None], *, phase: float = 0.0, owner: Address | None = None
    ) -> None:
        """Call back at phase, phase + interval, … from now; not while ``owner`` is paused or after it is detached.

        The times are multiples and not sums, so they do not drift.
        """
        host = None if owner is None else self._hosts[owner]
        self._push(self.now + phase, self._repeat, self.now + phase, 1, interval, callback, host)

    def run(self, *, until: float) -> None:
        """Advance virtual time up to and including ``until``."""
        heap = self._heap
        while heap and heap[0][0] <= until:
            time, _, action, arguments = heappop(heap)
            self.now = time
            action(*arguments)
        self.now = max(self.now, until)

    def run_while(self, condition: Callable[[], bool], *, limit: float) -> bool:
        """Advance while ``condition`` holds, at most ``limit`` seconds; True when it no longer holds."""
        deadline = self.now + limit
        heap = self._heap
        while condition():
            if not heap or heap[0][0] > deadline:
                self.now = max(self.now, deadline)
                return False
            time, _, action, arguments = heappop(heap)
            self.now = time
            action(*arguments)
        return True

    def poll(self, address: Address) -> list[Any]:
        """For a polled endpoint: receive what waits, handle timeouts, send, and return the events."""
        host = self._hosts[address]
        endpoint = host.endpoint
        now = self.now
        if host.inbox:
            waiting, host.inbox = host.inbox, []
            for data, source in waiting:
                endpoint.receive_datagram(data, source, now=now)
        due = endpoint.next_timeout()
        if due is not None and due <= now:
            endpoint.handle_timeout(now=now)
        self._send(host)
        return endpoint.events()

    def flush(self, address: Address) -> None:
        """Send what an endpoint has to send: after the application sent something through it."""
        host = self._hosts[address]
        self._send(host)
        if not host.polled:
            self._arm(host)

    # Events of the heap.

    def _index(self, address: Address) -> int:
        return self._indices.setdefault(address, len(self._indices))

    def _push(self, time: float, action: Callable[..., None], *arguments: Any) -> None:
        heappush(self._heap, (time, next(self._order), action, arguments))

    def _send(self, host: Host) -> None:
        now = self.now
        source = host.address
        paths = self._paths
        for datagram in host.endpoint.datagrams_to_send(now=now):
            if self._routers or len(datagram) == 3:
                self._send_routed(host, *datagram)
                continue
            data, target = datagram
            path = paths.get((source, target)) or self.path(source, target)
            for time in path.arrivals(len(data), now):
                heappush(self._heap, (time, next(self._order), self._arrive, (target, data, source)))

    def _send_routed(self, host: Host, data: bytes, target: Address, ttl: int | None = None) -> None:
        """Up through the routers of the sender, and on its way."""
        left = self._leave(host, target, USUAL_TTL if ttl is None else ttl)
        if left is None:
            return
        for time in self.path(host.address, self._end_of(target)).arrivals(len(data), self.now):
            self._push(time, self._enter, target, data, *left)

    def _leave(self, host: Host, target: Address, ttl: int) -> tuple[Any, Router | None, int] | None:
        """The sender's address as seen from the network where the target is, that network, and the TTL left."""
        source: Any = host.address
        level = host.router
        hairpin = False
        while level is not None and not self._is_in(level, target):
            passed = None
            hairpin = level.host == _host_of(target)
            if ttl <= 1:
                level.dropped["expired"] += 1
            elif hairpin and not level.nat.hairpin:
                level.dropped["hairpin"] += 1
            else:
                passed = level.outbound(source, _internet(target), self.now)
            if passed is None:
                return None
            source, level, ttl = passed, level.behind, ttl - 1
        if level is None and not hairpin:
            ttl -= self.hops
        if ttl < 1:
            self.expired += 1
            return None
        return source, level, ttl

    def _is_in(self, level: Router, target: Address) -> bool:
        """Whether an endpoint or a router of this address is directly behind ``level``."""
        host, router = self._hosts.get(target), self._routers.get(_host_of(target) or "")
        return (host is not None and host.router is level) or (router is not None and router.behind is level)

    def _end_of(self, target: Address) -> Address:
        """The endpoint that an address leads to at the moment, if any does."""
        while (router := self._routers.get(_host_of(target) or "")) is not None:
            inside = router.owner(_internet(target)[1])
            if inside is None:
                break
            target = inside
        return target

    def _enter(self, target: Address, data: bytes, source: Any, level: Router | None, ttl: int) -> None:
        """Down through the routers of the target."""
        while (router := self._routers.get(_host_of(target) or "")) is not None and router.behind is level:
            inside = router.inbound(source, _internet(target)[1], self.now)
            if inside is None:
                return
            if ttl <= 1:
                router.dropped["expired"] += 1
                return
            target, level, ttl = inside, router, ttl - 1
        host = self._hosts.get(target)
        if host is not None and host.router is not level:
            self.undeliverable += 1
        else:
            self._arrive(target, data, source)

    def _arrive(self, target: Address, data: bytes, source: Address) -> None:
        host = self._hosts.get(target)
        if host is None:
            self.undeliverable += 1
        elif host.polled or self.now < host.paused_until:
            if len(host.inbox) < INBOX_LIMIT:
                host.inbox.append((data, source))
            else:
                host.inbox_dropped += 1
        else:
            host.endpoint.receive_datagram(data, source, now=self.now)
            self._send_and_report(host)

    def _send_and_report(self, host: Host, after: float = 0.0) -> None:
        """After anything happened to an endpoint: send, report its events, and set its next wake-up."""
        self._send(host)
        if host.on_events is not None:
            while events := host.endpoint.events():
                host.on_events(events)
                self._send(host)
        self._arm(host, after)

    def _resume(self, host: Host) -> None:
        if self.now < host.paused_until or self._hosts.get(host.address) is not host:
            return
        waiting, host.inbox = host.inbox, []
        for data, source in waiting:
            host.endpoint.receive_datagram(data, source, now=self.now)
        self._wake(host, host.wake_at)

    def _arm(self, host: Host, after: float = 0.0) -> None:
        """Keep one wake-up in the heap that is not later than the endpoint's timeout; an early one is set again."""
        due = host.endpoint.next_timeout()
        if due is not None and due < host.wake_at:
            host.wake_at = due = max(due, self.now + after)
            heappush(self._heap, (due, next(self._order), self._wake, (host, due)))

    def _wake(self, host: Host, meant_for: float) -> None:
        if host.wake_at != meant_for or self._hosts.get(host.address) is not host:
            return
        host.wake_at = float("inf")
        if self.now < host.paused_until:
            return
        due = host.endpoint.next_timeout()
        if due is not None and due <= self.now:
            host.endpoint.handle_timeout(now=self.now)
        self._send_and_report(host, LEAST_WAIT)

    def _repeat(
        self, first: float, times: int, interval: float, callback: Callable[[], None], host: Host | None
    ) -> None:
        if host is not None and self._hosts.get(host.address) is not host:
            return
        self._push(first + times * interval, self._repeat, first, times + 1, interval, callback, host)
        if host is None or self.now >= host.paused_until:
            callback()


def _host_of(address: Address) -> str | None:
    """The host of an address that has a host and a port; None of any other."""
    return address[0] if isinstance(address, tuple) and len(address) == 2 and isinstance(address[0], str) else None


def _internet(address: Any) -> InternetAddress:
    """An address to which a router translates: where it is none, no router lets anything pass."""
    return address if _host_of(address) is not None else ("", 0)
