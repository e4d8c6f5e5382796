# Constants that the C compiler can fold, equal to those in kernel.py; a test holds them so.

from retick.games.runner.motor.rows cimport (
    AIR_GAIN,
    DT,
    FALL,
    FLOOR,
    GROUNDED,
    GROUND_GAIN,
    HIT_X,
    HIT_Z,
    JUMP_SPEED,
    MODE,
    MODE_TICKS,
    NX,
    NY,
    NZ,
    PITCH,
    ROW_SIZE,
    SLIDE_TICKS,
    SNAP,
    SPEED,
    STATE_SIZE,
    STICK_DOWN,
    TUNING_SIZE,
    VX,
    VY,
    VZ,
    WALL_FALL,
    WALL_JUMP_AWAY,
    WALL_JUMP_UP,
    WALL_MAX_TICKS,
    WALL_TICKS,
    WISH_X,
    WISH_Z,
    X,
    Y,
    YAW,
    Z,
)

cdef enum:
    ON_GROUND = 0
    IN_AIR = 1
    ON_WALL = 2
    LAST_MODE = 4

    STAY = 0
    LEAVE = 1
    LEAP = 2

    REATTACH_TICKS = 8
    LARGEST_TICKS = 255
    MAX_BOXES = 256


cdef class MotorKernel:
    cdef double _tuning[TUNING_SIZE]
    cdef double _boxes[6 * MAX_BOXES]
    cdef int _box_count
