"""Zeros, infinities, NaN and what is outside of the domain: as ``math`` has it, except that no NaN goes in or out."""

import math
from itertools import product
from typing import Any

import pytest

from retick.sim import maths
from tests.sim.maths.samples import EDGES, NAMES
from tests.twin import outcome

NAN = float("nan")
VALUES = [sign * value for value in (*EDGES, math.inf) for sign in (1.0, -1.0)]
SPECIAL = [
    sign * value for value in (0.0, 0.5, 1.0, 2.0, 3.0, 2.0**53 + 2, 1e300, 5e-324, math.inf) for sign in (1, -1)
]
TWO_ARGUMENTS = ("atan2", "hypot", "pow")


def same(name: str, *arguments: float) -> None:
    """The same kind of outcome as in ``math``, zeros and infinities with the same sign, other results close.

    Not closer than this: the C library itself may be off by more than ten units.
    """
    ours, theirs = outcome(getattr(maths, name), *arguments), outcome(getattr(math, name), *arguments)
    if ":" in theirs or ":" in ours:
        assert ours.split(":")[0] == theirs.split(":")[0], (name, arguments, ours, theirs)
        return
    mine, other = float(ours), float(theirs)
    if other in (0.0, math.inf, -math.inf):
        assert repr(mine) == repr(other), (name, arguments)
    else:
        assert math.isclose(mine, other, rel_tol=1e-14, abs_tol=5e-324), (name, arguments)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in TWO_ARGUMENTS])
def test_functions_of_one_number_behave_as_those_of_math(name: str) -> None:
    for value in VALUES:
        same(name, value)


@pytest.mark.parametrize("name", TWO_ARGUMENTS)
def test_functions_of_two_numbers_behave_as_those_of_math(name: str) -> None:
    for arguments in product(SPECIAL, repeat=2):
        same(name, *arguments)


@pytest.mark.parametrize("name", NAMES)
def test_no_function_takes_a_nan(name: str) -> None:
    function = getattr(maths, name)
    for arguments in [(NAN, 1.0), (1.0, NAN), (NAN, 0.0)] if name in TWO_ARGUMENTS else [(NAN,)]:
        with pytest.raises(ValueError, match="has no value"):
            function(*arguments)


@pytest.mark.parametrize("name", NAMES)
def test_integers_and_subclasses_of_float_are_taken(name: str) -> None:
    class Metres(float):
        pass

    function = getattr(maths, name)
    for kind in (int, float, Metres, bool):
        arguments: list[Any] = [kind(1)] * (2 if name in TWO_ARGUMENTS else 1)
        assert type(function(*arguments)) is float
        assert function(*arguments) == function(*[1.0] * len(arguments))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: maths.sin(math.inf), ValueError, "sin(inf) has no value"),
        (lambda: maths.asin(1.5), ValueError, "asin(1.5) has no value"),
        (lambda: maths.log(0), ValueError, "log(0.0) has no value"),
        (lambda: maths.sqrt(-1), ValueError, "sqrt(-1.0) has no value"),
        (lambda: maths.pow(-8, 1 / 3), ValueError, "pow(-8.0, 0.3333333333333333) has no value"),
        (lambda: maths.pow(0, -1), ValueError, "pow(0.0, -1.0) has no value"),
        (lambda: maths.exp(1000), OverflowError, "exp(1000.0) is too large for a float"),
        (lambda: maths.pow(10, 400), OverflowError, "pow(10.0, 400.0) is too large for a float"),
        (lambda: maths.hypot(1.7e308, 1e308), OverflowError, "hypot(1.7e+308, 1e+308) is too large for a float"),
        (lambda: maths.cos("1"), TypeError, "cos() takes a float or an int, not '1'"),
        (lambda: maths.tan(10**400), OverflowError, "int too large to convert to float"),
    ],
)  # fmt: skip
def test_an_error_names_the_function_and_its_arguments(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == text
