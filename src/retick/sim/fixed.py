"""Fixed-point arithmetic on 32-bit integers that wrap, with the rounding of each operation stated.

A number is an integer count of 1/scale: with scale 1000, 300 is 0.3. Every result wraps to 32 bits as two's
complement does, so that C, C# and Rust programs get the same bits. Products and quotients are made exactly
first, and only then rounded; four ways of rounding are offered because ports differ in which one they have.
"""

import math
from typing import Literal

from retick.errors import UsageError

__all__ = ["Rounding", "add", "div", "i32", "isqrt", "mul", "rescale", "sub", "u32"]

Rounding = Literal["floor", "ceil", "truncate", "nearest"]
"""Towards minus infinity, towards plus infinity, towards zero (C's own), nearest with halves away from zero."""


def i32(value: int) -> int:
    """``value`` wrapped to a signed 32-bit integer."""
    if -0x80000000 <= value <= 0x7FFFFFFF:
        return value  # what a game's step mostly asks for, in half of the time
    return ((value + 0x80000000) & 0xFFFFFFFF) - 0x80000000


def u32(value: int) -> int:
    """``value`` wrapped to an unsigned 32-bit integer."""
    return value & 0xFFFFFFFF


def add(a: int, b: int) -> int:
    return i32(a + b)


def sub(a: int, b: int) -> int:
    return i32(a - b)


def _divide(numerator: int, denominator: int, rounding: Rounding) -> int:
    if denominator == 0:
        raise UsageError(f"fixed-point division of {numerator} by 0")
    if denominator < 0:
        numerator, denominator = -numerator, -denominator
    if rounding == "floor":
        return numerator // denominator
    if rounding == "ceil":
        return -(-numerator // denominator)
    size, sign = abs(numerator), -1 if numerator < 0 else 1
    if rounding == "truncate":
        return sign * (size // denominator)
    if rounding == "nearest":
        return sign * ((2 * size + denominator) // (2 * denominator))
    raise UsageError(f"rounding must be floor, ceil, truncate or nearest, not {rounding!r}")


def mul(a: int, b: int, scale: int, rounding: Rounding = "truncate") -> int:
    """``a * b`` of two numbers of one scale: the exact product, divided by the scale, rounded, wrapped."""
    return i32(_divide(a * b, scale, rounding))


def div(a: int, b: int, scale: int, rounding: Rounding = "truncate") -> int:
    """``a / b`` of two numbers of one scale: ``a * scale / b``, exact, then rounded and wrapped."""
    return i32(_divide(a * scale, b, rounding))


def rescale(value: int, from_scale: int, to_scale: int, rounding: Rounding = "truncate") -> int:
    """A number of one scale in another."""
    return i32(_divide(value * to_scale, from_scale, rounding))


def isqrt(value: int, scale: int) -> int:
    """The square root of a number, rounded down, in the same scale."""
    if value < 0:
        raise UsageError(f"the square root of {value}, which is negative")
    return i32(math.isqrt(value * scale))
