"""Square root and length (a compiled kernel): what IEEE 754 rounds exactly, and what follows from it."""

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

from typing import Any

from retick.sim.maths.arguments import as_float, overflow, refuse

if cython.compiled:
    from cython.cimports.libc.math import sqrt as exact_sqrt
    from cython.cimports.retick.sim.maths.pairs import product_error, root_error, sum_error
else:
    from math import sqrt as exact_sqrt

    from retick.sim.maths.pairs import product_error, root_error, sum_error

__all__ = ["hypot", "hypot_of", "rounded_by_sum", "sqrt", "summed_product"]


@cython.cfunc
@cython.exceptval(check=False)
def hypot_of(x: cython.double, y: cython.double) -> cython.double:
    """The length of (x, y): the sum of the squares as a pair, and its root; neither is a NaN."""
    a: cython.double = abs(x)
    b: cython.double = abs(y)
    scale: cython.double = 1.0
    if a > b:
        a, b = b, a
    if b > 1.7976931348623157e308 or a < b * 3.725290298461914e-09:  # 2**-28: a changes nothing
        return b
    if b > 1e150:
        scale = 4.149515568880993e180
    elif b < 1e-130:
        scale = 2.409919865102884e-181
    if scale != 1.0:
        a = a / scale
        b = b / scale
    long_square: cython.double = b * b
    short_square: cython.double = a * a
    square: cython.double = long_square + short_square
    low: cython.double = sum_error(long_square, short_square, square) + (
        product_error(b, b, long_square) + product_error(a, a, short_square)
    )
    root: cython.double = exact_sqrt(square) if square > 0.0 else 0.0
    if root > 0.0:
        root = root + root_error(square, low, root)
    return root * scale


def sqrt(x: Any, /) -> float:
    """The square root, exactly rounded."""
    value: cython.double = x if type(x) is float else as_float(x, "sqrt")
    if not value >= 0.0:
        refuse("sqrt", value)
    return exact_sqrt(value)


def hypot(x: Any, y: Any, /) -> float:
    """The length of the vector (x, y)."""
    a: cython.double = x if type(x) is float else as_float(x, "hypot")
    b: cython.double = y if type(y) is float else as_float(y, "hypot")
    if a != a or b != b:
        refuse("hypot", a, b)
    result: cython.double = hypot_of(a, b)
    if result > 1.7976931348623157e308 and a - a == 0.0 and b - b == 0.0:
        overflow("hypot", a, b)
    return result


def rounded_by_sum(x: Any, /) -> float:
    """x to the nearest integer by adding 1.5 * 2**52 and taking it off; x itself where a compiler reorders sums."""
    value: cython.double = x
    return (value + 6755399441055744.0) - 6755399441055744.0


def summed_product(a: Any, b: Any, c: Any, /) -> float:
    """a * b + c with two roundings, as every kernel here computes; the check at import tells whether it has two."""
    first: cython.double = a
    second: cython.double = b
    third: cython.double = c
    return first * second + third
