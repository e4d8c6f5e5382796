"""Which functions of floats give the same bits everywhere, and what replaces those that do not.

IEEE 754 requires the exactly rounded result of + - * /, remainder and square root, and of nothing else. CPython adds
what it computes from these or in integers: comparisons, abs, min, max, round, floor, conversions and fsum.
"""

import ast

from retick.sim import maths

__all__ = ["MATH_EXACTLY_ROUNDED", "inexact_function", "is_numpy_float", "makes_floats_by_default"]

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
_NUMPY_FLOATS = frozenset({
    "average", "cdouble", "csingle", "double", "e", "euler_gamma", "half", "inf", "linspace", "longdouble", "mean",
    "median", "nan", "nanmean", "nanstd", "nanvar", "percentile", "pi", "quantile", "single", "sqrt", "std", "var",
})  # fmt: skip
_NUMPY_INEXACT = frozenset({
    "acos", "acosh", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "asin", "asinh",
    "atan", "atan2", "atanh", "cbrt", "convolve", "cos", "cosh", "exp", "exp2", "expm1", "float_power", "geomspace",
    "hypot", "interp", "log", "log10", "log1p", "log2", "logaddexp", "logspace", "sin", "sinc", "sinh", "tan", "tanh",
})  # fmt: skip
_NUMPY_REDUCTIONS = frozenset({
    "average", "dot", "einsum", "inner", "matmul", "mean", "nanmean", "nanstd", "nansum", "nanvar",
    "std", "sum", "tensordot", "trapezoid", "var", "vdot",
})  # fmt: skip
_NUMPY_INEXACT_MODULES = ("numpy.fft.", "numpy.linalg.", "numpy.polynomial.")
_NUMPY_FLOAT_UNLESS_TYPED = frozenset({
    "numpy.empty", "numpy.eye", "numpy.identity", "numpy.ones", "numpy.zeros",
})  # fmt: skip
_REPLACED_BY = {
    "cbrt": "pow", "exp2": "pow", "norm": "hypot", "float_power": "pow", "arcsin": "asin",
    "arccos": "acos", "arctan": "atan", "arctan2": "atan2",
}  # fmt: skip
"""Functions whose replacement has another name."""


def inexact_function(name: str, *, floats: bool) -> str | None:
    """What a report says about a dotted name that is inexact; None for others. ``floats``: the file may use floats."""
    module, _, function = name.partition(".")
    if module == "math" and function:
        known = function in _MATH_ON_INTEGERS or function in MATH_EXACTLY_ROUNDED
        return None if known else f"`{name}`{_replacement(name)}"
    if module == "cmath" or _is_numpy_inexact(name):
        return f"`{name}`{_replacement(name)}"
    if floats and _is_numpy_reduction(name):
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


def _numpy_function(name: str) -> str:
    package, _, rest = name.partition(".")
    return rest if package == "numpy" else ""


def is_numpy_float(name: str) -> bool:
    """Whether a dotted name of NumPy is a float type, a float constant or a function that returns floats."""
    function = _numpy_function(name)
    return (function.startswith(("float", "complex")) and function != "float_power") or function in _NUMPY_FLOATS


def _is_numpy_inexact(name: str) -> bool:
    """Whether a dotted name of NumPy is a function whose last bits differ between systems."""
    return _numpy_function(name) in _NUMPY_INEXACT or name.startswith(_NUMPY_INEXACT_MODULES)


def _is_numpy_reduction(name: str) -> bool:
    """Whether a dotted name of NumPy is a function that adds many numbers; of floats, in no fixed order."""
    return _numpy_function(name) in _NUMPY_REDUCTIONS


def makes_floats_by_default(name: str, call: ast.Call) -> bool:
    """Whether the call makes an array without a dtype, which is float64 then."""
    typed = len(call.args) > 1 or any(keyword.arg == "dtype" for keyword in call.keywords)
    return name in _NUMPY_FLOAT_UNLESS_TYPED and not typed
