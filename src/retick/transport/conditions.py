"""The network conditions of one direction of a link, and the random draws that apply them to each datagram.

A :class:`DelayedPath` answers one question: if this many bytes are sent now, when do they arrive? No time means lost,
two times a duplicate. It holds no datagrams, so the same path works on virtual time and on a real socket.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from random import Random
from typing import Any, Self

from retick.errors import UsageError
from retick.transport.endpoint import Address, Closes, Datagram, Endpoint

__all__ = [
    "BAD_LINK",
    "HEADERS",
    "Conditions",
    "DelayedPath",
    "Impaired",
]


HEADERS = 28
"""Bytes of IPv4 and UDP headers, which count towards a bandwidth limit."""

LONGEST_DELAY = 10.0
"""The most seconds of latency, jitter or reordering; more is a mistake of units."""
BAD_LINK = "120ms,10ms,5%"
"""A bad mobile network, as :meth:`Conditions.from_text` reads it: round trip, jitter, loss."""
_NUMBER = r"([0-9]{1,6}(?:\.[0-9]{1,6})?)"
_TEXT = re.compile(rf"{_NUMBER}ms(?:,{_NUMBER}ms(?:,{_NUMBER}%)?)?")
_CHANCES = ("loss", "burst_enter", "burst_leave", "burst_loss", "duplicate", "reorder")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """The conditions of one direction of a link; the default is a perfect link."""

    latency: float = 0.0
    """Seconds of delay, one way."""
    jitter: float = 0.0
    """Seconds: the delay is latency plus a uniform draw from -jitter to +jitter, at least 0."""
    in_order: bool = False
    """Whether datagrams arrive in the order in which they were sent, despite jitter."""
    loss: float = 0.0
    """The chance that a datagram is lost, drawn for each one independently."""
    burst_enter: float = 0.0
    """The chance, at each datagram, that a burst of loss begins."""
    burst_leave: float = 0.2
    """The chance, at each datagram, that the burst ends: 0.2 gives bursts of 5 datagrams on average."""
    burst_loss: float = 1.0
    """The chance that a datagram within a burst is lost."""
    duplicate: float = 0.0
    """The chance that a second copy arrives, with its own delay."""
    reorder: float = 0.0
    """The chance that a datagram is delayed by ``reorder_delay``, so that later ones overtake it."""
    reorder_delay: float = 0.02
    """Seconds by which a reordered datagram is delayed."""
    bandwidth: float = 0.0
    """Bytes a second, 28 bytes of headers per datagram included; 0 is no limit."""
    queue: int = 65536
    """Bytes that may wait for bandwidth; more are dropped."""
    cuts: tuple[tuple[float, float], ...] = ()
    """Pairs (from, to) between which everything sent is lost, in seconds of virtual time or since the first use."""

    def __post_init__(self) -> None:
        for name in _CHANCES:
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise UsageError(f"{name} is a chance from 0 to 1, not {getattr(self, name)}")
        for name in ("latency", "jitter", "reorder_delay", "bandwidth", "queue"):
            if not getattr(self, name) >= 0:
                raise UsageError(f"{name} is 0 or more, not {getattr(self, name)}")
        for name in ("latency", "jitter", "reorder_delay"):
            if getattr(self, name) > LONGEST_DELAY:
                raise UsageError(
                    f"{name} is in seconds, at most {LONGEST_DELAY:g}: {getattr(self, name)} of them is no network; "
                    f"for milliseconds write {getattr(self, name) / 1000:g}"
                )

    @classmethod
    def round_trip(cls, seconds: float, *, jitter: float = 0.0, loss: float = 0.0) -> Self:
        """Split a round-trip time evenly over both directions; jitter and loss apply to each direction."""
        return cls(latency=seconds / 2, jitter=jitter, loss=loss)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read ``120ms,10ms,5%``: round trip, jitter and loss, as people write them; the last two are optional."""
        found = _TEXT.fullmatch(text.replace(" ", ""))
        if found is None:
            raise UsageError(f"a link is round trip, jitter and loss, such as 120ms,10ms,5%, and not {text!r}")
        trip, jitter, loss = (float(number or 0) for number in found.groups())
        return cls.round_trip(trip / 1000, jitter=jitter / 1000, loss=loss / 100)


