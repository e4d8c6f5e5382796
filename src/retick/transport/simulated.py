"""Many endpoints on virtual time over bad links, from one seed: a lossy match in one process, faster than real time.

The clock is a heap of future events: datagrams that arrive, timeouts of endpoints, callbacks. Events at the same time
happen in the order in which they were scheduled, so a run repeats exactly. Each direction of each link has its own
random generator, derived from the seed and the order of attachment: other traffic does not change its draws.

An endpoint is on the internet, or behind a router, which may be behind another: ``Routing`` finds the way. The
conditions of a way are those between the two endpoints, by their own addresses.
"""

from collections import deque
from collections.abc import Callable, Mapping
from heapq import heappop, heappush
from itertools import count
from types import MappingProxyType
from typing import Any, Final

from retick.errors import UsageError
from retick.transport.conditions import Conditions, DelayedPath
from retick.transport.endpoint import Address, Endpoint
from retick.transport.nat import InternetAddress, Nat, Router

# Routes in a simulated network: up through the sender's routers, over the internet, down to the target.
#
# A *level* is the network behind a router; None is the internet itself. A datagram goes up when it is sent and down
# when it arrives, because routers forget and learn in between.

USUAL_TTL: Final = 64
"""How many routers a datagram passes at most by default."""
NOWHERE: Final = ("", 0)
"""Stands for an address that no datagram reaches."""


class Routing:
    """Knows where every address is, and how the routers on the way change or drop a datagram."""

    def __init__(self, hops: int) -> None:
        self.routers: dict[str, Router] = {}
        """Routers by their outside address, without a port."""
        self.places: dict[Address, Router | None] = {}
        """The router that each address is behind; None for the internet."""
        self.expired = 0
        """How many datagrams' TTL ended between simulated routers."""
        self._hops = hops

    def leave(self, source: Any, target: Address, ttl: int, now: float) -> tuple[Any, Router | None, int] | None:
        """The sender's address as seen at the target, that level, and the TTL left; None if the datagram is dropped."""
        level = self.places[source]
        hairpin = False
        while level is not None and not self._is_in(level, target):
            passed = None
            hairpin = level.host == host_of(target)
            if ttl <= 1:
                level.dropped["expired"] += 1
            elif hairpin and not level.nat.hairpin:
                level.dropped["hairpin"] += 1
            else:
                passed = level.outbound(source, _internet(target), now)
            if passed is None:
                return None
            source, level, ttl = passed, level.behind, ttl - 1
        if level is None and not hairpin:
            ttl -= self._hops
        if ttl < 1:
            self.expired += 1
            return None
        return source, level, ttl

    def enter(self, target: Address, source: Any, level: Router | None, ttl: int, now: float) -> Address | None:
        """The address at which a datagram arrives, NOWHERE if there is none; None if a router drops it."""
        while (router := self._next(target, level)) is not None:
            if router.nat.translates:
                inside = router.inbound(source, _internet(target)[1], now)
            else:
                inside = router.routed(source, _internet(target), now)
            if inside is None:
                return None
            if ttl <= 1:
                router.dropped["expired"] += 1
                return None
            target, level, ttl = inside, router, ttl - 1
        return target if self.places.get(target, level) is level else NOWHERE

    def _next(self, target: Address, level: Router | None) -> Router | None:
        """The router of this level that leads to ``target``; None if the target is on it, or there is no way."""
        router = self.routers.get(host_of(target) or "")
        if router is None:
            router = self.places.get(target)
            if router is None or router.nat.translates:
                return None
        return router if router.behind is level and router is not level else None

    def end_of(self, target: Address) -> Address:
        """The address to which another one leads at the moment, if any."""
        while (router := self.routers.get(host_of(target) or "")) is not None:
            inside = router.owner(_internet(target)[1])
            if inside is None:
                break
            target = inside
        return target

    def _is_in(self, level: Router, target: Address) -> bool:
        """Whether an endpoint or a router with this address is directly behind ``level``."""
        router = self.routers.get(host_of(target) or "")
        return self.places.get(target) is level or (router is not None and router.behind is level)


