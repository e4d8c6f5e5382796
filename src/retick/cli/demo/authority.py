"""``retick demo --authority``: a server and bots in their own processes, over loopback with a link made bad."""

import json
import queue
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Final

import typer
from rich.live import Live

from retick.audit.interpreter import start_module
from retick.cli.bots import BotLine, table_of
from retick.cli.exit_codes import NO
from retick.cli.terminal import Screen
from retick.errors import RetickError

SCENARIO_B: Final = ("--latency", "60", "--jitter", "10", "--loss", "0.5")
START: Final = 30.0
"""Seconds that the server may take to start."""
LEAST_ACKS: Final = 50.0
"""Least commands per second, of 60, that the server must acknowledge to each bot."""


def demo_authority(*, bots: int = 4, seconds: float = 20.0, reset: bool = False) -> None:
    """Start a server and bots, show a table while they run, and print a verdict; exit with 1 if it is bad."""
    console = Screen()
    processes: list[_Child] = []
    lines: dict[int, BotLine] = {}
    try:
        port = _start_server(processes, seconds + START)
        said_by_bots: queue.SimpleQueue[tuple[int, str]] = queue.SimpleQueue()
        for number in range(bots):
            _start_bot(processes, number, port, seconds, reset, said_by_bots)
        _watch(console, said_by_bots, lines, seconds, [child.process for child in processes[1:]])
    finally:
        for child in processes:
            child.process.terminate()
        for child in processes:
            child.wait()
    if not _verdict(console, list(lines.values()), bots, reset):
        raise typer.Exit(NO)


class _Child:
    """A process, and the thread that reads its output, since a full pipe would stop it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._reader: threading.Thread | None = None

    def listen(self, take: Callable[[str], None]) -> None:
        """Call ``take`` with every line from now on."""
        self._reader = threading.Thread(target=self._read, args=(take,), daemon=True)
        self._reader.start()

    def _read(self, take: Callable[[str], None]) -> None:
        for line in self.process.stdout or ():
            take(line)

    def wait(self) -> None:
        """Wait until the process has ended and its output was read, then close the pipe."""
        self.process.wait()
        if self._reader is not None:
            self._reader.join()
        if self.process.stdout is not None:
            self.process.stdout.close()


def _start_server(processes: list[_Child], seconds: float) -> int:
    server = start_module(
        "retick", "serve", "runner", "--host", "127.0.0.1", "--port", "0", "--seconds", f"{seconds:g}",
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    child = _Child(server)
    processes.append(child)
    said = server.stdout.readline() if server.stdout is not None else ""
    words = said.split()
    if "port" not in words:
        raise RetickError("the server did not start")
    child.listen(lambda line: None)
    return int(words[words.index("port") + 1].rstrip(","))


def _start_bot(
    processes: list[_Child],
    number: int,
    port: int,
    seconds: float,
    reset: bool,
    said_by_bots: "queue.SimpleQueue[tuple[int, str]]",
) -> None:
    bot = start_module(
        "retick", "bots", "1", "--connect", f"127.0.0.1:{port}", "--seconds", f"{seconds:g}", "--json", *SCENARIO_B,
        "--seed", str(number + 1),
        *(["--reset"] if reset else []),
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    child = _Child(bot)
    processes.append(child)
    child.listen(lambda line: said_by_bots.put((number, line)))


def _watch(
    console: Screen,
    said_by_bots: "queue.SimpleQueue[tuple[int, str]]",
    lines: dict[int, BotLine],
    seconds: float,
    bots: list[subprocess.Popen[str]],
) -> None:
    """Show the bots until all are done: a live table in a terminal, or else a table every five seconds."""
    title = "retick demo --authority: 60 ms each way, 10 ms of jitter, 0.5 % of loss"
    end = time.monotonic() + seconds + START
    live = Live(console=console, auto_refresh=False) if console.is_terminal else None
    printed = time.monotonic()
    if live is not None:
        live.start()
    try:
        while time.monotonic() < end and any(bot.poll() is None for bot in bots):
            try:
                number, text = said_by_bots.get(timeout=0.2)
            except queue.Empty:
                continue
            found = json.loads(text)
            lines[number] = BotLine(**(found | {"bot": number}))
            shown = [lines[key] for key in sorted(lines)]
            if live is not None:
                live.update(table_of(shown, title), refresh=True)
            elif time.monotonic() >= printed + 5.0:
                printed = time.monotonic()
                console.print(table_of(shown, title))
    finally:
        if live is not None:
            live.stop()


def _verdict(console: Screen, lines: list[BotLine], wanted: int, reset: bool) -> bool:
    joined = sum(line.state == "in" for line in lines)
    slow = sum(line.acks < LEAST_ACKS for line in lines)
    spikes, largest = sum(line.spikes for line in lines), max((line.largest for line in lines), default=0.0)
    good = joined == wanted and slow == 0 and spikes == 0
    console.print(table_of(sorted(lines, key=lambda line: line.bot), "at the end"))
    _tell(console, "clients in", f"{joined} of {wanted}")
    _tell(console, "acknowledged too slowly", f"{slow}")
    _tell(console, "corrections over 0.25 m", f"{spikes}; the largest was {largest:.3f} m")
    stalls = sum(line.stalls for line in lines)
    if stalls:
        _tell(console, "stalls of this machine", f"{stalls}; the two seconds after one are not judged")
    how = "with the old reset" if reset else "locomotion restored before each replay"
    _tell(console, "verdict", f"{'good' if good else 'NOT GOOD'}, {how}")
    return good


def _tell(console: Screen, name: str, text: str) -> None:
    console.tell((f"{name:>28}", "bold"), f"  {text}")
