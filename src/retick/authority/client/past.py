"""Draws the past: between two snapshots, so that nothing is guessed.

Things are those of the earlier of the two snapshots; their floats are interpolated, angles the shorter way. A thing
that has jumped stands still, and so does one that is missing from the later snapshot.
"""

# retick: floats -- drawing; nothing is simulated from it

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from retick.authority.client.measures import difference, jumps_of, measures_of, owner_of
from retick.host.timing import RenderClock
from retick.sim.world.members import Member, members_of

KEPT: Final = 32
"""How many snapshots are kept: more than a second and a half at twenty a second."""
MOST_JITTER: Final = 0.1
"""The most seconds that jitter adds to the delay."""


class Pictured(NamedTuple):
    """The two snapshots around the drawn moment."""

    earlier: bytes
    later: bytes | None
    """The later snapshot; None at the newest one."""
    share: float
    """How far the moment is from the first to the second, from 0 to below 1."""


class Past:
    """The last snapshots, and the moment that is drawn."""

    def __init__(self, rate: int, snapshot_ticks: int) -> None:
        self._rate = rate
        self._delay = 2.0 * snapshot_ticks
        self._clock = RenderClock(rate)
        self._kept: deque[tuple[int, bytes]] = deque(maxlen=KEPT)

    @property
    def drawn_tick(self) -> float | None:
        """The tick that is drawn, with its fraction; None before the first picture."""
        return self._clock.at

    def add(self, tick: int, saved: bytes) -> None:
        self._kept.append((tick, saved))

    def move(self, newest: float, jitter: float, now: float) -> None:
        """Advance the drawn moment; ``newest`` estimates the newest snapshot's tick, as if they came continuously."""
        self._clock.advance(newest - self._delay - min(jitter, MOST_JITTER * self._rate), now)

    def pictured(self) -> Pictured:
        """The snapshots to draw from."""
        at = self._clock.at
        assert at is not None
        kept = self._kept
        index = len(kept) - 1
        while index > 0 and kept[index][0] > at:
            index -= 1
        tick, saved = kept[index]
        if index + 1 == len(kept) or at <= tick:
            return Pictured(saved, None, 0.0)
        next_tick, later = kept[index + 1]
        return Pictured(saved, later, (at - tick) / (next_tick - tick))


def things_in(world: Any, members: Iterable[Member]) -> Iterator[tuple[Any, Any]]:
    """Items and parts of these members, with everything inside them; each with a name that identifies it."""
    for member in members:
        for thing in member.things(world):
            yield thing.id if member.kind.most else member.name, thing
            yield from _inside(thing)


def _inside(thing: Any) -> Iterator[tuple[Any, Any]]:
    """The items of lists inside a thing or its parts."""
    for member in members_of(type(thing)):
        for each in member.things(thing):
            if member.kind.most:
                yield each.id, each
            yield from _inside(each)


def mix(shown: Any, later: Any, members: Iterable[Member], share: float, seat: int | None = None) -> None:
    """Move the things of these members towards their place in a later state; not those of the player ``seat``."""
    members = tuple(members)
    known = dict(things_in(later, members))
    for name, thing in things_in(shown, members):
        other = known.get(name)
        if other is None or type(other) is not type(thing):
            continue
        if seat is not None and owner_of(thing) == seat:
            continue
        for measure in measures_of(type(thing)):
            if jumps_of(thing, measure) == jumps_of(other, measure):
                here = measure.of(thing)
                measure.put(thing, here + difference(measure.of(other), here, measure.is_angle) * share)
