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

# retick: floats -- geometry is fixed data, the same literals at both ends

from typing import Final, NamedTuple

from retick.games.runner.motor.world import Box, World

__all__ = ["ARENA", "COURSE", "LAP", "Leg"]


class Leg(NamedTuple):
    """A part of the lap: where it ends, and the walls beside it that can be run on."""

    x: float
    """Metres, of its end."""
    z: float
    """Metres, of its end."""
    along: tuple[int, int]
    """The direction of travel, a unit step in x or z."""
    walls: tuple[float, ...] = ()
    """Where the walls are, in metres on the axis across ``along``."""


COURSE: Final = World(
    (
        Box(-31, 0, -35, -30, 40, 8),  # fence: west, east, north, south
        Box(30, 0, -35, 31, 40, 8),
        Box(-30, 0, -35, 30, 40, -34),
        Box(-30, 0, 7, 30, 40, 8),
        Box(-19, 0, -23, 19, 12, -5),  # island
        Box(7.0, 0, -5, 7.6, 0.8, 7),  # hurdles
        Box(12.0, 0, -5, 12.6, 1.25, 7),
        Box(22.0, 0, -21, 22.5, 4, -4),  # alley
        Box(25.0, 0, -21, 25.5, 4, -4),
        Box(14, 0, -33, 17, 1.25, -23),  # steps and decks on both sides of the gap
        Box(6, 0, -33, 14, 2.5, -23),
        Box(-14, 0, -33, -6, 2.5, -23),
        Box(-17, 0, -33, -14, 1.25, -23),
        Box(-27.75, 0, -20.75, -26.25, 4, -19.25),  # slalom
        Box(-22.75, 0, -14.75, -21.25, 4, -13.25),
        Box(-27.75, 0, -8.75, -26.25, 4, -7.25),
        Box(-23.75, 0, -2.75, -22.25, 4, -1.25),
        Box(-16, 0, 2, -13, 1.25, 5),  # a block on the way home
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

ARENA: Final = World(
    (
        Box(-13, 0, -13, -12, 6, 13),
        Box(12, 0, -13, 13, 6, 13),
        Box(-12, 0, -13, 12, 6, -12),
        Box(-12, 0, 12, 12, 6, 13),
        Box(-6.25, 0, -8, -5.75, 4, -1),
        Box(5.75, 0, -8, 6.25, 4, -1),
        Box(-4, 0, -10.25, 4, 4, -9.75),
        Box(-1, 0, 5, 1, 1.25, 7),
    )
)
"""The small arena of the protocol's acceptance runs: 24 by 24 metres, some inner walls, one block."""
