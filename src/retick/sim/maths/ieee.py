"""Whether this Python computes as IEEE 754 binary64 does: one rounding an operation, to nearest, subnormals kept.

Everything that ``retick.sim.maths`` promises rests on that, so it is checked when the package is imported. A program
can ask again later: a library that was built with -ffast-math may switch subnormals off for the whole process.
"""

import sys
from collections.abc import Iterator

from retick.errors import UsageError
from retick.sim.maths.roots import rounded_by_sum, sqrt, summed_product

__all__ = ["binary64_faults", "require_binary64"]


def binary64_faults() -> list[str]:
    """What is not as IEEE 754 binary64 has it, in words; empty where floats agree."""
    small, half_unit, tiny = map(float.fromhex, ("0x1p-27", "0x1p-53", "0x1p-537"))
    return list(_faults(1.0, small, half_unit, tiny))


def _faults(one: float, small: float, half_unit: float, tiny: float) -> Iterator[str]:
    """The numbers are arguments, so that nothing is computed by a compiler beforehand."""
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
    """Raise a UsageError that says what differs, where floats would not agree with those of other peers."""
    if faults := binary64_faults():
        raise UsageError(f"floats on this machine do not agree with those of others: {'; '.join(faults)}")
