"""The float fields of things: what a picture can show between two values.

A *measure* is a field of type F64 or Angle, or one number of a vector or a rectangle of floats, of an item itself or of
a part that it always has. Its jumps are counted by the ``Jumps`` of the part that it is in or, if that has none, of
what is around it.
"""

from collections.abc import Callable, Iterator, Mapping
from math import isfinite, pi
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from retick.sim.world.declaration import DOUBLE, LINK, PART, Form, Member, members_of
from retick.sim.world.saved import HEAD
from retick.sim.world.storage import things_by_id
from retick.sim.world.world import World

__all__ = [
    "LONGEST",
    "Measure",
    "PredictedThing",
    "PredictedThings",
    "all_things",
    "births_in",
    "counts_of",
    "difference",
    "jumps_of",
    "measures_of",
    "next_id_in",
    "owner_of",
    "paired",
    "place_of",
    "places_of",
]


# retick: floats -- drawing, and rounding that a snapshot has lost; a server never runs this


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
        if member.holds == DOUBLE and not member.optional:
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


# Which thing of a prediction is which thing of the next one.
#
# Theory of operation. Only the server gives ids. A client that runs ahead gives the next ones to what it makes itself,
# and so do all other clients: two players fire, and on both machines the shot has the same id. So an id says what a
# thing is only if it is older than the snapshot that the earlier prediction started from. A newer one was a guess.
# Its thing is found again by what it is: the same class, the same owner, references to the same things, made in about
# the same tick, and nearly in the same place. What is not found again is gone, and what nobody was found for is new.

# retick: floats -- drawing, and rounding that a snapshot has lost; a server never runs this


LONGEST: Final = 64.0
"""The longest correction of a field without a Range that is smoothed."""
TOLERANCE: Final = 6
"""Ticks that two guesses of one thing may be apart."""
MOST_COMPARED: Final = 64
"""Things of one kind and owner that are searched by their place; all of them, where they are exactly as predicted."""

Apart = Callable[[int, int], int]
"""How many ticks are between the making of an earlier thing and of a later one, by their ids."""


class PredictedThing(NamedTuple):
    """A thing as it was predicted."""

    kind: type
    values: tuple[float, ...]
    jumps: tuple[int | None, ...]
    belongs: tuple[int | None, ...] = ()
    """Its owner, and the ids of what it refers to; of a thing that is a guess."""


class PredictedThings(NamedTuple):
    """The new things of a prediction."""

    base: int
    """The tick of the snapshot that it started from."""
    first: int
    """The lowest id that is a guess."""
    births: Mapping[int, int]
    """Ids to the tick that made them."""

    def apart_from(self, later: "PredictedThings") -> Apart:
        """For the ids of this prediction and of a later one, which knows only of older ones when they were made."""

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
    links = [getattr(thing, member.name) for member in members_of(kind) if member.holds == LINK]
    belongs = (owner_of(thing), *(0 if other is None else other.id for other in links))
    return PredictedThing(kind, tuple(each.of(thing) for each in measures_of(kind)), counts_of(thing), belongs)


def places_of(world: World, seat: int | None, first: int = 0) -> dict[int, PredictedThing]:
    """All things of a world that are drawn in the present, and the world itself; ``seat``: of our own player."""
    return {
        number: place_of(thing, first)
        for number, thing in all_things(world).items()
        if getattr(type(thing), "predicted", True) or owner_of(thing) == seat
    }


def next_id_in(saved: bytes) -> int:
    """The id that the next new thing of a saved world gets."""
    return int(HEAD.unpack_from(saved)[3])


def births_in(history: Mapping[int, bytes]) -> dict[int, int]:
    """Ids to the tick that made them, of what was made after the first of these states."""
    births: dict[int, int] = {}
    ticks = sorted(history)
    first = next_id_in(history[ticks[0]])
    # Ids only grow: where the last state has no new one, none between has.
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
    """Ids of later things to those that they had; ``first`` is the lowest id that was a guess."""
    pairs = {number: number for number in after if number < first and number in before}
    olds, news = _by_likeness(before, first), _by_likeness(after, first)
    for likeness, numbers in news.items():
        if likeness in olds:
            pairs |= _matched(olds[likeness], numbers, before, after, apart)
    return pairs


def _by_likeness(places: Mapping[int, PredictedThing], first: int) -> dict[Any, list[int]]:
    """The guessed ones by all that is no number; a reference to a guessed one says nothing."""
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
    """Those that are exactly where they were, and of the others the nearest first."""
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
    """How far two places of one kind are apart; None if nobody would smooth that."""
    total = 0.0
    for measure, a, b in zip(measures_of(new.kind), old.values, new.values, strict=True):
        away = abs(difference(a, b, measure.is_angle))
        if not measure.is_angle and away > (measure.longest or LONGEST):
            return None
        total += away
    return total
