"""Each inexact function is named with what replaces it."""

import ast
import math

import pytest

from retick.audit.static.rules_numbers import (
    MATH_EXACTLY_ROUNDED,
    inexact_function,
    is_numpy_float,
    makes_floats_by_default,
)
from retick.sim import maths


@pytest.mark.parametrize(
    ("name", "replacement"),
    [
        ("math.sin", "sin"),
        ("math.atan2", "atan2"),
        ("math.dist", "dist"),
        ("math.cbrt", "pow"),
        ("numpy.arctan2", "atan2"),
        ("numpy.linalg.norm", "hypot"),
        ("numpy.exp", "exp"),
    ],
)
def test_the_replacement_is_named(name: str, replacement: str) -> None:
    assert inexact_function(name, floats=False) == f"`{name}`: use `retick.sim.maths.{replacement}`"
    assert hasattr(maths, replacement)


@pytest.mark.parametrize("name", ["math.sinh", "math.gamma", "cmath.sin", "numpy.fft.fft"])
def test_what_has_no_replacement_is_only_named(name: str) -> None:
    assert inexact_function(name, floats=False) == f"`{name}`"


@pytest.mark.parametrize("name", ["numpy.sum", "numpy.dot", "statistics.mean", "builtins.complex", "numpy.longdouble"])
def test_some_are_found_only_where_floats_are_meant(name: str) -> None:
    assert inexact_function(name, floats=False) is None
    said = inexact_function(name, floats=True)
    assert said is not None
    assert said.startswith(f"`{name}`, ")


@pytest.mark.parametrize("name", ["math.sqrt", "math.fsum", "math.floor", "math", "numpy.sqrt", "builtins.round"])
def test_exact_functions_are_silent(name: str) -> None:
    assert inexact_function(name, floats=True) is None


def test_every_function_of_math_that_maths_computes_itself_is_inexact() -> None:
    own = {name for name in maths.__all__ if callable(getattr(maths, name)) and hasattr(math, name)}
    same = {name for name in own if getattr(maths, name) is getattr(math, name)} | {"sqrt", "degrees", "radians"}
    assert {name for name in own if inexact_function(f"math.{name}", floats=True)} == own - same
    assert len(own - same) == 14
    assert same - {"ceil", "comb", "factorial", "floor", "gcd", "isqrt", "prod", "trunc"} <= MATH_EXACTLY_ROUNDED


@pytest.mark.parametrize(
    ("name", "is_float", "inexact"),
    [
        ("numpy.float32", True, False),
        ("numpy.complex128", True, False),
        ("numpy.mean", True, False),
        ("numpy.float_power", False, True),
        ("numpy.sin", False, True),
        ("numpy.linalg.norm", False, True),
        ("numpy.int32", False, False),
        ("mathlib.sin", False, False),
    ],
)
def test_a_name_is_a_float_or_inexact_or_neither(name: str, is_float: bool, inexact: bool) -> None:
    assert (is_numpy_float(name), inexact_function(name, floats=False) is not None) == (is_float, inexact)


@pytest.mark.parametrize(("call", "floats"), [("f(3)", True), ("f(3, int)", False), ("f(3, dtype=int)", False)])
def test_an_array_without_a_dtype_is_float(call: str, floats: bool) -> None:
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    assert makes_floats_by_default("numpy.zeros", node) is floats
    assert not makes_floats_by_default("numpy.array", node)
