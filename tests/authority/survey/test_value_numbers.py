"""Numbers of lists and texts: past the end they are 0, also where there was something before."""

from typing import Any

import pytest

from retick.authority.layout import layout_of
from retick.authority.views import Stage
from retick.sim import Vector2
from tests.authority.survey.cabinet import Box, Cabinet, Lid, same_as_new
from tests.authority.worlds import Side

CHANGES: list[tuple[str, list[Any]]] = [
    ("levels", [[1.0, 0.0, 3.0], [1.0], [], [1.0, 0.0], [1.0, -0.0], [2.5, -0.0, 3.0]]),
    ("shut", [[True, True, True], [True], [False, True], [], [True]]),
    ("sides", [[Side.BLUE, Side.NONE], [Side.NONE], [], [Side.NONE, Side.BLUE]]),
    (
        "name",
        ["a text of 23 characters", "short", "", "nine char", "eight ch", "zöe", "a text of 23 characters"],
    ),
]
LID_CHANGES: list[tuple[str, list[Any]]] = [
    ("scratches", [[(1, 2), (3, 4)], [(1, 2)], [(1, 2), (3, 4)], [(-0.0, 2), (3, 4)], [], [(-0.0, 2)]]),
    ("label", ["a text of 23 characters", None, "lid", "", None, "nine char"]),
]


def test_every_change_is_seen() -> None:
    world = Cabinet()
    world.boxes = [Box(), Box()]
    world.lid = Lid()
    stage = Stage(layout_of(Cabinet), world)
    for name, values in CHANGES + LID_CHANGES:
        for value in values:
            thing: Any = world.boxes[1] if hasattr(Box, name) else world.lid
            setattr(thing, name, value)
            for tick in range(2):
                same_as_new(stage, tick, [None, None])


@pytest.mark.parametrize(("name", "values"), LID_CHANGES)
def test_what_is_in_a_part_goes_with_it_and_comes_back(name: str, values: list[Any]) -> None:
    world = Cabinet()
    stage = Stage(layout_of(Cabinet), world)
    for value in values:
        world.lid = Lid(**{name: value})
        there = list(same_as_new(stage, 1, [None, None]).values)
        world.lid = None
        gone = same_as_new(stage, 2, [None, None]).values
        assert list(gone) == [1] + [0] * (len(gone) - 1)
        world.lid = Lid(**{name: value})
        assert list(same_as_new(stage, 3, [None, None]).values) == there


def test_a_vector_in_a_list_that_changes_in_place_is_seen() -> None:
    world = Cabinet()
    world.lid = Lid(scratches=[(0, 0), (5, 5)])
    stage = Stage(layout_of(Cabinet), world)
    same_as_new(stage, 1, [None, None])
    first, second = world.lid.scratches
    first.x = -0.0
    same_as_new(stage, 2, [None, None])
    second += Vector2(1, 0)
    same_as_new(stage, 3, [None, None])
    world.lid.scratches.reverse()
    same_as_new(stage, 4, [None, None])


def test_a_scalar_that_is_exchanged_for_an_equal_one_is_the_same_number() -> None:
    world = Cabinet()
    world.boxes = [Box(levels=[1e10, float("1e11")])]
    stage = Stage(layout_of(Cabinet), world)
    before = list(same_as_new(stage, 1, [None, None]).values)
    world.boxes[0].levels = [float("1e10"), float("1e11")]
    assert list(same_as_new(stage, 2, [None, None]).values) == before
