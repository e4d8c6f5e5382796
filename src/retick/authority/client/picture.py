"""The instances of a world that an application draws; none of them is ever run."""

from collections.abc import Mapping, Set
from math import exp
from typing import Any, Final, NamedTuple

from retick.authority.client.measures import LONGEST, PredictedThing, all_things, counts_of, difference, measures_of
from retick.authority.client.past import Pictured, mix
from retick.authority.client.prediction import load_fields, rebuild_shown
from retick.errors import DecodeError
from retick.sim.world.hosting import Splicer, past_members
from retick.sim.world.members import members_of
from retick.sim.world.world import World

# Fades corrections of predicted things in the picture. No simulation ever sees this.
#
# The *offset* of a thing is added to its measures in a picture: after a correction it is drawn where it was before, and
# moves to its new place within a moment. A thing that has jumped (its ``Jumps``), or that was corrected over a long
# way, has no offset.

# retick: floats -- drawing; nothing is simulated from it


FORGOTTEN: Final = 8.0
"""Multiples of the fading time after which an offset is forgotten."""


class Correction(NamedTuple):
    """How a snapshot moved the things of our own player."""

    distance: float
    """The largest change of one of their measures, angles left out."""
    is_above_step: bool
    """Whether one of them changed by more than half of a snapshot's rounding step."""
    jumped: bool
    """Whether one of them jumped without a predicted jump, or the other way round."""


class _Offset(NamedTuple):
    kind: type
    values: tuple[float, ...]
    jumps: tuple[int | None, ...]
    since: float


class Smoothing:
    """The offsets of all predicted things."""

    def __init__(self, seconds: float, longest: float | None) -> None:
        """``longest`` is the longest correction that is smoothed; None is a tenth of a field's Range."""
        self._seconds = seconds
        self._longest = longest
        self._offsets: dict[int, _Offset] = {}
        self.snaps = 0
        """How many corrections were too long to be smoothed."""

    def __len__(self) -> int:
        return len(self._offsets)

    def rename(self, names: Mapping[int, int]) -> None:
        """Rename things: ``names`` has each new id with the earlier one. Forgets the offsets of all others."""
        self._offsets = {new: self._offsets[old] for new, old in names.items() if old in self._offsets}

    def correct(
        self, before: Mapping[int, PredictedThing], after: Mapping[int, PredictedThing], own: Set[int], now: float,
        elsewhere: Set[int] = frozenset(),
    ) -> Correction:  # fmt: skip
        """Smooth the difference of two predictions of the same tick; ``own`` has the ids of our own things.

        ``elsewhere``: things that jumped in the earlier prediction, and jump to another place in this one.
        """
        total = Correction(0.0, False, False)
        kept: dict[int, _Offset] = {}
        for number, place in after.items():
            old = before.get(number)
            if old is None or old.kind is not place.kind or not place.values:
                continue
            if number in elsewhere:
                total = total._replace(jumped=total.jumped or number in own)
                continue
            if number in own:
                total = _added(total, old, place)
            offset = self._offset(number, old, place, now)
            if offset is not None:
                kept[number] = offset
        self._offsets = kept
        return total

    def _offset(self, number: int, old: PredictedThing, new: PredictedThing, now: float) -> _Offset | None:
        if old.values == new.values and number not in self._offsets:
            return None
        left = self._left(number, old.kind, old.jumps, now)
        made = []
        measures = zip(measures_of(new.kind), old.values, new.values, left, old.jumps, new.jumps, strict=True)
        for measure, a, b, rest, j, k in measures:
            if j != k:
                made.append(0.0)
                continue
            away = difference(a, b, measure.is_angle)
            longest = self._longest or measure.longest or LONGEST
            if abs(away) > longest and not measure.is_angle:
                self.snaps += 1
                return None
            made.append(away + rest)
        return _Offset(new.kind, tuple(made), new.jumps, now) if any(made) else None

    def _left(self, number: int, kind: type, jumps: tuple[int | None, ...], now: float) -> tuple[float, ...]:
        """The rest of a thing's offset; 0 for measures that jumped since."""
        offset = self._offsets.get(number)
        passed = FORGOTTEN if offset is None else (now - offset.since) / self._seconds
        if offset is None or offset.kind is not kind or passed >= FORGOTTEN:
            return (0.0,) * len(measures_of(kind))
        share = exp(-max(passed, 0.0))
        return tuple(v * share if j == k else 0.0 for v, j, k in zip(offset.values, offset.jumps, jumps, strict=True))

    def draw(self, things: Mapping[int, Any], now: float) -> None:
        """Move the things of a picture by their offsets."""
        for number in self._offsets:
            thing = things.get(number)
            if thing is None:
                continue
            kind = type(thing)
            measures = measures_of(kind)
            left = self._left(number, kind, counts_of(thing), now)
            for measure, offset in zip(measures, left, strict=True):
                if offset:
                    measure.put(thing, measure.of(thing) + offset)


def _added(total: Correction, old: PredictedThing, new: PredictedThing) -> Correction:
    distance, above, jumped = total
    for measure, a, b, j, k in zip(measures_of(new.kind), old.values, new.values, old.jumps, new.jumps, strict=True):
        if j != k:
            jumped = True
            continue
        away = abs(difference(a, b, measure.is_angle))
        # Half a step, plus the rounding of float additions.
        above = above or away > measure.step / 2 + 1e-9
        distance = distance if measure.is_angle else max(distance, away)
    return Correction(distance, above, jumped)


# retick: floats -- drawing; nothing is simulated from it


class PictureScreen:
    """State shared by all pictures of one client."""

    def __init__(self, kind: type[World]) -> None:
        self._splicer = Splicer(kind)
        self._past = past_members(kind)
        self._all = members_of(kind)
        self._later = kind()
        self._loaded: bytes | None = None

    @property
    def shows_past(self) -> bool:
        """Whether anything is drawn in the past."""
        return self._splicer.is_needed

    def later(self, saved: bytes) -> World:
        """A read-only instance in this state."""
        if saved is not self._loaded:
            load_fields(self._later, saved)
            self._loaded = saved
        return self._later

    def spliced(self, present: bytes, past: bytes, seat: int) -> bytes:
        return self._splicer.spliced(present, past, seat)

    def mix(self, world: World, pictured: Pictured, seat: int | None) -> None:
        """Move what is in the past to the drawn moment; without a seat, everything."""
        if pictured.later is not None:
            members = self._all if seat is None else self._past
            mix(world, self.later(pictured.later), members, pictured.share, seat)


class WorldPicture:
    """One instance to draw. It is the same object each time."""

    def __init__(self, kind: type[World], screen: PictureScreen) -> None:
        self.world = kind()
        self._screen = screen

    def draw_present(self, present: bytes, pictured: Pictured, seat: int, smoothing: Smoothing, now: float) -> None:
        """Show the predicted present of a player, with everything that is in the past as it was."""
        world = self.world
        if not self._screen.shows_past:
            load_fields(world, present)
        else:
            try:
                load_fields(world, self._screen.spliced(present, pictured.earlier, seat))
            except DecodeError:
                # A server gave one id to two things: show everything in the present.
                load_fields(world, present)
            else:
                self._screen.mix(world, pictured, seat)
        if len(smoothing):
            smoothing.draw(all_things(world), now)
        rebuild_shown(world)

    def draw_past(self, pictured: Pictured) -> None:
        """Show everything as it was, for a spectator."""
        load_fields(self.world, pictured.earlier)
        self._screen.mix(self.world, pictured, None)
        rebuild_shown(self.world)
