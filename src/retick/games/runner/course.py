"""The course: hurdles, an alley between walls, a gap to cross by a wall run, and a slalom.

Seen from above, x to the right and z down. The start is at the origin, and the lap runs counterclockwise:

::

    z -34  +--------------------------------------+
           |  [deck]    gap    [deck]             |
       -23 | o +--------------------------+  |  | |
           |   |                          |  |  | |
           |  o|          island          |  alley|
           |   |                          |  |  | |
        -5 | o +--------------------------+  |  | |
           |        start     |   |               |
        +7 +--------------------------------------+
          x -30   -19                   19       30

Nobody can leave it: a missed jump ends on the floor beside the decks, and the lap goes on from there.
"""

from math import isfinite
from typing import Final, NamedTuple

from retick.errors import UsageError
from retick.games.runner.rows import MAX_BOXES

# The solids that runners collide with: one floor plane and a list of boxes, with all faces square to the axes.
#
# The motor relies on square faces: every wall normal is then one of four directions, and two bytes carry it exactly.
# Runners do not collide with each other.

# retick: floats -- geometry is fixed data, the same literals at both ends


class CourseBox(NamedTuple):
    """A solid between its lower and its upper corner, in metres."""

    min_x: float
    min_y: float
    min_z: float
    max_x: float
    max_y: float
    max_z: float


class CourseWorld:
    """A floor and its boxes. The order of boxes matters: it breaks a tie between two."""

    __slots__ = ("boxes", "floor")

    def __init__(self, boxes: tuple[CourseBox, ...] = (), *, floor: float = 0.0) -> None:
        if len(boxes) > MAX_BOXES:
            raise UsageError(f"a world holds at most {MAX_BOXES} boxes, not {len(boxes)}")
        if not isfinite(floor):
            raise UsageError(f"the floor must be at a finite height, not {floor}")
        for box in boxes:
            if not all(map(isfinite, box)) or not all(low < high for low, high in zip(box[:3], box[3:], strict=True)):
                raise UsageError(f"a box needs finite corners, the lower one first: {box}")
        self.floor = float(floor)
        self.boxes = tuple(CourseBox._make(map(float, box)) for box in boxes)


# retick: floats -- geometry is fixed data, the same literals at both ends


class Leg(NamedTuple):
    """A part of the lap: where it ends, and the walls beside it that can be run on."""

    x: float
    """The x of the end, in metres."""
    z: float
    """The z of the end, in metres."""
    along: tuple[int, int]
    """The direction of travel, a unit step in x or z."""
    walls: tuple[float, ...] = ()
    """The walls' positions, in metres on the axis across ``along``."""


COURSE: Final = CourseWorld(
    (
        CourseBox(-31, 0, -35, -30, 40, 8),  # fence: west, east, north, south
        CourseBox(30, 0, -35, 31, 40, 8),
        CourseBox(-30, 0, -35, 30, 40, -34),
        CourseBox(-30, 0, 7, 30, 40, 8),
        CourseBox(-19, 0, -23, 19, 12, -5),  # island
        CourseBox(7.0, 0, -5, 7.6, 0.8, 7),  # hurdles
        CourseBox(12.0, 0, -5, 12.6, 1.25, 7),
        CourseBox(22.0, 0, -21, 22.5, 4, -4),  # alley
        CourseBox(25.0, 0, -21, 25.5, 4, -4),
        CourseBox(14, 0, -33, 17, 1.25, -23),  # steps and decks on both sides of the gap
        CourseBox(6, 0, -33, 14, 2.5, -23),
        CourseBox(-14, 0, -33, -6, 2.5, -23),
        CourseBox(-17, 0, -33, -14, 1.25, -23),
        CourseBox(-27.75, 0, -20.75, -26.25, 4, -19.25),  # slalom
        CourseBox(-22.75, 0, -14.75, -21.25, 4, -13.25),
        CourseBox(-27.75, 0, -8.75, -26.25, 4, -7.25),
        CourseBox(-23.75, 0, -2.75, -22.25, 4, -1.25),
        CourseBox(-16, 0, 2, -13, 1.25, 5),  # a block on the way home
    )
)

LAP: Final = (
    Leg(16.0, 1.0, (1, 0), (-5.0, 7.0)),
    Leg(23.75, -1.5, (1, 0)),
    Leg(23.75, -22.5, (0, -1), (22.5, 25.0)),
    Leg(22.0, -28.0, (0, -1)),
    Leg(15.0, -25.0, (-1, 0)),
    Leg(-15.0, -25.0, (-1, 0), (-23.0,)),
    Leg(-24.0, -28.0, (-1, 0)),
    Leg(-24.5, -20.0, (0, 1)),
    Leg(-25.0, -14.0, (0, 1)),
    Leg(-24.5, -8.0, (0, 1)),
    Leg(-21.0, -2.0, (0, 1)),
    Leg(-20.0, 1.0, (0, 1)),
    Leg(-2.0, 1.0, (1, 0), (-5.0, 7.0)),
)

ARENA: Final = CourseWorld(
    (
        CourseBox(-13, 0, -13, -12, 6, 13),
        CourseBox(12, 0, -13, 13, 6, 13),
        CourseBox(-12, 0, -13, 12, 6, -12),
        CourseBox(-12, 0, 12, 12, 6, 13),
        CourseBox(-6.25, 0, -8, -5.75, 4, -1),
        CourseBox(5.75, 0, -8, 6.25, 4, -1),
        CourseBox(-4, 0, -10.25, 4, 4, -9.75),
        CourseBox(-1, 0, 5, 1, 1.25, 7),
    )
)
"""The small arena of the protocol's acceptance runs: 24 by 24 metres, some inner walls, one block."""
