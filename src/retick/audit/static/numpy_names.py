"""Names of NumPy that mean floats, and functions of NumPy whose last bits differ between systems."""

import ast

__all__ = ["is_numpy_float", "is_numpy_inexact", "is_numpy_reduction", "makes_floats_by_default"]

_FLOAT_NAMES = frozenset({
    "average", "cdouble", "csingle", "double", "e", "euler_gamma", "half", "inf", "linspace", "longdouble", "mean",
    "median", "nan", "nanmean", "nanstd", "nanvar", "percentile", "pi", "quantile", "single", "sqrt", "std", "var",
})  # fmt: skip
_INEXACT = frozenset({
    "acos", "acosh", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "asin", "asinh",
    "atan", "atan2", "atanh", "cbrt", "convolve", "cos", "cosh", "exp", "exp2", "expm1", "float_power", "geomspace",
    "hypot", "interp", "log", "log10", "log1p", "log2", "logaddexp", "logspace", "sin", "sinc", "sinh", "tan", "tanh",
})  # fmt: skip
_REDUCTIONS = frozenset({
    "average", "dot", "einsum", "inner", "matmul", "mean", "nanmean", "nanstd", "nansum", "nanvar",
    "std", "sum", "tensordot", "trapezoid", "var", "vdot",
})  # fmt: skip
_INEXACT_MODULES = ("numpy.fft.", "numpy.linalg.", "numpy.polynomial.")
_FLOAT_UNLESS_TYPED = frozenset({
    "numpy.empty", "numpy.eye", "numpy.identity", "numpy.ones", "numpy.zeros",
})  # fmt: skip


def _function(name: str) -> str:
    package, _, rest = name.partition(".")
    return rest if package == "numpy" else ""


def is_numpy_float(name: str) -> bool:
    """Whether a dotted name of NumPy is a float type, a float constant or a function that returns floats."""
    function = _function(name)
    return (function.startswith(("float", "complex")) and function != "float_power") or function in _FLOAT_NAMES


def is_numpy_inexact(name: str) -> bool:
    """Whether a dotted name of NumPy is a function whose last bits differ between systems."""
    return _function(name) in _INEXACT or name.startswith(_INEXACT_MODULES)


def is_numpy_reduction(name: str) -> bool:
    """Whether a dotted name of NumPy is a function that adds many numbers; of floats, in no fixed order."""
    return _function(name) in _REDUCTIONS


def makes_floats_by_default(name: str, call: ast.Call) -> bool:
    """Whether the call makes an array without a dtype, which is float64 then."""
    typed = len(call.args) > 1 or any(keyword.arg == "dtype" for keyword in call.keywords)
    return name in _FLOAT_UNLESS_TYPED and not typed
