"""Runs one server on one socket in the running loop: the whole of ``retick serve`` without workers, or one worker."""

import asyncio
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from math import inf
from typing import Any

from retick.authority import ServerDrained
from retick.cli.serve.event_log import EventLog
from retick.transport.pump import Pump
from retick.transport.udp import UdpSocket

__all__ = ["GOODBYE", "Hosting", "on_sigterm", "rooms_in_words"]

DRAIN = 1024
"""Datagrams read between two ticks at most: what all players of 64 rooms send in one tick."""
GOODBYE = 0.3
"""Seconds for the goodbyes to leave."""
LOOK_EVERY = 5.0
"""Seconds between two looks at how long ticks took."""


class Hosting:
    """A server that runs, until it has drained or somebody stops it. Made within the loop."""

    def __init__(self, server: Any, socket: UdpSocket, log: EventLog) -> None:
        self.server = server
        self._log = log
        self._over = asyncio.Event()
        self._pump = Pump(server, socket, on_events=self._report, drain=DRAIN)

    def _report(self, events: list[Any]) -> None:
        self._log.write(events)
        if any(isinstance(event, ServerDrained) for event in events):
            self._over.set()

    async def start(self) -> None:
        await self._pump.start()

    def drain(self, within: float) -> None:
        """No new players; rooms end within so many seconds."""
        self._log.note("draining", f"draining: no new players, rooms end within {within:g} s", within=within)
        self.server.drain("the server stops", within=within)
        self._pump.wake()

    def stop(self) -> None:
        """End at once."""
        self._over.set()

    async def wait(self, seconds: float | None = None) -> None:
        """Until the server has drained or is stopped, or the seconds are over."""
        end = inf if seconds is None else time.monotonic() + seconds
        while not self._over.is_set() and (left := end - time.monotonic()) > 0:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), min(left, LOOK_EVERY))
            self._log.write_costs(self.server)

    async def leave(self) -> None:
        """End all rooms, with their recordings, and tell everyone goodbye."""
        for room in list(self.server.rooms):
            self.server.close_room(room, "the server stops")
        self.server.close("the server stops")
        await self._pump.leave(longest=GOODBYE)
        self._log.note("stopped", "stopped")


def rooms_in_words(count: int) -> str:
    return "one room" if count == 1 else f"{count} rooms"


def on_sigterm(action: Callable[[], None]) -> None:
    """Call ``action`` in the running loop at each SIGTERM."""
    loop = asyncio.get_running_loop()
    try:
        loop.add_signal_handler(signal.SIGTERM, action)
    except NotImplementedError:  # Windows
        signal.signal(signal.SIGTERM, lambda *_: loop.call_soon_threadsafe(action))
