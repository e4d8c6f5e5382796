"""Names of NumPy that mean floats, and functions that are inexact."""

import ast

import pytest

from retick.audit.static.numpy_names import is_numpy_float, is_numpy_inexact, makes_floats_by_default


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
    assert (is_numpy_float(name), is_numpy_inexact(name)) == (is_float, inexact)


@pytest.mark.parametrize(("call", "floats"), [("f(3)", True), ("f(3, int)", False), ("f(3, dtype=int)", False)])
def test_an_array_without_a_dtype_is_float(call: str, floats: bool) -> None:
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    assert makes_floats_by_default("numpy.zeros", node) is floats
    assert not makes_floats_by_default("numpy.array", node)
