"""Numbers of fields are made again when what they were made of has changed by a bit, has come or has gone."""

from typing import Any

import pytest

from retick.authority.layout import layout_of
from retick.authority.views import Stage
from retick.sim import FRect, Rect, Vector2
from tests.authority.survey.cabinet import Box, Cabinet, Drawer, same_as_new
from tests.authority.worlds import Side

CHANGES: list[tuple[str, list[Any]]] = [
    ("weight", [0.0, -0.0, None, 0.0, 5e-324, None, None, -0.0]),
    ("side", [Side.RED, None, Side.RED, Side.NONE]),
    ("is_shut", [False, None, False, True]),
    ("charge", [0, None, 0, -1, None, None, 5, 0]),
    ("load", [1, 2, 3, -1, -100, -1, 2**40, -(2**62)]),
    ("spin", [1.0, 1.0 + 2**-52, -1e300, 0.0, -0.0]),
    ("area", [FRect(0, 0, 0, 0), FRect(-0.0, 0, 1, 1), FRect(0, -0.0, 1, 1), FRect(1e300, 0, 0, float("inf"))]),
    ("frame", [Rect(0, 0, 0, 0), None, Rect(0, 0, 0, 0), Rect(-1, -1, -1, -1), None, None, Rect(-1, -1, -1, -1)]),
    ("player", [0, 1, 255, 1]),
]


@pytest.mark.parametrize(("name", "values"), CHANGES)
def test_every_change_of_a_field_is_seen(name: str, values: list[Any]) -> None:
    world = Cabinet()
    world.boxes = [Box(), Box()]
    stage = Stage(layout_of(Cabinet), world)
    for tick, value in enumerate(values):
        setattr(world.boxes[1], name, value)
        for again in range(2):
            same_as_new(stage, 2 * tick + again, [None, None])


def test_a_zero_with_another_sign_is_another_number() -> None:
    world = Cabinet()
    world.boxes = [Box(weight=0.0)]
    stage = Stage(layout_of(Cabinet), world)
    before = list(stage.survey(1, [None, None]).values)
    world.boxes[0].weight = -0.0
    after = list(stage.survey(2, [None, None]).values)
    assert sorted(set(after) - set(before)) == [1 << 63]


def test_a_part_that_goes_takes_its_numbers_along_and_brings_them_back() -> None:
    world = Cabinet()
    world.boxes = [Box(drawer=Drawer(depth=500)), Box(drawer=Drawer(depth=0))]
    stage = Stage(layout_of(Cabinet), world)
    first = list(same_as_new(stage, 1, [None, None]).values)
    for _ in range(2):
        world.boxes[0].drawer = None
        gone = list(same_as_new(stage, 2, [None, None]).values)
        assert sum(gone) < sum(first)
        world.boxes[0].drawer = Drawer(depth=500)
        assert list(same_as_new(stage, 3, [None, None]).values) == first


def test_a_vector_that_changes_in_place_is_seen() -> None:
    world = Cabinet()
    world.boxes = [Box()]
    stage = Stage(layout_of(Cabinet), world)
    lid = world.boxes[0].lid
    lid.hinge = Vector2(0, 0)
    for tick, change in enumerate([(0.0, 1.0), (-0.0, 0.0), (float("inf"), 0.0), (0.0, 0.0)]):
        lid.hinge.update(*change)
        same_as_new(stage, tick, [None, None])
