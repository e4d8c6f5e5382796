"""The numbers of the compact body: where each set of models lies, and the kinds of groups.

scripts/declare_kernels.py writes numbers.pxd from it, for the C compiler.
"""

from math import floor

__all__ = [
    "ANGLE",
    "CHANGED_MODELS",
    "CHOICE",
    "CHOICE_MODELS",
    "CLASSES",
    "CONTEXTS",
    "FARTHEST",
    "FEATURES",
    "FRAMES",
    "GROUP_MODELS",
    "HOLD",
    "HOLD_MODELS",
    "INTEGRAL",
    "LARGEST_MODELS",
    "MAGNITUDE_MODELS",
    "MANTISSA_MODELS",
    "MOTION",
    "NODES",
    "OLDEST",
    "RATIOS",
    "REAL",
    "REAL_MODELS",
    "ROTATION",
    "SIGNS",
    "SIGN_MODELS",
    "TERMS",
    "length_of",
    "log_of",
    "rounded",
]


# C constants: every integer of this module.

# Kinds of groups.
HOLD = 0
MOTION = 1
ANGLE = 2
INTEGRAL = 3
ROTATION = 4
CHOICE = 5
REAL = 6

FRAMES = 3
"""History frames that a packet may name."""
OLDEST = 63
"""Ticks from the baseline back to the oldest of them."""
FARTHEST = 12
"""Ticks that a prediction looks ahead, at most."""
FEATURES = 8
"""Inputs of the magnitude estimate."""
CONTEXTS = 16
"""Steps of the estimate that are told apart, each half of an octave."""
CLASSES = 4
"""Sets of magnitude models of one slot: by the place in the group, and by the predicted step."""
NODES = 8
"""Models of one magnitude: four upwards and four downwards."""
SIGNS = 27
"""Contexts of a sign, beside its size: by the signs of step and bend, and by what the residual before it did."""
RATIOS = 8
"""Sizes of a residual, against that of the predicted step, by which a sign is told apart."""
TERMS = 7
"""Terms of the two series of a rotation."""

# First model of each set, in the order of the statistics.
CHANGED_MODELS = 0
LARGEST_MODELS = 320
SIGN_MODELS = 352
MANTISSA_MODELS = 1432
MAGNITUDE_MODELS = 2072
GROUP_MODELS = 10776

# Own models of one group.
HOLD_MODELS = 32
CHOICE_MODELS = 64
REAL_MODELS = 256
"""A tree of sizes, 0 to 127, for each of two guesses."""


# Lengths and logarithms of whole numbers, and rounding; the same on every machine.
#
# Compiled kernels use the functions of logs.pxd, which the C compiler puts in line.


def length_of(value: int) -> int:
    """How many bits a number that is not negative has."""
    return value.bit_length()


def log_of(value: int) -> int:
    """log2(1 + |value|) in sixteenths, the fraction on a straight line; values beyond 2**40 count as that."""
    rest = abs(value)
    if rest == 0:
        return 0
    if rest >> 40:
        return 640
    rest += 1
    whole = rest.bit_length() - 1
    return (whole << 4) + (((rest << 4) >> whole) & 15)


def rounded(value: float) -> int:
    """To the nearest whole number; a motion that no field can hold is none."""
    return floor(value + 0.5) if -1e15 < value < 1e15 else 0
