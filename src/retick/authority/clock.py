"""Time at both ends: the client's idea of the server's tick, round trips, and the delay that follows from them."""

# retick: floats -- milliseconds and seconds of the network; no simulation reads them

from math import ceil
from typing import Final

__all__ = ["DelayControl", "Pings", "RoundTrip", "TickClock", "ms_to_ticks", "wanted_delay"]

EWMA: Final = 0.2
DEFAULT_RTT_MS: Final = 100.0
SAFETY_MS: Final = 20.0
MIN_DELAY_TICKS: Final = 2
MAX_DELAY_TICKS: Final = 10
DELAY_INTERVAL: Final = 0.25
HELD_UP: Final = 2.0
PING_INTERVAL: Final = 0.5
MAX_PINGS: Final = 128
SAFETY_TICKS: Final = 2
"""Ticks that a client stamps ahead beyond the delay."""


def ms_to_ticks(milliseconds: float, rate: int) -> int:
    """Whole ticks that cover a time; the slack keeps binary noise from adding one."""
    return ceil(milliseconds * rate / 1000 - 1e-6)


class Pings:
    """Pings under way at one end, two a second; the clock on the wire is in whole milliseconds."""

    __slots__ = ("_due_at", "_sent", "_seq")

    def __init__(self, first_at: float) -> None:
        self._due_at = first_at
        self._seq = 0
        self._sent: dict[int, int] = {}

    def due(self, now: float) -> tuple[int, int] | None:
        """Number and clock of the ping to send now, if one is due."""
        if now < self._due_at:
            return None
        self._due_at = now + PING_INTERVAL
        self._seq = self._seq % 0xFFFF + 1
        clock_ms = int(now * 1000) & 0xFFFFFFFF
        self._sent[self._seq] = clock_ms
        if len(self._sent) > MAX_PINGS:
            del self._sent[next(iter(self._sent))]
        return self._seq, clock_ms

    def answered(self, seq: int, now: float) -> float | None:
        """Milliseconds that a ping took there and back; None for one that was not sent, or is answered already."""
        sent = self._sent.pop(seq, None)
        return None if sent is None else float((int(now * 1000) - sent) & 0xFFFFFFFF)


class TickClock:
    """The server's tick at a client: one known pair of tick and time, and the tick rate."""

    __slots__ = ("_known", "_rate", "_tick", "_time")

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self._tick = 0
        self._time = 0
        self._known = False

    def estimate(self, now: float) -> int:
        passed = max(0, round(now * 1e6) - self._time)
        return max(0, self._tick + (passed * self._rate + 500_000) // 1_000_000)

    def precise(self, now: float) -> float:
        """The same with its fraction, for pictures."""
        return self._tick + max(0.0, now * 1e6 - self._time) * self._rate / 1e6

    def force(self, tick: int, now: float) -> None:
        self._tick, self._time, self._known = tick, round(now * 1e6), True

    def observe(self, tick: int, now: float) -> None:
        """The server is said to be at ``tick``: move towards it by one tick at most, unless nothing is known yet."""
        if not self._known:
            self.force(tick, now)
            return
        guess = self.estimate(now)
        self.force(guess + max(-1, min(1, tick - guess)), now)


class RoundTrip:
    """Smoothed round trip and jitter in milliseconds, as the protocol defines them."""

    __slots__ = ("jitter_ms", "rtt_ms")

    def __init__(self, initial_ms: float = 0.0) -> None:
        self.rtt_ms = initial_ms
        self.jitter_ms = 0.0

    def add(self, sample_ms: float, link_ms: float = 0.0) -> bool:
        """Take a sample. One that the link held up to send something again says nothing of the path: False, left out.

        ``link_ms`` is the link's own estimate, which no repetition touches; 0 when there is none.
        """
        if link_ms and sample_ms > HELD_UP * link_ms + SAFETY_MS:
            return False
        if self.rtt_ms <= 0:
            self.rtt_ms = sample_ms
            return True
        self.jitter_ms += (abs(sample_ms - self.rtt_ms) - self.jitter_ms) * EWMA
        self.rtt_ms += (sample_ms - self.rtt_ms) * EWMA
        return True


def wanted_delay(rtt_ms: float, jitter_ms: float, rate: int) -> int:
    """Ticks ahead that a client should stamp its commands."""
    rtt = rtt_ms if rtt_ms > 0.01 else DEFAULT_RTT_MS
    return max(MIN_DELAY_TICKS, min(MAX_DELAY_TICKS, ms_to_ticks(rtt / 2 + SAFETY_MS + jitter_ms, rate)))


class DelayControl:
    """A server's input delay for one player: one step towards what is wanted, four times a second at most."""

    __slots__ = ("_grace_until", "next_at", "ticks")

    def __init__(self, ticks: int, now: float, grace: float) -> None:
        self.ticks = max(MIN_DELAY_TICKS, min(MAX_DELAY_TICKS, ticks))
        self.next_at = now + DELAY_INTERVAL
        """When it may move again."""
        self._grace_until = now + grace

    def update(self, wanted: int, now: float) -> bool:
        """True when the delay changed; it does not fall while a player has only just joined."""
        if now < self.next_at or wanted == self.ticks:
            return False
        if wanted < self.ticks and now < self._grace_until:
            return False
        self.next_at = now + DELAY_INTERVAL
        self.ticks += 1 if wanted > self.ticks else -1
        return True
