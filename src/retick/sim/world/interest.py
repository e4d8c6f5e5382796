"""How much a player needs to know about a thing, by its distance. Only a server uses it."""
# retick: floats -- only + - * / and square roots, which give the same bits wherever CPython runs

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from math import isfinite, sqrt
from operator import attrgetter
from typing import Any

from retick.errors import SchemaError
from retick.sim.shapes import Shape
from retick.sim.world.members import members_of


@dataclass(frozen=True, slots=True)
class Distance:
    """Sends near things first, and far ones not at all. A thing without the fields is as urgent as a near one."""

    full: float
    """The distance up to which a thing has priority 1."""
    none: float
    """The distance from which a thing has priority 0 and is not sent."""
    fields: tuple[str, ...]
    """The fields that hold a thing's position: number fields, a vector, or a rectangle, which stands for its middle.
    ``"spot.x"`` is the field of a part."""

    def __init__(self, *, full: float, none: float, fields: tuple[str, ...] = ("x", "y")) -> None:
        for name, value in (("full", full), ("none", none), ("fields", tuple(fields))):
            object.__setattr__(self, name, value)
        if not (isfinite(full) and isfinite(none) and 0 <= full < none):
            raise SchemaError(f"a Distance has 0 <= full < none, not full={full!r} and none={none!r}")
        if not self.fields or isinstance(fields, str):
            raise SchemaError(f"a Distance has the names of fields, as ('x', 'y'), not {fields!r}")

    def priority(self, here: tuple[float, ...], there: tuple[float, ...]) -> float:
        """The priority at a distance: 1 for near things, less with the distance, 0 for things that are not sent."""
        square = 0.0
        for a, b in zip(here, there, strict=True):
            square += (a - b) * (a - b)
        return min(max((self.none - sqrt(square)) / (self.none - self.full), 0.0), 1.0)

    def axes(self, kind: Any) -> int:
        """How many numbers make a position for things of this class; 0 if the class lacks any of the fields."""
        found = [_axes(kind, name.split(".")) for name in self.fields]
        # retick: allow inexact-math -- whole numbers
        return sum(found) if all(found) else 0

    def has_position(self, kind: Any) -> bool:
        """Whether a class of things has all the fields."""
        return self.axes(kind) > 0

    def position(self, thing: Any) -> tuple[float, ...]:
        """The position of a thing."""
        found: list[float] = []
        for read in _readers(self.fields):
            value = read(thing)
            found += _middle(value) if isinstance(value, Shape) else (value,)
        return tuple(found)


@cache
def _readers(fields: tuple[str, ...]) -> tuple[Callable[[Any], Any], ...]:
    return tuple(attrgetter(name) for name in fields)


def _axes(kind: Any, path: list[str]) -> int:
    found = next((member for member in members_of(kind) if member.name == path[0]), None)
    if found is None or found.optional or found.kind.most:
        return 0
    if found.kind.inside is not None:
        return _axes(found.kind.inside, path[1:]) if len(path) > 1 else 0
    numbers = [name for name, kind in found.kind.numbers if kind.is_real or kind.is_whole]
    if ".".join(path[1:]) in numbers:
        return 1
    return 2 if len(path) == 1 and len(numbers) > 1 else 0


def _middle(shape: Any) -> tuple[float, float]:
    """The position of a vector, or the middle of a rectangle, without rounding of integers."""
    if len(shape) == 2:
        return shape.x, shape.y
    return shape.x + shape.w / 2, shape.y + shape.h / 2


def check_interest(cls: Any) -> None:
    """Refuse an interest whose fields no thing of the world has: a name must be wrong."""
    interest = cls.interest
    if interest is None:
        return
    if not isinstance(interest, Distance):
        raise SchemaError(f"{cls.__name__}.interest is a Distance or None, not {interest!r}")
    found = {interest.axes(kind): kind.__name__ for kind in _kinds_of_items(cls) if interest.has_position(kind)}
    if not found:
        raise SchemaError(f"{cls.__name__}.interest: no list of the world has things with {', '.join(interest.fields)}")
    if len(found) > 1:
        told = " and ".join(f"{found[axes]} with {axes}" for axes in sorted(found))
        raise SchemaError(
            f"{cls.__name__}.interest: all positions must have the same number of coordinates, not {told}"
        )


def axes_of(cls: Any) -> int:
    """How many numbers make a position in a world; 0 without interest."""
    if cls.interest is None:
        return 0
    return max(cls.interest.axes(kind) for kind in _kinds_of_items(cls))  # type: ignore[no-any-return]  # of any class


def _kinds_of_items(cls: Any) -> Iterator[Any]:
    for member in members_of(cls):
        inside = member.kind.inside
        if inside is not None:
            if member.kind.most:
                yield inside
            yield from _kinds_of_items(inside)


@cache
def _lists_of_players(cls: Any) -> tuple[tuple[str, str], ...]:
    """The lists of a world whose things have an owner and a position, each with the name of the owner's field."""
    return tuple(
        (member.name, owner.name)
        for member in members_of(cls)
        if member.kind.inside is not None and member.kind.most and cls.interest.has_position(member.kind.inside)
        for owner in members_of(member.kind.inside)
        if owner.is_player
    )


def first_position(world: Any, player: int) -> tuple[float, ...] | None:
    """The position of a player's first thing in the lists of the world; None if there is none, or no interest."""
    if world.interest is None:
        return None
    kind: Any = type(world)
    for items, owner in _lists_of_players(kind):
        for thing in getattr(world, items):
            if getattr(thing, owner) == player:
                return world.interest.position(thing)  # type: ignore[no-any-return]  # the world may be of any class
    return None
