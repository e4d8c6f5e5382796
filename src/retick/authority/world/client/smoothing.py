"""Corrections of predicted things fade when they are drawn. No simulation ever sees this.

The *offset* of a thing is what is added to its measures in a picture: after a correction it is drawn where it was drawn
before, and gets to its new place in a moment. A thing that was put elsewhere (its ``Jumps``), or that was corrected
over a long way, has none.
"""

# retick: floats -- drawing; nothing is simulated from it

from collections.abc import Mapping, Set
from math import exp
from typing import Any, Final, NamedTuple

from retick.authority.world.client.identity import LONGEST, Place
from retick.authority.world.client.measures import counts_of, difference, measures_of

__all__ = ["Correction", "Smoothing"]

FORGOTTEN: Final = 8.0
"""Times of fading after which nothing is left of an offset."""


class Correction(NamedTuple):
    """How a snapshot moved the things of our own player."""

    distance: float
    """The most that one of their measures changed, without angles."""
    is_above_step: bool
    """Whether one of them changed by more than half of what snapshots round to."""
    jumped: bool
    """Whether one of them was put elsewhere, and the prediction had not done it, or the other way round."""


class _Offset(NamedTuple):
    kind: type
    values: tuple[float, ...]
    jumps: tuple[int | None, ...]
    since: float


class Smoothing:
    """The offsets of all predicted things."""

    def __init__(self, seconds: float, longest: float | None) -> None:
        """``longest`` is the longest correction that is smoothed; None: a tenth of a field's Range."""
        self._seconds = seconds
        self._longest = longest
        self._offsets: dict[int, _Offset] = {}
        self.snaps = 0
        """Corrections that were too long to be smoothed."""

    def __len__(self) -> int:
        return len(self._offsets)

    def rename(self, names: Mapping[int, int]) -> None:
        """Things have other ids now: the new one to the one that it had. What is not in it is gone."""
        self._offsets = {new: self._offsets[old] for new, old in names.items() if old in self._offsets}

    def correct(
        self, before: Mapping[int, Place], after: Mapping[int, Place], own: Set[int], now: float,
        elsewhere: Set[int] = frozenset(),
    ) -> Correction:  # fmt: skip
        """The same tick was predicted anew; ``own``: the ids of our own things.

        ``elsewhere``: of things that the earlier prediction had put elsewhere; now they are put to another place.
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

    def _offset(self, number: int, old: Place, new: Place, now: float) -> _Offset | None:
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
        """What is left of a thing's offset; of measures that jumped since then, nothing."""
        offset = self._offsets.get(number)
        passed = FORGOTTEN if offset is None else (now - offset.since) / self._seconds
        if offset is None or offset.kind is not kind or passed >= FORGOTTEN:
            return (0.0,) * len(measures_of(kind))
        share = exp(-max(passed, 0.0))
        return tuple(v * share if j == k else 0.0 for v, j, k in zip(offset.values, offset.jumps, jumps, strict=True))

    def draw(self, things: Mapping[int, Any], now: float) -> None:
        """Move the things of a picture."""
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


def _added(total: Correction, old: Place, new: Place) -> Correction:
    distance, above, jumped = total
    for measure, a, b, j, k in zip(measures_of(new.kind), old.values, new.values, old.jumps, new.jumps, strict=True):
        if j != k:
            jumped = True
            continue
        away = abs(difference(a, b, measure.is_angle))
        # Half a step, and what is left over from adding floats.
        above = above or away > measure.step / 2 + 1e-9
        distance = distance if measure.is_angle else max(distance, away)
    return Correction(distance, above, jumped)
