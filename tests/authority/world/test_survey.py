"""A world to rows."""

import pytest

from retick.authority.world.layout import FIRST_SEAT, layout_of
from retick.authority.world.views import Stage
from retick.errors import UsageError
from retick.sim import Vector2
from retick.sim.world.saving import HEAD
from tests.authority.world.gallery import Frame, Gallery
from tests.authority.world.worlds import Coin, Court, Pawn, Rock


def test_entities_ascend_by_id_with_seats_last_and_know_holders_and_owners() -> None:
    world = Court()
    world.rocks.append(Rock())
    world.pawns = [Pawn(player=2), Pawn()]
    world.rocks.append(Rock())
    world.pawns[1].purse.append(Coin())
    world.pawns[0], world.pawns[1] = world.pawns[1], world.pawns[0]
    found = Stage(layout_of(Court), world).survey(5, [1, None, 3])
    assert list(found.ids) == [0, 1, 2, 3, 4, 5, FIRST_SEAT, FIRST_SEAT + 1, FIRST_SEAT + 2]
    assert list(found.owners) == [255, 255, 2, 255, 255, 255, 0, 1, 2]
    assert list(found.holders) == [0, 0, 0, 0, 0, 3, 0, 0, 0]
    assert found.cells[3] is world.pawns[0]
    assert [list(numbers) for _, _, numbers in found.entities()][-3:] == [[1, 1], [0, 0], [1, 3]]


def test_a_list_that_was_changed_past_its_methods_is_refused() -> None:
    world = Court()
    stage = Stage(layout_of(Court), world)
    list.append(world.pawns, Rock())
    with pytest.raises(UsageError, match="pawns was changed past its own methods"):
        stage.survey(1, [0, 0, 0])
    world = Court()
    list.append(world.pawns, Pawn())
    with pytest.raises(UsageError, match="pawns was changed past its own methods"):
        Stage(layout_of(Court), world).survey(1, [0, 0, 0])


def test_a_list_of_values_that_was_changed_past_its_methods_is_refused() -> None:
    world = Gallery()
    world.frames.append(Frame(pos=(0, 0)))
    stage = Stage(layout_of(Gallery), world)
    stage.survey(1, [0, 0, 0])
    for _ in range(4):
        list.append(world.frames[0].trail, Vector2())
    with pytest.raises(UsageError, match="trail was changed past its own methods"):
        stage.survey(2, [0, 0, 0])
    world.frames[0].trail = []
    list.append(world.frames[0].trail, "here")
    with pytest.raises((TypeError, AttributeError)):
        stage.survey(3, [0, 0, 0])


def test_ids_of_seats_are_never_those_of_items() -> None:
    world = Court()
    saved = bytearray(world.save())
    saved[HEAD.size - 4 : HEAD.size] = (FIRST_SEAT + 1).to_bytes(4, "little")
    world.load(bytes(saved))
    with pytest.raises(UsageError, match="all ids that a server can send"):
        Stage(layout_of(Court), world).survey(1, [0, 0, 0])
