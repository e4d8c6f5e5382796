"""Which functions of floats give the same bits everywhere, and what replaces those that do not.

IEEE 754 requires the exactly rounded result of + - * /, remainder and square root, and of nothing else. CPython adds
what it computes from these or in integers: comparisons, abs, min, max, round, floor, conversions and fsum.
"""

from retick.audit.static.numpy_names import is_numpy_inexact, is_numpy_reduction
from retick.sim import maths

__all__ = ["MATH_EXACTLY_ROUNDED", "inexact_function"]

_MATH_ON_INTEGERS = frozenset({
    "ceil", "comb", "factorial", "floor", "gcd", "isqrt", "lcm", "perm", "prod", "trunc",
})  # fmt: skip
MATH_EXACTLY_ROUNDED = frozenset({
    "copysign", "degrees", "e", "fabs", "fma", "fmod", "frexp", "fsum", "inf", "isclose", "isfinite", "isinf",
    "isnan", "ldexp", "modf", "nan", "nextafter", "pi", "radians", "remainder", "sqrt", "tau", "ulp",
})  # fmt: skip
_WIDER = frozenset({
    "builtins.complex", "cython.longdouble", "cython.doublecomplex", "cython.floatcomplex", "ctypes.c_longdouble",
    "numpy.longdouble", "numpy.clongdouble",
})  # fmt: skip
_REPLACED_BY = {
    "cbrt": "pow", "dist": "hypot", "exp2": "pow", "norm": "hypot", "float_power": "pow", "arcsin": "asin",
    "arccos": "acos", "arctan": "atan", "arctan2": "atan2",
}  # fmt: skip
"""Functions whose replacement has another name."""


def inexact_function(name: str, *, floats: bool) -> str | None:
    """What a report says about a dotted name that is inexact; None for others. ``floats``: the file may use floats."""
    module, _, function = name.partition(".")
    if module == "math" and function:
        known = function in _MATH_ON_INTEGERS or function in MATH_EXACTLY_ROUNDED
        return None if known else f"`{name}`{_replacement(name)}"
    if module == "cmath" or is_numpy_inexact(name):
        return f"`{name}`{_replacement(name)}"
    if floats and is_numpy_reduction(name):
        return f"`{name}`, which adds in the order that suits the processor: add in a loop"
    if floats and module == "statistics":
        return f"`{name}`, whose steps differ between versions of Python: add in a loop, and divide"
    if floats and name in _WIDER:
        return f"`{name}`, which is computed differently from system to system: use `float`"
    return None


def _replacement(name: str) -> str:
    last = name.rpartition(".")[2]
    found = _REPLACED_BY.get(last, last)
    known = found in maths.__all__ and not name.startswith("cmath.")
    return f": use `retick.sim.maths.{found}`" if known else ""
