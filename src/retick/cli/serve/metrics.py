"""The metrics page of ``retick serve``: a server's counters over HTTP, for Prometheus and for people.

prometheus_client writes the format and answers requests, in threads of its own: whoever reads slowly, or sends
anything, keeps neither the server's loop nor the page for long. The counters themselves are read in the loop.
"""

import asyncio
import threading
from collections.abc import Iterable
from http.server import ThreadingHTTPServer
from socket import socket
from typing import Any

from prometheus_client import CollectorRegistry, MetricsHandler
from prometheus_client.core import Metric, UntypedMetricFamily

from retick.authority import Server

__all__ = ["MetricsPage"]

READERS = 8
"""Connections that are answered at the same time; more are closed at once."""
PATIENCE = 2.0
"""Seconds that a reader, or the server's loop, may take for its next move."""
CLOSES_WITHIN = 0.1
"""Seconds that the page takes to close."""

_NAMES = {
    "retick_ticks_skipped": ("Ticks that a late server left out", ()),
    "retick_room_tick": ("The tick simulated last", ("room",)),
    "retick_room_players": ("Players in the room", ("room",)),
    "retick_room_snapshots": ("Snapshot packets handed to links", ("room",)),
    "retick_room_snapshot_bytes": ("Bytes of these", ("room",)),
    "retick_refused": ("What was dropped, by reason", ("reason",)),
}


def _families(server: Server) -> list[Metric]:
    families = {name: UntypedMetricFamily(name, text, labels=labels) for name, (text, labels) in _NAMES.items()}
    families["retick_ticks_skipped"].add_metric((), server.skipped_ticks)
    for room in server.rooms.values():
        where = (room.name,)
        families["retick_room_tick"].add_metric(where, room.tick)
        families["retick_room_players"].add_metric(where, len(room.players))
        families["retick_room_snapshots"].add_metric(where, room.stats.snapshots)
        families["retick_room_snapshot_bytes"].add_metric(where, room.stats.snapshot_bytes)
        for player in room.players.values():
            for field, value in player.stats._asdict().items():
                name = f"retick_player_{field}"
                if name not in families:
                    families[name] = UntypedMetricFamily(name, "As in InputStats", labels=("room", "peer"))
                families[name].add_metric((room.name, str(player.peer_id)), value)
    for reason, count in server.refused.items():
        families["retick_refused"].add_metric((reason,), count)
    return list(families.values())


class _Collector:
    """Reads a server's counters for a thread of the page, in the loop where the server runs."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._loop = asyncio.get_running_loop()

    def collect(self) -> Iterable[Metric]:
        return asyncio.run_coroutine_threadsafe(self._read(), self._loop).result(PATIENCE)

    async def _read(self) -> list[Metric]:
        return _families(self._server)


class MetricsPage(ThreadingHTTPServer):
    """Answers HTTP on a TCP port of this machine, in threads, until it is closed. Made within the server's loop."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, server: Server, port: int) -> None:
        """An OSError when the port cannot be opened."""
        registry = CollectorRegistry(auto_describe=False)
        registry.register(_Collector(server))
        handler: Any = MetricsHandler.factory(registry)
        handler.timeout = PATIENCE
        self._free = threading.BoundedSemaphore(READERS)
        super().__init__(("127.0.0.1", port), handler)
        threading.Thread(target=self.serve_forever, args=(CLOSES_WITHIN,), name="metrics", daemon=True).start()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def close(self) -> None:
        """Answer no more requests."""
        self.shutdown()
        self.server_close()

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: socket | tuple[bytes, socket], client_address: Any) -> None:
        """A reader went away in the middle of an answer: that is nobody's fault and fills no log."""
