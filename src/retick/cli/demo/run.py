"""The demo over the network: starts both processes, shows them, and prints the proof."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.markup import escape

from retick.cli.demo.peer import PeerPlan
from retick.cli.demo.process import PeerProcess
from retick.cli.demo.proof import prove
from retick.cli.demo.view import BothSides, line
from retick.cli.play.brains import StyleName
from retick.cli.play.capturing import reading
from retick.cli.play.referee import FighterReferee, outcome
from retick.games.fighter import FighterState
from retick.replay import loads, save

__all__ = ["INTERRUPTED", "NetworkDemo", "captures_of"]

PICTURES_A_SECOND = 30
INTERRUPTED = 130


def captures_of(path: Path | None) -> list[Path]:
    """The host's file and the joiner's, named after one; none for none."""
    if path is None:
        return []
    return [path.parent / f"{path.stem}-{title}{path.suffix}" for title in ("host", "joiner")]


class NetworkDemo:
    """Two processes, from their start to the proof."""

    def __init__(
        self,
        console: Console,
        plan: PeerPlan,
        styles: tuple[StyleName, StyleName],
        header: str,
        captures: Sequence[Path] = (),
    ) -> None:
        """``captures`` has a file for each process, or none."""
        self.console = console
        self.header = header
        self.names = (styles[0].value, styles[1].value)
        self._plan = plan
        self._styles = styles
        self._captures = captures
        self._started = time.monotonic()
        self.peers: list[PeerProcess] = []

    def run(self, record: Path | None) -> int:
        """The exit code."""
        code = self._play(record)
        if self._captures:
            files = " and ".join(str(path) for path in self._captures)
            self._print("captured", f"{files}; to read one: {reading(self._captures[0])}")
        return code

    def _play(self, record: Path | None) -> int:
        try:
            self._start()
            self._show()
        except KeyboardInterrupt:
            self.console.print("interrupted: both processes were ended")
            return INTERRUPTED
        finally:
            for peer in self.peers:
                peer.dismiss()
            for peer in self.peers:
                peer.stop()
        return self._conclude(record)

    def _start(self) -> None:
        host = PeerProcess("host", replace(self._plan, capture=self._capture(0)))
        self.peers.append(host)
        host.wait_until_it_listens()
        joiner = replace(self._plan, style=self._styles[1], host_port=host.port, capture=self._capture(1))
        self.peers.append(PeerProcess("joiner", joiner))

    def _capture(self, place: int) -> str | None:
        return str(self._captures[place]) if self._captures else None

    def _show(self) -> None:
        if self.console.is_terminal and not self.console.is_dumb_terminal:
            self._show_live()
        else:
            self._show_lines()

    def _watch(self, show: Callable[[], None]) -> None:
        """Until both have said all, or one is gone."""
        while not all(peer.finished for peer in self.peers) and not any(peer.failure for peer in self.peers):
            for peer in self.peers:
                peer.update()
            show()
            time.sleep(1 / PICTURES_A_SECOND)

    def _show_live(self) -> None:
        drawn: list[FighterState | None] = [None, None]

        def draw() -> None:
            picture = BothSides(peers=self.peers, names=self.names, header=self.header, previous=tuple(drawn))
            live.update(picture, refresh=True)
            drawn[:] = [None if peer.report is None else peer.report.fighter_state() for peer in self.peers]

        with Live(console=self.console, screen=True, auto_refresh=False) as live:
            self._watch(draw)

    def _show_lines(self) -> None:
        print(
            f"{self.header}\n{self.names[0]} hosts, {self.names[1]} joins; two figures are host and joiner", flush=True
        )
        second = 0

        def tell() -> None:
            nonlocal second
            reports = [peer.report for peer in self.peers if peer.report is not None]
            if len(reports) == 2 and reports[0].frame // self._plan.rate > second:
                second = reports[0].frame // self._plan.rate
                print(line(second, reports), flush=True)

        self._watch(tell)

    def _conclude(self, record: Path | None) -> int:
        """The outcome and the proof."""
        for peer in self.peers:
            if peer.failure:
                self.console.print(f"retick: the {peer.title}'s process {peer.failure}", style="bold red")
        first, second = (peer.ending for peer in self.peers)
        if first is None or second is None:
            return 1
        proof = prove(first, second)
        recorded = loads(first.replay)
        referee = FighterReferee(recorded.seed, frames=len(recorded))
        referee.watch(recorded.inputs_at(frame) for frame in range(len(recorded)))
        lines = [
            ("outcome", f"{outcome(referee, self.names)}; hits {referee.hits[0]} and {referee.hits[1]}"),
            *self._figures(referee.state.frame),
            ("checksums", proof.checksums),
            ("replays", proof.replays),
            ("run again", proof.rerun),
        ]
        if record is not None:
            save(record, recorded)
            lines.append(("recorded", str(record)))
        for name, text in lines:
            self._print(name, text)
        return 0 if proof.ok else 1

    def _print(self, name: str, text: str) -> None:
        self.console.print(f"[bold]{name:>10}[/]  {escape(text)}", soft_wrap=True)

    def _figures(self, frames: int) -> list[tuple[str, str]]:
        reports = [peer.report for peer in self.peers if peer.report is not None]
        took = time.monotonic() - self._started
        rtts = " and ".join("?" if each.rtt is None else f"{each.rtt * 1e3:.0f} ms" for each in reports)
        return [
            ("played", f"{frames} frames at {self._plan.rate} Hz, in {took:.1f} s with starting and ending"),
            ("link", f"round trip {rtts}, lost {' and '.join(f'{each.loss_in:.1%}' for each in reports)}"),
            (
                "rollbacks",
                "; ".join(
                    f"{peer.title} {each.rollbacks} of up to {each.deepest} frames, {each.stalls} stalls"
                    for peer, each in zip(self.peers, reports, strict=False)
                ),
            ),
            (
                "wire",
                ", ".join(f"{each.packets:.0f} packets {each.octets / 1024:.2f} KiB" for each in reports)
                + " a second sent",
            ),
        ]
