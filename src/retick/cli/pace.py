"""Keeps a loop at a fixed number of frames per second, without drift."""

import time
from collections.abc import Callable


class LoopPace:
    """Call ``wait`` once per frame. It sleeps until the frame is due and returns whether there is time to draw.

    Frames are due at fixed times from the start, so the loop catches up after a slow frame. After a stall of more than
    a quarter of a second (a suspended process, say) it starts over instead.
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
