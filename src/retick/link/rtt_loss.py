"""Round-trip time, its variation, and loss in one direction (a compiled kernel).

The round-trip time is smoothed as TCP does it: a new sample moves the mean by an eighth of the difference, and the
variation by a quarter. Loss is counted over intervals of at least 16 datagrams, and smoothed over the last few of them.
"""

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if not cython.compiled:
    LOSS_INTERVAL = 16

__all__ = ["LossMeter", "RoundTrip"]


@cython.final
@cython.cclass
class RoundTrip:
    """All times in seconds. Before the first sample the mean is 0 and ``samples`` is 0."""

    if not cython.compiled:
        mean: float
        variation: float
        latest: float
        least: float
        samples: int

    def __init__(self) -> None:
        self.samples = 0
        self.mean = 0.0
        self.variation = 0.0
        self.latest = 0.0
        self.least = 0.0

    def add(self, sample: cython.double) -> cython.void:
        if sample < 0.0:
            sample = 0.0
        self.latest = sample
        if self.samples:
            off: cython.double = sample - self.mean
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
        """Seconds to wait for an answer before sending again; 0.5 before the first sample, never below 0.05."""
        if not self.samples:
            return 0.5
        wait: cython.double = self.mean + 4.0 * self.variation
        return wait if wait > 0.05 else 0.05


@cython.final
@cython.cclass
class LossMeter:
    """Loss in one direction, from two totals: datagrams sent, and datagrams that arrived."""

    if not cython.compiled:
        rate: float
        sampled: bool
        _sent: int
        _arrived: int

    def __init__(self) -> None:
        self._sent = 0
        self._arrived = 0
        self.rate = 0.0
        """Smoothed loss, 0 to 1."""
        self.sampled = False

    def update(self, sent: cython.longlong, arrived: cython.longlong) -> cython.void:
        """Give the totals so far. An interval that is too short waits for the next call."""
        expected: cython.longlong = sent - self._sent
        if expected < LOSS_INTERVAL:
            return
        # The quotient of two C integers would be whole, so one of them is made a double.
        since: cython.double = arrived - self._arrived
        loss: cython.double = 1.0 - since / expected
        loss = min(max(loss, 0.0), 1.0)
        self.rate = self.rate + (loss - self.rate) * 0.25 if self.sampled else loss
        self.sampled = True
        self._sent = sent
        self._arrived = arrived