def host_of(address: Address) -> str | None:
    """The host of an address that has a host and a port; None for any other."""
    return address[0] if isinstance(address, tuple) and len(address) == 2 and isinstance(address[0], str) else None


def is_same_family(one: Address, other: Address) -> bool:
    """Whether both addresses are IPv6, or neither is."""
    return (":" in (host_of(one) or "")) == (":" in (host_of(other) or ""))


def _internet(address: Any) -> InternetAddress:
    """The address for a router to translate; an invalid one gets an address that no router passes."""
    return address if host_of(address) is not None else NOWHERE


INBOX_LIMIT = 2048
"""How many datagrams may wait for a polled or paused endpoint, as in a socket's buffer; more are dropped."""
LEAST_WAIT = 1e-4
"""Seconds between two wake-ups of an endpoint, so that one that is always due does not stop the clock."""


class SimulatedHost:
    """An attached endpoint, its inbox, and the time of its next wake-up."""

    __slots__ = (
        "address",
        "addresses",
        "endpoint",
        "inbox",
        "inbox_dropped",
        "index",
        "on_events",
        "paused_until",
        "polled",
        "wake_at",
    )

    def __init__(
        self,
        address: Address,
        endpoint: Endpoint,
        index: int,
        polled: bool,
        on_events: Callable[[list[Any]], None] | None,
        addresses: tuple[Address, ...],
    ) -> None:
        self.address = address
        self.addresses = addresses
        """All addresses of the endpoint, the one above first."""
        self.endpoint = endpoint
        self.index = index
        self.polled = polled
        self.on_events = on_events
        self.inbox: list[tuple[bytes, Address]] = []
        self.inbox_dropped = 0
        self.paused_until = 0.0
        self.wake_at = float("inf")


