"""Programs that play over sockets wait for the clock: their tests leave the processor to others meanwhile."""

import time

__all__ = ["wait"]


def wait() -> None:
    """Sleep for a small part of a frame, once in each turn of a loop."""
    time.sleep(0.002)
