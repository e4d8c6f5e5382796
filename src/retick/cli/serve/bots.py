"""``retick bots``: bots that play on a server, over a link as bad as you ask for."""

# retick: floats -- measurements

import time
from dataclasses import asdict
from math import inf
from typing import Annotated, Final

import typer
from rich.live import Live

from retick.authority import ClientConfig
from retick.cli.exit_codes import NO
from retick.cli.play.capture_file import CaptureFile, CaptureOption, check_capture
from retick.cli.play.pace import Pace
from retick.cli.sealing.client_options import (
    ClientIdentityOption,
    ClientKeylogOption,
    ClientPlainOption,
    ServerKeyOption,
    TokenOption,
    client_sealing,
    read_token,
)
from retick.cli.serve.bot_client import BotClient, BotLine, table_of
from retick.cli.terminal import Screen, say, say_json
from retick.errors import RetickError, UsageError
from retick.link import Reason
from retick.tokens import show
from retick.transport import Conditions
from retick.transport.udp import parse_address

__all__ = ["bots"]

RATE: Final = 60
"""Ticks a second."""
GOODBYE: Final = 0.3
"""Seconds for goodbyes to leave through a slow link."""


def bots(
    count: Annotated[int, typer.Argument(help="How many bots, 1 to 64.", metavar="N")],
    connect: Annotated[
        str | None,
        typer.Option(help="The server: host or host:port.", show_default="127.0.0.1:7777, or as --token says"),
    ] = None,
    room: Annotated[str, typer.Option(help="The room's name.")] = "",
    latency: Annotated[float, typer.Option(help="Milliseconds of delay each way, added to the real delay.")] = 0.0,
    jitter: Annotated[float, typer.Option(help="Variation of the delay in milliseconds, plus or minus.")] = 0.0,
    loss: Annotated[float, typer.Option(help="Percent of the datagrams lost, each way.")] = 0.0,
    seconds: Annotated[float, typer.Option(help="Seconds that they play.")] = 20.0,
    seed: Annotated[int, typer.Option(help="Seed of the first bot and its link; the others have the next ones.")] = 1,
    reset: Annotated[
        bool, typer.Option("--reset", help="Reset locomotion at each snapshot, as the old protocol did.")
    ] = False,
    fixed: Annotated[bool, typer.Option("--fixed", help="Ask for fixed snapshots instead of deltas.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each bot and second.")] = False,
    server_key: ServerKeyOption = None,
    token: TokenOption = None,
    identity: ClientIdentityOption = None,
    plain: ClientPlainOption = False,
    keylog: ClientKeylogOption = None,
    capture: CaptureOption = None,
) -> None:
    """Let bots play on a server.

    Exit code 0: all were in and never corrected by more than 0.25 m. 1: one was not, or the capture could not be
    written. 2: misuse.

    Example: retick bots 4 --connect 127.0.0.1:7777 --latency 60 --jitter 10 --loss 0.5

    Example: retick bots 1 --token ann.token
    """
    if not 1 <= count <= 64:
        raise UsageError(f"N must be 1 to 64, not {count}")
    if not (0 < seconds < inf and 0 <= latency < inf and 0 <= jitter < inf and 0 <= loss <= 100):
        raise UsageError("--seconds must be above 0, --latency and --jitter 0 or more, --loss 0 to 100")
    if token is not None and count > 1:
        raise UsageError("--token is for one bot: a token is good for one player")
    check_capture(capture, None)
    sealing = client_sealing(server_key=server_key, token=token, identity=identity, plain=plain, keylog=keylog)
    shown = b"" if token is None else read_token(token)
    host, port = parse_address(connect or "127.0.0.1", default_port=7777)
    if connect is None and shown:
        host, port = show(shown).addresses[0]
    conditions = Conditions(latency=latency / 1000, jitter=jitter / 1000, loss=loss / 100)
    config = ClientConfig(reset_on_reconcile=reset, delta=not fixed)
    file = None if capture is None else CaptureFile(capture)
    if file is not None:
        file.keylog = keylog
    running = [
        BotClient(number, seed + number, (host, port), room, conditions, config, shown, sealing, file)
        for number in range(count)
    ]
    if not as_json:
        say(f"{count} {'bot dials' if count == 1 else 'bots dial'} {host} port {port} for {seconds:g} s")
    try:
        _run(running, seconds, as_json)
    finally:
        _say_goodbye(running)
        if file is not None:
            file.close()
            say(file.summary(), err=as_json)
    if all(bot.failed for bot in running):
        raise RetickError(_why_none_is_left(running[0], host, port))
    if not all(bot.did_well for bot in running) or (file is not None and file.failure):
        raise typer.Exit(NO)


def _why_none_is_left(bot: BotClient, host: str, port: int) -> str:
    where = f"{host} port {port}"
    if bot.reason == Reason.NO_ANSWER:
        return f"{where} did not answer: is retick serve running there?"
    return f"no bot is in at {where}: {bot.state}"


def _say_goodbye(running: list[BotClient]) -> None:
    for bot in running:
        bot.close()
    end = time.monotonic() + GOODBYE
    while time.monotonic() < end:
        time.sleep(0.01)
        for bot in running:
            bot.wire.poll()
    for bot in running:
        bot.wire.close()


def _run(running: list[BotClient], seconds: float, as_json: bool) -> None:
    console = Screen()
    live = None
    if console.is_terminal and not as_json:
        live = Live(console=console, auto_refresh=False)
        live.start()
    pace, end, printed = Pace(RATE), time.monotonic() + seconds, time.monotonic()
    lines: list[BotLine] = []
    try:
        while time.monotonic() < end and not all(bot.failed for bot in running):
            for bot in running:
                bot.tick()
            if time.monotonic() >= printed + 1.0:
                printed += 1.0
                lines = [bot.line() for bot in running]
                if as_json:
                    for line in lines:
                        say_json(asdict(line))
                elif live is not None:
                    live.update(table_of(lines, "retick bots"), refresh=True)
            pace.wait()
    finally:
        if live is not None:
            live.stop()
        elif not as_json and lines:
            console.print(table_of(lines, "retick bots"))
