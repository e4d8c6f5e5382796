# The C side of survey.py.

cdef enum:
    PLAIN = 0
    REAL_STEPS = 1
    WHOLE_STEPS = 2
    WIDE_STEPS = 3
    REAL_TURN = 4
    REAL_BITS = 5
    HAS_PART = 6
    SHAPE_STEPS = 7
    SHAPE_BITS = 8
    SHAPE_WHOLE = 9
    OP_WIDTH = 6
