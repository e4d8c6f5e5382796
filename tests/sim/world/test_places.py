"""Ids, references, and that a thing is in one place."""

import gc
import weakref

import pytest

from retick.errors import UsageError
from tests.sim.world.zoo import Animal, Flea, Spot, Zoo


def test_an_item_has_an_id_from_entering_to_leaving() -> None:
    zoo = Zoo()
    animal = Animal(name=1)
    assert animal.id == 0
    zoo.animals.append(animal)
    assert animal.id == 1
    zoo.guards.append(Spot())
    assert zoo.guards[0].id == 2
    zoo.animals.remove(animal)
    assert animal.id == 0
    zoo.animals.append(animal)
    assert animal.id == 3
    assert zoo.next_id == 4


def test_items_inside_of_an_item_get_their_ids_after_it() -> None:
    zoo = Zoo()
    animal = Animal(name=1, fleas=[Flea(), Flea()])
    assert [flea.id for flea in animal.fleas] == [0, 0]
    zoo.animals.append(animal)
    assert (animal.id, [flea.id for flea in animal.fleas]) == (1, [2, 3])
    zoo.animals.clear()
    assert (animal.id, [flea.id for flea in animal.fleas]) == (0, [0, 0])


def test_a_reference_reads_as_none_once_its_item_has_left() -> None:
    zoo = Zoo()
    zoo.animals = [Animal(name=1), Animal(name=2)]
    first, second = zoo.animals
    first.friend = second
    assert first.friend is second
    zoo.animals.remove(second)
    assert first.friend is None
    saved = zoo.save()
    zoo.animals.append(second)
    assert first.friend is None, "it is another item now: a world that was loaded in between could not know it"
    zoo.load(saved)
    assert first.friend is None


def test_what_a_removed_item_refers_to_can_still_be_read() -> None:
    zoo = Zoo()
    zoo.animals = [Animal(name=1), Animal(name=2)]
    first, second = zoo.animals
    first.friend = second
    zoo.animals.remove(first)
    assert first.friend is second


def test_only_items_of_the_same_world_can_be_referred_to() -> None:
    zoo, other = Zoo(), Zoo()
    zoo.animals.append(Animal(name=1))
    other.animals.append(Animal(name=2))
    with pytest.raises(UsageError, match=r"^Animal\.friend: this Animal is in no list of the world: append it first$"):
        zoo.animals[0].friend = Animal(name=3)
    with pytest.raises(UsageError, match=r"^Animal\.friend: this Animal is in another world$"):
        zoo.animals[0].friend = other.animals[0]
    with pytest.raises(UsageError, match=r"^Animal\.friend: 5 is not a Animal|an Animal$"):
        zoo.animals[0].friend = 5  # type: ignore[assignment] # the point of the test
    with pytest.raises(UsageError, match=r"^Zoo\.animals: this Animal belongs to another world$"):
        zoo.animals.append(Animal(name=4, friend=other.animals[0]))
    assert len(zoo.animals) == 1


def test_a_world_that_has_given_out_all_ids_says_so_and_stays_as_it_is() -> None:
    zoo = Zoo()
    saved = bytearray(zoo.save())
    saved[9:13] = (0xFFFFFFFE).to_bytes(4, "little")
    zoo.load(bytes(saved))
    zoo.animals.append(Animal(name=1))
    before = zoo.save()
    fresh = Animal(name=2)
    with pytest.raises(UsageError, match="Zoo has given out all its ids, 1 to 4294967294"):
        zoo.animals.append(fresh)
    assert fresh.id == 0
    assert zoo.save() == before


def test_loading_uses_the_object_with_the_same_id_again() -> None:
    zoo = Zoo()
    zoo.animals = [Animal(name=name) for name in range(4)]
    objects = {animal.id: animal for animal in zoo.animals}
    four = zoo.save()
    del zoo.animals[1]
    zoo.animals.reverse()
    three = zoo.save()
    zoo.load(four)
    assert [objects.get(animal.id) is animal for animal in zoo.animals] == [True, False, True, True]
    objects = {animal.id: animal for animal in zoo.animals}
    zoo.load(three)
    assert all(objects[animal.id] is animal for animal in zoo.animals)
    assert [animal.name for animal in zoo.animals] == [3, 2, 0]


def test_worlds_and_things_are_freed() -> None:
    zoo = Zoo()
    zoo.reset(1)
    zoo.animals[0].friend = zoo.animals[0]
    gone = [weakref.ref(zoo.animals[0]), weakref.ref(zoo)]
    del zoo
    gc.collect()
    assert [ref() for ref in gone] == [None, None]


def test_a_thing_reaches_the_world_that_it_is_in() -> None:
    zoo = Zoo()
    zoo.animals.append(Animal(name=1, fleas=[Flea()]))
    animal = zoo.animals[0]
    assert animal.world is zoo
    assert animal.fleas[0].world is zoo
    assert zoo.world is zoo
    zoo.load(zoo.save())
    assert zoo.animals[0].world is zoo


def test_a_thing_that_has_left_still_reaches_the_world_that_it_was_in() -> None:
    zoo = Zoo()
    animal = Animal(name=1)
    zoo.animals.append(animal)
    zoo.animals.remove(animal)
    assert animal.world is zoo, "so it may remove itself, and then give a cue"


def test_a_thing_that_never_was_in_a_world_says_so() -> None:
    with pytest.raises(AttributeError, match=r"^this Animal is in no world yet: append it to a list of the world"):
        _ = Animal(name=1).world
    with pytest.raises(AttributeError, match=r"^this Animal is in no world yet"):
        Animal(name=1).cue("born")
    with pytest.raises(AttributeError, match=r"world"):
        Animal(name=1).world = Zoo()  # type: ignore[misc]  # the mistake that is meant
