"""Time as both ends measure it: milliseconds as ticks, pings under way, and the round trip that they show."""

from math import ceil
from typing import Final

# retick: floats -- milliseconds and seconds of the network; no simulation reads them


EWMA: Final = 0.2
"""Weight of a new sample in the smoothed round trip and jitter."""
SAFETY_MS: Final = 20.0
"""Milliseconds added to half the round trip when the input delay is chosen."""
MAX_DELAY_TICKS: Final = 10
"""The largest input delay, in ticks."""
SAFETY_TICKS: Final = 2
"""How many ticks beyond the input delay a client stamps its commands ahead."""
RESENT: Final = 2.0
"""A sample above this multiple of the link's own round trip was sent again on its way."""
PING_INTERVAL: Final = 0.5
"""Seconds between pings."""
MAX_PINGS: Final = 128
"""How many unanswered pings are remembered."""


def ms_to_ticks(milliseconds: float, rate: int) -> int:
    """Whole ticks that cover a time; the slack absorbs an error in the last bit."""
    return ceil(milliseconds * rate / 1000 - 1e-6)


class Pings:
    """Pings under way at one end, two a second. The clock in a ping counts whole milliseconds."""

    __slots__ = ("_due_at", "_sent", "_seq")

    def __init__(self, first_at: float) -> None:
        self._due_at = first_at
        self._seq = 0
        self._sent: dict[int, int] = {}

    def due(self, now: float) -> tuple[int, int] | None:
        """Sequence number and clock of the ping to send now; None if none is due."""
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
        """The round trip of a ping in milliseconds; None if it was never sent, or answered before."""
        sent = self._sent.pop(seq, None)
        return None if sent is None else float((int(now * 1000) - sent) & 0xFFFFFFFF)


class PingRoundTrip:
    """Smoothed round trip and jitter in milliseconds, as the NetRunner protocol defines them."""

    __slots__ = ("jitter_ms", "rtt_ms")

    def __init__(self, initial_ms: float = 0.0) -> None:
        self.rtt_ms = initial_ms
        self.jitter_ms = 0.0

    def add(self, sample_ms: float, link_ms: float = 0.0) -> bool:
        """Add a sample. Returns False, and changes nothing, if the link had to resend it: it does not show the path.

        ``link_ms`` is the link's own estimate, which resending does not distort; 0 when there is none.
        """
        if link_ms and sample_ms > RESENT * link_ms + SAFETY_MS:
            return False
        if self.rtt_ms <= 0:
            self.rtt_ms = sample_ms
            return True
        self.jitter_ms += (abs(sample_ms - self.rtt_ms) - self.jitter_ms) * EWMA
        self.rtt_ms += (sample_ms - self.rtt_ms) * EWMA
        return True


# The past moment at which a client draws what it does not predict.

# retick: floats -- drawing; nothing is simulated from it


CORRECTION_RATE: Final = 2.0
"""The share of its error that the drawn tick corrects per second."""
JUMP_TICKS: Final = 12.0
"""The error, in ticks, above which the drawn tick jumps to its target."""


class RenderClock:
    """The tick that is drawn. It runs evenly and moves slowly towards its target, which jumps with every snapshot."""

    __slots__ = ("_drawn_at", "_rate", "at")

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self.at: float | None = None
        """The tick drawn last, with its fraction; None before the first."""
        self._drawn_at = 0.0

    def advance(self, target: float, now: float) -> float:
        """The tick to draw now; ``target`` is the estimated server tick minus the interpolation delay."""
        passed = max(0.0, now - self._drawn_at)
        self._drawn_at = now
        if self.at is None:
            self.at = target
            return target
        self.at += passed * self._rate
        error = target - self.at
        self.at += error if abs(error) > JUMP_TICKS else error * min(1.0, passed * CORRECTION_RATE)
        return self.at
