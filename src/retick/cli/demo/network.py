"""The demo over the network: starts both processes, shows their match, and prints the proof that it was the same."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.live import Live

from retick.cli.demo.peer import PeerPlan
from retick.cli.demo.peer_process import PeerProcess
from retick.cli.demo.proof import prove
from retick.cli.demo.view import BothPeers, line
from retick.cli.exit_codes import NO, complain
from retick.cli.play.capture_file import command_to_read
from retick.cli.plurals import count
from retick.cli.terminal import Screen, say
from retick.games.fighter import FighterState
from retick.playing.confirmed_match import ConfirmedFight, outcome
from retick.playing.controllers import StyleName
from retick.replay import loads

__all__ = ["NetworkDemo", "files_of"]

PICTURES_A_SECOND = 30


def files_of(path: Path | None) -> list[Path]:
    """The host's file and the joiner's, named after ``path``; none without it."""
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
        """``captures`` and ``traces`` have a file for each process, or none."""
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
        """Play and print the proof; the exit code."""
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
        """Those of one process, as its plan names them."""
        kinds = {"capture": self._captures, "trace": self._traces}
        return {kind: str(paths[place]) for kind, paths in kinds.items() if paths}

    def _show(self) -> None:
        if self.console.is_terminal and not self.console.is_dumb_terminal:
            self._show_live()
        else:
            self._show_lines()

    def _watch(self, show: Callable[[], None]) -> None:
        """Until both have reported everything, or one has failed."""
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
                say(line(second, reports))

        self._watch(tell)

    def _conclude(self, record: Path | None) -> int:
        """The outcome and the proof."""
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
