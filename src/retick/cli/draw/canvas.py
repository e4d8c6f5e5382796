"""A rectangle of terminal cells to draw on."""

from rich.segment import Segment
from rich.style import Style

from retick.cli.terminal import safe

__all__ = ["Canvas"]

_PLAIN = Style()


class Canvas:
    """Rows of cells, each a character and a style; whatever falls outside is cut off."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self.rows = rows
        self._characters = [[" "] * columns for _ in range(rows)]
        self._styles = [[_PLAIN] * columns for _ in range(rows)]

    def put(self, column: int, row: int, text: str, style: Style, *, blank: bool = False) -> None:
        """Write ``text``; its spaces do not overwrite what is there, except with ``blank``."""
        if not 0 <= row < self.rows or column >= self.columns:
            return
        shown = safe(text)[max(-column, 0) : self.columns - column]
        for at, character in enumerate(shown, max(column, 0)):
            if blank or character != " ":
                self._characters[row][at] = character
                self._styles[row][at] = style

    def fill(self, first: int, last: int, row: int, character: str, style: Style) -> None:
        """Write ``character`` from one column to another, however far outside these are."""
        first, last = max(first, 0), min(last, self.columns - 1)
        self.put(first, row, character * max(last - first + 1, 0), style)

    def put_right(self, row: int, text: str, style: Style) -> None:
        self.put(self.columns - len(text), row, text, style, blank=True)

    def put_centred(self, row: int, text: str, style: Style) -> None:
        self.put((self.columns - len(text)) // 2, row, text, style, blank=True)

    def segments(self) -> list[Segment]:
        """The cells for rich: joined where the style is the same, with a line end after each row."""
        found = []
        for characters, styles in zip(self._characters, self._styles, strict=True):
            start = 0
            for at in range(1, self.columns + 1):
                if at == self.columns or styles[at] is not styles[start]:
                    found.append(Segment("".join(characters[start:at]), styles[start]))
                    start = at
            found.append(Segment.line())
        return found
