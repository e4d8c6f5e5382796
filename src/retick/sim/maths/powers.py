"""Exponential function, logarithms and powers (a compiled kernel).

Theory of operation. A logarithm: x is 2**e times m, and m times a short number c from a table is 1 + r with ``|r| <
1/128``; so log x = e log 2 - log c + log(1 + r), added as pairs. For an x near 1, c is 1 and nothing cancels. An
exponential: x is k/64 of log 2 plus a rest below 1/184; the result is 2**(k/64), from a table, times the series of
the rest. A power is the exponential of y log x, with both as pairs. Only + - * / and exact scaling by powers of two
are used, in a fixed order.
"""

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

from typing import Any

from retick.sim.maths.arguments import as_float, overflow, refuse
from retick.sim.maths.tables import LOGS_HIGH, LOGS_LOW, POWERS_HIGH, POWERS_LOW, RECIPROCALS

if cython.compiled:
    from cython.cimports.libc.math import copysign, floor, frexp, ldexp
    from cython.cimports.retick.sim.maths.pairs import product_error, sum_error
else:
    from math import copysign, floor, frexp, ldexp

    from retick.sim.maths.pairs import product_error, sum_error

__all__ = ["exp", "exp_of", "log", "log2", "log10", "log_of", "pow", "pow_of"]

SHORT = RECIPROCALS
LOG_HIGH = LOGS_HIGH
LOG_LOW = LOGS_LOW
POWER_HIGH = POWERS_HIGH
POWER_LOW = POWERS_LOW


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _split(x: cython.double) -> tuple[cython.double, cython.double, cython.double]:
    """e, and log(x / 2**e) as a pair, for a finite x > 0."""
    exponent: cython.int = 0
    m: cython.double
    if cython.compiled:
        m = frexp(x, cython.address(exponent))
    else:
        m, exponent = frexp(x)
    if m < 0.7071067811865476:
        m = m + m
        exponent = exponent - 1
    at: cython.longlong
    at = (cython.cast(cython.longlong, m * 128.0 + 0.5) if cython.compiled else int(m * 128.0 + 0.5)) - 90
    c: cython.double = SHORT[at]
    product: cython.double = m * c
    left: cython.double = product_error(m, c, product)
    r: cython.double = product - 1.0
    square: cython.double = r * r
    series: cython.double = 1.0 / 3.0 - r * (
        1.0 / 4.0 - r * (
            1.0 / 5.0 - r * (1.0 / 6.0 - r * (1.0 / 7.0 - r * (1.0 / 8.0 - r * (1.0 / 9.0 - r * (1.0 / 10.0)))))
        )
    )  # fmt: skip
    first: cython.double = LOG_HIGH[at] + r
    second: cython.double = first - 0.5 * square
    low: cython.double = (
        (r * square * series - 0.5 * product_error(r, r, square))
        + (left * ((1.0 - r) + square) + LOG_LOW[at])
        + (sum_error(LOG_HIGH[at], r, first) + sum_error(first, -0.5 * square, second))
    )
    high: cython.double = second + low
    return exponent, high, low - (high - second)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _log_pair(x: cython.double) -> tuple[cython.double, cython.double]:
    """The natural logarithm of a finite x > 0, as a pair."""
    exponent: cython.double
    high: cython.double
    low: cython.double
    exponent, high, low = _split(x)
    whole: cython.double = exponent * 0.6931471805592082  # 40 bits: exact
    total: cython.double = whole + high
    low = low + exponent * 7.371002565167799e-13 + sum_error(whole, high, total)
    high = total + low
    return high, low - (high - total)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _exp_pair(high: cython.double, low: cython.double) -> cython.double:
    """The exponential of a pair, for -746 <= high <= 710; infinity if it is too large."""
    # Adding 1.5 * 2**52 rounds to a whole number.
    count: cython.double = (high * 92.33248261689366 + 6755399441055744.0) - 6755399441055744.0
    first: cython.double = high - count * 0.010830424696223417  # 36 bits: exact
    part: cython.double = -count * 2.572804622327669e-14
    r: cython.double = first + part
    left: cython.double = sum_error(first, part, r) + low
    growth: cython.double = r + (
        (left + left * r)
        + r * r * (1.0 / 2.0 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * (1.0 / 120.0 + r * (1.0 / 720.0)))))
    )
    k: cython.longlong
    k = cython.cast(cython.longlong, count) if cython.compiled else int(count)
    at: cython.longlong = k & 63
    exponent: cython.longlong = k >> 6
    result: cython.double = POWER_HIGH[at] + (POWER_LOW[at] + POWER_HIGH[at] * growth)
    if exponent < -1021:  # below the normal numbers the last product rounds, once
        return result * ldexp(1.0, exponent + 200) * 6.223015277861142e-61
    if exponent > 1023:
        return result * 8.98846567431158e307 * 2.0
    return result * ldexp(1.0, exponent)


