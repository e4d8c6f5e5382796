"""Two link endpoints on a network of virtual time, and what the tests ask about them."""

import random
from collections.abc import Callable, Iterator
from enum import Enum
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any

from retick.link import Accept, Connected, Connection, LinkConfig, LinkEndpoint, Refuse, ReliableReceived, Request
from retick.link.layout import CONTROL_DELAY_NONE, HELLO
from retick.link.packets import Fragment, Report, encode_fragment, encode_report
from retick.transport import Conditions, SimulatedNetwork

__all__ = [
    "NONCE",
    "Pair",
    "Tapped",
    "captured_hello",
    "chat",
    "connected",
    "fingerprint",
    "forged",
    "fragment",
    "make_endpoint",
    "received",
    "total",
]

NONCE = bytes(range(8))


def make_endpoint(
    seed: int, *, admit: Callable[[Request], Accept | Refuse] | None = None, **config: Any
) -> LinkEndpoint:
    return LinkEndpoint(LinkConfig(**config), entropy=random.Random(seed).randbytes, admit=admit)


class Tapped:
    """Between an endpoint and its driver: notes what leaves, and can be told to lose it."""

    def __init__(self, endpoint: LinkEndpoint) -> None:
        self.endpoint = endpoint
        self.sent: list[bytes] = []
        self.lose: Callable[[bytes], bool] = lambda data: False
        self.receive_datagram = endpoint.receive_datagram
        self.next_timeout = endpoint.next_timeout
        self.handle_timeout = endpoint.handle_timeout
        self.events = endpoint.events

    def datagrams_to_send(self, *, now: float) -> list[tuple[bytes, Any]]:
        out = self.endpoint.datagrams_to_send(now=now)
        self.sent += [data for data, _ in out]
        return [(data, address) for data, address in out if not self.lose(data)]


class Pair:
    """A host that accepts and a guest that dials it."""

    def __init__(
        self,
        *,
        conditions: Conditions | None = None,
        seed: int = 1,
        admit: Callable[[Request], Accept | Refuse] | None = None,
        host_config: dict[str, Any] | None = None,
        **config: Any,
    ) -> None:
        self.network = SimulatedNetwork(seed=seed, conditions=conditions)
        self.host = make_endpoint(2 * seed, admit=admit, **{**config, **(host_config or {})})
        self.guest = make_endpoint(2 * seed + 1, **config)
        self.host_tap, self.guest_tap = Tapped(self.host), Tapped(self.guest)
        self.gone: set[str] = set()
        self.host_events: list[Any] = []
        self.guest_events: list[Any] = []
        self.network.attach("host", self.host_tap, on_events=self.host_events.extend)
        self.network.attach("guest", self.guest_tap, on_events=self.guest_events.extend)

    def dial(self, **kwargs: Any) -> Connection:
        connection = self.guest.dial("host", **kwargs)
        self.network.flush("guest")
        return connection

    def connect(self, **kwargs: Any) -> tuple[Connection, Connection]:
        """The guest's and the host's connection, after their first reports."""
        mine = self.dial(**kwargs)
        assert self.network.run_while(
            lambda: not mine.is_connected or not any(isinstance(e, Connected) for e in self.host_events), limit=20.0
        )
        self.run(0.3)
        return mine, next(e.connection for e in self.host_events if isinstance(e, Connected))

    def run(self, seconds: float) -> None:
        self.network.run(until=self.network.now + seconds)

    def flush(self) -> None:
        for address in ("guest", "host"):
            if address not in self.gone:
                self.network.flush(address)

    def crash(self, address: str) -> None:
        self.gone.add(address)
        self.network.detach(address)

    @staticmethod
    def of(events: list[Any], kind: type) -> list[Any]:
        return [event for event in events if isinstance(event, kind)]


def connected(**config: Any) -> tuple[Pair, Connection]:
    """Two connected ends with a message on its way in each direction, and the host's connection."""
    pair = Pair(conditions=Conditions(latency=0.01), **config)
    mine, theirs = pair.connect()
    mine.send_reliable(b"pending")
    theirs.send_reliable(b"pending")
    return pair, theirs


def chat(pair: Pair, mine: Connection, theirs: Connection, seconds: float, size: int = 35) -> None:
    """Both send a payload sixty times a second."""

    def tick(connection: Connection, address: str) -> None:
        connection.send_unreliable(bytes(size))
        pair.network.flush(address)

    until = pair.network.now + seconds
    while pair.network.now < until:
        tick(mine, "guest")
        pair.run(1 / 120)
        tick(theirs, "host")
        pair.run(1 / 120)


def received(pair: Pair) -> list[bytes]:
    """The reliable messages that the host received."""
    return [event.data for event in pair.host_events if isinstance(event, ReliableReceived)]


def captured_hello(pair: Pair) -> bytes:
    return next(data for data in pair.guest_tap.sent if data[0] == HELLO)


def fragment(number: int, marks: int, data: bytes) -> bytes:
    return encode_fragment(Fragment(number, marks, data))


def forged(connection: Connection, sequence: int, body: bytes, next_fragment: int = 0, acked: int = 0) -> bytes:
    """CONTROL to that connection, as its peer would write it."""
    report = Report(CONTROL_DELAY_NONE, acked, 0, next_fragment, 0)
    return encode_report(connection.local_id, sequence, report) + body


def total(endpoint: LinkEndpoint) -> int:
    """Datagrams dropped, for all reasons together."""
    return sum(endpoint.dropped.values())


_NOT_STATE = {
    "_endpoint",
    "_connection",
    "dropped",
    "_jar",
    "_admit",
    "config",
    "_entropy",
    "_now",
    "_readers",
    # Found anew from the rest when needed.
    "_latest",
    "_due",
    "_due_at",
    "_is_due_known",
    "stats",
}


def fingerprint(thing: Any, depth: int = 0) -> Any:
    """Everything that an endpoint remembers, as plain values, without the counters of dropped datagrams."""
    if isinstance(thing, dict):
        return {str(key): fingerprint(value, depth + 1) for key, value in thing.items()}
    if isinstance(thing, list | tuple):
        return [fingerprint(value, depth + 1) for value in thing]
    if type(thing).__module__.startswith("retick") and not isinstance(thing, Enum) and depth < 8:
        names = sorted({*_fields(type(thing)), *getattr(thing, "__dict__", ())} - _NOT_STATE)
        return {n: fingerprint(getattr(thing, n), depth + 1) for n in names}
    return repr(thing)


def _fields(kind: type) -> Iterator[str]:
    """Slots, and what an extension type shows of its C fields."""
    for base in kind.__mro__[:-1]:
        for name, value in vars(base).items():
            if isinstance(value, GetSetDescriptorType | MemberDescriptorType) and not name.startswith("__"):
                yield name
