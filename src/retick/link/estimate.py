"""What the way is like: round trip, its variation, and loss in each direction.

The round trip is smoothed as TCP does it: a new sample moves the mean by an eighth and the variation by a quarter of
how far it is off. Loss is counted over stretches of at least 16 datagrams, and smoothed over the last few of them.
"""

__all__ = ["LossMeter", "RoundTrip"]


class RoundTrip:
    """Seconds throughout. Before the first sample the mean is 0 and ``samples`` is 0."""

    __slots__ = ("latest", "least", "mean", "samples", "variation")

    def __init__(self) -> None:
        self.samples = 0
        self.mean = 0.0
        self.variation = 0.0
        self.latest = 0.0
        self.least = 0.0

    def add(self, sample: float) -> None:
        if sample < 0.0:
            sample = 0.0
        self.latest = sample
        if self.samples:
            off = sample - self.mean
            self.mean += off * 0.125
            self.variation += ((off if off >= 0.0 else -off) - self.variation) * 0.25
            if sample < self.least:
                self.least = sample
        else:
            self.mean = self.least = sample
            self.variation = sample / 2
        self.samples += 1

    @property
    def retransmit_after(self) -> float:
        """How long an answer may take before it is missing."""
        if not self.samples:
            return 0.5
        return max(0.05, self.mean + 4.0 * self.variation)


class LossMeter:
    """Loss in one direction, from two running totals: what was sent, and what arrived of it."""

    __slots__ = ("_arrived", "_sent", "rate", "sampled")

    STRETCH = 16

    def __init__(self) -> None:
        self._sent = 0
        self._arrived = 0
        self.rate = 0.0
        """0 to 1."""
        self.sampled = False

    def update(self, sent: int, arrived: int) -> None:
        """Totals so far. A stretch that is too short waits for the next call."""
        expected = sent - self._sent
        if expected < self.STRETCH:
            return
        loss = 1.0 - (arrived - self._arrived) / expected
        loss = min(max(loss, 0.0), 1.0)
        self.rate = self.rate + (loss - self.rate) * 0.25 if self.sampled else loss
        self.sampled = True
        self._sent = sent
        self._arrived = arrived
