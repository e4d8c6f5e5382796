# Copied from numbers.py; tests/test_kernels.py holds the two equal.

cdef enum:
    HOLD = 0
    MOTION = 1
    ANGLE = 2
    INTEGRAL = 3
    ROTATION = 4
    CHOICE = 5
    REAL = 6
    FRAMES = 3
    OLDEST = 63
    FARTHEST = 12
    FEATURES = 8
    CONTEXTS = 16
    CLASSES = 4
    NODES = 8
    SIGNS = 27
    RATIOS = 8
    TERMS = 7
    CHANGED_MODELS = 0
    LARGEST_MODELS = 320
    SIGN_MODELS = 352
    MANTISSA_MODELS = 1432
    MAGNITUDE_MODELS = 2072
    GROUP_MODELS = 10776
    HOLD_MODELS = 32
    CHOICE_MODELS = 64
    REAL_MODELS = 256
