"""Bad network conditions on a real socket: an endpoint around an endpoint that delays, drops and duplicates datagrams.

It is an endpoint itself, so any driver can drive it: delayed datagrams show in its next timeout.
"""

from heapq import heappop, heappush
from itertools import count
from typing import Any

from retick.transport.conditions import Conditions, Path
from retick.transport.endpoint import Address, Closes, Datagram, Endpoint

__all__ = ["Impaired"]


class Impaired:
    """``endpoint`` behind a bad link. Each direction has its own random generator, both from ``seed``."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        outgoing: Conditions | None = None,
        incoming: Conditions | None = None,
        seed: int = 0,
    ) -> None:
        self.endpoint = endpoint
        self.outgoing = Path(outgoing or Conditions(), 2 * seed)
        self.incoming = Path(incoming or Conditions(), 2 * seed + 1)
        self._leaving: list[tuple[float, int, Datagram]] = []
        self._arriving: list[tuple[float, int, bytes, Address]] = []
        self._order = count()
        self._begun = False

    def receive_datagram(self, data: bytes, address: Address, *, now: float) -> None:
        self._begin(now)
        for time in self.incoming.arrivals(len(data), now):
            heappush(self._arriving, (time, next(self._order), data, address))
        self._deliver(now)

    def datagrams_to_send(self, *, now: float) -> list[Datagram]:
        self._begin(now)
        for datagram in self.endpoint.datagrams_to_send(now=now):
            for time in self.outgoing.arrivals(len(datagram[0]), now):
                heappush(self._leaving, (time, next(self._order), datagram))
        due: list[Datagram] = []
        while self._leaving and self._leaving[0][0] <= now:
            due.append(heappop(self._leaving)[2])
        return due

    def next_timeout(self) -> float | None:
        times = [self._leaving[0][0]] if self._leaving else []
        if self._arriving:
            times.append(self._arriving[0][0])
        inner = self.endpoint.next_timeout()
        if inner is not None:
            times.append(inner)
        return min(times, default=None)

    def handle_timeout(self, *, now: float) -> None:
        self._begin(now)
        self._deliver(now)
        self.endpoint.handle_timeout(now=now)

    def events(self) -> list[Any]:
        return self.endpoint.events()

    def close(self) -> None:
        if isinstance(self.endpoint, Closes):
            self.endpoint.close()

    def _begin(self, now: float) -> None:
        """A real clock starts at any time, so cuts count from the first call."""
        if not self._begun:
            self._begun = True
            self.outgoing.start = self.incoming.start = now

    def _deliver(self, now: float) -> None:
        while self._arriving and self._arriving[0][0] <= now:
            _, _, data, address = heappop(self._arriving)
            self.endpoint.receive_datagram(data, address, now=now)