class SimulatedNetwork:
    """Drives the endpoints. ``conditions`` apply to every link unless ``link`` sets others."""

    def __init__(
        self, *, seed: int = 0, conditions: Conditions | None = None, start: float = 0.0, hops: int = 8
    ) -> None:
        """``hops``: how many internet routers lie between any two endpoints; they count towards a datagram's TTL."""
        self.now = start
        """The virtual time in seconds."""
        self.seed = seed
        self.conditions = conditions or Conditions()
        self.undeliverable = 0
        """How many datagrams arrived at an address without an endpoint."""
        self._routing = Routing(hops)
        self._is_routed = False
        """Whether there is a router, or a machine with several addresses."""
        self._hosts: dict[Address, SimulatedHost] = {}
        self._indices: dict[Address, int] = {}
        self._paths: dict[tuple[Address, Address], DelayedPath] = {}
        self._heap: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._order = count()

    @property
    def expired(self) -> int:
        """How many datagrams' TTL ended between simulated routers."""
        return self._routing.expired

    # Endpoints and links.

    def attach(
        self,
        address: Address,
        endpoint: Endpoint,
        *,
        polled: bool = False,
        on_events: Callable[[list[Any]], None] | None = None,
        behind: Router | None = None,
        also: Mapping[Address, Router | None] = MappingProxyType({}),
    ) -> None:
        """Attach an endpoint at an address. ``polled``: datagrams wait for ``poll(address)``, as in a game's loop.

        The events of an endpoint that is not polled go to ``on_events``, if given. ``behind`` a router, the address
        must be ``(host, port)``, and this network's calls use it for the endpoint. ``also`` has further addresses of
        the same endpoint, each with its router: one for IPv6 besides one for IPv4.
        """
        places = {address: behind, **also}
        for own, router in places.items():
            if own in self._hosts or host_of(own) in self._routing.routers:
                raise UsageError(f"address {own!r} is taken")
            if (router is not None or also) and host_of(own) is None:
                raise UsageError(f"behind a router an address is (host, port), not {own!r}")
        host = SimulatedHost(address, endpoint, self._index(address), polled, on_events, tuple(places))
        self._hosts |= dict.fromkeys(places, host)
        self._routing.places |= places
        self._is_routed |= len(places) > 1
        if not polled:
            self._push(self.now, self._resume, host)

    def detach(self, address: Address) -> None:
        """Remove the endpoint as if its process crashed. Datagrams on their way to it are lost."""
        host = self._hosts.get(address)
        for own in () if host is None else host.addresses:
            del self._hosts[own], self._routing.places[own]

    def move(self, address: Address, new_address: Address) -> None:
        """Give the endpoint another address, as a router does that forgot its mapping."""
        if new_address in self._hosts:
            raise UsageError(f"address {new_address!r} is taken")
        host = self._hosts.pop(address)
        host.address = new_address
        host.addresses = tuple(new_address if own == address else own for own in host.addresses)
        host.index = self._index(new_address)
        self._hosts[new_address] = host
        self._routing.places[new_address] = self._routing.places.pop(address)

    def router(self, host: str, nat: Nat, *, behind: Router | None = None) -> Router:
        """Add a router at an address, on the internet or behind another router; pass it to ``attach``."""
        routers = self._routing.routers
        if host in routers or any(host_of(address) == host for address in self._hosts):
            raise UsageError(f"host {host!r} is taken")
        self._is_routed = True
        router = routers[host] = Router(host, nat, seed=(self.seed << 32) ^ (len(routers) + 1), behind=behind)
        return router

    def link(self, first: Address, second: Address, conditions: Conditions, back: Conditions | None = None) -> None:
        """Set the conditions from first to second, and ``back`` (by default the same) from second to first."""
        self.path(first, second).conditions = conditions
        self.path(second, first).conditions = back or conditions

    def path(self, source: Address, target: Address) -> DelayedPath:
        """One direction of a link, with its counters."""
        key = (source, target)
        found = self._paths.get(key)
        if found is None:
            seed = (self.seed << 32) ^ (self._index(source) << 16) ^ self._index(target)
            found = self._paths[key] = DelayedPath(self.conditions, seed)
        return found

    def cut(self, first: Address, second: Address, seconds: float) -> None:
        """Lose everything between the two, in both directions, for the next ``seconds``."""
        for path in (self.path(first, second), self.path(second, first)):
            path.cut_until = self.now + seconds

    def pause(self, address: Address, seconds: float) -> None:
        """Pause an endpoint's process: it does nothing for ``seconds``, and what arrives waits in its inbox."""
        host = self._hosts[address]
        host.paused_until = max(host.paused_until, self.now + seconds)
        if not host.polled:
            self._push(host.paused_until, self._resume, host)

    # Time and callbacks.

    def at(self, time: float, callback: Callable[[], None]) -> None:
        """Call ``callback`` once at a virtual time."""
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
        """Advance while ``condition`` holds, at most ``limit`` seconds; returns True once it no longer holds."""
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
        """Receive what waits for a polled endpoint, handle timeouts, send, and return the events."""
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
        """Send an endpoint's datagrams, after the application used it."""
        host = self._hosts[address]
        self._send(host)
        if not host.polled:
            self._arm(host)

    # Events of the heap.

    def _index(self, address: Address) -> int:
        return self._indices.setdefault(address, len(self._indices))

    def _push(self, time: float, action: Callable[..., None], *arguments: Any) -> None:
        heappush(self._heap, (time, next(self._order), action, arguments))

    def _send(self, host: SimulatedHost) -> None:
        now = self.now
        source = host.address
        paths = self._paths
        routed = self._is_routed
        for datagram in host.endpoint.datagrams_to_send(now=now):
            if routed or len(datagram) == 3:
                self._send_routed(host, *datagram)
                continue
            data, target = datagram
            path = paths.get((source, target)) or self.path(source, target)
            for time in path.arrivals(len(data), now):
                heappush(self._heap, (time, next(self._order), self._arrive, (target, data, source)))

    def _send_routed(self, host: SimulatedHost, data: bytes, target: Address, ttl: int | None = None) -> None:
        """Send a datagram up through the sender's routers, and on its way."""
        source = next((own for own in host.addresses if is_same_family(own, target)), host.address)
        left = self._routing.leave(source, target, USUAL_TTL if ttl is None else ttl, self.now)
        if left is None:
            return
        end = self._hosts.get(self._routing.end_of(target))
        for time in self.path(host.address, target if end is None else end.address).arrivals(len(data), self.now):
            self._push(time, self._enter, target, data, *left)

    def _enter(self, target: Address, data: bytes, source: Any, level: Router | None, ttl: int) -> None:
        """Bring a datagram down through the target's routers."""
        reached = self._routing.enter(target, source, level, ttl, self.now)
        if reached is not None:
            self._arrive(reached, data, source)

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

    def _send_and_report(self, host: SimulatedHost, after: float = 0.0) -> None:
        """After anything happened to an endpoint: send, report its events, and set its next wake-up."""
        self._send(host)
        if host.on_events is not None:
            while events := host.endpoint.events():
                host.on_events(events)
                self._send(host)
        self._arm(host, after)

    def _resume(self, host: SimulatedHost) -> None:
        if self.now < host.paused_until or self._hosts.get(host.address) is not host:
            return
        waiting, host.inbox = host.inbox, []
        for data, source in waiting:
            host.endpoint.receive_datagram(data, source, now=self.now)
        self._wake(host, host.wake_at)

    def _arm(self, host: SimulatedHost, after: float = 0.0) -> None:
        """Keep one wake-up in the heap, no later than the endpoint's timeout; one that is early is set again."""
        due = host.endpoint.next_timeout()
        if due is not None and due < host.wake_at:
            host.wake_at = due = max(due, self.now + after)
            heappush(self._heap, (due, next(self._order), self._wake, (host, due)))

    def _wake(self, host: SimulatedHost, meant_for: float) -> None:
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
        self, first: float, times: int, interval: float, callback: Callable[[], None], host: SimulatedHost | None
    ) -> None:
        if host is not None and self._hosts.get(host.address) is not host:
            return
        self._push(first + times * interval, self._repeat, first, times + 1, interval, callback, host)
        if host is None or self.now >= host.paused_until:
            callback()


