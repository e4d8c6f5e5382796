"""The numbers of the compact body: where each set of models starts, and the kinds of groups.

scripts/declare_kernels.py writes numbers.pxd from it, for the C compiler.
"""

from math import floor

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
"""The most history frames that a packet names."""
OLDEST = 63
"""The most ticks from the baseline back to the oldest history frame."""
FARTHEST = 12
"""The most ticks that a prediction looks ahead."""
FEATURES = 8
"""How many inputs the magnitude estimate has."""
CONTEXTS = 16
"""How many steps the estimate distinguishes, each half of an octave."""
CLASSES = 4
"""How many sets of magnitude models a slot has: by place in the group, and by the predicted step."""
NODES = 8
"""How many models a magnitude has: four upwards and four downwards."""
SIGNS = 27
"""How many contexts a sign has, besides its size: by the signs of step and bend, and the previous residual."""
RATIOS = 8
"""How many sizes of a residual, relative to the predicted step, distinguish signs."""
TERMS = 7
"""How many terms each of the two series of a rotation has."""

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
"""How many models the two trees of sizes 0 to 127 have, one for each guess."""


# Lengths and logarithms of whole numbers, and rounding; the same on every machine.
#
# Compiled kernels use the inline functions of numbers.pxd instead.


def length_of(value: int) -> int:
    """How many bits a non-negative number has."""
    return value.bit_length()


def log_of(value: int) -> int:
    """log2(1 + |value|) in sixteenths, with a linear fraction; larger values count as 2**40."""
    rest = abs(value)
    if rest == 0:
        return 0
    if rest >> 40:
        return 640
    rest += 1
    whole = rest.bit_length() - 1
    return (whole << 4) + (((rest << 4) >> whole) & 15)


def rounded(value: float) -> int:
    """Round to the nearest integer; a motion too large for any field becomes 0."""
    return floor(value + 0.5) if -1e15 < value < 1e15 else 0