@cython.cfunc
@cython.exceptval(check=False)
def exp_of(x: cython.double) -> cython.double:
    """The exponential of x, which is no NaN; infinity if it is too large."""
    if x > 710.0:
        return _INFINITY
    if x < -746.0:
        return 0.0
    return _exp_pair(x, 0.0)


@cython.cfunc
@cython.exceptval(check=False)
def log_of(x: cython.double) -> cython.double:
    """The natural logarithm of a finite x > 0."""
    high: cython.double
    low: cython.double
    high, low = _log_pair(x)
    return high + low


@cython.cfunc
@cython.exceptval(check=False)
def pow_of(x: cython.double, y: cython.double) -> cython.double:
    """x to the power of y, for a finite x > 0 and a finite y; infinity if it is too large."""
    high: cython.double
    low: cython.double
    high, low = _log_pair(x)
    rough: cython.double = high * y
    if rough > 710.0:
        return _INFINITY
    if rough < -746.0:
        return 0.0
    # A y that is very large has come here only with the logarithm 0; the exact product is not needed then.
    if -1e-25 < rough < 1e-25:
        return 1.0 + rough
    return _exp_pair(rough, product_error(high, y, rough) + low * y)


_INFINITY = float("inf")


def exp(x: Any, /) -> float:
    """e to the power of x."""
    value: cython.double = x if type(x) is float else as_float(x, "exp")
    if value != value:
        refuse("exp", value)
    result: cython.double = exp_of(value)
    if result > 1.7976931348623157e308 and value < result:
        overflow("exp", value)
    return result


def log(x: Any, /) -> float:
    """The natural logarithm."""
    value: cython.double = x if type(x) is float else as_float(x, "log")
    if not value > 0.0:
        refuse("log", value)
    return log_of(value) if value <= 1.7976931348623157e308 else value


def log2(x: Any, /) -> float:
    """The logarithm to base 2; exact for powers of two."""
    value: cython.double = x if type(x) is float else as_float(x, "log2")
    exponent: cython.double
    high: cython.double
    low: cython.double
    if not value > 0.0:
        refuse("log2", value)
    if value > 1.7976931348623157e308:
        return value
    exponent, high, low = _split(value)
    part: cython.double = high * 1.4426950408889634
    total: cython.double = exponent + part
    low = product_error(high, 1.4426950408889634, part) + (high * 2.0355273740931033e-17 + low * 1.4426950408889634)
    return total + (sum_error(exponent, part, total) + low)


def log10(x: Any, /) -> float:
    """The logarithm to base 10; exact for powers of ten."""
    value: cython.double = x if type(x) is float else as_float(x, "log10")
    exponent: cython.double
    high: cython.double
    low: cython.double
    if not value > 0.0:
        refuse("log10", value)
    if value > 1.7976931348623157e308:
        return value
    exponent, high, low = _split(value)
    whole: cython.double = exponent * 0.30102999566361177  # 40 bits: exact
    part: cython.double = high * 0.4342944819032518
    total: cython.double = whole + part
    low = product_error(high, 0.4342944819032518, part) + (high * 1.098319650216765e-17 + low * 0.4342944819032518)
    return total + (sum_error(whole, part, total) + (low + exponent * 3.694239077158931e-13))


def pow(x: Any, y: Any, /) -> float:  # noqa: A001 - named as in the math module, which it replaces
    """x to the power of y, as a float."""
    base: cython.double = x if type(x) is float else as_float(x, "pow")
    exponent: cython.double = y if type(y) is float else as_float(y, "pow")
    result: cython.double = 1.0
    if base != base or exponent != exponent:
        refuse("pow", base, exponent)
    if exponent == 0.0 or base == 1.0:
        return result
    size: cython.double = abs(base)
    if size == 0.0 or size - size != 0.0 or exponent - exponent != 0.0:
        if size == 0.0 and -1.7976931348623157e308 <= exponent < 0.0:
            refuse("pow", base, exponent)
        result = _edge_power(size, exponent)
    elif base < 0.0 and floor(exponent) != exponent:
        refuse("pow", base, exponent)
    else:
        result = pow_of(size, exponent)
        if result > 1.7976931348623157e308:
            overflow("pow", base, exponent)
    if copysign(1.0, base) < 0.0 and _is_odd(exponent):
        return -result
    return result


@cython.cfunc
@cython.exceptval(check=False)
def _edge_power(size: cython.double, exponent: cython.double) -> cython.double:
    """A power that is 0, 1 or infinity, because the base is 0 or one of the two is infinite."""
    if size == 1.0:
        return 1.0
    return _INFINITY if (size > 1.0) == (exponent > 0.0) else 0.0


@cython.cfunc
@cython.exceptval(check=False)
def _is_odd(y: cython.double) -> cython.bint:
    """Whether y is an odd whole number. From 2**53 on, all are even."""
    return -9007199254740992.0 < y < 9007199254740992.0 and floor(y) == y and floor(y * 0.5) != y * 0.5
