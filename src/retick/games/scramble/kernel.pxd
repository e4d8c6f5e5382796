# Constants that the C compiler can fold. They repeat rules.py and the layout of state.py; a test holds them equal.

from retick.sim.flat cimport FlatSimulation

cdef enum:
    COIN_X = 1
    COIN_Y = 2
    RNG = 3
    FIRST = 4
    EACH = 8

    X = 0
    Y = 1
    VX = 2
    VY = 3
    STUN = 4
    DASH = 5
    COOLDOWN = 6
    SCORE = 7

    LEFT_BUTTON = 1
    RIGHT_BUTTON = 2
    UP_BUTTON = 4
    DOWN_BUTTON = 8
    DASH_BUTTON = 16

    SIZE = 1000
    NEAR_WALL = 500
    FAR_WALL = 15500
    REACH = 700
    RUN_SPEED = 140
    DASH_SPEED = 420
    DASH_FRAMES = 10
    COOLDOWN_FRAMES = 45
    STUN_FRAMES = 25
    SCATTER = 120
    COIN_POINTS = 3
    COIN_MARGIN = 1000
    COIN_RANGE = 14000


cdef class ScrambleKernel(FlatSimulation):
    cdef void advance_slots(self, long long* slots, unsigned long long* inputs) noexcept nogil
