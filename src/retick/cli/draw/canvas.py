"""A rectangle of terminal cells to draw on, cell by cell."""

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style

from retick.cli.terminal import safe

_PLAIN = Style()
CUT = "..."
"""Marks a text that was cut."""


class Canvas:
    """Rows of cells, each a character and a style; whatever falls outside is cut off."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self.rows = rows
        self._characters = [[" "] * columns for _ in range(rows)]
        self._styles = [[_PLAIN] * columns for _ in range(rows)]

    def put(self, column: int, row: int, text: str, style: Style, *, blank: bool = False) -> None:
        """Write ``text``; spaces overwrite other cells only with ``blank``."""
        if not 0 <= row < self.rows or column >= self.columns:
            return
        shown = safe(text)[max(-column, 0) : self.columns - column]
        for at, character in enumerate(shown, max(column, 0)):
            if blank or character != " ":
                self._characters[row][at] = character
                self._styles[row][at] = style

    def fill(self, first: int, last: int, row: int, character: str, style: Style) -> None:
        """Write ``character`` from one column to another; both may be far outside."""
        first, last = max(first, 0), min(last, self.columns - 1)
        self.put(first, row, character * max(last - first + 1, 0), style)

    def put_right(self, row: int, text: str, style: Style) -> None:
        self.put(self.columns - len(text), row, text, style, blank=True)

    def put_header(self, title: str, numbers: Sequence[str], style: Style) -> None:
        """Write a title at the left of the first row, and at its right the longest of ``numbers`` that leaves room.

        ``numbers`` are sorted, longest first. If none leaves room, the last one is shown and the title is cut.
        """
        title = safe(title)
        room = [self.columns - len(text) - 2 for text in numbers]
        fits = next((at for at, free in enumerate(room) if free >= len(title)), len(numbers) - 1)
        if len(title) > room[fits]:
            title = title[: max(room[fits] - len(CUT), 0)] + CUT if room[fits] > len(CUT) else ""
        self.put(1, 0, title, style, blank=True)
        self.put_right(0, numbers[fits], _PLAIN)

    def put_centred(self, row: int, text: str, style: Style) -> None:
        self.put((self.columns - len(text)) // 2, row, text, style, blank=True)

    def segments(self) -> list[Segment]:
        """The cells for rich, joined if they have the same style, with a line end after each row."""
        found = []
        for characters, styles in zip(self._characters, self._styles, strict=True):
            start = 0
            for at in range(1, self.columns + 1):
                if at == self.columns or styles[at] is not styles[start]:
                    found.append(Segment("".join(characters[start:at]), styles[start]))
                    start = at
            found.append(Segment.line())
        return found
