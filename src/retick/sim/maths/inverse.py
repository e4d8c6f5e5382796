"""Arc tangent, arc sine and arc cosine (a compiled kernel).

Theory of operation. All four are the angle of a point (b, a) in the first half of the first quadrant, a <= b, whose
coordinates are pairs. With c the nearest sixteenth to a / b, the angle is that of c, from a table, and the angle
whose tangent is (a - c b) / (b + c a), which is at most 1/32: there the series ends early. What is left is to mirror
the result into the right eighth of the turn, from pi/2 or pi as a pair. Only + - * / and square root are used, in a
fixed order.
"""

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

from typing import Any

from retick.sim.maths.arguments import as_float, refuse
from retick.sim.maths.tables import ANGLES_HIGH, ANGLES_LOW

if cython.compiled:
    from cython.cimports.libc.math import copysign, sqrt
    from cython.cimports.retick.sim.maths.pairs import product_error, root_error, sum_error
else:
    from math import copysign, sqrt

    from retick.sim.maths.pairs import product_error, root_error, sum_error

__all__ = ["acos", "acos_of", "asin", "asin_of", "atan", "atan2", "atan2_of"]

HIGH = ANGLES_HIGH
LOW = ANGLES_LOW


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _angle(
    a: cython.double, a_low: cython.double, b: cython.double, b_low: cython.double
) -> tuple[cython.double, cython.double]:
    """The angle of the point (b, a), as a pair, for 0 <= a <= b and b > 0."""
    nearest: cython.longlong
    nearest = cython.cast(cython.longlong, 16.0 * a / b + 0.5) if cython.compiled else int(16.0 * a / b + 0.5)
    c: cython.double = nearest * 0.0625
    product: cython.double = c * b
    above: cython.double = a - product
    above_low: cython.double = sum_error(a, -product, above) - product_error(c, b, product) + (a_low - c * b_low)
    product = c * a
    below: cython.double = b + product
    below_low: cython.double = sum_error(b, product, below) + product_error(c, a, product) + (b_low + c * a_low)
    t: cython.double = above / below
    again: cython.double = t * below
    t_low: cython.double = (((above - again) - product_error(t, below, again)) + (above_low - t * below_low)) / below
    s: cython.double = t * t
    series: cython.double = 1.0 / 3.0 - s * (
        1.0 / 5.0 - s * (1.0 / 7.0 - s * (1.0 / 9.0 - s * (1.0 / 11.0 - s * (1.0 / 13.0))))
    )
    high: cython.double = HIGH[nearest] + t
    low: cython.double = sum_error(HIGH[nearest], t, high) + (LOW[nearest] + (t_low - t * s * series))
    return high, low


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _mirrored(
    whole: cython.double, whole_low: cython.double, high: cython.double, low: cython.double
) -> tuple[cython.double, cython.double]:
    """``whole`` minus an angle, as pairs."""
    difference: cython.double = whole - high
    return difference, sum_error(whole, -high, difference) + (whole_low - low)


@cython.cfunc
@cython.exceptval(check=False)
def atan2_of(y: cython.double, x: cython.double) -> cython.double:
    """The angle of the point (x, y); neither is a NaN."""
    a: cython.double = abs(y)
    b: cython.double = abs(x)
    backward: cython.bint = copysign(1.0, x) < 0.0  # the sign of a zero counts
    if a == 0.0 and not backward:
        return y
    if a > 1.7976931348623157e308:
        b = 1.0 if b > 1.7976931348623157e308 else 0.0
        a = 1.0
    elif b > 1.7976931348623157e308:
        a = 0.0
        b = 1.0
    high: cython.double
    low: cython.double = 0.0
    steep: cython.bint = a > b
    if steep:
        a, b = b, a
    if a < b * 9.313225746154785e-10 or b == 0.0:  # 2**-30: the angle is its tangent
        high = a / b if b != 0.0 else 0.0
    else:
        if b > 1e150:
            a = a * 2.409919865102884e-181
            b = b * 2.409919865102884e-181
        elif b < 1e-150:
            a = a * 4.149515568880993e180
            b = b * 4.149515568880993e180
        high, low = _angle(a, 0.0, b, 0.0)
    if steep:
        high, low = _mirrored(1.5707963267948966, 6.123233995736766e-17, high, low)
    if backward:
        high, low = _mirrored(3.141592653589793, 1.2246467991473532e-16, high, low)
    return -(high + low) if copysign(1.0, y) < 0.0 else high + low


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _leg(size: cython.double) -> tuple[cython.double, cython.double]:
    """The square root of 1 - size**2, as a pair, for 0 <= size < 1."""
    square: cython.double = size * size
    first: cython.double = 1.0 - square
    left: cython.double = sum_error(1.0, -square, first) - product_error(size, size, square)
    rest: cython.double = first + left
    root: cython.double = sqrt(rest)
    return root, root_error(rest, left - (rest - first), root)


@cython.cfunc
@cython.exceptval(check=False)
def asin_of(x: cython.double) -> cython.double:
    """The arc sine of x, for -1 <= x <= 1."""
    size: cython.double = abs(x)
    high: cython.double
    low: cython.double
    leg: cython.double
    leg_low: cython.double
    if size < 7.450580596923828e-09:
        return x
    if size == 1.0:
        return 1.5707963267948966 * x
    leg, leg_low = _leg(size)
    if size <= leg:
        high, low = _angle(size, 0.0, leg, leg_low)
    else:
        high, low = _angle(leg, leg_low, size, 0.0)
        high, low = _mirrored(1.5707963267948966, 6.123233995736766e-17, high, low)
    return -(high + low) if x < 0.0 else high + low


@cython.cfunc
@cython.exceptval(check=False)
def acos_of(x: cython.double) -> cython.double:
    """The arc cosine of x, for -1 <= x <= 1."""
    size: cython.double = abs(x)
    high: cython.double
    low: cython.double
    leg: cython.double
    leg_low: cython.double
    if size == 1.0:
        return 0.0 if x > 0.0 else 3.141592653589793
    leg, leg_low = _leg(size)
    if leg <= size:
        high, low = _angle(leg, leg_low, size, 0.0)
    else:
        high, low = _angle(size, 0.0, leg, leg_low)
        high, low = _mirrored(1.5707963267948966, 6.123233995736766e-17, high, low)
    if x < 0.0:
        high, low = _mirrored(3.141592653589793, 1.2246467991473532e-16, high, low)
    return high + low


def asin(x: Any, /) -> float:
    """The angle, from -pi/2 to pi/2, whose sine is x."""
    value: cython.double = x if type(x) is float else as_float(x, "asin")
    if not -1.0 <= value <= 1.0:
        refuse("asin", value)
    return asin_of(value)


def acos(x: Any, /) -> float:
    """The angle, from 0 to pi, whose cosine is x."""
    value: cython.double = x if type(x) is float else as_float(x, "acos")
    if not -1.0 <= value <= 1.0:
        refuse("acos", value)
    return acos_of(value)


def atan(x: Any, /) -> float:
    """The angle, from -pi/2 to pi/2, whose tangent is x."""
    value: cython.double = x if type(x) is float else as_float(x, "atan")
    if value != value:
        refuse("atan", value)
    return atan2_of(value, 1.0)


def atan2(y: Any, x: Any, /) -> float:
    """The angle of the point (x, y), from -pi to pi; the sign of a zero counts."""
    above: cython.double = y if type(y) is float else as_float(y, "atan2")
    along: cython.double = x if type(x) is float else as_float(x, "atan2")
    if above != above or along != along:
        refuse("atan2", above, along)
    return atan2_of(above, along)
