"""Lengths and logarithms of whole numbers, and rounding; the same on every machine.

Compiled kernels use the functions of logs.pxd, which the C compiler puts in line.
"""

from math import floor

__all__ = ["length_of", "log_of", "rounded"]


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
