"""Where each number lies in the two rows that the motor's kernels work on; rows.pxd repeats it for C.

The runner's row begins with the fields of RunnerState in their order. After them come four of the step's own: the
wish, and the walls touched as the signs of their normals.
"""

X, Y, Z, VX, VY, VZ, YAW, PITCH, GROUNDED, MODE, MODE_TICKS, NX, NY, NZ, WALL_TICKS, SLIDE_TICKS = range(16)
STATE_SIZE = 16
WISH_X, WISH_Z, HIT_X, HIT_Z = range(16, 20)
ROW_SIZE = 20

DT, FLOOR, SPEED, GROUND_GAIN, AIR_GAIN, JUMP_SPEED, FALL = range(7)
SNAP, STICK_DOWN, WALL_MAX_TICKS, WALL_FALL, WALL_JUMP_UP, WALL_JUMP_AWAY = range(7, 13)
TUNING_SIZE = 13

__all__ = [
    "AIR_GAIN",
    "DT",
    "FALL",
    "FLOOR",
    "GROUNDED",
    "GROUND_GAIN",
    "HIT_X",
    "HIT_Z",
    "JUMP_SPEED",
    "MODE",
    "MODE_TICKS",
    "NX",
    "NY",
    "NZ",
    "PITCH",
    "ROW_SIZE",
    "SLIDE_TICKS",
    "SNAP",
    "SPEED",
    "STATE_SIZE",
    "STICK_DOWN",
    "TUNING_SIZE",
    "VX",
    "VY",
    "VZ",
    "WALL_FALL",
    "WALL_JUMP_AWAY",
    "WALL_JUMP_UP",
    "WALL_MAX_TICKS",
    "WALL_TICKS",
    "WISH_X",
    "WISH_Z",
    "YAW",
    "X",
    "Y",
    "Z",
]
