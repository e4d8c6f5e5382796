"""Draws a match as one peer sees it: the match, the link to the other peer, and every rollback.

Theory of operation. The strip at the bottom has a cell for each frame, the newest at the right, as tall as the number
of frames that were resimulated with it: empty on a good link, full on a bad one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from retick.playing.network_report import NetworkReport

STRIP_ROWS = 1
_CELLS = " ▁▂▃▄▅▆▇█"
"""Cells for 0 to 8 resimulated frames."""
_STYLES = ((3, "green"), (6, "yellow"))
_DEEP = "bold red"
_FLASH = "bold bright_white on dark_orange3"


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkView:
    """Draws a report; it takes all of the height that rich gives it."""

    report: NetworkReport
    title: str
    picture: Callable[[str, str], RenderableType]
    """Draws the match itself, given a title and a footer."""
    depths: Sequence[int] = ()
    """Rollback depths of the last frames, newest last."""
    help_line: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = (options.height or console.size.height) - STRIP_ROWS - bool(self.help_line)
        match = self.picture(f"{self.title}: {_guesses(self.report)}", ", ".join(self.report.figures()))
        yield from console.render(match, options.update_height(height))
        yield from console.render(self._strip(options.max_width, ascii_only=options.ascii_only), options)
        if self.help_line:
            yield Text(f" {self.help_line}", style="dim", no_wrap=True, overflow="crop")

    def _strip(self, columns: int, *, ascii_only: bool) -> Text:
        """The newest rollback in words, then one cell for each frame."""
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


def _guesses(report: NetworkReport) -> str:
    guesses = max(report.frame - 1 - report.confirmed, 0)
    # Both forms have the same length, so that the picture stands still.
    return f"{guesses:2} frames are guesses" if guesses != 1 else f"{guesses:2} frame is a guess   "