# Endpoints in one process, without delay or loss between them.


class MemoryHub:
    """Delivers at once and without loss. Datagrams to an address without an endpoint are dropped, as on a network."""

    def __init__(self) -> None:
        self._endpoints: dict[Address, Endpoint] = {}
        self.undeliverable = 0
        """How many datagrams were sent to an address without an endpoint."""

    def attach(self, address: Address, endpoint: Endpoint) -> None:
        """Attach an endpoint at an address."""
        if address in self._endpoints:
            raise UsageError(f"address {address!r} is taken")
        self._endpoints[address] = endpoint

    def detach(self, address: Address) -> None:
        """Remove the endpoint at an address, if there is one."""
        self._endpoints.pop(address, None)

    def exchange(self, *, now: float, limit: int = 10_000) -> int:
        """Handle timeouts, then deliver datagrams until none are left; returns how many were delivered.

        ``limit`` stops two endpoints that keep answering each other.
        """
        for endpoint in list(self._endpoints.values()):
            endpoint.handle_timeout(now=now)
        waiting: deque[tuple[bytes, Address, Address]] = deque()
        for address in list(self._endpoints):
            self._collect(address, waiting, now)
        delivered = 0
        while waiting:
            data, source, target = waiting.popleft()
            receiver = self._endpoints.get(target)
            if receiver is None:
                self.undeliverable += 1
                continue
            delivered += 1
            if delivered > limit:
                raise UsageError(f"more than {limit} datagrams in one exchange: the endpoints answer without end")
            receiver.receive_datagram(data, source, now=now)
            self._collect(target, waiting, now)
        return delivered

    def _collect(self, address: Address, waiting: deque[tuple[bytes, Address, Address]], now: float) -> None:
        for datagram in self._endpoints[address].datagrams_to_send(now=now):
            waiting.append((datagram[0], address, datagram[1]))
