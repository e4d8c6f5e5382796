"""``retick relay``: runs a relay until Ctrl-C or SIGTERM.

It says no goodbye: members come back by their tickets when a relay with the same key runs again.
"""

import asyncio
import os
import sys
import time
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from retick.errors import UsageError
from retick.playing.way_in import RELAY_PORT
from retick.relay import MemberEntered, MemberGone, RelayConfig, RelayEvent, RelayServer, RoomGone, RoomOpened
from retick.serving.event_log import EventLog
from retick.serving.hosting import on_sigterm
from retick.serving.metrics import MetricsOption, announce_page, open_page, page_address
from retick.serving.relay import RelayLoop, relay_key
from retick.transport.udp import UdpSocket, open_udp

if TYPE_CHECKING:
    from retick.serving.families import RelaySource

__all__ = ["relay"]

_LIMITS = RelayConfig()


def relay(
    port: Annotated[int, typer.Option(help="UDP port; 0 takes any free one.")] = RELAY_PORT,
    second_port: Annotated[
        int | None,
        typer.Option(help="Second UDP port, which tells kinds of routers; 0 takes any.", show_default="--port + 1"),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on; :: is IPv6 and IPv4.")] = "0.0.0.0",
    key: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The relay's key, made if it is not there. With it members come back after a restart.",
            show_default="a new key for each run",
        ),
    ] = None,
    rooms: Annotated[int, typer.Option(help="Rooms at the same time.")] = _LIMITS.rooms,
    rooms_per_address: Annotated[
        int, typer.Option(help="Rooms from one IPv4 address, or one /64 network of IPv6.")
    ] = _LIMITS.rooms_per_address,
    members: Annotated[int, typer.Option(help="Members of all rooms together.")] = _LIMITS.members,
    member_bytes: Annotated[int, typer.Option(help="Bytes a second of each member.")] = _LIMITS.member_bytes,
    total_bytes: Annotated[int, typer.Option(help="Bytes a second of all members.")] = _LIMITS.total_bytes,
    metrics: MetricsOption = None,
    log_json: Annotated[bool, typer.Option("--log-json", help="Print a line of JSON for each event.")] = False,
    seconds: Annotated[
        float | None, typer.Option(help="Stop after this many seconds.", show_default="until Ctrl-C or SIGTERM")
    ] = None,
) -> None:
    """Run a relay: players behind routers meet there by a code, and play through it where no direct way exists.

    It needs two UDP ports that the internet reaches, and nothing else. What it carries is sealed by the players.

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
    secret = relay_key(key)
    log = EventLog(as_json=log_json, reports=Path("."))
    first = open_udp(host, port)
    second = None
    try:
        second = open_udp(host, (port + 1 if port else 0) if second_port is None else second_port)
        ports = (first.address[1], second.address[1])
        epoch = time.time() - time.monotonic()
        server = RelayServer(key=secret, entropy=os.urandom, epoch=epoch, ports=ports, config=config)
        # The loop of Windows cannot wait for sockets that are read here.
        factory = asyncio.SelectorEventLoop if sys.platform == "win32" else None
        with asyncio.Runner(loop_factory=factory) as runner:
            runner.run(_run(server, first, second, log, page, seconds, key))
    finally:
        first.close()
        if second is not None:
            second.close()


def _at_least_one(words: str, value: int) -> int:
    if value < 1:
        raise UsageError(f"{words} must be 1 or more, not {value}")
    return value


async def _run(
    server: RelayServer,
    first: UdpSocket,
    second: UdpSocket,
    log: EventLog,
    address: tuple[str, int] | None,
    seconds: float | None,
    key: Path | None,
) -> None:
    over = asyncio.Event()
    on_sigterm(over.set)
    forwarding = RelayLoop(server, first, second, on_events=lambda events: _write(log, events))
    page = None
    try:
        if address is not None:
            page = open_page(lambda: _source(server), address)
        forwarding.start()
        host, port, other = first.address[0], first.address[1], second.address[1]
        log.note("listening", f"relay on {host} ports {port} and {other}", host=host, port=port, second_port=other)
        if key is None:
            log.note("no_key", "without --key, members cannot come back after a restart")
        announce_page(log, page)
        with suppress(TimeoutError):
            await asyncio.wait_for(over.wait(), seconds)
    finally:
        forwarding.stop()
        log.note("stopped", "stopped")
        if page is not None:
            # Not in the loop: a reader may be waiting for the loop just now.
            await asyncio.to_thread(page.close)


def _source(server: RelayServer) -> "RelaySource":
    from retick.serving.families import RelaySource  # prometheus_client is there if there is a page

    return RelaySource(server)


def _write(log: EventLog, events: list[RelayEvent]) -> None:
    """A line for each event; no addresses and no codes: who reads the log has no use for them."""
    for event in events:
        if isinstance(event, RoomOpened):
            verb = "is back" if event.returned else "opened"
            log.note("room_opened", f"room {event.room} {verb}", room=event.room, places=event.places)
        elif isinstance(event, MemberEntered):
            log.note("member_entered", f"room {event.room}: member {event.member} is there", **_of(event))
        elif isinstance(event, MemberGone):
            how = "fell silent" if event.silent else "left"
            log.note(
                "member_gone", f"room {event.room}: member {event.member} {how}", silent=event.silent, **_of(event)
            )
        elif isinstance(event, RoomGone):
            log.note("room_gone", f"room {event.room} is gone", room=event.room)


def _of(event: MemberEntered | MemberGone) -> dict[str, int]:
    return {"room": event.room, "member": event.member}
