"""How much a client may send: what it sends beyond its credit is not read, so that a flood costs others nothing."""

__all__ = ["Credit"]


class Credit:
    """Grows with every tick up to a burst; each packet takes one."""

    __slots__ = ("_burst", "_left", "_per_tick")

    # retick: allow float -- a rate of packets; nothing is simulated from it
    def __init__(self, burst: float, per_tick: float) -> None:
        self._burst = max(1.0, burst)
        self._per_tick = per_tick
        self._left = self._burst

    def earn(self, ticks: int = 1) -> None:
        """More ticks have passed."""
        self._left = min(self._burst, self._left + ticks * self._per_tick)

    def grant(self) -> bool:
        """Whether there is credit for a packet; if so, it is spent."""
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True
