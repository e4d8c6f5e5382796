"""Long work in short steps. Work is a generator: whoever drives it decides after every step whether to go on."""

import asyncio
import time
from collections.abc import Callable, Iterator

__all__ = ["SLICE", "Steps", "drive"]

SLICE = 0.006
"""Seconds of work before others get their turn."""

Steps = Iterator[None]


async def drive(steps: Steps, stop: Callable[[], bool]) -> bool:
    """Whether the steps came to their end; ``stop`` is asked after each slice."""
    until = time.perf_counter() + SLICE
    for _ in steps:
        if time.perf_counter() >= until:
            await asyncio.sleep(0)
            if stop():
                return False
            until = time.perf_counter() + SLICE
    return True
