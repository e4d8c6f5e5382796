"""Measures: the floats of things and of their parts, with their steps, and the count of jumps nearest to them."""

from math import inf, pi
from typing import Annotated

import pytest

from retick.authority.client.measures import all_things, difference, jumps_of, measures_of
from retick.sim import F64, U8, Angle, Jumps, Most, Range, Rect, Thing, Vector2, World


class Hand(Thing):
    x: Annotated[F64, Range(-1, 1, step=0.5)] = 0.0
    jumps: Jumps


class Body(Thing):
    name: U8 = 0
    y: F64 = 2.0
    aim: Angle = 0.0
    hand: Hand
    hat: Hand | None = None
    best: F64 | None = None
    hops: Jumps


class Stone(Thing):
    pos: Annotated[Vector2, Range(0, 100, step=0.25)]
    aim: Vector2 | None = None
    box: Rect
    track: Annotated[list[Vector2], Most(2)]
    jumps: Jumps


class Hall(World):
    num_players = 1
    ball: Hand
    bodies: Annotated[list[Body], Most(2)]


def test_the_measures_of_a_thing_are_its_floats_and_those_of_its_parts() -> None:
    found = {(*each.path, each.name): each for each in measures_of(Body)}
    assert list(found) == [("y",), ("aim",), ("hand", "x")]
    assert found["y",][3:] == (0.0, None, ("hops",))
    assert found["aim",].is_angle
    assert found["aim",].step == pytest.approx(2 * pi / 65536)
    assert found["hand", "x"][3:] == (0.5, 0.2, ("hand", "jumps"))


def test_values_are_read_and_written_and_what_cannot_be_drawn_is_not_written() -> None:
    hall = Hall()
    hall.bodies = [Body()]
    things = all_things(hall)
    assert sorted(things) == [0, 1]
    (ball,) = measures_of(Hall)
    ball.put(things[0], 0.25)
    assert hall.ball.x == 0.25
    ball.put(things[0], inf - inf)
    assert ball.of(hall) == 0.25
    hall.ball.jumps = 7
    assert jumps_of(hall, ball) == 7


def test_differences_of_angles_are_the_shorter_way_and_infinities_have_none() -> None:
    assert difference(3.0, 1.0, False) == 2.0
    assert difference(pi - 0.1, -pi + 0.1, True) == pytest.approx(-0.2)
    assert difference(inf, inf, False) == difference(inf, 1.0, True) == 0.0


def test_each_number_of_a_vector_is_a_measure_and_can_be_put() -> None:
    found = measures_of(Stone)
    assert [(*each.path, each.name) for each in found] == [("pos", "x"), ("pos", "y")]
    assert found[0][3:] == (0.25, 10.0, ("jumps",))
    stone = Stone(pos=Vector2(3, 4), box=Rect(0, 0, 1, 1))
    found[1].put(stone, 7.5)
    assert stone.pos == Vector2(3, 7.5)
    assert [each.of(stone) for each in found] == [3.0, 7.5]
