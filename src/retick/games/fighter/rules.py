"""The fighter's buttons, action states and constants, in fixed-point units of 1/1000 of the world's unit.

A change of any number here changes the pinned checksums; docs/reference/fighter.md explains each number.
"""

from enum import IntEnum, IntFlag
from typing import Final


class Button(IntFlag):
    """The four buttons that the step reads. The other twelve bits of an input change nothing."""

    LEFT = 0x0001
    RIGHT = 0x0002
    JUMP = 0x0004
    ATTACK = 0x0008


class Action(IntEnum):
    """What a fighter is doing."""

    IDLE = 0
    RUN = 1
    JUMP = 2
    ATTACK = 3
    HITSTUN = 4


TICKS_PER_SECOND: Final = 60

MIN_X: Final = 0
MAX_X: Final = 20_000
GROUND_Y: Final = 0

PLAYER_WIDTH: Final = 600
PLAYER_HEIGHT: Final = 900
START_X: Final = (4_000, 16_000)
START_FACING: Final = (1, -1)

MOVE_SPEED: Final = 300
GRAVITY: Final = -40
JUMP_VELOCITY: Final = 500

HITBOX_WIDTH: Final = 700
HITBOX_HEIGHT: Final = 700
ATTACK_ACTIVE_FRAMES: Final = 5
ATTACK_COOLDOWN_FRAMES: Final = 30
ATTACK_DAMAGE: Final = 25
HITSTUN_FRAMES: Final = 20
DEFAULT_HP: Final = 100
