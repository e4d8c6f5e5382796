"""Draws scramble's field: players by their numbers, the coin, and the scores."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.style import Style

from retick.cli.draw.canvas import Canvas
from retick.games.scramble import ScrambleState
from retick.games.scramble.rules import FIELD

_FALLBACK_ROWS = 22
_CHROME_ROWS = 4
"""Rows for the title, two walls and the footer."""
_BOARD = 26
"""Columns of the scores beside the field."""
_COLOURS = ("cyan", "magenta", "green", "yellow", "blue", "red", "white", "bright_black")
_SEATS = tuple(Style(bold=True, color=colour) for colour in _COLOURS)
_STUNNED = Style(reverse=True, dim=True)
_DASH = Style(bold=True, reverse=True)
_COIN = Style(bold=True, color="bright_yellow")
_WALL = Style(color="bright_black")
_BOLD = Style(bold=True)
_DIM = Style(dim=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScrambleField:
    """One state of a match, drawn to fit the space that rich gives it."""

    state: ScrambleState
    names: Sequence[str]
    title: str = "retick"
    footer: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        columns = max(options.max_width, 40)
        rows = max((options.height or _FALLBACK_ROWS) - _CHROME_ROWS, 6)
        # A cell is twice as tall as wide, and the field is square.
        rows = min(rows, (columns - _BOARD) // 2)
        canvas = Canvas(columns, rows + _CHROME_ROWS)
        canvas.put_header(self.title, (f"frame {self.state.frame:>5} ",), _BOLD)
        canvas.put(1, canvas.rows - 1, self.footer, _DIM, blank=True)
        self._draw_field(canvas, rows, 2 * rows)
        self._draw_scores(canvas, 2 * rows + 4)
        yield from canvas.segments()

    def _draw_field(self, canvas: Canvas, rows: int, columns: int) -> None:
        for row in (1, rows + 2):
            canvas.put(0, row, "+" + "-" * columns + "+", _WALL)
        for row in range(2, rows + 2):
            canvas.put(0, row, "|", _WALL)
            canvas.put(columns + 1, row, "|", _WALL)

        def put(x: int, y: int, text: str, style: Style) -> None:
            canvas.put(1 + x * columns // FIELD - len(text) // 2, 2 + min(y * rows // FIELD, rows - 1), text, style)

        put(self.state.coin_x, self.state.coin_y, "$", _COIN)
        for seat, body in enumerate(self.state.bodies):
            style = _STUNNED if body.stun > 0 else _DASH if body.dash > 0 else _SEATS[seat]
            put(body.x, body.y, f"({seat + 1})" if body.stun <= 0 else f"x{seat + 1}x", style)

    def _draw_scores(self, canvas: Canvas, left: int) -> None:
        best = max(body.score for body in self.state.bodies)
        for seat, body in enumerate(self.state.bodies):
            mark = "<" if body.score == best and best > 0 else ""
            canvas.put(left, 2 + seat, f"{seat + 1} {self.names[seat]:12} {body.score:4} {mark}", _SEATS[seat])
