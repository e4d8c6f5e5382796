"""Fixed-point arithmetic on 32-bit integers that wrap, with the rounding of each operation stated.

A number is an integer count of 1/scale: with scale 1000, 300 is 0.3. Every result wraps to 32 bits as two's
complement does, so that C, C# and Rust programs get the same bits. Products and quotients are made exactly first, and
only then rounded; four ways of rounding are offered because ports differ in which one they have.

Angles are integers too: 65536 of them are one turn, anticlockwise from the x axis where y points up. ``sin``, ``cos``
and ``atan2`` give the integer that is nearest to the exact value. They read a table of the first quarter of the turn,
which is made in two steps to keep it short: 128 coarse angles, and 256 half steps between two of them.
"""

import math
from typing import Literal

from retick.errors import UsageError

Rounding = Literal["floor", "ceil", "truncate", "nearest"]
"""Towards minus infinity, towards plus infinity, towards zero (C's own), nearest with halves away from zero."""


def i32(value: int) -> int:
    """``value`` wrapped to a signed 32-bit integer."""
    if -0x80000000 <= value <= 0x7FFFFFFF:
        return value  # the common case, in half the time
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
    """Convert a number from one scale to another."""
    return i32(_divide(value * to_scale, from_scale, rounding))


def isqrt(value: int, scale: int) -> int:
    """The square root of a number, rounded down, in the same scale."""
    if value < 0:
        raise UsageError(f"cannot take the square root of {value}: it is negative")
    return i32(math.isqrt(value * scale))


def length(x: int, y: int) -> int:
    """The length of the vector (x, y), rounded down, in the same scale."""
    return i32(math.isqrt(x * x + y * y))


TURN = 65536
"""How many angle units make one turn."""

_QUARTER = TURN // 4
_BITS = 80
_ONE = 1 << _BITS
"""The scale of the tables."""


def _powers(cosine: int, sine: int, count: int) -> list[tuple[int, int]]:
    """Cosine and sine of 0, 1, 2 ... times an angle."""
    found = [(_ONE, 0)]
    for _ in range(count - 1):
        c, s = found[-1]
        found.append(((c * cosine - s * sine) >> _BITS, (c * sine + s * cosine) >> _BITS))
    return found


# From cosine and sine of half a step: where atan2 decides between two angles, the table has a point too.
_FINE = _powers(1208925818225605840502160, 57952155642421825356, 258)
_COARSE = _powers(*_FINE[256], 129)


def sin(angle: int, scale: int) -> int:
    """The sine of an angle (65536 to a turn) as a count of 1/scale, rounded to nearest."""
    rest = angle % (2 * _QUARTER)
    if rest > _QUARTER:
        rest = 2 * _QUARTER - rest
    c, s = _COARSE[rest >> 7]
    fine_c, fine_s = _FINE[2 * (rest & 127)]
    sine = ((s * fine_c + c * fine_s) * scale + (_ONE * _ONE >> 1)) >> (2 * _BITS)
    return i32(-sine if angle & (2 * _QUARTER) else sine)


def cos(angle: int, scale: int) -> int:
    """The cosine of an angle (65536 to a turn) as a count of 1/scale, rounded to nearest."""
    return sin(angle + _QUARTER, scale)


def atan2(y: int, x: int) -> int:
    """The direction of the vector (x, y), 0 to 65535 with 65536 to a turn, rounded to nearest; 0 for (0, 0)."""
    along, above = abs(x), abs(y)
    if not along:
        return (_QUARTER if y > 0 else 3 * _QUARTER) if y else 0
    least, most = 0, 127
    while least < most:  # the last coarse angle that is not beyond the vector
        middle = (least + most + 1) >> 1
        c, s = _COARSE[middle]
        if above * c >= along * s:
            least = middle
        else:
            most = middle - 1
    c, s = _COARSE[least]
    along, above = along * c + above * s, above * c - along * s
    # An angle this small equals its tangent, less a hundredth of a step: rounded down, it is right or one too low.
    fine = above * 10430378 // (along * 1000)
    c, s = _FINE[2 * fine + 1]
    angle = 128 * least + fine + (above * c > along * s)
    if x < 0:
        angle = 2 * _QUARTER - angle
    return (-angle if y < 0 else angle) % TURN
