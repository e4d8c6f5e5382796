"""``retick serve``: a server with rooms of the runner game on one UDP port, until Ctrl-C or SIGTERM.

SIGTERM drains: new players are refused, rooms end as they empty and at the latest after --drain seconds, then everyone
is told goodbye and the exit code is 0. A second SIGTERM ends the rooms at once. As process 1 of a container it is the
same, since the signal has a handler.
"""

import asyncio
import os
import signal
import time
from contextlib import suppress
from dataclasses import fields
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from retick.authority import Server, ServerConfig, ServerDrained, ServerEvent
from retick.cli.exit_codes import complain
from retick.cli.serve.event_log import EventLog
from retick.errors import MissingExtra, UsageError
from retick.games.runner import NetRunner, RunnerConfig, parse_config
from retick.games.runner.netrunner.config import config_object
from retick.transport.pump import Pump
from retick.transport.udp import UdpSocket, open_udp

if TYPE_CHECKING:
    from retick.cli.serve.metrics import MetricsPage

__all__ = ["serve"]

DRAIN = 1024
"""Datagrams read between two ticks at most: what all players of 64 rooms send in one tick."""
GOODBYE = 0.3
"""Seconds for the goodbyes to leave."""
LOOK_EVERY = 5.0
"""Seconds between two looks at how long ticks took."""


def serve(
    port: Annotated[int, typer.Option(help="UDP port; 0 takes any free one.")] = 7777,
    host: Annotated[str, typer.Option(help="Address to listen on; :: is IPv6 and IPv4.")] = "0.0.0.0",
    rooms: Annotated[
        int, typer.Option(help="Rooms, 1 to 64; the first has no name, the others are 'room 2', 'room 3' …")
    ] = 1,
    players: Annotated[int | None, typer.Option(help="Players in a room, 1 to 16.", show_default="16")] = None,
    tick_rate: Annotated[int | None, typer.Option(help="Ticks a second.", show_default="60")] = None,
    snapshot_rate: Annotated[int | None, typer.Option(help="Snapshots a second.", show_default="20")] = None,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="JSON file with the protocol's own keys; options override it.")
    ] = None,
    per_address: Annotated[
        int, typer.Option(help="Clients from one address, at most; those on this machine are not limited.")
    ] = 8,
    fixed: Annotated[bool, typer.Option("--fixed", help="Only fixed snapshots of 1398 bytes, no deltas.")] = False,
    metrics: Annotated[
        str | None,
        typer.Option(
            metavar="[HOST:]PORT",
            help="TCP port that answers /metrics, /healthz and /readyz; without a host on 127.0.0.1; 0: any free one.",
        ),
    ] = None,
    drain: Annotated[float, typer.Option(help="Seconds that rooms have to end after SIGTERM.")] = 20.0,
    reports: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where the report of a room that has failed is written.")
    ] = Path("."),
    log_json: Annotated[bool, typer.Option("--log-json", help="Print a line of JSON for each event.")] = False,
    seconds: Annotated[
        float | None, typer.Option(help="Stop after this many seconds.", show_default="until Ctrl-C or SIGTERM")
    ] = None,
) -> None:
    """Serve the runner game: the server decides, clients predict.

    Exit code 0: stopped by --seconds or SIGTERM. 2: misuse. 130: stopped by Ctrl-C.

    Example: retick serve --rooms 4 --port 7777 --metrics 0.0.0.0:9100 --log-json
    """
    if not 1 <= rooms <= 64:
        raise UsageError(f"--rooms must be 1 to 64, not {rooms}")
    if seconds is not None and not 0 < seconds < inf:
        raise UsageError(f"--seconds must be above 0, not {seconds:g}")
    if not 0 <= drain < inf:
        raise UsageError(f"--drain must be 0 seconds or more, not {drain:g}")
    if not reports.is_dir():
        raise UsageError(f"--reports {reports} is not a folder")
    page_address = None if metrics is None else _page_address(metrics)
    runner = _runner_config(config, players, tick_rate, snapshot_rate)
    names = ("", *(f"room {number}" for number in range(2, rooms + 1)))
    settings = ServerConfig(rooms=names, delta=not fixed, max_connections_per_address=per_address)
    server = Server(NetRunner(runner), entropy=os.urandom, config=settings, clock=time.perf_counter)
    log = EventLog(as_json=log_json, reports=reports)
    socket = open_udp(host, port)
    try:
        asyncio.run(_run(server, socket, log, page_address, seconds, drain))
    finally:
        socket.close()


