# The C side of survey.py.

cdef enum:
    PLAIN = 0
    REAL_STEPS = 1
    WHOLE_STEPS = 2
    WIDE_STEPS = 3
    REAL_TURN = 4
    REAL_BITS = 5
    HAS_PART = 6
    OP_WIDTH = 6
