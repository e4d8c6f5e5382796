"""Messages that wait for a page: those that must arrive in order, and moments, of which only the newest is kept."""

import asyncio
from collections import deque
from collections.abc import Callable

__all__ = ["LONGEST_QUEUE", "Outbox"]

LONGEST_QUEUE = 256
"""Messages that must arrive and may wait for a slow page."""


class Outbox:
    """Bounded by the queue and by the number of keys of moments."""

    __slots__ = ("_filled", "_moments", "_queue", "overflowed")

    def __init__(self) -> None:
        self._queue: deque[str | bytes] = deque()
        self._moments: dict[str, str | bytes | Callable[[], str | bytes]] = {}
        self._filled = asyncio.Event()
        self.overflowed = False
        """The page let the queue overflow: it is to be disconnected."""

    def post(self, message: str | bytes) -> None:
        """Queue a message that must arrive."""
        if len(self._queue) >= LONGEST_QUEUE:
            self.overflowed = True
            return
        self._queue.append(message)
        self._filled.set()

    def show(self, key: str, message: str | bytes | Callable[[], str | bytes]) -> None:
        """Keep a moment until it is sent, or a newer one with its key comes. A function makes it when it is sent."""
        self._moments[key] = message
        self._filled.set()

    def clear(self) -> None:
        """Forget what waits: its page has gone."""
        self._queue.clear()
        self._moments.clear()
        self._filled.clear()
        self.overflowed = False

    async def next(self) -> str | bytes:
        """Wait for the next message."""
        while True:
            if self._queue:
                return self._queue.popleft()
            if self._moments:
                moment = self._moments.pop(next(iter(self._moments)))
                return moment() if callable(moment) else moment
            self._filled.clear()
            await self._filled.wait()
