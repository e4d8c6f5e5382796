# rows.py once more, as an enum that the C compiler folds into the code; a test holds the two equal.

cdef enum:
    X = 0
    Y = 1
    Z = 2
    VX = 3
    VY = 4
    VZ = 5
    YAW = 6
    PITCH = 7
    GROUNDED = 8
    MODE = 9
    MODE_TICKS = 10
    NX = 11
    NY = 12
    NZ = 13
    WALL_TICKS = 14
    SLIDE_TICKS = 15
    STATE_SIZE = 16
    WISH_X = 16
    WISH_Z = 17
    HIT_X = 18
    HIT_Z = 19
    ROW_SIZE = 20

    DT = 0
    FLOOR = 1
    SPEED = 2
    GROUND_GAIN = 3
    AIR_GAIN = 4
    JUMP_SPEED = 5
    FALL = 6
    SNAP = 7
    STICK_DOWN = 8
    WALL_MAX_TICKS = 9
    WALL_FALL = 10
    WALL_JUMP_UP = 11
    WALL_JUMP_AWAY = 12
    TUNING_SIZE = 13

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
