"""The numbers of the compact body: where each set of models lies, and the kinds of groups.

numbers.pxd repeats them, because the C compiler needs them as constants; a test holds the two files equal.
"""

__all__ = [
    "AGE_MODELS",
    "ANGLE",
    "CHANGED_MODELS",
    "CHOICE",
    "CHOICE_MODELS",
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
    "ROTATION",
    "SIGN_MODELS",
    "TERMS",
]

# Kinds of groups.
HOLD = 0
MOTION = 1
ANGLE = 2
INTEGRAL = 3
ROTATION = 4
CHOICE = 5

FRAMES = 3
"""History frames that a packet may name."""
OLDEST = 63
"""Ticks from the baseline back to the oldest of them."""
FARTHEST = 12
"""Ticks that a prediction looks ahead, at most."""
FEATURES = 12
"""Inputs of the magnitude estimate."""
CONTEXTS = 24
"""Steps of the estimate that are told apart."""
NODES = 16
"""Models of one magnitude: eight upwards and eight downwards."""
TERMS = 7
"""Terms of the two series of a rotation."""

# First model of each set, in the order of the statistics.
AGE_MODELS = 0
CHANGED_MODELS = 208
LARGEST_MODELS = 592
SIGN_MODELS = 624
MANTISSA_MODELS = 720
MAGNITUDE_MODELS = 1104
GROUP_MODELS = 6096

# Own models of one group.
HOLD_MODELS = 32
CHOICE_MODELS = 64
