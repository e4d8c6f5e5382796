"""The HTTP page of ``retick serve``: /metrics for Prometheus, /healthz and /readyz for the supervisor.

Imports prometheus_client, so this module and :mod:`retick.serving.metrics` are imported only if a page is wanted.
Requests are answered in threads, so that a slow or hostile reader blocks neither the server's loop nor the page. The
counters themselves are read in the loop.
"""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from http.server import ThreadingHTTPServer
from socket import AF_INET6, SHUT_RDWR, socket
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

from prometheus_client import CollectorRegistry, MetricsHandler
from prometheus_client.core import Metric

READERS = 8
"""Connections that are answered at the same time; further ones are closed at once."""
READERS_OF_ONE = 4
"""Connections from one address: a reader that holds them open does not keep others from /healthz."""
PATIENCE = 2.0
"""Seconds that a reader may be idle, and that the server's loop may take to answer."""
LONGEST_READ = 5.0
"""Seconds after which a connection is closed, whatever it does."""
CLOSES_WITHIN = 0.1
"""Seconds that the page takes to close."""

T = TypeVar("T")


class MetricsSource(Protocol):
    """Provides the metrics of a page: a server, or all worker processes."""

    @property
    def is_ready(self) -> bool:
        """Whether new players are admitted."""

    async def families(self) -> list[Metric]:
        """All metrics, as they are now."""


class _InLoop:
    """Asks a source from a thread, in the loop where the source lives."""

    def __init__(self, source: MetricsSource) -> None:
        self._source = source
        self._loop = asyncio.get_running_loop()

    def _ask(self, question: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(question, self._loop).result(PATIENCE)

    def collect(self) -> Iterable[Metric]:
        return self._ask(self._source.families())

    def is_ready(self) -> bool:
        """Whether new players are admitted. TimeoutError if the loop does not answer."""
        return self._ask(self._look())

    async def _look(self) -> bool:
        return self._source.is_ready


class _Handler(MetricsHandler):
    """Three pages, and 404 for every other."""

    timeout = PATIENCE
    server: "MetricsPage"

    def do_GET(self) -> None:
        answer: Callable[[], None] | None = {
            "/metrics": super().do_GET,
            "/healthz": self._tell_health,
            "/readyz": self._tell_readiness,
        }.get(urlsplit(self.path).path)
        if answer is None:
            self._tell(404, "there are /metrics, /healthz and /readyz")
        else:
            answer()

    def _tell_health(self) -> None:
        """Healthy means that the loop answers."""
        try:
            self.server.asked.is_ready()
        except TimeoutError:
            self._tell(503, "the server's loop does not answer")
        else:
            self._tell(200, "ok")

    def _tell_readiness(self) -> None:
        try:
            ready = self.server.asked.is_ready()
        except TimeoutError:
            ready = False
        self._tell(200 if ready else 503, "ready" if ready else "no new players are let in")

    def _tell(self, status: int, text: str) -> None:
        body = f"{text}\n".encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _hang_up(request: socket) -> None:
    with suppress(OSError):  # it may have ended by itself
        request.shutdown(SHUT_RDWR)


class MetricsPage(ThreadingHTTPServer):
    """Answers HTTP on a TCP port, in threads, until it is closed. Make it inside the server's event loop."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, source: MetricsSource, port: int, host: str = "127.0.0.1") -> None:
        """Open the port; OSError if that fails."""
        self.asked = _InLoop(source)
        registry = CollectorRegistry(auto_describe=False)
        registry.register(self.asked)
        handler: Any = _Handler.factory(registry)
        self._reading: Counter[str] = Counter()
        """Number of open connections by address."""
        self._lock = threading.Lock()
        if ":" in host:
            self.address_family = AF_INET6
        super().__init__((host, port), handler)
        threading.Thread(target=self.serve_forever, args=(CLOSES_WITHIN,), name="metrics", daemon=True).start()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        host = str(self.server_address[0])
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/metrics"

    def close(self) -> None:
        """Answer no more requests."""
        self.shutdown()
        self.server_close()

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._begins(client_address[0]):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        # The socket's timeout starts again with every byte; this one does not.
        end = threading.Timer(LONGEST_READ, _hang_up, (request,))
        end.daemon = True
        end.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            end.cancel()
            self._ends(client_address[0])

    def _begins(self, host: str) -> bool:
        """Whether one more reader from this address is accepted."""
        with self._lock:
            if self._reading.total() >= READERS or self._reading[host] >= READERS_OF_ONE:
                return False
            self._reading[host] += 1
            return True

    def _ends(self, host: str) -> None:
        with self._lock:
            self._reading[host] -= 1
            self._reading += Counter()  # without the zeros

    def handle_error(self, request: socket | tuple[bytes, socket], client_address: Any) -> None:
        """Ignore readers that go away in the middle of an answer, which should not fill a log."""
