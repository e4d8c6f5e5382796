"""Sine, cosine and tangent (a compiled kernel).

Theory of operation. The argument is reduced to a quarter of a turn: x = quarter * pi/2 + high + low, with the rest as
a pair, so that it is precise relatively even beside a multiple of pi/2. Below 2**20 quarters, pi/2 is subtracted in
four parts of 33 bits, whose products with the quarter are exact. Beyond, x * 2/pi is multiplied out in integers, from
the bits of 2/pi that matter (the method of Payne and Hanek). On the rest, both functions are their Taylor series, up
to the term that no longer changes a binary64. Only + - * / are used, in a fixed order.
"""

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

from typing import Any

from retick.sim.maths.arguments import as_float, refuse
from retick.sim.maths.tables import TWO_OVER_PI

if cython.compiled:
    from cython.cimports.libc.math import frexp, ldexp
    from cython.cimports.retick.sim.maths.pairs import product_error, sum_error
else:
    from math import frexp, ldexp

    from retick.sim.maths.pairs import product_error, sum_error

__all__ = ["cos", "cos_of", "sin", "sin_of", "tan", "tan_of"]

WORDS = TWO_OVER_PI


@cython.cfunc
@cython.exceptval(check=False)
def _reduce_large(x: cython.double) -> tuple[cython.longlong, cython.double, cython.double]:
    """Quarter (modulo 4), high and low part of the rest, for 2**20 <= x."""
    exponent: cython.int = 0
    mantissa: cython.double
    if cython.compiled:
        mantissa = frexp(x, cython.address(exponent))
    else:
        mantissa, exponent = frexp(x)
    whole: cython.longlong
    whole = cython.cast(cython.longlong, ldexp(mantissa, 53)) if cython.compiled else int(ldexp(mantissa, 53))
    upper: cython.longlong = whole >> 30
    lower: cython.longlong = whole & 0x3FFFFFFF
    # x is whole * 2**(exponent - 53). The 180 bits of 2/pi from this bit of the table on give x * 2/pi modulo 4,
    # as 2 bits before the point and 178 bits after it. Those before them add multiples of 4.
    first: cython.longlong = exponent - 53 + 58
    at: cython.longlong = first // 30
    shift: cython.longlong = first % 30
    carry: cython.longlong = 0
    before: cython.longlong = 0
    a: cython.longlong = 0
    b: cython.longlong = 0
    c: cython.longlong = 0
    d: cython.longlong = 0
    e: cython.longlong = 0
    word: cython.longlong
    low_product: cython.longlong
    product: cython.longlong
    i: cython.longlong
    for i in range(5, -1, -1):
        word = ((WORDS[at + i] << shift) | (WORDS[at + i + 1] >> (30 - shift))) & 0x3FFFFFFF
        low_product = lower * word + carry
        product = upper * before + (low_product & 0x3FFFFFFF)
        carry = (low_product >> 30) + (product >> 30)
        before = word
        e = d
        d = c
        c = b
        b = a
        a = product & 0x3FFFFFFF
    quarter: cython.longlong = a >> 28
    a = a & 0xFFFFFFF
    if a >= 0x8000000:  # more than half: the next quarter, and a negative rest
        a = a - 0x10000000
        quarter = quarter + 1
    # Each number has at most 30 bits, so it is exact as a double, and so is its product with a power of two.
    total: cython.double = a * 3.725290298461914e-09
    part: cython.double = b * 3.469446951953614e-18
    second: cython.double = total + part
    low: cython.double = sum_error(total, part, second)
    part = c * 3.2311742677852644e-27
    third: cython.double = second + part
    low = low + sum_error(second, part, third)
    part = d * 3.009265538105056e-36
    fourth: cython.double = third + part
    low = low + sum_error(third, part, fourth) + e * 2.802596928649634e-45
    high: cython.double = fourth * 1.5707963267948966
    low = product_error(fourth, 1.5707963267948966, high) + (fourth * 6.123233995736766e-17 + low * 1.5707963267948966)
    return quarter & 3, high, low


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _reduce(x: cython.double) -> tuple[cython.longlong, cython.double, cython.double]:
    """Quarter (modulo 4), high and low part of the rest, for x >= 0."""
    if x <= 0.7853981633974483:
        return 0, x, 0.0
    if x >= 1647099.0:
        return _reduce_large(x)
    # Adding 1.5 * 2**52 rounds to a whole number.
    count: cython.double = (x * 0.6366197723675814 + 6755399441055744.0) - 6755399441055744.0
    first: cython.double = x - count * 1.5707963267341256
    part: cython.double = -count * 6.077100506303966e-11
    second: cython.double = first + part
    low: cython.double = sum_error(first, part, second)
    part = -count * 2.0222662487111665e-21
    third: cython.double = second + part
    low = low + sum_error(second, part, third) - count * 8.4784276603689e-32
    high: cython.double = third + low
    low = low - (high - third)
    quarter: cython.longlong
    quarter = cython.cast(cython.longlong, count) if cython.compiled else int(count)
    return quarter & 3, high, low


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _sine(high: cython.double, low: cython.double) -> cython.double:
    """The sine of the rest, without its first term, which is ``high``."""
    s: cython.double = high * high
    series: cython.double = 1.0 / 120.0 - s * (
        1.0 / 5040.0 - s * (
            1.0 / 362880.0 - s * (
                1.0 / 39916800.0 - s * (
                    1.0 / 6227020800.0 - s * (1.0 / 1307674368000.0 - s * (1.0 / 355687428096000.0))
                )
            )
        )
    )  # fmt: skip
    return low * (1.0 - 0.5 * s) + high * s * (s * series - 1.0 / 6.0)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _cosine(high: cython.double, low: cython.double) -> tuple[cython.double, cython.double]:
    """The cosine of the rest, as a pair."""
    s: cython.double = high * high
    series: cython.double = 1.0 / 24.0 - s * (
        1.0 / 720.0 - s * (
            1.0 / 40320.0 - s * (
                1.0 / 3628800.0 - s * (
                    1.0 / 479001600.0 - s * (
                        1.0 / 87178291200.0 - s * (1.0 / 20922789888000.0 - s * (1.0 / 6402373705728000.0))
                    )
                )
            )
        )
    )  # fmt: skip
    half: cython.double = 0.5 * s
    first: cython.double = 1.0 - half
    left: cython.double = ((1.0 - first) - half) - 0.5 * product_error(high, high, s)
    return first, left + (s * s * series - high * low)


