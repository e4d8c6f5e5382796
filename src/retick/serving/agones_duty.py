"""Tells the Agones side-car about a server: ready, allocated while there are players, and shutdown.

The heartbeat comes from the server's loop: if the loop hangs, it stops, and Agones restarts the server.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from retick.integrations.agones import Sidecar
from retick.serving.event_log import EventLog

BEAT_EVERY = 0.5
"""Seconds between two heartbeats."""
LAST_WORDS = 2.0
"""Seconds that the side-car has to take the shutdown."""


class _Occupancy:
    """Knows from the event log whether there are players."""

    def __init__(self, sidecar: Sidecar) -> None:
        self._sidecar = sidecar
        self._players: set[tuple[Any, Any, Any]] = set()

    def listen(self, record: dict[str, Any]) -> None:
        event, worker, room = record["event"], record.get("worker"), record.get("room")
        before = bool(self._players)
        if event == "player_joined":
            self._players.add((worker, room, record["peer"]))
        elif event == "player_left":
            self._players.discard((worker, room, record["peer"]))
        elif event == "worker_lost":
            self._players = {player for player in self._players if player[0] != worker}
        if before != bool(self._players):
            if before:
                self._sidecar.ready()
            else:
                self._sidecar.allocate()


@asynccontextmanager
async def agones_duty(log: EventLog, *, wanted: bool) -> AsyncIterator[None]:
    """Report to the side-car while the server listens; does nothing unless ``wanted``."""
    if not wanted:
        yield
        return
    loop = asyncio.get_running_loop()

    def on_trouble(text: str) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(lambda: log.note("agones_trouble", text, text=text))

    sidecar = Sidecar(on_trouble=on_trouble)
    log.listeners.append(_Occupancy(sidecar).listen)

    async def beat() -> None:
        while True:
            sidecar.beat()
            await asyncio.sleep(BEAT_EVERY)

    beating = asyncio.create_task(beat())
    sidecar.ready()
    try:
        yield
    finally:
        beating.cancel()
        sidecar.shutdown()
        await asyncio.to_thread(sidecar.close, longest=LAST_WORDS)
