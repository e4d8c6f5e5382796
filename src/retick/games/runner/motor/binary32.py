"""Rounding to binary32, the precision in which positions, velocities, looks and tuning travel.

Python computes in binary64. Whatever both ends of a connection must agree on to the bit is rounded to binary32
where it is made, so that the copy that travelled and the one that stayed are equal.
"""

# retick: floats -- the server decides and corrects; each value is rounded to binary32, so a replay repeats its bits

from math import isfinite
from struct import Struct
from typing import Final

__all__ = ["LARGEST", "PI", "round32"]

LARGEST: Final = 3.4028234663852886e38
"""The largest finite binary32; rounding stops here and never makes an infinity."""

PI: Final = 3.1415927410125732
"""Pi rounded to binary32, which is a little more than pi."""

_F32 = Struct("<f")


def round32(value: float) -> float:
    """The binary32 nearest to ``value``, ties to even; what is finite stays finite, at most the largest."""
    if not -LARGEST <= value <= LARGEST and isfinite(value):
        return LARGEST if value > 0 else -LARGEST
    rounded: float = _F32.unpack(_F32.pack(value))[0]
    return rounded