def _page_address(text: str) -> tuple[str, int]:
    """Host and port of "port" or "host:port"."""
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and int(port) <= 65535):
        raise UsageError(f"--metrics must be a port from 0 to 65535, or host:port, not {text!r}")
    if text.startswith(":"):
        raise UsageError(f"--metrics {text!r} names no host: write 0.0.0.0{text} to answer everybody")
    return host.removeprefix("[").removesuffix("]") or "127.0.0.1", int(port)


def _runner_config(
    path: Path | None, players: int | None, tick_rate: int | None, snapshot_rate: int | None
) -> RunnerConfig:
    """The file's values, overridden by the options that were given."""
    base = RunnerConfig() if path is None else _read_config(path)
    options = {
        "max_players": players,
        "server_tick_rate": tick_rate,
        "client_tick_rate": tick_rate,
        "snapshot_rate": snapshot_rate,
    }
    kept = {item.name: getattr(base, item.name) for item in fields(RunnerConfig)}
    kept |= {name: value for name, value in options.items() if value is not None}
    for words, name in (("--tick-rate", "server_tick_rate"), ("--snapshot-rate", "snapshot_rate")):
        if not 1 <= kept[name] <= 240:
            raise UsageError(f"{words} must be 1 to 240, not {kept[name]}")
    return RunnerConfig(**kept)


def _read_config(path: Path) -> RunnerConfig:
    try:
        text = path.read_text(encoding="utf-8")
        config_object(text)
    except UnicodeDecodeError as error:
        raise UsageError(f"--config {path} is not UTF-8 text") from error
    except UsageError as error:
        raise UsageError(f"--config {path} is {error}") from error
    found, complaints = parse_config(text)
    for complaint in complaints:
        complain(f"{path.name}: {complaint}")
    return found


async def _run(
    server: Server,
    socket: UdpSocket,
    log: EventLog,
    page_address: tuple[str, int] | None,
    seconds: float | None,
    drain: float,
) -> None:
    over = asyncio.Event()

    def report(events: list[ServerEvent]) -> None:
        log.write(events)
        if any(isinstance(event, ServerDrained) for event in events):
            over.set()

    host, port = socket.address[:2]
    rooms = "one room" if len(server.rooms) == 1 else f"{len(server.rooms)} rooms"
    words = f"listening on {host} port {port}, {rooms}"
    async with Pump(server, socket, on_events=report, drain=DRAIN) as pump:
        _drain_on_sigterm(server, pump, log, drain)
        page = None if page_address is None else _open_metrics(server, *page_address)
        log.note("listening", words, host=host, port=port, rooms=list(server.rooms))
        if page is not None:
            log.note("metrics", f"metrics on {page.url}", url=page.url)
        try:
            await _wait(server, log, over, seconds)
        finally:
            if page is not None:
                # Not in the loop: a reader may be waiting for the loop just now.
                await asyncio.to_thread(page.close)
            server.close("the server stops")
            await pump.leave(longest=GOODBYE)
            log.note("stopped", "stopped")


async def _wait(server: Server, log: EventLog, over: asyncio.Event, seconds: float | None) -> None:
    """Until the server has drained, or the seconds are over."""
    end = inf if seconds is None else time.monotonic() + seconds
    while not over.is_set() and (left := end - time.monotonic()) > 0:
        with suppress(TimeoutError):
            await asyncio.wait_for(over.wait(), min(left, LOOK_EVERY))
        log.write_costs(server)


def _drain_on_sigterm(server: Server, pump: Pump, log: EventLog, seconds: float) -> None:
    def on_signal() -> None:
        # The second time there is no more patience.
        within = 0.0 if server.is_draining else seconds
        words = f"draining: no new players, rooms end within {within:g} s"
        log.note("draining", words, within=within)
        server.drain("the server stops", within=within)
        pump.wake()

    loop = asyncio.get_running_loop()
    try:
        loop.add_signal_handler(signal.SIGTERM, on_signal)
    except NotImplementedError:  # Windows
        signal.signal(signal.SIGTERM, lambda *_: loop.call_soon_threadsafe(on_signal))


def _open_metrics(server: Server, host: str, port: int) -> "MetricsPage":
    try:
        from retick.cli.serve.metrics import MetricsPage
    except ModuleNotFoundError:
        raise MissingExtra("--metrics needs prometheus_client: pip install prometheus-client") from None
    try:
        return MetricsPage(server, port, host)
    except OSError as error:
        raise UsageError(f"--metrics {host}:{port} cannot be opened: {error.strerror}") from error
