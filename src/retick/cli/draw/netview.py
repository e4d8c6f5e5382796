"""One side of a match over the network as a picture: the match, the way to the other side, and every rollback.

Theory of operation. A :class:`SideReport` is all that a picture needs, small enough to go through a pipe many times a
second. The strip at the bottom has a cell for each frame, newest at the right, as tall as the number of frames
that were run again before it: a quiet link leaves it empty, a bad one shows as teeth.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Self

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from retick.cli.play.referee import FighterReferee
from retick.cli.play.side import Side
from retick.games.fighter import Fighter, FighterState
from retick.rollback.match.stats import PeerStats

__all__ = ["SideReport", "SideView", "report_of"]

STRIP_ROWS = 1
_CELLS = " ▁▂▃▄▅▆▇█"
"""An eighth of a cell for each frame run again."""
_STYLES = ((3, "green"), (6, "yellow"))
_DEEP = "bold red"
_FLASH = "bold bright_white on dark_orange3"
_FIGHTER = Fighter()
_NOBODY = PeerStats(
    rtt=None,
    jitter=None,
    loss_in=0.0,
    loss_out=0.0,
    packets_in=0,
    packets_out=0,
    bytes_in=0,
    bytes_out=0,
    packets_per_second_out=0.0,
    bytes_per_second_out=0.0,
    lead=0.0,
    their_lead=0.0,
    unacknowledged=0,
)
"""In place of a machine that is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideReport:
    """One side at one frame; seconds, frames, shares from 0 to 1, packets and bytes a second."""

    frame: int
    confirmed: int
    state: str
    """The packed state, in hex."""
    depth: int
    """Frames run again with this one."""
    rollbacks: int = 0
    resimulated: int = 0
    deepest: int = 0
    stalls: int = 0
    hits: tuple[int, int] = (0, 0)
    rtt: float | None = None
    jitter: float | None = None
    loss_in: float = 0.0
    loss_out: float = 0.0
    packets: float = 0.0
    octets: float = 0.0
    notice: str = ""

    def dumps(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def loads(cls, text: str) -> Self:
        values = json.loads(text)
        return cls(**{**values, "hits": tuple(values["hits"])})

    def fighter_state(self) -> FighterState:
        state: FighterState = _FIGHTER.unpack_state(bytes.fromhex(self.state))
        return state


def report_of(side: Side, now: float) -> SideReport:
    """What there is to show of a running side."""
    stats = side.session.stats(now=now)
    assert side.referee is not None
    peer = next(iter(stats.peers.values()), _NOBODY)
    return SideReport(
        frame=stats.frame,
        # Inputs may be known for frames that are still to come; what is shown is how much of the match is final.
        confirmed=min(stats.confirmed_frame, stats.frame - 1),
        state=side.referee.game.pack_state(side.session.state).hex(),
        depth=side.depth,
        rollbacks=stats.rollbacks,
        resimulated=stats.resimulated_frames,
        deepest=stats.deepest_rollback,
        stalls=stats.stalls,
        hits=side.referee.hits if isinstance(side.referee, FighterReferee) else (0, 0),
        rtt=peer.rtt,
        jitter=peer.jitter,
        loss_in=peer.loss_in,
        loss_out=peer.loss_out,
        packets=peer.packets_per_second_out,
        octets=peer.bytes_per_second_out,
        notice=side.notice,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SideView:
    """A report drawn to fit; the height that rich gives it is used up."""

    report: SideReport
    title: str
    picture: Callable[[str, str], RenderableType]
    """Makes the match itself, given a title and a footer."""
    depths: Sequence[int] = ()
    """Rollback depth of each of the last frames, newest last."""
    help_line: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = (options.height or console.size.height) - STRIP_ROWS - bool(self.help_line)
        match = self.picture(f"{self.title}: {_knowledge(self.report)}", _way(self.report))
        yield from console.render(match, options.update_height(height))
        yield from console.render(self._strip(options.max_width, ascii_only=options.ascii_only), options)
        if self.help_line:
            yield Text(f" {self.help_line}", style="dim", no_wrap=True, overflow="crop")

    def _strip(self, columns: int, *, ascii_only: bool) -> Text:
        """Every frame's rollback, after the newest one in words."""
        recent = max(self.depths[-12:], default=0)
        text = Text(" ", no_wrap=True, overflow="crop")
        if self.report.notice:
            text.append(f" {self.report.notice} ", _FLASH)
        else:
            text.append(f" rolled back {recent:2} " if recent else " as predicted   ", _FLASH if recent else "dim")
        room = max(columns - len(text.plain) - 2, 1)
        cells = list(self.depths[-room:])
        text.append(" " * (room - len(cells)) + " ")
        for depth in cells:
            style = next((style for limit, style in _STYLES if depth <= limit), _DEEP)
            text.append(_cell(depth, ascii_only=ascii_only), style if depth else "dim")
        return text


def _cell(depth: int, *, ascii_only: bool) -> str:
    if ascii_only:
        return "." if depth == 0 else f"{min(depth, 15):X}"
    return "·" if depth == 0 else _CELLS[min(depth, 8)]


def _knowledge(report: SideReport) -> str:
    return f"{max(report.frame - 1 - report.confirmed, 0):2} frames are guesses"


def _way(report: SideReport) -> str:
    rtt = "unknown" if report.rtt is None else f"{report.rtt * 1e3:.0f} ms"
    return (
        f"round trip {rtt}, lost {report.loss_in:.0%} in {report.loss_out:.0%} out, "
        f"{report.rollbacks} rollbacks of up to {report.deepest}, {report.stalls} stalls"
    )
