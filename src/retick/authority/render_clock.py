"""The moment in the past at which a client draws what it does not predict."""

# retick: floats -- drawing; nothing is simulated from it

from typing import Final

__all__ = ["RenderClock"]

CORRECTION_RATE: Final = 2.0
"""Part of its error that the drawn tick corrects, for each second that passes."""
JUMP_TICKS: Final = 12.0
"""Ticks of error above which the drawn tick jumps to its target."""


class RenderClock:
    """The tick that is drawn. It runs evenly and moves slowly towards its target, which jumps with every snapshot."""

    __slots__ = ("_drawn_at", "_rate", "at")

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self.at: float | None = None
        """The tick that was drawn last, with its fraction; None before."""
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
