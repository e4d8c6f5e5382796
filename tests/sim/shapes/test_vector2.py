"""A Vector2 does what pygame's does, never holds a NaN, and both forms agree on everything."""

import copy
import math
import pickle
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from retick.sim import Vector2, maths
from tests.twin import Twin, outcome

NUMBERS = st.floats(-1e6, 1e6)
PAIRS = st.tuples(NUMBERS, NUMBERS)


def close(a: Any, b: Any) -> bool:
    # pygame takes what differs by a millionth for equal here and there.
    scale = 1e-5 * max(1.0, *map(abs, a))
    return all(math.isclose(x, y, rel_tol=1e-5, abs_tol=scale) for x, y in zip(a, b, strict=True))


def test_all_ways_to_make_one() -> None:
    assert Vector2() == (0, 0)
    assert Vector2(1, 2.5) == Vector2((1, 2.5)) == Vector2([1, 2.5]) == Vector2(Vector2(1, 2.5)) == (1.0, 2.5)
    assert Vector2(3) == (3, 3)
    assert Vector2(maths.Vec2(1, 2)) == (1, 2)
    x, y = Vector2(1, 2)
    assert (x, y, len(Vector2()), list(Vector2(1, 2))) == (1.0, 2.0, 2, [1.0, 2.0])
    for bad in ("ab", (1, 2, 3), {1: 2, 3: 4}, None, (1, "2")):
        with pytest.raises(TypeError, match="a Vector2 or two numbers are needed"):
            Vector2(bad)


def test_it_changes_in_place() -> None:
    vector = Vector2(1, 2)
    same = vector
    vector.x += 1
    vector[1] = 5
    vector += (1, 1)
    vector -= Vector2(0, 1)
    vector *= 2
    vector /= 4
    assert same is vector
    assert same == (1.5, 2.5)
    vector.update((7, 8))
    vector.xy = (vector.y, vector.x)
    assert (vector[0], vector[-1], vector[:]) == (8.0, 7.0, [8.0, 7.0])
    with pytest.raises(AttributeError, match="z"):
        vector.z = 1  # type: ignore[attr-defined]  # the point of the test
    with pytest.raises(TypeError, match="unhashable"):
        hash(vector)


def test_a_copy_is_another_vector() -> None:
    vector = Vector2(1, 2)
    for other in (vector.copy(), copy.copy(vector), copy.deepcopy(vector), pickle.loads(pickle.dumps(vector)), +vector):
        assert (type(other), other == vector, other is vector) == (Vector2, True, False)
        assert eval(repr(other)) == vector


def test_a_nan_is_refused_and_nothing_changes() -> None:
    vector = Vector2(math.inf, 1)
    for bad in (
        lambda: setattr(vector, "y", math.nan),
        lambda: vector.update(math.nan, 0),
        lambda: vector.__isub__((math.inf, 0)),
        lambda: vector - vector,
        vector.normalize_ip,
    ):
        with pytest.raises(ValueError, match="has no value"):
            bad()
    assert vector == (math.inf, 1)
    with pytest.raises(OverflowError, match="hypot"):
        Vector2(1.7e308, 1.7e308).length()
    with pytest.raises(ZeroDivisionError, match="divided by zero"):
        vector / 0


def test_quarter_turns_are_exact() -> None:
    vector = Vector2(3, 4)
    turned = [tuple(vector.rotate(angle)) for angle in (0, 90, 180, 270, 360, -90, 720)]
    assert turned == [(3, 4), (-4, 3), (-3, -4), (4, -3), (3, 4), (4, -3), (3, 4)]


@pytest.mark.parametrize("method", ["normalize", "normalize_ip"])
def test_the_zero_vector_has_no_direction(method: str) -> None:
    with pytest.raises(ValueError, match="a vector of length 0 cannot be normalized"):
        getattr(Vector2(), method)()
    for call in (lambda: Vector2().scale_to_length(1), lambda: Vector2(1, 1).reflect((0, 0))):
        with pytest.raises(ValueError, match="has no direction"):
            call()
    with pytest.raises(ValueError, match="has no direction"):
        Vector2(1, 1).project((0, 0))
    with pytest.raises(ValueError, match="a weight from 0 to 1"):
        Vector2(1, 1).lerp((0, 0), 2)
    with pytest.raises(ValueError, match="a length is clamped from"):
        Vector2(1, 1).clamp_magnitude(3, 2)


