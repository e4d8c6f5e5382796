# Copied from numbers.py; tests/test_kernels.py holds the two equal.

cdef enum:
    HOLD = 0
    MOTION = 1
    ANGLE = 2
    INTEGRAL = 3
    ROTATION = 4
    CHOICE = 5
    FRAMES = 3
    OLDEST = 63
    FARTHEST = 12
    FEATURES = 12
    CONTEXTS = 24
    NODES = 16
    TERMS = 7
    AGE_MODELS = 0
    CHANGED_MODELS = 208
    LARGEST_MODELS = 592
    SIGN_MODELS = 624
    MANTISSA_MODELS = 720
    MAGNITUDE_MODELS = 1104
    GROUP_MODELS = 6096
    HOLD_MODELS = 32
    CHOICE_MODELS = 64
