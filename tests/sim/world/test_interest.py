"""Interest by distance."""

from math import dist, inf, nan
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import SchemaError
from retick.sim import F64, I32, Distance, FRect, Most, Player, Rect, Thing, Vector2, World


class Spot(Thing):
    x: F64 = 0.0
    y: F64 = 0.0


class Tree(Thing):
    x: F64 = 0.0
    y: F64 = 0.0


class Tank(Thing):
    x: F64 = 0.0
    y: F64 = 0.0
    player: Player


class Ball(Thing):
    spot: Spot
    height: I32 = 0


class Field(World):
    num_players = 2
    interest = Distance(full=100, none=300)
    trees: Annotated[list[Tree], Most(4)]
    tanks: Annotated[list[Tank], Most(4)]
    balls: Annotated[list[Ball], Most(4)]


def test_near_things_have_priority_one_and_far_ones_none() -> None:
    interest = Distance(full=100, none=300)
    assert interest.fields == ("x", "y")
    found = [interest.priority((0.0, 0.0), (away, 0.0)) for away in (0, 100, 150, 200, 300, 1e9)]
    assert found == [1.0, 1.0, 0.75, 0.5, 0.0, 0.0]


POINTS = st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))


@given(POINTS, POINTS, POINTS)
def test_what_is_farther_is_never_more_urgent(here: Any, one: Any, two: Any) -> None:
    interest = Distance(full=100, none=300)
    near, far = sorted((one, two), key=lambda point: dist(here, point))
    assert 1 >= interest.priority(here, near) >= interest.priority(here, far) >= 0


def test_the_viewpoint_is_the_first_thing_of_the_player() -> None:
    field = Field()
    field.trees.append(Tree(x=9.0))
    assert field.viewpoint(1) is None
    field.tanks = [Tank(x=1.0, y=2.0, player=0), Tank(x=3.0, y=4.0, player=1), Tank(x=5.0, player=1)]
    assert (field.viewpoint(0), field.viewpoint(1)) == ((1.0, 2.0), (3.0, 4.0))


def test_a_world_without_interest_has_no_viewpoint() -> None:
    class Plain(Field):
        interest = None

    plain = Plain()
    plain.tanks.append(Tank(player=0))
    assert plain.viewpoint(0) is None


def test_a_position_may_be_in_a_part_and_have_any_number_of_fields() -> None:
    interest = Distance(full=1, none=2, fields=("spot.x", "spot.y", "height"))
    ball = Ball(height=3)
    ball.spot.x = 1.0
    assert interest.has_position(Ball)
    assert not interest.has_position(Tank)
    assert interest.position(ball) == (1.0, 0.0, 3)
    assert Distance(full=1, none=2, fields=("height",)).position(ball) == (3,)


@pytest.mark.parametrize(("full", "none"), [(1, 1), (2, 1), (-1, 1), (0, inf), (nan, 1)])
def test_priority_falls_from_near_to_far(full: float, none: float) -> None:
    with pytest.raises(SchemaError, match="a Distance has 0 <= full < none"):
        Distance(full=full, none=none)


@pytest.mark.parametrize("fields", [(), "x"])
def test_a_distance_has_names_of_fields(fields: Any) -> None:
    with pytest.raises(SchemaError, match="a Distance has the names of fields"):
        Distance(full=0, none=1, fields=fields)


def test_a_world_in_which_nothing_has_the_fields_is_refused() -> None:
    with pytest.raises(SchemaError, match=r"Far\.interest: no list of the world has things with x, z"):
        type(World)("Far", (Field,), {"interest": Distance(full=0, none=1, fields=("x", "z"))})
    with pytest.raises(SchemaError, match=r"Odd\.interest is a Distance or None, not 5"):
        type(World)("Odd", (Field,), {"interest": 5})


class Kite(Thing):
    pos: Vector2 = Vector2(3, 4)
    box: Rect = Rect(1, 2, 5, 7)
    shade: FRect = FRect(0.5, 0.5, 1, 2)
    maybe: Vector2 | None = None
    trail: list[Vector2]
    name: str = ""


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        (("pos",), (3.0, 4.0)),
        (("box",), (3.5, 5.5)),
        (("shade",), (1.0, 1.5)),
        (("pos.x",), (3.0,)),
        (("box.h", "pos"), (7, 3.0, 4.0)),
        (("maybe",), ()),
        (("trail",), ()),
        (("name",), ()),
        (("pos.z",), ()),
        (("pos.x.y",), ()),
    ],
)
def test_a_position_may_be_a_vector_or_the_middle_of_a_rectangle(fields: Any, place: tuple[float, ...]) -> None:
    interest = Distance(full=1, none=2, fields=fields)
    assert interest.axes(Kite) == len(place)
    assert interest.has_position(Kite) == bool(place)
    if place:
        assert interest.position(Kite()) == place


def test_the_viewpoint_is_where_the_vector_of_the_player_is() -> None:
    class Flyer(Thing):
        player: Player
        pos: Vector2

    class Sky(World):
        num_players = 2
        interest = Distance(full=1, none=2, fields=("pos",))
        flyers: Annotated[list[Flyer], Most(4)]

    sky = Sky()
    sky.flyers.append(Flyer(player=1, pos=(5, 6)))
    assert (sky.viewpoint(0), sky.viewpoint(1)) == (None, (5.0, 6.0))


def test_all_places_of_a_world_have_as_many_numbers() -> None:
    class Rail(Thing):
        pos: F64 = 0.0

    hints = {"kites": Annotated[list[Kite], Most(4)], "rails": Annotated[list[Rail], Most(4)]}
    names = {"num_players": 1, "interest": Distance(full=0, none=1, fields=("pos",)), "__annotations__": hints}
    with pytest.raises(
        SchemaError,
        match=r"Mixed\.interest: all positions must have the same number of coordinates, not Rail with 1 and Kite",
    ):
        type(World)("Mixed", (World,), names)
