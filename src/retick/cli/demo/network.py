"""The demo over the network: starts both processes, shows their match, and proves that both played the same one."""

import json
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Self

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.segment import Segment
from rich.text import Text

from retick import replay
from retick.audit.interpreter import start_module
from retick.cli.demo.peer import PeerPlan
from retick.cli.draw.fighter import Arena
from retick.cli.draw.network_view import NetworkView
from retick.cli.exit_codes import NO, complain
from retick.cli.play.files import command_to_read
from retick.cli.terminal import Screen, count, say
from retick.errors import DecodeError, RetickError
from retick.games.fighter import Fighter, FighterState
from retick.playing.confirmed_match import ConfirmedFight, outcome
from retick.playing.controllers import StyleName
from retick.playing.match_driver import Result
from retick.playing.network_report import NetworkReport, log_line
from retick.replay import loads


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """The report of one process at the end."""

    ours: Result
    """The process's own result."""
    theirs: Result
    """The other peer's result, as it came over the network."""
    replay: bytes
    """The match as this process has recorded it, in RPLK."""
    unwritten: str = ""
    """The process's incomplete files, with the reasons; empty if there are none."""

    @classmethod
    def loads(cls, text: str) -> Self:
        values = json.loads(text)
        return cls(
            ours=Result(*values["ours"]),
            theirs=Result(*values["theirs"]),
            replay=bytes.fromhex(values["replay"]),
            unwritten=values["unwritten"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The comparisons in words, and the verdict."""

    checksums: str
    replays: str
    rerun: str
    ok: bool


def prove(first: Ending, second: Ending) -> Proof:
    """Compare both results, both recordings, and another run of the match from its inputs alone."""
    a, b = first.ours, second.ours
    received = first.theirs == b and second.theirs == a
    equal = a == b and received
    checksums = f"0x{a.checksum:08X} and 0x{b.checksum:08X} at frame {a.frame}, {'equal' if equal else 'NOT EQUAL'}"
    if a.frame != b.frame:
        checksums = f"0x{a.checksum:08X} at frame {a.frame}, 0x{b.checksum:08X} at frame {b.frame}: NOT EQUAL"
    elif a == b and not received:
        checksums += ": a peer received another checksum than the other one had"
    same = first.replay == second.replay
    replays = f"{len(first.replay)} bytes from each process, {'equal' if same else 'NOT EQUAL'}"
    verified, rerun = _run_again(first)
    return Proof(checksums=checksums, replays=replays, rerun=rerun, ok=equal and same and verified)


def _run_again(ending: Ending) -> tuple[bool, str]:
    try:
        recorded = replay.loads(ending.replay, strict=True)
    except DecodeError as error:
        return False, f"the replay cannot be read: {error}"
    verdict = replay.verify(recorded, Fighter(), expected_checksum=ending.ours.checksum)
    ok = verdict.ok and verdict.frames == ending.ours.frame
    return (
        ok,
        f"0x{verdict.checksum:08X} after {count(verdict.frames, 'frame')}, {'the same' if ok else 'NOT THE SAME'}",
    )


DEPTHS_KEPT = 400
START_SECONDS = 30.0
STOP_SECONDS = 1.0


class PeerProcess:
    """One of the demo's two processes: starts it, keeps its newest report, and ends it."""

    def __init__(self, title: str, plan: PeerPlan) -> None:
        self.title = title
        self.port = 0
        """The process's UDP port; 0 until it was reported."""
        self.report: NetworkReport | None = None
        self.depths: deque[int] = deque(maxlen=DEPTHS_KEPT)
        """Rollback depth of each of the last frames."""
        self.ending: Ending | None = None
        self.failure = ""
        self._noise: deque[str] = deque(maxlen=5)
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._unwanted = False
        self._process = start_module("retick.cli.demo.peer", plan.dumps(), stderr=subprocess.STDOUT)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def finished(self) -> bool:
        """Whether the process will report nothing more."""
        return self.ending is not None or bool(self.failure)

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def wait_until_it_listens(self) -> None:
        """Wait for the process to report its port; RetickError if it does not."""
        while not self.port and not self.finished:
            try:
                self._receive(self._lines.get(timeout=START_SECONDS))
            except Empty:
                self.failure = f"did not start within {START_SECONDS:.0f} s"
        if not self.port:
            raise RetickError(f"the {self.title}'s process {self.failure}")

    def update(self) -> None:
        """Read all new reports."""
        while not self.finished:
            try:
                self._receive(self._lines.get_nowait())
            except Empty:
                return

    def dismiss(self) -> None:
        """Close the pipe at the next report, so that the process says goodbye to the other peer and ends."""
        self._unwanted = True

    def stop(self) -> None:
        """End the process: wait a moment for its goodbye, then kill it."""
        self.dismiss()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(STOP_SECONDS)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as pipe:
            for line in pipe:
                if self._unwanted:
                    break
                self._lines.put(line)
        self._lines.put(None)

    def _receive(self, line: str | None) -> None:
        if line is None:
            code = self._process.wait()
            self.failure = f"ended with code {code}" + "".join(f"; {text.strip()}" for text in self._noise)
            return
        word, _, text = line.rstrip().partition(" ")
        if word == "listening":
            self.port = json.loads(text)["port"]
        elif word in ("frame", "stalled"):
            self.report = NetworkReport.loads(text)
            if word == "frame":
                self.depths.append(self.report.depth)
        elif word == "end":
            self.ending = Ending.loads(text)
        elif word == "failed":
            self.failure = f"gave up: {json.loads(text)['why']}"
        elif word != "waiting":
            self._noise.append(line.rstrip())


_LEAST_ROWS = 9
"""Least rows for one peer; a terminal that is too low for both shows only the host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BothPeers:
    """The newest report of each process, one above the other, drawn to fit."""

    peers: Sequence[PeerProcess]
    names: tuple[str, str]
    header: str
    previous: Sequence[FighterState | None] = (None, None)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        rows = (options.height or console.size.height) - 2
        shown = len(self.peers) if rows >= 2 * _LEAST_ROWS else 1
        yield Text(f" {self.header}", style="bold reverse", no_wrap=True, overflow="crop")
        for seat, peer in list(enumerate(self.peers))[:shown]:
            yield from console.render(self._peer(seat, peer), options.update_height(rows // shown))
            yield Segment.line()

    def _peer(self, seat: int, peer: PeerProcess) -> NetworkView | Text:
        if peer.report is None:
            return Text(f" {peer.title}: not connected yet", style="dim")
        report = peer.report

        def arena(title: str, footer: str) -> Arena:
            return Arena(
                state=report.fighter_state(),
                previous=self.previous[seat],
                names=self.names,
                hits=report.hits,
                title=title,
                footer=footer,
            )

        title = f"{peer.title}, plays {seat + 1}"
        return NetworkView(report=report, title=title, picture=arena, depths=list(peer.depths))


PICTURES_A_SECOND = 30


def files_of(path: Path | None) -> list[Path]:
    """The files of host and joiner, named after ``path``; empty without a path."""
    if path is None:
        return []
    return [path.parent / f"{path.stem}-{title}{path.suffix}" for title in ("host", "joiner")]


class NetworkDemo:
    """The two processes, from their start to the proof."""

    def __init__(
        self,
        console: Screen,
        plan: PeerPlan,
        styles: tuple[StyleName, StyleName],
        header: str,
        captures: Sequence[Path] = (),
        traces: Sequence[Path] = (),
    ) -> None:
        """``captures`` and ``traces`` have one file for each process, or are empty."""
        self.console = console
        self.header = header
        self.names = (styles[0].value, styles[1].value)
        self._plan = plan
        self._styles = styles
        self._captures = captures
        self._traces = traces
        self._started = time.monotonic()
        self.peers: list[PeerProcess] = []

    def run(self, record: Path | None) -> int:
        """Play and print the proof; return the exit code."""
        try:
            self._play()
            return self._conclude(record)
        finally:
            captures = [path for path in self._captures if path.exists()]
            keylog = None if self._plan.keylog is None else Path(self._plan.keylog)
            if captures:
                files = " and ".join(map(str, captures))
                self._print("captured", f"{files}; to read one: {command_to_read(captures[0], keylog)}")
            if self._traces and all(path.exists() for path in self._traces):
                self._print("noted", f"to see them: retick trace {' '.join(map(str, self._traces))}")

    def _play(self) -> None:
        try:
            self._start()
            self._show()
        finally:
            for peer in self.peers:
                peer.dismiss()
            for peer in self.peers:
                peer.stop()

    def _start(self) -> None:
        host = PeerProcess("host", replace(self._plan, **self._files(0)))
        self.peers.append(host)
        host.wait_until_it_listens()
        joiner = replace(self._plan, style=self._styles[1], host_port=host.port, **self._files(1))
        self.peers.append(PeerProcess("joiner", joiner))

    def _files(self, place: int) -> dict[str, Any]:
        """The files of one process, by their names in its plan."""
        kinds = {"capture": self._captures, "trace": self._traces}
        return {kind: str(paths[place]) for kind, paths in kinds.items() if paths}

    def _show(self) -> None:
        if self.console.is_terminal and not self.console.is_dumb_terminal:
            self._show_live()
        else:
            self._show_lines()

    def _watch(self, show: Callable[[], None]) -> None:
        """Call ``show`` until both processes have reported everything, or one has failed."""
        while not all(peer.finished for peer in self.peers) and not any(peer.failure for peer in self.peers):
            for peer in self.peers:
                peer.update()
            show()
            time.sleep(1 / PICTURES_A_SECOND)

    def _show_live(self) -> None:
        drawn: list[FighterState | None] = [None, None]

        def draw() -> None:
            picture = BothPeers(peers=self.peers, names=self.names, header=self.header, previous=tuple(drawn))
            live.update(picture, refresh=True)
            drawn[:] = [None if peer.report is None else peer.report.fighter_state() for peer in self.peers]

        with Live(console=self.console, screen=True, auto_refresh=False) as live:
            self._watch(draw)

    def _show_lines(self) -> None:
        say(self.header, f"{self.names[0]} hosts, {self.names[1]} joins; two figures are host and joiner")
        second = 0

        def tell() -> None:
            nonlocal second
            reports = [peer.report for peer in self.peers if peer.report is not None]
            if len(reports) == 2 and reports[0].frame // self._plan.rate > second:
                second = reports[0].frame // self._plan.rate
                say(log_line(second, reports))

        self._watch(tell)

    def _conclude(self, record: Path | None) -> int:
        """Print the outcome and the proof; return the exit code."""
        for peer in self.peers:
            if peer.failure:
                complain(f"the {peer.title}'s process {peer.failure}")
        first, second = (peer.ending for peer in self.peers)
        if first is None or second is None:
            return NO
        proof = prove(first, second)
        recorded = loads(first.replay)
        confirmed = ConfirmedFight(recorded.seed, frames=len(recorded))
        confirmed.add(recorded.inputs_at(frame) for frame in range(len(recorded)))
        lines = [
            ("outcome", f"{outcome(confirmed, self.names)}; hits {confirmed.hits[0]} and {confirmed.hits[1]}"),
            *self._figures(confirmed.state.frame),
            ("checksums", proof.checksums),
            ("replays", proof.replays),
            ("run again", proof.rerun),
        ]
        for name, text in lines:
            self._print(name, text)
        if record is not None:
            confirmed.save(record)
            self._print("recorded", str(record))
        failed = [end.unwritten for end in (first, second) if end.unwritten]
        for why in failed:
            complain(why)
        return 0 if proof.ok and not failed else NO

    def _print(self, name: str, text: str) -> None:
        self.console.tell((f"{name:>10}", "bold"), f"  {text}")

    def _figures(self, frames: int) -> list[tuple[str, str]]:
        reports = [peer.report for peer in self.peers if peer.report is not None]
        took = time.monotonic() - self._started
        rtts = " and ".join("?" if each.rtt is None else f"{each.rtt * 1e3:.0f} ms" for each in reports)
        return [
            ("played", f"{count(frames, 'frame')} at {self._plan.rate} Hz, in {took:.1f} s with starting and ending"),
            ("link", f"round trip {rtts}, lost {' and '.join(f'{each.loss_in:.1%}' for each in reports)}"),
            (
                "rollbacks",
                "; ".join(
                    f"{peer.title} {each.rollbacks} of up to {count(each.deepest, 'frame')}, "
                    f"{count(each.stalls, 'stall')}"
                    for peer, each in zip(self.peers, reports, strict=False)
                ),
            ),
            (
                "wire",
                ", ".join(f"{each.packets:.0f} packets {each.octets / 1024:.2f} KiB" for each in reports)
                + " a second sent",
            ),
        ]
