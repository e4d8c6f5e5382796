"""The float fields of things: what a picture can show between two values.

A *measure* is a field of type F64 or Angle, or one number of a vector or a rectangle of floats, in an item itself or in
a part that it always has. The ``Jumps`` field of the part that contains it counts its jumps; without one, that of
whatever surrounds the part.
"""

from collections.abc import Callable, Iterator, Mapping
from math import isfinite, pi
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from retick.sim.world.members import Member, members_of
from retick.sim.world.saved import HEAD
from retick.sim.world.storage import things_by_id
from retick.sim.world.world import World

# retick: floats -- drawing, and rounding that a snapshot has lost; a server never runs this


TURN: Final = 2 * pi / 65536
"""The step of an Angle without a Range."""
SHARE: Final = 0.1
"""The share of its Range from which a correction is shown at once."""
ROOT: Final = 0
"""Stands for the id of the world itself, whose parts have measures too; ids of items start at 1."""


class Measure(NamedTuple):
    """One float field."""

    path: tuple[str, ...]
    """The parts to go through from the item to the field."""
    name: str
    is_angle: bool
    step: float
    """The step to which a snapshot rounds the field; 0 if it is sent exactly."""
    longest: float | None
    """The longest correction that is smoothed; None if the declaration does not say."""
    jumps: tuple[str, ...]
    """The path to the count of jumps; empty if there is none."""

    def cell(self, thing: Any) -> Any:
        """The cell that holds the field."""
        for part in self.path:
            thing = getattr(thing, part)
        return thing

    def of(self, thing: Any) -> float:
        """The value of the field."""
        return float(getattr(self.cell(thing), self.name))

    def put(self, thing: Any, value: float) -> None:
        """Set the field, if the value is a number that can be drawn."""
        if isfinite(value):
            setattr(self.cell(thing), self.name, value)


_MEASURES: WeakKeyDictionary[type, tuple[Measure, ...]] = WeakKeyDictionary()


def measures_of(kind: type) -> tuple[Measure, ...]:
    """All measures of a class of things, or of a world."""
    found = _MEASURES.get(kind)
    if found is None:
        found = _MEASURES[kind] = tuple(_found(kind, (), ()))
    return found


def _found(cls: Any, path: tuple[str, ...], jumps: tuple[str, ...]) -> Iterator[Measure]:
    members = members_of(cls)
    for member in members:
        if member.is_jumps:
            jumps = (*path, member.name)
    for member in members:
        kind = member.kind
        if member.optional or kind.most:
            continue
        if kind.inside is not None:
            yield from _found(kind.inside, (*path, member.name), jumps)
        for axis, number in kind.numbers:
            if number.is_real:
                inside, name = ((*path, member.name), axis) if axis else (path, member.name)
                yield _measure(member, name, inside, jumps)


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
    """How often the thing has jumped; None if it does not count that."""
    if not measure.jumps:
        return None
    for name in measure.jumps:
        thing = getattr(thing, name)
    return int(thing)


def counts_of(thing: Any) -> tuple[int | None, ...]:
    """The count of jumps for each of the thing's measures."""
    return tuple(jumps_of(thing, each) for each in measures_of(type(thing)))


_PLAYERS: WeakKeyDictionary[type, str] = WeakKeyDictionary()


def owner_of(thing: Any) -> int | None:
    """The seat of a thing's owner, or NOBODY; None if its class has no ``Player``."""
    kind = type(thing)
    name = _PLAYERS.get(kind)
    if name is None:
        name = _PLAYERS[kind] = next((member.name for member in members_of(kind) if member.is_player), "")
    return int(getattr(thing, name)) if name else None


def difference(later: float, earlier: float, is_angle: bool) -> float:
    """The distance from ``earlier`` to ``later``; for an angle, the shorter way. 0 if it is not a number."""
    away = later - earlier
    if not isfinite(away):
        return 0.0
    return (away + pi) % (2 * pi) - pi if is_angle else away


def all_things(world: World) -> dict[int, Any]:
    """Every item of a world by its id, and the world itself."""
    return {ROOT: world, **things_by_id(world)}


# Matches the things of a prediction with those of the next one.
#
# Theory of operation. Only the server gives ids. A client that runs ahead gives the next ids to things that it makes
# itself, and so do all other clients: if two players fire, the shot has the same id on both machines. So an id
# identifies a thing only if it is older than the snapshot that the earlier prediction started from; a newer id was a
# guess. A guessed thing is matched by its content: the same class, the same owner, references to the same things, made
# at about the same tick, and nearly at the same place. An unmatched earlier thing is gone, an unmatched later one new.

# retick: floats -- drawing, and rounding that a snapshot has lost; a server never runs this


LONGEST: Final = 64.0
"""The longest correction that is smoothed for a field without a Range."""
TOLERANCE: Final = 6
"""The most ticks between two guesses of one thing."""
MOST_COMPARED: Final = 64
"""How many things of one kind and owner are compared by place; exact matches are found among all."""

Apart = Callable[[int, int], int]
"""How many ticks lie between the making of an earlier and a later thing, given their ids."""


