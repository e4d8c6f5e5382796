"""How much a player needs to know of a thing: by its distance. Only a server asks."""
# retick: floats -- only + - * / and square roots, which give the same bits wherever CPython runs

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from math import isfinite, sqrt
from operator import attrgetter
from typing import Any

from retick.errors import SchemaError
from retick.sim.world.declaration import ITEMS, NUMBER, PART, REAL, WIDE, members_of

__all__ = ["Distance"]


@dataclass(frozen=True, slots=True)
class Distance:
    """Near things are sent first, and far ones not at all. A thing without the fields is as urgent as a near one."""

    full: float
    """Up to here a thing has priority 1."""
    none: float
    """From here on it has priority 0, and is not sent."""
    fields: tuple[str, ...]
    """Where a thing is: names of its number fields; ``"spot.x"`` is the field of a part."""

    def __init__(self, *, full: float, none: float, fields: tuple[str, ...] = ("x", "y")) -> None:
        for name, value in (("full", full), ("none", none), ("fields", tuple(fields))):
            object.__setattr__(self, name, value)
        if not (isfinite(full) and isfinite(none) and 0 <= full < none):
            raise SchemaError(f"a Distance has 0 <= full < none, not full={full!r} and none={none!r}")
        if not self.fields or isinstance(fields, str):
            raise SchemaError(f"a Distance has the names of fields, as ('x', 'y'), not {fields!r}")

    def priority(self, here: tuple[float, ...], there: tuple[float, ...]) -> float:
        """1 for what is near, less with the distance, 0 for what is not sent."""
        square = 0.0
        for a, b in zip(here, there, strict=True):
            square += (a - b) * (a - b)
        return min(max((self.none - sqrt(square)) / (self.none - self.full), 0.0), 1.0)

    def has_position(self, kind: Any) -> bool:
        """Whether the things of a class have all the fields."""
        return all(_is_number(kind, name.split(".")) for name in self.fields)

    def position(self, thing: Any) -> tuple[float, ...]:
        """Where a thing is."""
        return _reader(self.fields)(thing)


def _is_number(kind: Any, path: list[str]) -> bool:
    found = next((member for member in members_of(kind) if member.name == path[0]), None)
    if found is None or found.optional:
        return False
    if len(path) > 1:
        return found.holds == PART and _is_number(found.thing, path[1:])
    return found.holds in (NUMBER, WIDE, REAL)


@cache
def _reader(fields: tuple[str, ...]) -> Callable[[Any], tuple[float, ...]]:
    if len(fields) > 1:
        return attrgetter(*fields)
    read = attrgetter(fields[0])
    return lambda thing: (read(thing),)


def check_interest(cls: Any) -> None:
    """Refuse the interest of a world in which nothing has the fields: a name is wrong."""
    interest = cls.interest
    if interest is None:
        return
    if not isinstance(interest, Distance):
        raise SchemaError(f"{cls.__name__}.interest is a Distance or None, not {interest!r}")
    if not any(interest.has_position(kind) for kind in _kinds_of_items(cls)):
        raise SchemaError(f"{cls.__name__}.interest: no list of the world has things with {', '.join(interest.fields)}")


def _kinds_of_items(cls: Any) -> Iterator[Any]:
    for member in members_of(cls):
        if member.holds == ITEMS:
            yield member.thing
        if member.holds in (ITEMS, PART):
            yield from _kinds_of_items(member.thing)


@cache
def _lists_of_players(cls: Any) -> tuple[tuple[str, str], ...]:
    """The lists of a world whose things have a player and a position, each with the name of the player's field."""
    return tuple(
        (member.name, owner.name)
        for member in members_of(cls)
        if member.holds == ITEMS and cls.interest.has_position(member.thing)
        for owner in members_of(member.thing)
        if owner.is_player
    )


def first_position(world: Any, player: int) -> tuple[float, ...] | None:
    """Where the first thing of a player is, in the lists of the world; None if there is none, or no interest."""
    if world.interest is None:
        return None
    kind: Any = type(world)
    for items, owner in _lists_of_players(kind):
        for thing in getattr(world, items):
            if getattr(thing, owner) == player:
                return world.interest.position(thing)  # type: ignore[no-any-return]  # the world may be of any class
    return None
