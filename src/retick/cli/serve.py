"""``retick serve``: a server with rooms of one game on one UDP port, until Ctrl-C or SIGTERM.

SIGTERM drains: new players are refused, rooms end when they are empty and at the latest after --drain seconds, then
everyone gets a goodbye and the exit code is 0. A second SIGTERM ends the rooms at once. This also works as process 1 of
a container. With --workers, rooms are in other processes, and this one sends players to them.
"""

from dataclasses import asdict, fields, replace
from math import inf
from pathlib import Path
from typing import Annotated

import typer

from retick._regular_files import read_text
from retick.audit.game_loader import locate_game
from retick.cli.arguments import MetricsOption
from retick.cli.exit_codes import MISUSE, complain
from retick.errors import UsageError
from retick.host.joining import FIRST_PORT
from retick.integrations.agones import sidecar_port
from retick.netrunner import RunnerConfig, parse_config
from retick.netrunner.packets import config_object
from retick.serving.event_log import EventLog
from retick.serving.front import serve_plan
from retick.serving.page_options import page_address
from retick.serving.plan import ServePlan, with_keys

RUNNER = "runner"
SERVABLE = (
    "  retick serve arena.py:Arena      a declared world of yours: class Arena(World) in arena.py",
    "  retick serve my_game.worlds:Arena     the same from a module that is installed",
    "  retick serve my_game:profile     a profile: a game on the wire of NetRunner",
    "  retick serve runner              the parkour game of this library, over NetRunner's wire",
    "retick serve --help lists the options",
)
"""What there is to serve, for somebody who named no game."""


def serve(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="GAME",
            help="A declared world or a profile, as module:Name or file.py:Name; 'runner' is the game of this library.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[int, typer.Option(help="UDP port; 0 takes any free one.")] = 7777,
    host: Annotated[str, typer.Option(help="Address to listen on; :: is IPv6 and IPv4.")] = "0.0.0.0",
    rooms: Annotated[
        int, typer.Option(help="Rooms, 1 to 64; the first has no name, the others are 'room 2', 'room 3' …")
    ] = 1,
    players: Annotated[
        int | None, typer.Option(help="Players in a room of the runner, 1 to 16.", show_default="16")
    ] = None,
    workers: Annotated[
        int,
        typer.Option(help="Processes, 1 to 64, each with a share of the rooms, on the ports after --port."),
    ] = 1,
    pin: Annotated[bool, typer.Option("--pin", help="Keep each worker on its own core.")] = False,
    tick_rate: Annotated[int | None, typer.Option(help="Ticks per second.", show_default="60")] = None,
    snapshot_rate: Annotated[int | None, typer.Option(help="Snapshots per second.", show_default="20")] = None,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="JSON file with the runner's own keys; options override it.")
    ] = None,
    per_address: Annotated[
        int, typer.Option(help="Most clients from one address; clients on this machine are not limited.")
    ] = 8,
    fixed: Annotated[bool, typer.Option("--fixed", help="Send only fixed snapshots of 1398 bytes, no deltas.")] = False,
    metrics: MetricsOption = None,
    drain: Annotated[float, typer.Option(help="Seconds that rooms have to end after SIGTERM.")] = 20.0,
    reports: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where the reports of failed rooms are written.")
    ] = Path("."),
    record: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Record each room of a declared world in a file there.")
    ] = None,
    agones: Annotated[
        bool, typer.Option("--agones", help="Tell the Agones side-car: ready, health, allocated, shutdown.")
    ] = False,
    log_json: Annotated[bool, typer.Option("--log-json", help="Print a line of JSON for each event.")] = False,
    seconds: Annotated[
        float | None, typer.Option(help="Stop after this many seconds.", show_default="until Ctrl-C or SIGTERM")
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The server's key, by which clients know it; the file is made if missing."),
    ] = None,
    tokens: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A token key: only players with a join token made with it are admitted."),
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Unsealed links, which others can read and forge; clients must say it too.")
    ] = False,
    keylog: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Append the keys of all links to this file. With it, retick packet --keylog reads a client's capture "
            "(retick bots 1 --capture FILE).",
        ),
    ] = None,
) -> None:
    """Serve a game: the server decides, clients predict. Links are sealed.

    Exit code 0: stopped by --seconds or SIGTERM. 1: all workers have ended. 2: misuse. 130: stopped by Ctrl-C.

    Example: retick serve arena.py:Arena --rooms 4 --workers 2 --port 7777 --metrics 0.0.0.0:9100 --log-json

    Example: retick serve arena.py:Arena --key server.key --tokens tokens.key
    """
    if game is None:
        complain("serve needs a game", *SERVABLE)
        raise typer.Exit(MISUSE)
    _check(rooms, workers, port, seconds, drain)
    for words, folder in (("--reports", reports), ("--record", record)):
        if folder is not None and not folder.is_dir():
            raise UsageError(f"{words} {folder} is not a folder")
    if agones:
        sidecar_port()
    page = None if metrics is None else page_address(metrics)
    plan = ServePlan(
        rooms=("", *(f"room {number}" for number in range(2, rooms + 1))),
        fixed=fixed,
        per_address=per_address,
        host=host,
        port=port,
        reports=str(reports),
        record=None if record is None else str(record),
    )
    if game == RUNNER:
        plan = replace(plan, runner=asdict(_runner_config(config, players, tick_rate, snapshot_rate)))
    elif config is not None:
        raise UsageError("--config is for the runner")
    else:
        place = locate_game(game)
        plan = replace(plan, game=place, players=players, tick_rate=tick_rate, snapshot_rate=snapshot_rate)
    plan = with_keys(plan, key=key, tokens=tokens, plain=plain, keylog=keylog)
    log = EventLog(as_json=log_json, reports=reports)
    serve_plan(plan, workers, log, page_address=page, seconds=seconds, drain=drain, pin=pin, agones=agones)


def _check(rooms: int, workers: int, port: int, seconds: float | None, drain: float) -> None:
    if not 1 <= rooms <= 64:
        raise UsageError(f"--rooms must be 1 to 64, not {rooms}")
    if not 1 <= workers <= 64:
        raise UsageError(f"--workers must be 1 to 64, not {workers}")
    if workers > rooms:
        raise UsageError(f"--workers {workers} needs --rooms {workers} or more: each worker needs a room")
    if workers > 1 and port and not FIRST_PORT <= port + 1 <= port + workers <= 65535:
        raise UsageError(f"--workers {workers} needs ports {port + 1} to {port + workers}: they must be 1024 to 65535")
    if seconds is not None and not 0 < seconds < inf:
        raise UsageError(f"--seconds must be above 0, not {seconds:g}")
    if not 0 <= drain < inf:
        raise UsageError(f"--drain must be 0 seconds or more, not {drain:g}")


def _runner_config(
    path: Path | None, players: int | None, tick_rate: int | None, snapshot_rate: int | None
) -> RunnerConfig:
    """The configuration of the file, overridden by the options that were given."""
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
        text = read_text(path)
        config_object(text)
    except UnicodeDecodeError as error:
        raise UsageError(f"--config {path} is not UTF-8 text") from error
    except UsageError as error:
        raise UsageError(f"--config {path} is {error}") from error
    found, complaints = parse_config(text)
    for complaint in complaints:
        complain(f"{path.name}: {complaint}")
    return found
