"""Which thing of a prediction is which thing of the next one.

Theory of operation. Only the server gives ids. A client that runs ahead gives the next ones to what it makes itself,
and so do all other clients: two players fire, and on both machines the shot has the same id. So an id says what a thing
is only if it is older than the snapshot that the earlier prediction started from. A newer one was a guess. Its thing is
found again by what it is: the same class, the same owner, references to the same things, made in about the same tick,
and nearly in the same place. What is not found again is gone, and what nobody was found for is new.
"""

# retick: floats -- drawing, and rounding that a snapshot has lost; a server never runs this

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from retick.authority.world.client.measures import all_things, counts_of, difference, measures_of, owner_of
from retick.sim.world.declaration import LINK, members_of
from retick.sim.world.declared import World
from retick.sim.world.saving import HEAD

__all__ = ["LONGEST", "Guesses", "Place", "births_in", "next_id_in", "paired", "place_of", "places_of"]

LONGEST: Final = 64.0
"""The longest correction of a field without a Range that is smoothed."""
TOLERANCE: Final = 6
"""Ticks that two guesses of one thing may be apart."""
MOST_COMPARED: Final = 64
"""Things of one kind and owner that are searched by their place; all of them, where they are exactly as predicted."""

Apart = Callable[[int, int], int]
"""How many ticks are between the making of an earlier thing and of a later one, by their ids."""


class Place(NamedTuple):
    """A thing as it was predicted."""

    kind: type
    values: tuple[float, ...]
    jumps: tuple[int | None, ...]
    belongs: tuple[int | None, ...] = ()
    """Its owner, and the ids of what it refers to; of a thing that is a guess."""


class Guesses(NamedTuple):
    """The new things of a prediction."""

    base: int
    """The tick of the snapshot that it started from."""
    first: int
    """The lowest id that is a guess."""
    births: Mapping[int, int]
    """Ids to the tick that made them."""

    def apart_from(self, later: "Guesses") -> Apart:
        """For the ids of this prediction and of a later one, which knows only of older ones when they were made."""

        def apart(old: int, new: int) -> int:
            born = self.births.get(old, self.base)
            earliest = later.births.get(new, self.base + 1)
            latest = later.births.get(new, later.base)
            return max(0, earliest - born, born - latest)

        return apart


def place_of(thing: Any, first: int = 0) -> Place:
    """A thing as it is now; ``first`` is the lowest id that is a guess."""
    kind = type(thing)
    if thing.id < first:
        return Place(kind, tuple(each.of(thing) for each in measures_of(kind)), counts_of(thing))
    links = [getattr(thing, member.name) for member in members_of(kind) if member.holds == LINK]
    belongs = (owner_of(thing), *(0 if other is None else other.id for other in links))
    return Place(kind, tuple(each.of(thing) for each in measures_of(kind)), counts_of(thing), belongs)


def places_of(world: World, seat: int | None, first: int = 0) -> dict[int, Place]:
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
    before: Mapping[int, Place], after: Mapping[int, Place], first: int, apart: Apart = lambda old, new: 0
) -> dict[int, int]:
    """Ids of later things to those that they had; ``first`` is the lowest id that was a guess."""
    pairs = {number: number for number in after if number < first and number in before}
    olds, news = _by_likeness(before, first), _by_likeness(after, first)
    for likeness, numbers in news.items():
        if likeness in olds:
            pairs |= _matched(olds[likeness], numbers, before, after, apart)
    return pairs


def _by_likeness(places: Mapping[int, Place], first: int) -> dict[Any, list[int]]:
    """The guessed ones by all that is no number; a reference to a guessed one says nothing."""
    found: dict[Any, list[int]] = {}
    for number, place in places.items():
        if number >= first and place.values:
            owner, *links = place.belongs
            likeness = (place.kind, owner, tuple(0 if link is not None and link >= first else link for link in links))
            found.setdefault(likeness, []).append(number)
    return found


def _matched(
    olds: list[int], news: list[int], before: Mapping[int, Place], after: Mapping[int, Place], apart: Apart
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


def _distance(old: Place, new: Place) -> float | None:
    """How far two places of one kind are apart; None if nobody would smooth that."""
    total = 0.0
    for measure, a, b in zip(measures_of(new.kind), old.values, new.values, strict=True):
        away = abs(difference(a, b, measure.is_angle))
        if not measure.is_angle and away > (measure.longest or LONGEST):
            return None
        total += away
    return total
