"""Keeps a loop at so many frames a second, by the clock and without drift."""

import time
from collections.abc import Callable

__all__ = ["Pace"]


class Pace:
    """Call ``wait`` once a frame. It sleeps until the frame is due and tells whether there is time to draw.

    Frames are due at fixed distances from the start, so that a slow one is caught up with; after a stall of
    more than a quarter of a second (a suspended process, say) the start moves instead.
    """

    def __init__(
        self,
        rate: int,
        *,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._interval = 1 / rate
        self._clock = clock
        self._sleep = sleep
        self._due = clock()

    def wait(self) -> bool:
        """Sleep until the next frame is due; False when it was due already."""
        self._due += self._interval
        left = self._due - self._clock()
        if left > 0:
            self._sleep(left)
            return True
        if left < -0.25:
            self._due = self._clock()
        return False
