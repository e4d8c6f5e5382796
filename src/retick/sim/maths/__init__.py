"""Floats that agree: the functions of ``math`` with the same bits on every machine, compiled and not, and in a browser.

Knows no game and no C library's idea of a sine: everything is computed from + - * / and the square root, which IEEE
754 rounds exactly. docs/concepts/floats.md says what is promised.
"""

import sys
from collections.abc import Iterator
from math import (
    ceil,
    comb,
    copysign,
    e,
    fabs,
    factorial,
    floor,
    fmod,
    fsum,
    gcd,
    inf,
    isclose,
    isfinite,
    isinf,
    isnan,
    isqrt,
    modf,
    pi,
    prod,
    remainder,
    tau,
    trunc,
)

from retick.errors import UsageError
from retick.sim.maths.angles import degrees, dist, nearest_turn, radians, turned_towards, wrapped
from retick.sim.maths.kernel import (
    Vec2,
    acos,
    asin,
    atan,
    atan2,
    cos,
    exp,
    hypot,
    log,
    log2,
    log10,
    pow,  # noqa: A004 - named as in the math module
    rounded_by_sum,
    sin,
    sqrt,
    summed_product,
    tan,
)

__all__ = [
    "Vec2",
    "acos",
    "asin",
    "atan",
    "atan2",
    "binary64_faults",
    "ceil",
    "comb",
    "copysign",
    "cos",
    "degrees",
    "dist",
    "e",
    "exp",
    "fabs",
    "factorial",
    "floor",
    "fmod",
    "fsum",
    "gcd",
    "hypot",
    "inf",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "isqrt",
    "log",
    "log2",
    "log10",
    "modf",
    "nearest_turn",
    "pi",
    "pow",
    "prod",
    "radians",
    "remainder",
    "require_binary64",
    "sin",
    "sqrt",
    "tan",
    "tau",
    "trunc",
    "turned_towards",
    "wrapped",
]


# Whether this Python computes as IEEE 754 binary64 does: one rounding per operation, to nearest, subnormals kept.
#
# Everything that ``retick.sim.maths`` promises rests on that, so it is checked when the package is imported. A program
# can ask again later: a library that was built with -ffast-math may switch subnormals off for the whole process.


def binary64_faults() -> list[str]:
    """Describe each way in which floats here deviate from IEEE 754 binary64; empty if they conform."""
    small, half_unit, tiny = map(float.fromhex, ("0x1p-27", "0x1p-53", "0x1p-537"))
    return list(_faults(1.0, small, half_unit, tiny))


def _faults(one: float, small: float, half_unit: float, tiny: float) -> Iterator[str]:
    """Yield the faults. The numbers are arguments so that no compiler can compute anything beforehand."""
    shape = sys.float_info
    if (shape.radix, shape.mant_dig, shape.max_exp, shape.min_exp) != (2, 53, 1024, -1021):
        yield "a float is not a binary number of 53 bits and 11 bits of exponent"
        return
    if one + half_unit != one or (one + 2 * half_unit) + half_unit != one + 4 * half_unit:
        yield "sums are not rounded to nearest, halves to even"
    if one + (half_unit + half_unit * small) != one + 2 * half_unit:
        yield "sums are rounded twice, as the x87 of 32-bit x86 does"
    if tiny * tiny != 5e-324 or 5e-324 * (one / 2) != 0.0 or 5e-324 / 3 * 2 != 0.0:
        yield "numbers below 2.2e-308 are not kept"
    factor = one + small
    square = factor * factor
    if summed_product(factor, factor, -square) != 0.0:
        yield "a product and a sum are contracted into one rounding: build without FMA contraction"
    if rounded_by_sum(one / 2 + 2) != 2.0:
        yield "sums are reordered: build without -ffast-math"
    if one / 3 != 0.3333333333333333 or sqrt(one + one) != 1.4142135623730951:
        yield "division or square root is not exactly rounded"


def require_binary64() -> None:
    """Raise a UsageError that says what differs if floats here would not agree with those of other peers."""
    if faults := binary64_faults():
        raise UsageError(f"floats on this machine do not agree with those of others: {'; '.join(faults)}")


# retick: floats -- only exactly rounded operations in a fixed order; see docs/concepts/floats.md


require_binary64()
