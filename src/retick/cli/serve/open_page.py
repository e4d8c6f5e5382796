"""Opens the HTTP page of ``retick serve`` and ``retick relay``, or says in one line why it cannot be opened."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from retick.cli.serve.event_log import EventLog
from retick.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from retick.cli.serve.metrics import MetricsPage, MetricsSource

__all__ = ["MetricsOption", "announce_page", "open_page", "page_address"]

MetricsOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="[HOST:]PORT",
        help="TCP port that answers /metrics, /healthz and /readyz; without a host on 127.0.0.1; 0: any free one.",
    ),
]
"""``--metrics``, for ``page_address``."""


def page_address(text: str) -> tuple[str, int]:
    """Host and port of "port" or "host:port"."""
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and int(port) <= 65535):
        raise UsageError(f"--metrics must be a port from 0 to 65535, or host:port, not {text!r}")
    if text.startswith(":"):
        raise UsageError(f"--metrics {text!r} names no host: write 0.0.0.0{text} to answer everybody")
    return host.removeprefix("[").removesuffix("]") or "127.0.0.1", int(port)


def open_page(source: "Callable[[], MetricsSource]", address: tuple[str, int]) -> "MetricsPage":
    """``source`` is called when the library for metrics is there."""
    host, port = address
    try:
        from retick.cli.serve.metrics import MetricsPage
    except ModuleNotFoundError:
        raise MissingExtra("--metrics needs prometheus_client: pip install prometheus-client") from None
    try:
        return MetricsPage(source(), port, host)
    except OSError as error:
        raise UsageError(f"--metrics {host}:{port} cannot be opened: {error.strerror}") from error


def announce_page(log: EventLog, page: "MetricsPage | None") -> None:
    if page is not None:
        log.note("metrics", f"metrics on {page.url}", url=page.url)
