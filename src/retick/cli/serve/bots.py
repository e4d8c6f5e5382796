"""``retick bots``: clients that really predict and reconcile, over a link as bad as one likes."""

# retick: floats -- measurements

import json
import os
import time
from dataclasses import asdict, dataclass
from math import inf
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.live import Live
from rich.table import Table

from retick.authority import Client, ClientConfig, ConnectionLost, Joined, JoinFailed, Reconciled
from retick.cli.play.pace import Pace
from retick.errors import RetickError, UsageError
from retick.games.runner import CourseBot, NetRunner
from retick.transport import Conditions, Impaired
from retick.transport.poll import Poll
from retick.transport.udp import open_udp, parse_address

__all__ = ["BotLine", "RunningBot", "bots", "table_of"]

INTERRUPTED: Final = 130
SPIKE: Final = 0.25
WARM_UP: Final = 3.0
"""Seconds after joining in which corrections are not judged: the clock settles."""
HEALING: Final = 2.0
"""The same after this machine stood still for a fifth of a second, which is no fault of the network's."""
RATE: Final = 60
GOODBYE: Final = 0.3
"""Seconds for goodbyes to leave through a slow link."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotLine:
    """One bot at one moment."""

    bot: int
    state: str
    """"dialling", "in", "lost" or why it failed."""
    rtt_ms: float
    pending: int
    acks: float
    """Commands acknowledged a second."""
    corrections: float
    """Corrections a second."""
    largest: float
    """Metres, the largest correction after the warm-up."""
    spikes: int
    """Corrections over 0.25 m after the warm-up."""
    down: float
    """Bytes a second, headers of IP and UDP not counted."""
    up: float
    stalls: int
    """Times that this machine stood still for a fifth of a second or more."""


class RunningBot:
    """A client on its own socket, and the bot at its controls."""

    def __init__(
        self, number: int, seed: int, server: tuple[str, int], room: str, link: Conditions, config: ClientConfig
    ) -> None:
        self.number = number
        host, port = server
        self.socket = open_udp("::" if ":" in host else "0.0.0.0", 0)
        address = self.socket.resolve(host, port)
        self.client = Client(NetRunner(), address, entropy=os.urandom, room=room, config=config)
        self.wire = Poll(Impaired(self.client, outgoing=link, incoming=link, seed=seed), self.socket)
        self.bot = CourseBot(seed)
        self.state = "dialling"
        self.failed = False
        """It is not in, and makes no further attempt."""
        self.largest = 0.0
        self.spikes = 0
        self._marks = (self.wire.clock(), 0, 0, 0, 0)
        self._judged_from = float("inf")
        self._stalls = 0
        self._ack = 0

    def tick(self) -> None:
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
                self.state, self.failed = event.text, True
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
        """Rates since the last call, levels as they are."""
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
        """Say goodbye; the wire wants a few more polls for it to leave."""
        self.client.close("the bot stops")
        self.wire.poll()

    @property
    def did_well(self) -> bool:
        return self.state == "in" and self._ack > 0 and self.spikes == 0


def table_of(lines: list[BotLine], title: str) -> Table:
    """Round trip in ms, commands pending, acks and corrections a second, the worst in m, bytes a second, stalls."""
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


def bots(
    count: Annotated[int, typer.Argument(help="How many.", metavar="N")],
    connect: Annotated[str, typer.Option(help="The server: host or host:port.")] = "127.0.0.1:7777",
    room: Annotated[str, typer.Option(help="The room's name.")] = "",
    latency: Annotated[float, typer.Option(help="Milliseconds each way, added to the real ones.")] = 0.0,
    jitter: Annotated[float, typer.Option(help="Milliseconds, plus or minus.")] = 0.0,
    loss: Annotated[float, typer.Option(help="Percent lost, each way.")] = 0.0,
    seconds: Annotated[float, typer.Option(help="How long they run.")] = 20.0,
    seed: Annotated[int, typer.Option(help="Of the first bot and its link; the others follow.")] = 1,
    reset: Annotated[bool, typer.Option("--reset", help="Forget locomotion at each snapshot, as of old.")] = False,
    fixed: Annotated[bool, typer.Option("--fixed", help="Take fixed snapshots, no deltas.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each bot and second.")] = False,
) -> None:
    """Send bots to a server; exit with 1 if one is not in at the end or was corrected by more than 0.25 m.

    Example: retick bots 4 --connect 127.0.0.1:7777 --latency 60 --jitter 10 --loss 0.5
    """
    if not 1 <= count <= 64:
        raise UsageError(f"N is 1 to 64, not {count}")
    if not (0 < seconds < inf and 0 <= latency < inf and 0 <= jitter < inf and 0 <= loss <= 100):
        raise UsageError("--seconds is above 0, --latency and --jitter are not below 0, --loss is 0 to 100")
    host, port = parse_address(connect, default_port=7777)
    conditions = Conditions(latency=latency / 1000, jitter=jitter / 1000, loss=loss / 100)
    config = ClientConfig(reset_on_reconcile=reset, delta=not fixed)
    running = [RunningBot(number, seed + number, (host, port), room, conditions, config) for number in range(count)]
    if not as_json:
        typer.echo(f"{count} {'bot dials' if count == 1 else 'bots dial'} {host} port {port} for {seconds:g} s")
    interrupted = False
    try:
        _run(running, seconds, as_json)
    except KeyboardInterrupt:
        interrupted = True
    for bot in running:
        bot.close()
    end = time.monotonic() + GOODBYE
    while time.monotonic() < end:
        time.sleep(0.01)
        for bot in running:
            bot.wire.poll()
    for bot in running:
        bot.wire.close()
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    if all(bot.failed for bot in running):
        raise RetickError(f"no bot is left at {host} port {port} ({running[0].state}): is retick serve running there?")
    if not all(bot.did_well for bot in running):
        raise typer.Exit(1)


def _run(running: list[RunningBot], seconds: float, as_json: bool) -> None:
    console = Console(highlight=False)
    live = None
    if console.is_terminal and not as_json:
        live = Live(console=console, auto_refresh=False)
        live.start()
    pace, end, said = Pace(RATE), time.monotonic() + seconds, time.monotonic()
    lines: list[BotLine] = []
    try:
        while time.monotonic() < end and not all(bot.failed for bot in running):
            for bot in running:
                bot.tick()
            if time.monotonic() >= said + 1.0:
                said += 1.0
                lines = [bot.line() for bot in running]
                if as_json:
                    for line in lines:
                        print(json.dumps(asdict(line)), flush=True)
                elif live is not None:
                    live.update(table_of(lines, "retick bots"), refresh=True)
            pace.wait()
    finally:
        if live is not None:
            live.stop()
        elif not as_json:
            console.print(table_of(lines, "retick bots"))
