"""Entities as rows of integers: what one receiver holds at one tick, and what a server knows of all of them."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple


class Rows:
    """Entities by ascending id; the numbers of each are adjacent. Immutable, except for a Survey."""

    __slots__ = ("ids", "kinds", "starts", "tick", "values")

    def __init__(
        self, tick: int, ids: "array[int]", kinds: "array[int]", starts: "array[int]", values: "array[int]"
    ) -> None:
        self.tick = tick
        self.ids = ids
        """The ids, unsigned 32 bits."""
        self.kinds = kinds
        """The index of each entity's component, one byte each."""
        self.starts = starts
        """Where each entity's numbers begin; one more than there are entities."""
        self.values = values
        """The numbers, unsigned 64 bits."""

    @classmethod
    def none(cls, tick: int = 0) -> "Rows":
        """No entities, which is what a receiver holds before its first snapshot."""
        return cls(tick, array("I"), array("B"), array("i", [0]), array("Q"))

    @classmethod
    def of(cls, tick: int, held: Mapping[int, tuple[int, Sequence[int]]]) -> "Rows":
        """Make rows from the component and the numbers of each entity."""
        ids, kinds, starts, values = array("I"), array("B"), array("i", [0]), array("Q")
        for entity in sorted(held):
            kind, numbers = held[entity]
            ids.append(entity)
            kinds.append(kind)
            values.extend(numbers)
            starts.append(len(values))
        return cls(tick, ids, kinds, starts, values)

    def __len__(self) -> int:
        return len(self.ids)

    def entities(self) -> Iterator[tuple[int, int, "array[int]"]]:
        """The id, component index and numbers of each entity."""
        for index, entity in enumerate(self.ids):
            yield entity, self.kinds[index], self.values[self.starts[index] : self.starts[index + 1]]

    def same_as(self, other: "Rows") -> bool:
        """Whether the entities are the same, at whatever tick."""
        mine = (self.ids, self.kinds, self.starts, self.values)
        return mine == (other.ids, other.kinds, other.starts, other.values)


class Census(NamedTuple):
    """The entities of a world, in order. Surveys share it while none comes or goes."""

    ids: "array[int]"
    kinds: "array[int]"
    starts: "array[int]"
    cells: list[Any]
    within: "array[int]"
    """The index of each entity within its component."""
    begins: "list[array[int]]"
    """For each component, where the numbers of each of its entities begin."""
    indexes: "list[array[int]]"
    """For each component, the index of each of its entities among all."""
    found: list[Any]
    """For each component but the seats': its things, how many each holder has, and the id that each thing had."""


class Survey(Rows):
    """All entities of a world, with what decides who gets them.

    While no entity comes or goes, the next survey of the same stage is this object, updated to the new tick. Copy what
    you need for longer.
    """

    __slots__ = ("cells", "census", "holders", "kept", "owners", "places", "seats")

    census: Census
    """The census from which the next survey may continue."""
    kept: list[Any]
    """For each component: what the numbers of its blocks, lists and texts were made of. What has not changed is not
    read again."""
    seats: list[Any]
    """What is kept of seats: each player's input, None if nobody is connected."""
    cells: list[Any]
    """The items themselves; None for seats."""
    owners: "array[int]"
    """The seat of each entity's owner; NOBODY if it has none."""
    holders: "array[int]"
    """The id of the item whose list holds an entity; 0 for the world."""
    places: "array[float]"
    """Each entity's place, with as many floats as interest has fields; NaN without a place."""