class PredictedThing(NamedTuple):
    """A thing as it was predicted."""

    kind: type
    values: tuple[float, ...]
    jumps: tuple[int | None, ...]
    belongs: tuple[int | None, ...] = ()
    """Its owner, and the ids of its references; only for a guessed thing."""


class PredictedThings(NamedTuple):
    """The things made in a prediction."""

    base: int
    """The tick of the snapshot that it started from."""
    first: int
    """The lowest id that is a guess."""
    births: Mapping[int, int]
    """Each id with the tick that made it."""

    def apart_from(self, later: "PredictedThings") -> Apart:
        """Compares ids of this prediction with those of a later one, which knows the tick of older ones only."""

        def apart(old: int, new: int) -> int:
            born = self.births.get(old, self.base)
            earliest = later.births.get(new, self.base + 1)
            latest = later.births.get(new, later.base)
            return max(0, earliest - born, born - latest)

        return apart


def place_of(thing: Any, first: int = 0) -> PredictedThing:
    """A thing as it is now; ``first`` is the lowest id that is a guess."""
    kind = type(thing)
    if thing.id < first:
        return PredictedThing(kind, tuple(each.of(thing) for each in measures_of(kind)), counts_of(thing))
    links = [getattr(thing, member.name) for member in members_of(kind) if member.kind.target is not None]
    belongs = (owner_of(thing), *(0 if other is None else other.id for other in links))
    return PredictedThing(kind, tuple(each.of(thing) for each in measures_of(kind)), counts_of(thing), belongs)


def places_of(world: World, seat: int | None, first: int = 0) -> dict[int, PredictedThing]:
    """All things of a world that are drawn in the present, and the world itself; ``seat`` is our own player's."""
    return {
        number: place_of(thing, first)
        for number, thing in all_things(world).items()
        if getattr(type(thing), "predicted", True) or owner_of(thing) == seat
    }


def next_id_in(saved: bytes) -> int:
    """The id that the next new thing of a saved world gets."""
    return int(HEAD.unpack_from(saved)[3])


def births_in(history: Mapping[int, bytes]) -> dict[int, int]:
    """Each id with the tick that made it, for things made after the first of these states."""
    births: dict[int, int] = {}
    ticks = sorted(history)
    first = next_id_in(history[ticks[0]])
    # Ids only grow: if the last state has no new one, none in between has.
    if next_id_in(history[ticks[-1]]) == first:
        return births
    for tick in ticks:
        last = next_id_in(history[tick])
        births |= dict.fromkeys(range(first, last), tick)
        first = last
    return births


def paired(
    before: Mapping[int, PredictedThing],
    after: Mapping[int, PredictedThing],
    first: int,
    apart: Apart = lambda old, new: 0,
) -> dict[int, int]:
    """Each later thing's id with its earlier id; ``first`` is the lowest id that was a guess."""
    pairs = {number: number for number in after if number < first and number in before}
    olds, news = _by_likeness(before, first), _by_likeness(after, first)
    for likeness, numbers in news.items():
        if likeness in olds:
            pairs |= _matched(olds[likeness], numbers, before, after, apart)
    return pairs


def _by_likeness(places: Mapping[int, PredictedThing], first: int) -> dict[Any, list[int]]:
    """Group guessed things by everything but numbers; a reference to a guessed thing is ignored."""
    found: dict[Any, list[int]] = {}
    for number, place in places.items():
        if number >= first and place.values:
            owner, *links = place.belongs
            likeness = (place.kind, owner, tuple(0 if link is not None and link >= first else link for link in links))
            found.setdefault(likeness, []).append(number)
    return found


def _matched(
    olds: list[int],
    news: list[int],
    before: Mapping[int, PredictedThing],
    after: Mapping[int, PredictedThing],
    apart: Apart,
) -> dict[int, int]:
    """Match things that are exactly where they were, then the nearest of the others."""
    exact: dict[tuple[float, ...], list[int]] = {}
    for old in reversed(olds):
        exact.setdefault(before[old].values, []).append(old)
    pairs: dict[int, int] = {}
    for new in news:
        same = exact.get(after[new].values)
        if same:
            pairs[new] = same.pop()
    taken = set(pairs.values())
    left = [old for old in olds if old not in taken][:MOST_COMPARED]
    waiting = [new for new in news if new not in pairs][:MOST_COMPARED]
    ranked = sorted(
        (away, old, new)
        for old in left
        for new in waiting
        if apart(old, new) <= TOLERANCE and (away := _distance(before[old], after[new])) is not None
    )
    for _, old, new in ranked:
        if new not in pairs and old not in taken:
            pairs[new] = old
            taken.add(old)
    return pairs


def _distance(old: PredictedThing, new: PredictedThing) -> float | None:
    """How far apart two places of one kind are; None if that would not be smoothed."""
    total = 0.0
    for measure, a, b in zip(measures_of(new.kind), old.values, new.values, strict=True):
        away = abs(difference(a, b, measure.is_angle))
        if not measure.is_angle and away > (measure.longest or LONGEST):
            return None
        total += away
    return total
