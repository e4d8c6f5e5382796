from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from retick.authority import Flag, Real, Whole
from retick.authority.declared.fields import clamp
from retick.authority.declared.layout import DeclaredLayout


class Ship(NamedTuple):
    x: float
    heat: float
    fuel: int
    lit: bool


KINDS = {"x": Real(-8, 8, steps=16), "heat": Real(1, 9), "fuel": Whole(-5, 70), "lit": Flag(public=True)}
LAYOUT = DeclaredLayout(Ship, KINDS)
ships = st.builds(Ship, st.floats(-8, 8), st.floats(1, 9), st.integers(-5, 70), st.booleans())


def as_sent(ship: Ship) -> Ship:
    return Ship._make(map(clamp, KINDS.values(), ship))


@given(ships)
def test_an_exact_row_gives_back_the_very_state(ship: Ship) -> None:
    row = LAYOUT.exact_row(as_sent(ship))
    assert LAYOUT.exact_state(row) == as_sent(ship)
    assert all(low <= value <= high for value, (_, low, high) in zip(row, LAYOUT.exact, strict=True))


@given(ships)
def test_others_see_what_is_public_to_the_step_and_nothing_else(ship: Ship) -> None:
    row = LAYOUT.public_row(as_sent(ship))
    seen = LAYOUT.public_state(row)
    assert [name for name, _, _ in LAYOUT.public] == ["x", "lit"]
    assert abs(seen.x - ship.x) <= 1 / 32 + 1e-6
    assert seen.lit == ship.lit
    assert (seen.heat, seen.fuel) == (1.0, 0)
