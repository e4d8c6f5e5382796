"""The game's buttons and constants, in units of 1/1000 of a body's width.

A change of any number here changes the pinned checksums; docs/reference/scramble.md explains each number.
"""

from enum import IntFlag
from typing import Final


class ScrambleButton(IntFlag):
    """The five buttons that the step reads. The other eleven bits of an input change nothing."""

    LEFT = 0x0001
    RIGHT = 0x0002
    UP = 0x0004
    DOWN = 0x0008
    DASH = 0x0010


LEAST_PLAYERS: Final = 2
MOST_PLAYERS: Final = 8

FIELD: Final = 16_000
"""The width of the field, a square; a body's position is its centre."""
SIZE: Final = 1_000
"""The width of a body, a square; the coin is a point."""
NEAR_WALL: Final = 500
FAR_WALL: Final = 15_500
REACH: Final = 700
"""The distance, along both axes, within which a body gets a coin."""

RUN_SPEED: Final = 140
DASH_SPEED: Final = 420
DASH_FRAMES: Final = 10
COOLDOWN_FRAMES: Final = 45
STUN_FRAMES: Final = 25
SCATTER: Final = 120
"""The most by which a shove changes each velocity, drawn from the generator."""

COIN_POINTS: Final = 3
COIN_MARGIN: Final = 1_000
COIN_RANGE: Final = 14_000
"""A new coin lies between COIN_MARGIN and COIN_MARGIN plus this, along both axes."""
