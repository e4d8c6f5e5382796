"""Rect and FRect do what pygame's do, and both forms agree on everything."""

import copy
import math
import pickle
from enum import Flag
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.sim import FRect, Rect, Vector2
from tests.twin import Twin, outcome

SMALL = st.integers(-40, 40)
RECTS = st.tuples(SMALL, SMALL, SMALL, SMALL)
EDGES = ["x", "y", "w", "h", "width", "height", "left", "right", "top", "bottom", "centerx", "centery"]
CORNERS = [
    "topleft",
    "topright",
    "bottomleft",
    "bottomright",
    "midtop",
    "midleft",
    "midbottom",
    "midright",
    "center",
    "size",
]


def test_all_ways_to_make_one() -> None:
    assert Rect() == (0, 0, 0, 0)
    assert Rect(1, 2, 3, 4) == Rect((1, 2), (3, 4)) == Rect((1, 2, 3, 4)) == Rect(FRect(1.5, 2.5, 3, 4)) == (1, 2, 3, 4)
    assert Rect(Vector2(1.9, -1.9), (3, 4)) == (1, -1, 3, 4)
    assert FRect(1.5, 2, 3, 4).x == 1.5
    for bad in ((1, 2, 3), ("a", 1, 2, 3), (None,), ("abcd",)):
        with pytest.raises(TypeError, match="a Rect or four numbers are needed"):
            Rect(*bad)


def test_a_rect_holds_integers_of_32_bits() -> None:
    rect = Rect(0, 0, 5, 5)
    rect.x = -2.7
    assert repr(rect) == "Rect(-2, 0, 5, 5)"
    rect.y = -0.5
    assert [type(number) for number in rect] == [int] * 4
    assert Rect(2147483647, -2147483648, 0, 0)[:2] == [2147483647, -2147483648]
    for bad in (2147483648, -2147483649, math.inf):
        with pytest.raises(OverflowError, match=r"does not fit into a Rect \(-2147483648 to 2147483647\)"):
            rect.x = bad
        with pytest.raises(OverflowError):
            rect.move_ip(bad, 0)
    with pytest.raises(ValueError, match="has no value"):
        FRect().x = math.nan
    assert rect == (-2, 0, 5, 5)


@pytest.mark.parametrize("kind", [Rect, FRect])
def test_a_copy_is_another_rectangle(kind: Any) -> None:
    rect = kind(1, 2, 3, 4)
    for other in (rect.copy(), copy.copy(rect), copy.deepcopy(rect), pickle.loads(pickle.dumps(rect))):
        assert (type(other), other == rect, other is rect) == (kind, True, False)
        assert eval(repr(other)) == rect
    with pytest.raises(AttributeError, match="z"):
        rect.z = 1
    rect[0] = 9
    rect[2:] = [1, 1]
    assert list(rect) == [9, 2, 1, 1]


@given(RECTS, RECTS, SMALL, SMALL)
@pytest.mark.parametrize("name", ["Rect", "FRect"])
def test_it_does_what_the_one_of_pygame_does(name: str, a: Any, b: Any, x: int, y: int) -> None:
    pygame = pytest.importorskip("pygame")
    ours: Any = {"Rect": Rect, "FRect": FRect}[name](a)
    theirs = getattr(pygame, name)(a)
    assert list(ours) == list(theirs)
    assert (bool(ours), ours == b) == (bool(theirs), theirs == b)
    for attribute in EDGES + CORNERS:
        assert getattr(ours, attribute) == getattr(theirs, attribute), attribute
        value = x if attribute in EDGES else (x, y)
        mine, other = ours.copy(), theirs.copy()
        setattr(mine, attribute, value)
        setattr(other, attribute, value)
        assert list(mine) == list(other), attribute
    for method in ("move", "inflate"):
        assert list(getattr(ours, method)(x, y)) == list(getattr(theirs, method)((x, y))), method
    for method in ("clamp", "union"):
        assert list(getattr(ours, method)(b)) == list(getattr(theirs, method)(b)), method
        changed = ours.copy()
        getattr(changed, f"{method}_ip")(*b)
        assert changed == getattr(ours, method)(b)
    for method in ("colliderect", "contains"):
        assert getattr(ours, method)(b) == bool(getattr(theirs, method)(b)), method
    assert ours.collidepoint(x + 0.5, y - 0.5) == bool(theirs.collidepoint(x + 0.5, y - 0.5))
    assert ours.collidelist([a, b]) == theirs.collidelist([a, b])
    assert ours.collidelistall([a, b]) == theirs.collidelistall([a, b])
    if min(a[2], a[3], b[2], b[3]) > 0:
        assert list(ours.clip(b)) == list(theirs.clip(b))
    ours.normalize()
    theirs.normalize()
    assert list(ours) == list(theirs)


def test_pygame_draws_with_it() -> None:
    pygame = pytest.importorskip("pygame")
    screen = pygame.Surface((20, 20))
    pygame.draw.rect(screen, "white", Rect(5, 5, 3, 3))
    pygame.draw.ellipse(screen, "white", FRect(12, 12, 4, 4))
    screen.blit(pygame.Surface((1, 1)), Rect(5, 5, 1, 1))
    screen.fill("red", Rect(0, 0, 2, 2))
    assert screen.get_at((7, 7)) == screen.get_at((14, 14)) == pygame.Color("white")
    assert screen.get_at((5, 5)) == pygame.Color("black")
    assert pygame.Rect(Rect(1, 2, 3, 4)) == Rect(1, 2, 3, 4)
    assert pygame.Rect(0, 0, 5, 5).colliderect(Rect(1, 2, 3, 4))


def told(a: tuple[Any, ...], b: tuple[Any, ...], x: Any, y: Any) -> list[str]:
    """A story: every attribute and method, with its result or its error."""
    lines = []
    for kind in (Rect, FRect):
        for name in EDGES + CORNERS:
            rect = kind(1, 2, 3, 4)
            value = x if name in EDGES else (x, y)
            lines.append(f"{name} {outcome(lambda r=rect, n=name, v=value: setattr(r, n, v))} {rect!r}")
            lines.append(outcome(lambda k=kind, n=name: getattr(k(a), n)))
        for name in ["move", "move_ip", "inflate", "inflate_ip", "collidepoint"]:
            lines.append(f"{name} {outcome(lambda k=kind, n=name: getattr(k(a), n)(x, y))}")
        for name in ["clamp", "union", "clip", "contains", "colliderect", "collidelist", "__eq__", "update"]:
            lines.append(f"{name} {outcome(lambda k=kind, n=name: getattr(k(a), n)(b))}")
    return lines


ANY = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False), st.integers(-5, 5), st.floats(-9, 9), st.just(2147483647)
)
FOUR = st.tuples(ANY, ANY, ANY, ANY)


def test_both_forms_agree_on_every_value_and_every_error(twin: Twin) -> None:

    @given(FOUR, st.one_of(FOUR, st.just((1, 2, "x", 3))), ANY, ANY)
    def check(a: Any, b: Any, x: Any, y: Any) -> None:
        twin.agrees(told, a, b, x, y)

    check()


class Alone(Flag):
    ONE = 1


class ItsOwn:
    @property
    def rect(self) -> "ItsOwn":
        return self


@pytest.mark.parametrize("value", [Alone.ONE, ItsOwn()], ids=["a flag of one member", "an object that is its own rect"])
def test_a_value_that_contains_itself_is_no_rectangle(value: object) -> None:
    with pytest.raises(TypeError, match="a Rect or four numbers are needed"):
        Rect(value)  # type: ignore[call-overload]  # what is tried here
