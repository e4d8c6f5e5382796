"""A client's estimate of the server's tick."""

# retick: floats -- seconds of the network; no simulation reads them

__all__ = ["TickClock"]


class TickClock:
    """One known pair of tick and time, carried forward by the tick rate."""

    __slots__ = ("_known", "_rate", "_tick", "_time")

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self._tick = 0
        self._time = 0
        self._known = False

    def estimate(self, now: float) -> int:
        """The server's tick now, to the nearest."""
        passed = max(0, round(now * 1e6) - self._time)
        return max(0, self._tick + (passed * self._rate + 500_000) // 1_000_000)

    def precise(self, now: float) -> float:
        """The server's tick now with its fraction, for drawing."""
        return self._tick + max(0.0, now * 1e6 - self._time) * self._rate / 1e6

    def force(self, tick: int, now: float) -> None:
        """Set the clock: the server is at ``tick`` now."""
        self._tick, self._time, self._known = tick, round(now * 1e6), True

    def observe(self, tick: int, now: float) -> None:
        """A packet says that the server is at ``tick``: move one tick towards it. The first one sets the clock."""
        if not self._known:
            self.force(tick, now)
            return
        guess = self.estimate(now)
        self.force(guess + max(-1, min(1, tick - guess)), now)
