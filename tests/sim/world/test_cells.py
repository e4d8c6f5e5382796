"""Objects that were made or changed past the methods of things and lists: an error, never a crash."""

from collections.abc import Callable
from typing import Any

import pytest

from retick.sim import World
from retick.sim.world.saved import copy_world, restore_world
from retick.sim.world.storage import Cell, Root, ThingList, ValueList, new_cell, things_by_id
from tests.sim.world.zoo import Animal, Spot, Zoo


def started() -> Any:
    zoo = Zoo()
    zoo.reset(1)
    return zoo


def smuggled(zoo: Any, thing: Any) -> Any:
    list.append(zoo.guards, thing)
    return zoo


class Wider(World):
    """The box of a field of one class is that of another field of another class."""

    num_players = 1
    one: int = 1
    two: int = 2


ABUSES: list[Callable[[Any], object]] = [
    lambda zoo: zoo.animals.append(Cell.__new__(Animal)),
    lambda zoo: Cell.__new__(Animal).name,
    lambda zoo: setattr(Cell.__new__(Animal), "name", 3),
    lambda zoo: Cell.__new__(Animal).fleas,
    lambda zoo: setattr(zoo.animals[0], "burrow", Cell.__new__(Spot)),
    lambda zoo: Root.__new__(Zoo).save(),
    lambda zoo: Root.__new__(Zoo).load(zoo.save()),
    lambda zoo: things_by_id(Root.__new__(Zoo)),
    lambda zoo: copy_world(Root.__new__(Zoo), 1),
    lambda zoo: restore_world(Root.__new__(Zoo), copy_world(zoo, 1)),
    lambda zoo: restore_world(zoo, copy_world(Wider(), 1)),
    lambda zoo: setattr(zoo.animals[0], "__class__", Spot),
    lambda zoo: setattr(zoo, "__class__", Wider),
    lambda zoo: ThingList.__new__(ThingList).append(Spot()),
    lambda zoo: ValueList.__new__(ValueList).append(5),
    lambda zoo: new_cell(Cell),
    lambda zoo: smuggled(zoo, None).save(),
    lambda zoo: smuggled(zoo, None).guards.pop(),
    lambda zoo: smuggled(zoo, 5).save(),
    lambda zoo: smuggled(zoo, Animal(name=1)).save(),
    lambda zoo: smuggled(zoo, Spot()).save(),
    lambda zoo: (list.append(zoo.moods, None), zoo.save()),
]


@pytest.mark.parametrize("number", range(len(ABUSES)))
def test_abuse_is_an_error(number: int) -> None:
    zoo = started()
    with pytest.raises(Exception):  # noqa: B017, PT011 - which error it is does not matter, only that Python goes on
        ABUSES[number](zoo)


def test_a_field_cannot_be_deleted() -> None:
    with pytest.raises(AttributeError, match=r"Animal\.name cannot be deleted: it is declared"):
        del Animal(name=1).name


def test_an_object_is_what_was_declared_and_no_more() -> None:
    animal = Animal(name=1)
    assert not hasattr(animal, "__dict__")
    assert not hasattr(Zoo(), "__dict__")
    assert animal == animal
    assert animal != Animal(name=1)
