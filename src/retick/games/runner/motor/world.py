"""What runners collide with: one floor plane and a list of boxes, with all faces square to the axes.

The motor relies on square faces: every wall normal is then one of four directions, and two bytes carry it exactly.
Runners do not collide with each other.
"""

# retick: floats -- geometry is fixed data, the same literals at both ends

from math import isfinite
from typing import NamedTuple

from retick.errors import UsageError
from retick.games.runner.motor.rows import MAX_BOXES

__all__ = ["MAX_BOXES", "Box", "World"]


class Box(NamedTuple):
    """A solid from its lower to its upper corner, in metres."""

    min_x: float
    min_y: float
    min_z: float
    max_x: float
    max_y: float
    max_z: float


class World:
    """A floor and its boxes. The order of boxes matters: it decides a tie between two."""

    __slots__ = ("boxes", "floor")

    def __init__(self, boxes: tuple[Box, ...] = (), *, floor: float = 0.0) -> None:
        if len(boxes) > MAX_BOXES:
            raise UsageError(f"a world holds at most {MAX_BOXES} boxes, not {len(boxes)}")
        if not isfinite(floor):
            raise UsageError(f"the floor must be at a finite height, not {floor}")
        for box in boxes:
            if not all(map(isfinite, box)) or not all(low < high for low, high in zip(box[:3], box[3:], strict=True)):
                raise UsageError(f"a box needs finite corners, the lower one first: {box}")
        self.floor = float(floor)
        self.boxes = tuple(Box._make(map(float, box)) for box in boxes)
