"""Values to numbers and back."""

from math import inf, pi, tau
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.authority.layout import WorldLayout, scalar
from retick.sim import F64, I16, U64, Angle, Range, World
from retick.sim.world import members_of


class Game(World):
    num_players = 1
    x: Annotated[F64, Range(-10, 30, step=0.25)]
    way: Angle
    lean: Annotated[Angle, Range(-1, 1, step=0.5)]
    exact: F64
    worth: Annotated[I16, Range(-100, 100, step=5)]
    large: Annotated[U64, Range(0, 1000, step=10)]


FIELDS: dict[str, Any] = {
    member.name: scalar(f"Game.{member.name}", member.name, member, None, secret=False) for member in members_of(Game)
}


@given(st.floats(allow_nan=False))
def test_a_float_with_steps_is_at_most_half_a_step_off_and_never_out_of_range(value: float) -> None:
    x = FIELDS["x"]
    number = x.number_of(value)
    back = x.raw_of(number)
    assert -10 <= back <= 30
    assert abs(back - min(30, max(-10, value))) <= 0.125
    assert x.number_of(back) == number


@given(st.floats(-1e6, 1e6))
def test_an_angle_wraps_and_never_clamps(value: float) -> None:
    way = FIELDS["way"]
    back = way.raw_of(way.number_of(value))
    assert -pi <= back < pi
    away = (back - value) % tau
    assert min(away, tau - away) <= tau / 65536
    assert way.number_of(back) == way.number_of(value)


@pytest.mark.parametrize(
    ("name", "value", "number"),
    [
        ("way", 1e9, 6022),
        ("way", inf, 0),
        ("way", -0.0, 0),
        ("way", pi, 32768),
        ("x", inf, 160),
        ("x", -inf, 0),
        ("x", -9.875, 0),  # halves to the even one
        ("x", -9.625, 2),
        ("lean", 0.3, 3),
        ("worth", 32767, 40),
        ("worth", 3, 21),
        ("large", (1 << 64) - 1, 100),
        ("exact", -0.0, 1 << 63),
    ],
)
def test_values_have_the_numbers_of_the_page(name: str, value: Any, number: int) -> None:
    assert FIELDS[name].number_of(value) == number


def test_bits_follow_from_the_steps() -> None:
    bits = {made.name: (made.code, made.bits) for made in WorldLayout(Game).components[0].fields}
    assert bits == {
        "next_id": ("int", 32), "x": ("steps", 8), "way": ("turn", 16), "lean": ("steps", 3), "exact": ("float", 64),
        "worth": ("steps", 6), "large": ("steps", 7),
    }  # fmt: skip
