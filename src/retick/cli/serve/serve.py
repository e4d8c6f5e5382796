"""``retick serve``: a server with rooms of the runner game on one UDP port, until Ctrl-C."""

import asyncio
import os
from dataclasses import fields
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from retick.authority import PlayerJoined, PlayerLeft, PlayerLost, PlayerRejoined, Server, ServerConfig, ServerEvent
from retick.cli.exit_codes import complain
from retick.cli.terminal import say
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
WORDS = {PlayerJoined: "joined", PlayerLost: "lost its connection", PlayerRejoined: "is back", PlayerLeft: "left"}


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
        int | None,
        typer.Option(
            min=0, max=65535, help="TCP port on 127.0.0.1 that answers HTTP with counters; 0 takes any free one."
        ),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Stop after this many seconds.", show_default="until Ctrl-C")
    ] = None,
) -> None:
    """Serve the runner game: the server decides, clients predict.

    Exit code 0: stopped by --seconds. 2: misuse. 130: stopped by Ctrl-C.

    Example: retick serve --rooms 4 --port 7777 --metrics 9100
    """
    if not 1 <= rooms <= 64:
        raise UsageError(f"--rooms must be 1 to 64, not {rooms}")
    if seconds is not None and not 0 < seconds < inf:
        raise UsageError(f"--seconds must be above 0, not {seconds:g}")
    runner = _runner_config(config, players, tick_rate, snapshot_rate)
    names = ("", *(f"room {number}" for number in range(2, rooms + 1)))
    settings = ServerConfig(rooms=names, delta=not fixed, max_connections_per_address=per_address)
    server = Server(NetRunner(runner), entropy=os.urandom, config=settings)
    socket = open_udp(host, port)
    try:
        asyncio.run(_run(server, socket, metrics, seconds))
    finally:
        socket.close()


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


async def _run(server: Server, socket: UdpSocket, metrics: int | None, seconds: float | None) -> None:
    def report(events: list[ServerEvent]) -> None:
        for event in events:
            room = f" {event.room!r}" if event.room else ""
            say(f"player {event.peer_id}{room} {WORDS[type(event)]}")

    rooms = "one room" if len(server.rooms) == 1 else f"{len(server.rooms)} rooms"
    say(f"listening on {socket.address[0]} port {socket.address[1]}, {rooms}")
    async with Pump(server, socket, on_events=report, drain=DRAIN) as pump:
        page = None if metrics is None else _open_metrics(server, metrics)
        try:
            await asyncio.sleep(1e9 if seconds is None else seconds)
        finally:
            if page is not None:
                # Not in the loop: a reader may be waiting for the loop just now.
                await asyncio.to_thread(page.close)
            server.close("the server stops")
            await pump.leave(longest=GOODBYE)


def _open_metrics(server: Server, port: int) -> "MetricsPage":
    try:
        from retick.cli.serve.metrics import MetricsPage
    except ModuleNotFoundError:
        raise MissingExtra("--metrics needs prometheus_client: pip install prometheus-client") from None
    try:
        page = MetricsPage(server, port)
    except OSError as error:
        raise UsageError(f"--metrics {port} cannot be opened: {error.strerror}") from error
    say(f"metrics on http://127.0.0.1:{page.port}/")
    return page
