"""The float fields of things: what a picture can show between two values.

A *measure* is a field of type F64 or Angle, or one number of a vector or a rectangle of floats, of an item itself or of
a part that it always has. Its jumps are counted by the ``Jumps`` of the part that it is in or, if that has none, of
what is around it.
"""

# retick: floats -- drawing, and rounding that a snapshot has lost; a server never runs this

from collections.abc import Iterator
from math import isfinite, pi
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from retick.sim.world.declaration import PART, REAL, Member, members_of
from retick.sim.world.declared import World
from retick.sim.world.forms import Form
from retick.sim.world.places import things_by_id

__all__ = ["Measure", "all_things", "counts_of", "difference", "jumps_of", "measures_of", "owner_of"]

TURN: Final = 2 * pi / 65536
"""The step of an Angle without a Range."""
SHARE: Final = 0.1
"""Of its Range: a correction that is longer than this is shown at once."""
ROOT: Final = 0
"""Stands for the id of the world itself, whose parts have measures too; items have ids from 1 on."""


class Measure(NamedTuple):
    """One float field."""

    path: tuple[str, ...]
    """The parts to go through from the item to the field."""
    name: str
    is_angle: bool
    step: float
    """What a snapshot rounds it to; 0 if it is sent exactly."""
    longest: float | None
    """The longest correction that is smoothed, as far as the declaration says it."""
    jumps: tuple[str, ...]
    """The way to the count of jumps; none if there is no count."""

    def cell(self, thing: Any) -> Any:
        """What the field is in."""
        for part in self.path:
            thing = getattr(thing, part)
        return thing

    def of(self, thing: Any) -> float:
        """Its value."""
        return float(getattr(self.cell(thing), self.name))

    def put(self, thing: Any, value: float) -> None:
        """Change it, if it is a number that can be drawn."""
        if isfinite(value):
            setattr(self.cell(thing), self.name, value)


_MEASURES: WeakKeyDictionary[type, tuple[Measure, ...]] = WeakKeyDictionary()


def measures_of(kind: type) -> tuple[Measure, ...]:
    """All of a class of things, or of a world."""
    found = _MEASURES.get(kind)
    if found is None:
        found = _MEASURES[kind] = tuple(_found(kind, (), ()))
    return found


def _found(kind: Any, path: tuple[str, ...], jumps: tuple[str, ...]) -> Iterator[Measure]:
    members = members_of(kind)
    for member in members:
        if member.is_jumps:
            jumps = (*path, member.name)
    for member in members:
        if member.holds == REAL and not member.optional:
            yield _measure(member, member.name, path, jumps)
        elif isinstance(member.form, Form) and member.form.kind.is_real and not member.optional and not member.most:
            for axis in member.form.names:
                yield _measure(member, axis, (*path, member.name), jumps)
        elif member.holds == PART and not member.optional:
            yield from _found(member.thing, (*path, member.name), jumps)


def _measure(member: Member, name: str, path: tuple[str, ...], jumps: tuple[str, ...]) -> Measure:
    bounds = member.range
    wraps = member.is_angle and bounds is None
    step = TURN if wraps else 0.0
    longest = None
    if bounds is not None:
        step = float(bounds.step or 0.0)
        longest = SHARE * (bounds.high - bounds.low)
    return Measure(path, name, member.is_angle, step, longest, jumps)


def jumps_of(thing: Any, measure: Measure) -> int | None:
    """How often the thing was put elsewhere; None if it does not count that."""
    if not measure.jumps:
        return None
    for name in measure.jumps:
        thing = getattr(thing, name)
    return int(thing)


def counts_of(thing: Any) -> tuple[int | None, ...]:
    """The count of jumps for each of its measures."""
    return tuple(jumps_of(thing, each) for each in measures_of(type(thing)))


_PLAYERS: WeakKeyDictionary[type, str] = WeakKeyDictionary()


def owner_of(thing: Any) -> int | None:
    """The seat of the player to whom a thing belongs, or NOBODY; None if its class has no ``Player``."""
    kind = type(thing)
    name = _PLAYERS.get(kind)
    if name is None:
        name = _PLAYERS[kind] = next((member.name for member in members_of(kind) if member.is_player), "")
    return int(getattr(thing, name)) if name else None


def difference(later: float, earlier: float, is_angle: bool) -> float:
    """How far it is from the earlier to the later; of an angle, the shorter way. 0 if there is no number for it."""
    away = later - earlier
    if not isfinite(away):
        return 0.0
    return (away + pi) % (2 * pi) - pi if is_angle else away


def all_things(world: World) -> dict[int, Any]:
    """Every item of a world by its id, and the world itself."""
    return {ROOT: world, **things_by_id(world)}
