"""Lists of a world: ordinary lists, with a most and checks."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.sim import Ref, Thing, World
from tests.sim.world.zoo import Animal, Mood, Spot, Zoo


def zoo_of(count: int) -> Zoo:
    zoo = Zoo()
    for name in range(count):
        zoo.animals.append(Animal(name=name))
    return zoo


def names(zoo: Zoo) -> list[int]:
    return [animal.name for animal in zoo.animals]


def test_a_list_holds_at_most_what_it_declares() -> None:
    zoo = zoo_of(4)
    before = zoo.save()
    full = r"^Zoo\.animals holds at most 4, not 5$"
    more: Any = Animal(name=9)
    for add in (
        lambda: zoo.animals.append(more),
        lambda: zoo.animals.insert(0, more),
        lambda: zoo.animals.extend([more]),
        lambda: zoo.animals.__iadd__([more]),
        lambda: zoo.animals.__setitem__(slice(0, 0), [more]),
        lambda: setattr(zoo, "animals", [*zoo.animals, more]),
    ):
        with pytest.raises(UsageError, match=full):
            add()
        assert zoo.save() == before
    zoo.animals[0].tricks = [1, 2, 3]
    with pytest.raises(UsageError, match=r"^Animal\.tricks holds at most 3, not 4$"):
        zoo.animals[0].tricks.append(4)


def test_a_list_holds_only_what_it_declares() -> None:
    zoo = zoo_of(1)
    with pytest.raises(UsageError, match=r"^Zoo\.animals holds Animal, not 5$"):
        zoo.animals.append(5)  # type: ignore[arg-type] # the point of the test
    with pytest.raises(UsageError, match=r"^Zoo\.animals holds Animal, not Spot\(x=0.0, y=0.0\)$"):
        zoo.animals[0] = Spot()  # type: ignore[call-overload] # the point of the test
    with pytest.raises(UsageError, match=r"^Animal\.tricks\[\]: 40000 is not an I16"):
        zoo.animals[0].tricks.append(40000)
    with pytest.raises(UsageError, match=r"^Zoo\.moods\[\]: 'calm' is not a Mood"):
        zoo.moods = ["calm"]  # type: ignore[list-item] # the point of the test
    assert zoo.animals[0].tricks == []
    assert zoo.moods == []


def test_a_thing_is_in_a_list_once() -> None:
    zoo = zoo_of(2)
    with pytest.raises(UsageError, match="in another place already"):
        zoo.animals.append(zoo.animals[0])
    with pytest.raises(UsageError, match="would be in the list twice"):
        zoo.animals.extend([zoo.animals[1]])
    with pytest.raises(UsageError, match="would be in the list twice"):
        zoo.animals *= 2
    fresh = Animal(name=7)
    with pytest.raises(UsageError, match="would be in the list twice"):
        zoo.animals = [fresh, fresh]
    assert names(zoo) == [0, 1]
    assert fresh.id == 0


def test_swapping_shuffling_and_moving_the_last_keep_ids() -> None:
    zoo = zoo_of(4)
    zoo.animals[0], zoo.animals[3] = zoo.animals[3], zoo.animals[0]
    assert [(animal.name, animal.id) for animal in zoo.animals] == [(3, 4), (1, 2), (2, 3), (0, 1)]
    Random(1).shuffle(zoo.animals)
    assert sorted((animal.name, animal.id) for animal in zoo.animals) == [(0, 1), (1, 2), (2, 3), (3, 4)]
    last, first = zoo.animals[-1].name, zoo.animals[0].name
    zoo.animals[0] = zoo.animals[-1]
    zoo.animals.pop()
    assert zoo.animals[0].name == last
    assert first not in names(zoo)
    zoo.animals.reverse()
    zoo.animals.sort(key=lambda animal: -animal.name)
    assert names(zoo) == sorted(names(zoo), reverse=True)


def change(things: Any, what: str, at: int, to: int, new: list[Any]) -> None:
    """One change, to a list of a world or to a plain list."""
    if what == "append":
        things.append(new[0])
    elif what == "insert":
        things.insert(at, new[0])
    elif what == "pop":
        things.pop(at)
    elif what == "delete":
        del things[at]
    elif what == "remove":
        things.remove(things[at])
    elif what == "clear":
        things.clear()
    elif what == "set":
        things[at] = new[0]
    elif what == "slice":
        things[at:to] = new
    elif what == "cut":
        del things[at:to]
    elif what == "extend":
        things += new
    else:
        things.reverse()


CHANGES = ["append", "insert", "pop", "delete", "remove", "clear", "set", "slice", "cut", "extend", "reverse"]
OPERATIONS = st.lists(st.tuples(st.sampled_from(CHANGES), st.integers(-5, 5), st.integers(-5, 5)), max_size=25)


@given(OPERATIONS)
def test_a_list_of_things_changes_like_any_list(operations: list[tuple[str, int, int]]) -> None:
    zoo, model = zoo_of(2), [0, 1]
    for number, (what, at, to) in enumerate(operations):
        new, after, before = [1000 + number, 2000 + number], list(model), zoo.save()
        try:
            change(after, what, at, to, new)
        except IndexError:
            with pytest.raises(IndexError):
                change(zoo.animals, what, at, to, [])
        else:
            made = [Animal(name=name) for name in new]
            if len(after) > 4:
                with pytest.raises(UsageError, match="holds at most 4"):
                    change(zoo.animals, what, at, to, made)
                assert zoo.save() == before
                continue
            change(zoo.animals, what, at, to, made)
            model = after
        assert names(zoo) == model
        ids = [animal.id for animal in zoo.animals]
        assert len(set(ids)) == len(ids)
        assert 0 not in ids
        again = Zoo()
        again.load(zoo.save())
        assert again.save() == zoo.save()


@given(OPERATIONS)
def test_a_list_of_numbers_changes_like_any_list(operations: list[tuple[str, int, int]]) -> None:
    animal, model = Animal(name=1), list[int]()
    for number, (what, at, to) in enumerate(operations):
        new, after = [1000 + number, 2000 + number], list(model)
        try:
            change(after, what, at, to, new)
        except IndexError as error:
            with pytest.raises(IndexError, match=str(error)):
                change(animal.tricks, what, at, to, new)
        else:
            if len(after) > 3:
                with pytest.raises(UsageError, match="holds at most 3"):
                    change(animal.tricks, what, at, to, new)
            else:
                change(animal.tricks, what, at, to, new)
                model = after
        assert animal.tricks == model


def test_a_list_of_values_changes_like_any_list() -> None:
    animal = Animal(name=1)
    tricks: Any = animal.tricks
    tricks.append(5)
    tricks.insert(0, 4)
    tricks += [6]
    tricks[1] = -7
    assert animal.tricks == [4, -7, 6]
    tricks[1:] = (8,)
    del tricks[0]
    assert animal.tricks.pop() == 8
    animal.tricks = [1, 2]
    animal.tricks.remove(1)
    animal.tricks.clear()
    assert animal.tricks is tricks
    assert tricks == []
    zoo = Zoo()
    zoo.moods.append(Mood.ANGRY)
    assert zoo.moods[0] is Mood.ANGRY


def test_a_slice_or_a_sum_is_a_plain_list() -> None:
    zoo = zoo_of(2)
    assert type(zoo.animals[:]) is list
    assert type(zoo.animals + [None]) is list  # type: ignore[list-item] # noqa: RUF005 - the sum is the test
    assert type(list(zoo.animals)) is list
    assert zoo.animals.column("name") == [0, 1]  # type: ignore[attr-defined] # mypy sees a list


class Twin(Thing):
    """All of them are equal."""

    number: int
    other: Ref["Twin"] = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Twin)

    __hash__ = None  # type: ignore[assignment]  # as Python does it for a class with __eq__


class Twins(World):
    num_players = 1
    twins: list[Twin]


def test_things_that_a_game_made_equal_are_different_ones_to_a_list() -> None:
    world = Twins()
    world.twins = [Twin(1), Twin(2), Twin(3)]
    first, second, third = world.twins
    third.other = second
    world.twins[0] = third  # a swap
    assert [each.number for each in world.twins] == [3, 2, 1]
    world.twins = [Twin(4), first, third]
    assert third.other is None
    loaded = Twins()
    loaded.load(world.save())
    assert loaded.fields() == world.fields()


def test_a_key_may_read_a_reference_while_a_list_is_sorted() -> None:
    world = Twins()
    world.twins = [Twin(1), Twin(2), Twin(3)]
    world.twins[0].other = world.twins[2]
    world.twins.sort(key=lambda each: each.other.number if each.other is not None else 0)
    assert [each.number for each in world.twins] == [2, 3, 1]
    assert world.twins[2].other is world.twins[1]
    with pytest.raises(ValueError, match="list modified during sort"):
        world.twins.sort(key=lambda each: world.twins.pop().number)