class DelayedPath:
    """The random generator and the queue of one direction. Calls must be in order of time."""

    __slots__ = (
        "_bursting",
        "_free_at",
        "_last_arrival",
        "_random",
        "bytes_sent",
        "conditions",
        "cut_until",
        "duplicated",
        "lost",
        "queue_dropped",
        "reordered",
        "sent",
        "start",
    )

    def __init__(self, conditions: Conditions, seed: int) -> None:
        self.conditions = conditions
        """The conditions, which may be replaced at any time."""
        self._random = Random(seed).random
        self._bursting = False
        self._free_at = 0.0
        self._last_arrival = 0.0
        self.start = 0.0
        """The time from which the seconds of ``cuts`` count."""
        self.cut_until = 0.0
        """Everything sent before this time is lost."""
        self.sent = 0
        self.bytes_sent = 0
        self.lost = 0
        """How many datagrams were lost by chance, in bursts and in cuts."""
        self.queue_dropped = 0
        """How many datagrams were dropped because the queue was full."""
        self.duplicated = 0
        self.reordered = 0

    def arrivals(self, size: int, now: float) -> Sequence[float]:
        """When the copies of a datagram of ``size`` bytes arrive: none, one or two times."""
        conditions = self.conditions
        self.sent += 1
        self.bytes_sent += size
        if self._is_lost(conditions, now):
            self.lost += 1
            return ()
        departure = now
        if conditions.bandwidth:
            waiting = max(self._free_at, now)
            if (waiting - now) * conditions.bandwidth + size + HEADERS > conditions.queue:
                self.queue_dropped += 1
                return ()
            departure = self._free_at = waiting + (size + HEADERS) / conditions.bandwidth
        first = self._arrival(conditions, departure)
        if conditions.duplicate and self._random() < conditions.duplicate:
            self.duplicated += 1
            return (first, self._arrival(conditions, departure))
        return (first,)

    def _is_lost(self, conditions: Conditions, now: float) -> bool:
        if now < self.cut_until:
            return True
        for start, end in conditions.cuts:
            if start <= now - self.start < end:
                return True
        if conditions.burst_enter or self._bursting:
            if self._bursting:
                self._bursting = self._random() >= conditions.burst_leave
            else:
                self._bursting = self._random() < conditions.burst_enter
            if self._bursting and self._random() < conditions.burst_loss:
                return True
        return conditions.loss > 0.0 and self._random() < conditions.loss

    def _arrival(self, conditions: Conditions, departure: float) -> float:
        delay = conditions.latency
        if conditions.jitter:
            delay += conditions.jitter * (2.0 * self._random() - 1.0)
            if delay < 0.0:
                delay = 0.0
        arrival = departure + delay
        if conditions.in_order:
            self._last_arrival = arrival = max(arrival, self._last_arrival)
        if conditions.reorder and self._random() < conditions.reorder:
            self.reordered += 1
            arrival += conditions.reorder_delay
        return arrival


# Bad network conditions on a real socket: wraps an endpoint, and delays, drops and duplicates its datagrams.
#
# The wrapper is an endpoint itself, so any driver can drive it: delayed datagrams show in its next timeout.


class Impaired:
    """Puts ``endpoint`` behind a bad link. Each direction has its own random generator, both from ``seed``."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        outgoing: Conditions | None = None,
        incoming: Conditions | None = None,
        seed: int = 0,
    ) -> None:
        self.endpoint = endpoint
        self.outgoing = DelayedPath(outgoing or Conditions(), 2 * seed)
        self.incoming = DelayedPath(incoming or Conditions(), 2 * seed + 1)
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
        """Start the paths at the first call: a real clock may show any time, and cuts count from here."""
        if not self._begun:
            self._begun = True
            self.outgoing.start = self.incoming.start = now

    def _deliver(self, now: float) -> None:
        while self._arriving and self._arriving[0][0] <= now:
            _, _, data, address = heappop(self._arriving)
            self.endpoint.receive_datagram(data, address, now=now)
