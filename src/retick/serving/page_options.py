"""Opens the HTTP page of ``retick serve`` and ``retick relay``, or says in one line why it cannot be opened.

The page itself needs prometheus_client, which few installations have; this module does not import it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from retick.errors import MissingExtra, UsageError
from retick.serving.event_log import EventLog

if TYPE_CHECKING:
    from prometheus_client.core import Metric

    from retick.serving.page import MetricsPage, MetricsSource


def page_address(text: str) -> tuple[str, int]:
    """Parse "port" or "host:port"."""
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and int(port) <= 65535):
        raise UsageError(f"--metrics must be a port from 0 to 65535, or host:port, not {text!r}")
    if text.startswith(":"):
        raise UsageError(f"--metrics {text!r} has no host: write 0.0.0.0{text} to answer everybody")
    return host.removeprefix("[").removesuffix("]") or "127.0.0.1", int(port)


def page_class() -> "type[MetricsPage]":
    """The class of pages; MissingExtra without prometheus_client."""
    try:
        from retick.serving.page import MetricsPage
    except ModuleNotFoundError:
        raise MissingExtra("--metrics needs prometheus_client: pip install prometheus-client") from None
    return MetricsPage


def open_page(source: "Callable[[], MetricsSource]", address: tuple[str, int]) -> "MetricsPage":
    """Open the page; ``source`` is called only if prometheus_client is installed."""
    host, port = address
    make_page = page_class()
    try:
        return make_page(source(), port, host)
    except OSError as error:
        raise UsageError(f"--metrics {host}:{port} cannot be opened: {error.strerror}") from error


def announce_page(log: EventLog, page: "MetricsPage | None") -> None:
    if page is not None:
        log.note("metrics", f"metrics on {page.url}", url=page.url)


class ServerSource:
    """The metrics of one server. The page asks for them in the loop where the server runs."""

    def __init__(self, server: Any) -> None:
        self._server = server

    @property
    def is_ready(self) -> bool:
        return not self._server.is_draining and bool(self._server.rooms)

    async def families(self) -> "list[Metric]":
        from retick.serving.metrics import families_of  # prometheus_client is there if there is a page

        return families_of(self._server)