@given(PAIRS, PAIRS, st.floats(-400, 400), st.floats(0, 1))
def test_it_does_what_the_one_of_pygame_does(a: Any, b: Any, number: float, weight: float) -> None:
    pygame = pytest.importorskip("pygame")
    ours, theirs = Vector2(a), pygame.Vector2(a)
    assert close(ours + b, theirs + b)
    assert close(b - ours, b - theirs)
    assert close(ours * number, theirs * number)
    assert close(number * -ours, number * -theirs)
    for name in ("length", "length_squared", "magnitude", "as_polar"):
        found, expected = getattr(ours, name)(), getattr(theirs, name)()
        assert close(
            [found] if isinstance(found, float) else found, [expected] if isinstance(found, float) else expected
        )
    for name in ("distance_to", "distance_squared_to", "dot", "cross", "angle_to"):
        assert math.isclose(getattr(ours, name)(b), getattr(theirs, name)(b), rel_tol=1e-9, abs_tol=1e-3), name
    assert ours * b == ours.dot(b)
    assert close(ours.lerp(b, weight), theirs.lerp(b, weight))
    for name in ("rotate", "rotate_rad"):
        assert close(getattr(ours, name)(number), getattr(theirs, name)(number))
        changed = Vector2(a)
        getattr(changed, f"{name}_ip")(number)
        assert changed == getattr(ours, name)(number)
    assert close(ours.move_towards(b, abs(number)), theirs.move_towards(b, abs(number)))
    assume(ours.length() > 1e-3 and Vector2(b).length() > 1e-3)
    assert close(ours.normalize(), theirs.normalize())
    assert close(ours.reflect(b), theirs.reflect(b))
    assert close(ours.project(b), theirs.project(b))
    assert close(ours.clamp_magnitude(1, 300), theirs.clamp_magnitude(1, 300))
    ours.scale_to_length(5)
    theirs.scale_to_length(5)
    assert close(ours, theirs)
    ours.from_polar((2, number))
    theirs.from_polar((2, number))
    assert close(ours, theirs)


def test_pygame_draws_with_it() -> None:
    pygame = pytest.importorskip("pygame")
    screen = pygame.Surface((20, 20))
    pygame.draw.circle(screen, "white", Vector2(5, 5), 2)
    pygame.draw.line(screen, "white", Vector2(1, 15), Vector2(9, 15))
    screen.blit(pygame.Surface((1, 1)), Vector2(5, 5))
    assert screen.get_at((4, 5)) == screen.get_at((5, 15)) == pygame.Color("white")
    assert screen.get_at((5, 5)) == pygame.Color("black")
    assert pygame.Vector2(Vector2(1, 2)) == Vector2(1, 2) == Vector2(pygame.Vector2(1, 2))


def told(a: tuple[Any, Any], b: tuple[Any, Any], number: Any) -> list[str]:
    """A story: every method, with its result or its error."""
    lines = []
    for name in [
        "length",
        "length_squared",
        "normalize",
        "normalize_ip",
        "as_polar",
        "copy",
        "is_normalized",
        "__bool__",
        "__neg__",
        "__repr__",
    ]:
        vector = Vector2(a)
        lines.append(f"{name} {outcome(lambda v=vector, n=name: getattr(v, n)())} {vector!r}")
    for name in [
        "scale_to_length",
        "rotate",
        "rotate_ip",
        "rotate_rad",
        "rotate_rad_ip",
        "__mul__",
        "__imul__",
        "__truediv__",
        "__itruediv__",
        "__getitem__",
        "clamp_magnitude",
        "clamp_magnitude_ip",
        "update",
    ]:
        vector = Vector2(a)
        lines.append(f"{name} {outcome(lambda v=vector, n=name: getattr(v, n)(number))} {vector!r}")
    for name in [
        "__add__",
        "__radd__",
        "__iadd__",
        "__sub__",
        "__rsub__",
        "__isub__",
        "__mul__",
        "__eq__",
        "dot",
        "cross",
        "distance_to",
        "distance_squared_to",
        "angle_to",
        "project",
        "reflect",
        "reflect_ip",
        "from_polar",
    ]:
        vector = Vector2(a)
        lines.append(f"{name} {outcome(lambda v=vector, n=name: getattr(v, n)(b))} {vector!r}")
    for name in ("lerp", "move_towards", "move_towards_ip"):
        vector = Vector2(a)
        lines.append(f"{name} {outcome(lambda v=vector, n=name: getattr(v, n)(b, number))} {vector!r}")
    return lines


ANY = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False), st.integers(-5, 5), st.sampled_from([90, -0.0, 1e300, 45])
)


def test_both_forms_agree_on_every_value_and_every_error(twin: Twin) -> None:

    @given(st.tuples(ANY, ANY), st.one_of(st.tuples(ANY, ANY), st.just((1, "x"))), ANY)
    def check(a: Any, b: Any, number: Any) -> None:
        twin.agrees(told, a, b, number)

    check()
