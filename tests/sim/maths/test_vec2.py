"""A vector is a value: it never changes, never holds a NaN, and both forms agree on everything."""

import copy
import math
import pickle
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from retick.sim import maths
from retick.sim.maths import Vec2
from tests.twin import Twin, outcome

numbers = st.floats(-1e6, 1e6)
vectors = st.builds(Vec2, numbers, numbers)


@given(vectors, vectors, numbers)
def test_arithmetic_is_that_of_the_coordinates(a: Vec2, b: Vec2, factor: float) -> None:
    assert a + b == Vec2(a.x + b.x, a.y + b.y)
    assert a - b == Vec2(a.x - b.x, a.y - b.y)
    assert a * factor == factor * a == Vec2(a.x * factor, a.y * factor)
    assert -a == Vec2(-a.x, -a.y)
    assert a.dot(b) == a.x * b.x + a.y * b.y
    assert a.cross(b) == a.x * b.y - a.y * b.x
    assert a.length() == maths.hypot(a.x, a.y)
    assert a.angle() == maths.atan2(a.y, a.x)
    if factor:
        assert a / factor == Vec2(a.x / factor, a.y / factor)


@given(vectors, st.floats(-10, 10))
def test_a_rotation_turns_and_keeps_the_length(a: Vec2, angle: float) -> None:
    turned = a.rotated(angle)
    assert turned.length() == pytest.approx(a.length())
    assert turned == Vec2(
        a.x * maths.cos(angle) - a.y * maths.sin(angle), a.x * maths.sin(angle) + a.y * maths.cos(angle)
    )
    assert Vec2.polar(2.0, angle) == Vec2(2 * maths.cos(angle), 2 * maths.sin(angle))


@given(vectors)
def test_a_normalised_vector_has_length_one(a: Vec2) -> None:
    assume(a.length() > 1e-300)
    assert a.normalised().length() == pytest.approx(1)
    assert a.normalised().angle() == pytest.approx(a.angle())


@given(vectors)
def test_a_vector_is_a_value(a: Vec2) -> None:
    x, y = a
    assert Vec2(x, y) == a
    assert hash(Vec2(x, y)) == hash(a)
    assert eval(repr(a)) == a
    assert pickle.loads(pickle.dumps(a)) == copy.deepcopy(a) == copy.copy(a) == a
    assert a != (x, y)


def test_a_vector_never_changes() -> None:
    vector = Vec2(1, 2)
    for name in ("x", "y", "z"):
        with pytest.raises(AttributeError, match="a Vec2 does not change"):
            setattr(vector, name, 3.0)
    with pytest.raises(AttributeError, match="a Vec2 does not change"):
        del vector.x
    assert (vector.x, vector.y) == (1.0, 2.0)


CALLS: dict[str, Any] = {
    "zero": lambda: Vec2(0, 0).normalised(),
    "divided": lambda: Vec2(1, 2) / 0,
    "no number": lambda: Vec2("1", 2),
    "nan": lambda: Vec2(math.nan, 0),
    "made nan": lambda: Vec2(math.inf, 0) - Vec2(math.inf, 0),
    "dot nan": lambda: Vec2(1e200, 1e200).dot(Vec2(1e200, -1e200)),
    "dot of a tuple": lambda: Vec2(1, 2).dot((1, 2)),
    "cross of a tuple": lambda: Vec2(1, 2).cross((1, 2)),
    "too long": lambda: Vec2(1.7e308, 1e308).length(),
    "too long to be normalised": lambda: Vec2(1.7e308, 1e308).normalised(),
    "endless turn": lambda: Vec2(1, 0).rotated(math.inf),
    "endless direction": lambda: Vec2.polar(1.0, math.nan),
    "huge": lambda: Vec2(1, 2) * 10**400,
}


def refusals() -> list[str]:
    """A story for the twin."""
    return [f"{name}: {outcome(call)}" for name, call in CALLS.items()]


def test_what_has_no_result_is_an_error() -> None:
    assert refusals() == [
        "zero: ZeroDivisionError: Vec2(0.0, 0.0) has no direction",
        "divided: ZeroDivisionError: Vec2(1.0, 2.0) divided by zero",
        "no number: TypeError: Vec2() takes a float or an int, not '1'",
        "nan: ValueError: Vec2(nan, 0.0) has no value",
        "made nan: ValueError: Vec2(nan, 0.0) has no value",
        "dot nan: OverflowError: the sum(inf, -inf) is too large for a float",
        "dot of a tuple: TypeError: Vec2.dot() takes a Vec2, not (1, 2)",
        "cross of a tuple: TypeError: Vec2.cross() takes a Vec2, not (1, 2)",
        "too long: OverflowError: hypot(1.7e+308, 1e+308) is too large for a float",
        "too long to be normalised: OverflowError: hypot(1.7e+308, 1e+308) is too large for a float",
        "endless turn: ValueError: rotated(inf) has no value",
        "endless direction: ValueError: Vec2.polar(1.0, nan) has no value",
        "huge: OverflowError: int too large to convert to float",
    ]


@pytest.mark.parametrize("other", ["a", None, 1, (1, 2)])
def test_only_vectors_are_added(other: Any) -> None:
    for call in (lambda: Vec2(1, 2) + other, lambda: other - Vec2(1, 2), lambda: Vec2(1, 2) * "a"):
        with pytest.raises(TypeError):
            call()


def journey(x: float, y: float, turn: float) -> list[str]:
    """A story for the twin: a thousand frames of something that flies in the plane."""
    place, speed = Vec2(0, 0), Vec2(x, y)
    lines = []
    for _ in range(1000):
        speed = speed.rotated(turn) * 0.999 + Vec2.polar(0.01, place.angle())
        place = place + speed / 60
        lines.append(f"{place!r} {speed.length()!r} {place.normalised()!r} {place.dot(speed)!r}")
    return lines


@pytest.mark.compiled_only
def test_both_forms_fly_alike(twin: Twin) -> None:
    twin.agrees(refusals)
    twin.agrees(journey, 3.0, 4.0, 0.02)
    twin.agrees(journey, -1e5, 0.1, -1.7)