@cython.cfunc
@cython.exceptval(check=False)
def sin_of(x: cython.double) -> cython.double:
    """The sine of a finite x."""
    size: cython.double = abs(x)
    result: cython.double
    quarter: cython.longlong
    high: cython.double
    low: cython.double
    if size < 7.450580596923828e-09:
        return x
    quarter, high, low = _reduce(size)
    if quarter & 1:
        high, low = _cosine(high, low)
        result = high + low
    else:
        result = high + _sine(high, low)
    return -result if (quarter >= 2) != (x < 0.0) else result


@cython.cfunc
@cython.exceptval(check=False)
def cos_of(x: cython.double) -> cython.double:
    """The cosine of a finite x."""
    result: cython.double
    quarter: cython.longlong
    high: cython.double
    low: cython.double
    quarter, high, low = _reduce(abs(x))
    if quarter & 1:
        result = -(high + _sine(high, low))
    else:
        high, low = _cosine(high, low)
        result = high + low
    return -result if quarter >= 2 else result


@cython.cfunc
@cython.exceptval(check=False)
def tan_of(x: cython.double) -> cython.double:
    """The tangent of a finite x: sine and cosine as pairs, divided."""
    size: cython.double = abs(x)
    quarter: cython.longlong
    high: cython.double
    low: cython.double
    if size < 7.450580596923828e-09:
        return x
    quarter, high, low = _reduce(size)
    above: cython.double = high
    above_low: cython.double = _sine(high, low)
    below: cython.double
    below_low: cython.double
    below, below_low = _cosine(high, low)
    if quarter & 1:
        above, above_low, below, below_low = -below, -below_low, above, above_low
    result: cython.double = above / below
    again: cython.double = result * below
    rest: cython.double = (above - again) - product_error(result, below, again)
    result = result + (rest + (above_low - result * below_low)) / (below + below_low)
    return -result if x < 0.0 else result


def sin(x: Any, /) -> float:
    """The sine of an angle in radians."""
    value: cython.double = x if type(x) is float else as_float(x, "sin")
    if not -1.7976931348623157e308 <= value <= 1.7976931348623157e308:
        refuse("sin", value)
    return sin_of(value)


def cos(x: Any, /) -> float:
    """The cosine of an angle in radians."""
    value: cython.double = x if type(x) is float else as_float(x, "cos")
    if not -1.7976931348623157e308 <= value <= 1.7976931348623157e308:
        refuse("cos", value)
    return cos_of(value)


def tan(x: Any, /) -> float:
    """The tangent of an angle in radians."""
    value: cython.double = x if type(x) is float else as_float(x, "tan")
    if not -1.7976931348623157e308 <= value <= 1.7976931348623157e308:
        refuse("tan", value)
    return tan_of(value)
