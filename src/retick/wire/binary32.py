"""Numbers as packets carry them: binary32, or whole, and within bounds.

Python computes in binary64. A value that both ends of a connection must agree on to the bit is rounded to binary32
where it is made. The copy that was sent and the one that stayed are then equal.
"""

# retick: floats -- rounding only; correctly rounded by IEEE 754, so the same on every machine

from math import isfinite
from struct import Struct
from typing import Final, TypeAlias

from retick.errors import UsageError

__all__ = ["LARGEST", "LARGEST_INT", "PI", "Bounds", "round32", "within_bounds"]

LARGEST: Final = 3.4028234663852886e38
"""The largest finite binary32; rounding stops here and never makes an infinity."""

LARGEST_INT: Final = 2147483647
"""The largest signed 32-bit integer."""

PI: Final = 3.1415927410125732
"""Pi rounded to binary32, which is a little more than pi."""

Bounds: TypeAlias = tuple[float, float]
"""Lowest and highest value, both allowed. Two ints bound a whole number."""

_F32: Final = Struct("<f")


def round32(value: float) -> float:
    """The binary32 nearest to ``value``, ties to even. A finite value stays finite: at most the largest."""
    if not -LARGEST <= value <= LARGEST and isfinite(value):
        return LARGEST if value > 0 else -LARGEST
    rounded: float = _F32.unpack(_F32.pack(value))[0]
    return rounded


def within_bounds(name: str, bounds: Bounds, value: float) -> float:
    """``value`` as a packet can carry it, whole or rounded to binary32; a UsageError when it is out of bounds."""
    low, high = bounds
    whole = isinstance(high, int)
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise UsageError(f"{name} must be a number from {low:.10g} to {high:.10g}, not {value!r}")
    if whole and value != int(value):
        raise UsageError(f"{name} must be a whole number, not {value!r}")
    return int(value) if whole else round32(value)
