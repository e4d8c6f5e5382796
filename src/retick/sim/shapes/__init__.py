"""Vectors and rectangles that change in place, called as pygame calls them, with the same bits on every machine.

Knows no game and no pygame: where pygame wants a pair or a rectangle, it takes any sequence of two or four numbers.
"""

from retick.sim.shapes.rect import FRect, Rect
from retick.sim.shapes.vector2 import Vector2

__all__ = ["FRect", "Rect", "Vector2"]
