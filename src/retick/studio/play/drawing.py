"""A canvas that records: what a game draws on it goes to the page as a list, and the page draws it."""

import re
from typing import Any

from retick.errors import UsageError

__all__ = ["MOST_SHAPES", "Drawing"]

MOST_SHAPES = 2000
"""Shapes of one picture; more are left out."""
LONGEST_TEXT = 200
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


class Drawing:
    """Coordinates in pixels from the upper left corner; colours as ``#rrggbb``, or red, green and blue in a tuple."""

    def __init__(self, size: tuple[int, int]) -> None:
        self.size = size
        self.shapes: list[list[Any]] = []

    def rect(self, x: float, y: float, width: float, height: float, colour: object) -> None:
        """A filled rectangle from its upper left corner."""
        self._add("rect", (x, y, width, height), colour)

    def circle(self, x: float, y: float, radius: float, colour: object) -> None:
        """A filled circle around its middle."""
        self._add("circle", (x, y, max(radius, 0)), colour)

    def line(self, x1: float, y1: float, x2: float, y2: float, width: float, colour: object) -> None:
        """A line of some width."""
        self._add("line", (x1, y1, x2, y2, width), colour)

    def text(self, x: float, y: float, text: object, size: float, colour: object) -> None:
        """A text from its upper left corner, ``size`` pixels high."""
        if len(self.shapes) < MOST_SHAPES:
            shown = str(text)[:LONGEST_TEXT]
            self.shapes.append(["text", *_numbers((x, y)), shown, *_numbers((size,)), _colour(colour)])

    def _add(self, kind: str, numbers: tuple[float, ...], colour: object) -> None:
        if len(self.shapes) < MOST_SHAPES:
            self.shapes.append([kind, *_numbers(numbers), _colour(colour)])


def _numbers(values: tuple[float, ...]) -> list[float]:
    try:
        return [_bounded(value) for value in values]
    except (TypeError, ValueError):
        raise UsageError(f"a drawing takes numbers, not {values!r}"[:LONGEST_TEXT]) from None


def _bounded(value: float) -> float:
    if value != value:
        raise ValueError("not a number")
    return round(float(min(max(value, -1e6), 1e6)), 1)


def _colour(value: object) -> str:
    if isinstance(value, str) and _COLOUR.fullmatch(value):
        return value
    if isinstance(value, tuple) and len(value) == 3 and all(isinstance(one, int) and 0 <= one <= 255 for one in value):
        return "#{:02x}{:02x}{:02x}".format(*value)
    raise UsageError(f"a colour is '#rrggbb' or (red, green, blue) from 0 to 255, not {value!r}")
