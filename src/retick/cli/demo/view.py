"""Both peers of the demo in one terminal, one above the other, so that differences between their views are seen."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment
from rich.text import Text

from retick.cli.demo.peer_process import PeerProcess
from retick.cli.draw.fighter import Arena
from retick.cli.draw.network_view import NetworkView
from retick.games.fighter import FighterState
from retick.playing.network_report import NetworkReport

__all__ = ["BothPeers", "line"]

_LEAST_ROWS = 9
"""Rows that one peer needs at least; a terminal that is too low for both shows only the host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BothPeers:
    """The newest report of each process, drawn to fit."""

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


def line(second: int, reports: Sequence[NetworkReport]) -> str:
    """One second of both peers, for logs and pipes."""
    first, other = reports
    rtt = "?" if first.rtt is None else f"{first.rtt * 1e3:.0f}"
    return (
        f"{second:4} s  frame {first.frame:5} {other.frame:5}  "
        f"confirmed {first.confirmed:5} {other.confirmed:5}  "
        f"rollbacks {first.rollbacks:4} {other.rollbacks:4}  deepest {first.deepest:2} {other.deepest:2}  "
        f"stalls {first.stalls:2} {other.stalls:2}  rtt {rtt:>3} ms  "
        f"lost {first.loss_in:4.0%} {other.loss_in:4.0%}"
    )
