"""``retick bots``: bots that play on a server as real clients, over a link that is made worse."""

import os
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from math import inf
from typing import Annotated, Final

import typer
from rich.live import Live
from rich.table import Table

from retick.authority import ConnectionLost, Joined, JoinFailed
from retick.cli.exit_codes import NO
from retick.cli.pace import LoopPace
from retick.cli.play.files import CaptureFile, CaptureOption, captured, check_capture
from retick.cli.sealing import (
    ClientIdentityOption,
    ClientKeylogOption,
    ClientPlainOption,
    ServerKeyOption,
    TokenOption,
    client_sealing,
    read_token,
)
from retick.cli.terminal import Screen, say, say_json
from retick.errors import RetickError, UsageError
from retick.games.runner import CourseBot
from retick.host.link_config import ClientSealing
from retick.link import Reason
from retick.netrunner import Client, ClientConfig, NetRunner
from retick.netrunner.events import Reconciled
from retick.tokens import show
from retick.transport import Conditions, Impaired
from retick.transport.poll import Poll
from retick.transport.udp import open_udp, parse_address

# retick: floats -- measurements


DIALLING: Final = "dialling"
SPIKE: Final = 0.25
"""Metres from which a player sees a correction."""
WARM_UP: Final = 3.0
"""Seconds after joining during which corrections do not count, while the clock adjusts."""
HEALING: Final = 2.0
"""Seconds during which corrections do not count after this machine was too busy for a fifth of a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotLine:
    """The figures of one bot in the last second."""

    bot: int
    """Number of the bot."""
    state: str
    """"dialling", "in", "lost", or why it failed."""
    rtt_ms: float
    """Round-trip time in milliseconds."""
    pending: int
    """Commands that the server has not acknowledged."""
    acks: float
    """Commands acknowledged per second."""
    corrections: float
    """Corrections per second."""
    largest: float
    """The largest correction after the warm-up, in metres."""
    spikes: int
    """Number of corrections over 0.25 m after the warm-up."""
    down: float
    """Bytes received per second, without IP and UDP headers."""
    up: float
    """Bytes sent per second, without IP and UDP headers."""
    stalls: int
    """How often this machine was too busy to run the bot for a fifth of a second or more."""


class BotClient:
    """A client with its own socket, played by a bot."""

    def __init__(
        self,
        number: int,
        seed: int,
        server: tuple[str, int],
        room: str,
        link: Conditions,
        config: ClientConfig,
        token: bytes = b"",
        sealing: ClientSealing | None = None,
        capture: CaptureFile | None = None,
    ) -> None:
        self.number = number
        host, port = server
        self.socket = open_udp("::" if ":" in host else "0.0.0.0", 0)
        with ExitStack() as undo:
            undo.callback(self.socket.close)
            address = self.socket.resolve(host, port)
            self.client = Client(
                NetRunner(), address, entropy=os.urandom, room=room, config=config, token=token, **(sealing or {})
            )
            undo.pop_all()
        self.wire = Poll(captured(Impaired(self.client, outgoing=link, incoming=link, seed=seed), capture), self.socket)
        self.bot = CourseBot(seed)
        self.state = DIALLING
        self.failed = False
        """Whether the bot is out and does not try again."""
        self.reason = 0
        """The code with which the bot was refused, see ``retick.link.Reason``; 0 before that."""
        self.largest = 0.0
        self.spikes = 0
        self._marks = (self.wire.clock(), 0, 0, 0, 0)
        self._judged_from = float("inf")
        self._stalls = 0
        self._ack = 0

    def tick(self) -> None:
        """Receive, run one tick, send."""
        now = self.wire.clock()
        for event in self.wire.poll(now):
            if isinstance(event, Reconciled):
                self._ack = event.ack
                if now > self._judged_from:
                    self.largest = max(self.largest, event.correction)
                    self.spikes += event.correction > SPIKE
            elif isinstance(event, Joined):
                self.state, self._judged_from = "in", now + WARM_UP
            elif isinstance(event, JoinFailed):
                self.state, self.failed, self.reason = event.text, True, event.reason
            elif isinstance(event, ConnectionLost):
                self.state, self.failed = "lost" if event.will_rejoin else event.text, not event.will_rejoin
        if self.client.player is not None:
            self.client.tick(self.bot.decide(self.client.player), now=now)
            self.client.others(now=now)
            if self.client.stats.epochs > self._stalls:
                self._stalls = self.client.stats.epochs
                self._judged_from = max(self._judged_from, now + HEALING)
        self.wire.flush(now)

    def line(self) -> BotLine:
        """The present figures; rates cover the time since the last call."""
        client, now = self.client, self.wire.clock()
        stats, link = client.stats, client.connection.stats
        marks = (now, self._ack, stats.corrections, link.bytes_received, link.bytes_sent)
        passed = max(1e-9, now - self._marks[0])
        acks, corrections, down, up = ((a - b) / passed for a, b in zip(marks[1:], self._marks[1:], strict=True))
        self._marks = marks
        prediction = client.prediction
        return BotLine(
            bot=self.number,
            state=self.state,
            rtt_ms=link.rtt * 1000,
            pending=0 if prediction is None else len(prediction.pending),
            acks=max(0.0, acks),
            corrections=corrections,
            largest=self.largest,
            spikes=self.spikes,
            down=max(0.0, down),
            up=max(0.0, up),
            stalls=self._stalls,
        )

    def close(self) -> None:
        """Send goodbye; it takes a few more polls to leave a slow link."""
        self.client.close("the bot stops")
        self.wire.poll()

    @property
    def did_well(self) -> bool:
        """Whether the bot is in, was acknowledged, and was never corrected by more than 0.25 m."""
        return self.state == "in" and self._ack > 0 and self.spikes == 0


def table_of(lines: list[BotLine], title: str) -> Table:
    """Make a table with a row for each bot, with the fields of BotLine under short names."""
    table = Table(title=title, title_justify="left")
    for name in ("bot", "state", "RTT", "pend", "ack/s", "fix/s", "worst", "down", "up", "stall"):
        table.add_column(name, justify="left" if name == "state" else "right")
    for line in lines:
        table.add_row(
            str(line.bot),
            line.state,
            f"{line.rtt_ms:.0f}",
            str(line.pending),
            f"{line.acks:.1f}",
            f"{line.corrections:.2f}",
            f"{line.largest:.3f}",
            f"{line.down:,.0f}",
            f"{line.up:,.0f}",
            str(line.stalls),
        )
    return table


# retick: floats -- measurements


RATE: Final = 60
"""Ticks per second."""
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
        raise UsageError("--token is for one bot: a token admits one player")
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
    if all(bot.failed or bot.state == DIALLING for bot in running):
        raise RetickError(_why_none_is_left(next((bot for bot in running if bot.failed), running[0]), host, port))
    if not all(bot.did_well for bot in running) or (file is not None and file.failure):
        raise typer.Exit(NO)


def _why_none_is_left(bot: BotClient, host: str, port: int) -> str:
    where = f"{host} port {port}"
    if bot.reason == Reason.NO_ANSWER or not bot.failed:
        return f"{where} did not answer: is retick serve running there?"
    if bot.reason == Reason.GAME:
        return f"no bot is in at {where}: {bot.state}, and retick bots plays only the runner"
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
    pace, end, printed = LoopPace(RATE), time.monotonic() + seconds, time.monotonic()
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
