"""``retick relay``: runs a relay until Ctrl-C or SIGTERM."""

from math import inf
from pathlib import Path
from typing import Annotated

import typer

from retick.cli.arguments import MetricsOption
from retick.errors import UsageError
from retick.playing.way_in import RELAY_PORT
from retick.relay import RelayConfig
from retick.serving.event_log import EventLog
from retick.serving.page_options import page_address
from retick.serving.relay import run_relay

_LIMITS = RelayConfig()


def relay(
    port: Annotated[int, typer.Option(help="UDP port; 0 takes any free one.")] = RELAY_PORT,
    second_port: Annotated[
        int | None,
        typer.Option(help="Second UDP port, to tell kinds of routers apart; 0 takes any.", show_default="--port + 1"),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on; :: is IPv6 and IPv4.")] = "0.0.0.0",
    key: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The relay's key, made if missing. With it members come back after a restart.",
            show_default="a new key for each run",
        ),
    ] = None,
    rooms: Annotated[int, typer.Option(help="Most rooms at the same time.")] = _LIMITS.rooms,
    rooms_per_address: Annotated[
        int, typer.Option(help="Most rooms from one IPv4 address, or one /64 network of IPv6.")
    ] = _LIMITS.rooms_per_address,
    members: Annotated[int, typer.Option(help="Most members of all rooms together.")] = _LIMITS.members,
    member_bytes: Annotated[int, typer.Option(help="Most bytes per second of each member.")] = _LIMITS.member_bytes,
    total_bytes: Annotated[int, typer.Option(help="Most bytes per second of all members.")] = _LIMITS.total_bytes,
    metrics: MetricsOption = None,
    log_json: Annotated[bool, typer.Option("--log-json", help="Print a line of JSON for each event.")] = False,
    seconds: Annotated[
        float | None, typer.Option(help="Stop after this many seconds.", show_default="until Ctrl-C or SIGTERM")
    ] = None,
) -> None:
    """Run a relay: players behind routers meet there by a code, and play through it if there is no direct path.
    It only needs two UDP ports that the internet reaches. Players seal everything that it forwards.

    Exit code 0: stopped by --seconds or SIGTERM. 2: misuse. 130: stopped by Ctrl-C.

    Example: retick relay --port 7788 --key relay.key --metrics 127.0.0.1:9100
    """
    if seconds is not None and not 0 < seconds < inf:
        raise UsageError(f"--seconds must be above 0, not {seconds:g}")
    config = RelayConfig(
        rooms=_at_least_one("--rooms", rooms),
        rooms_per_address=_at_least_one("--rooms-per-address", rooms_per_address),
        members=_at_least_one("--members", members),
        member_bytes=_at_least_one("--member-bytes", member_bytes),
        total_bytes=_at_least_one("--total-bytes", total_bytes),
    )
    page = None if metrics is None else page_address(metrics)
    log = EventLog(as_json=log_json, reports=Path("."))
    run_relay(config, log, host=host, port=port, second_port=second_port, key=key, page_address=page, seconds=seconds)


def _at_least_one(words: str, value: int) -> int:
    if value < 1:
        raise UsageError(f"{words} must be 1 or more, not {value}")
    return value
