"""Where vectors, angles and integrals should be now (a compiled kernel).

The window is the longest whose line passes within one step of every history frame inside of it; if there is none, the
newest frame alone gives the velocity. An acceleration that was declared is tried with and without.
"""

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.snapshot.compact.frames import Frames
    from cython.cimports.retick.snapshot.compact.logs import rounded
    from cython.cimports.retick.snapshot.compact.numbers import FRAMES
    from cython.cimports.retick.snapshot.compact.plan import Plan
    from cython.cimports.retick.snapshot.kernels.arrays import doubles, ints, longs
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
else:
    from retick.snapshot.compact.frames import Frames
    from retick.snapshot.compact.logs import rounded
    from retick.snapshot.compact.numbers import FRAMES
    from retick.snapshot.compact.plan import Plan
    from retick.snapshot.kernels.arrays import doubles, ints, longs
    from retick.snapshot.kernels.table import FieldTable

__all__ = ["Motion", "wrapped"]


def wrapped(value: Any) -> Any:
    """A number as 64 bits hold it, for uncompiled kernels: C does so by itself."""
    return ((value + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)


@cython.cclass
class Motion:
    """Predictions for the entity at hand; see the .pxd for what each member holds."""

    if not cython.compiled:
        plan: Plan
        table: FieldTable
        frames: Frames
        ahead: Any
        back: Any
        acceleration: Any
        ticks: float
        guess: Any
        step: Any
        bend: Any
        window: Any
        lifted: Any
        _gains_owner: Any
        _owners: Any

    def __init__(self, plan: Plan, table: FieldTable, frames: Frames, acceleration: Any) -> None:
        self.plan = plan
        self.table = table
        self.frames = frames
        scalars = plan.scalar_count + 1
        guess, step, bend = (array("q", bytes(8 * scalars)) for _ in range(3))
        window, lifted = (array("i", bytes(4 * (plan.group_count + 1))) for _ in range(2))
        self._owners = (guess, step, bend, window, lifted, acceleration)
        self.guess, self.step, self.bend = longs(guess), longs(step), longs(bend)
        self.window, self.lifted = ints(window), ints(lifted)
        self.acceleration = doubles(acceleration)

    def use(self, ahead: Any, back: Any, ticks: Any) -> cython.void:
        """The factors of this packet, of all groups one after the other, and its ticks after the baseline."""
        self._gains_owner = (ahead, back)
        self.ticks = ticks
        self.ahead, self.back = doubles(ahead), doubles(back)

    def since(self, group: cython.int, scalar: cython.int, number: cython.int) -> cython.longlong:
        """How far the scalar has come since a history frame; the short way round for an angle."""
        way: cython.longlong = self.frames.old[4 * scalar] - self.frames.old[4 * scalar + number]
        if not cython.compiled:
            way = wrapped(way)
        return self.shortest(group, way)

    def shortest(self, group: cython.int, way: cython.longlong) -> cython.longlong:
        modulus: cython.longlong = self.plan.modulus[group]
        if modulus:
            if way >= modulus - modulus // 2:
                way -= modulus
            elif way < -(modulus // 2):
                way += modulus
        return way

    def predict(self, group: cython.int) -> cython.void:
        """Guess, step and bend of every scalar of a MOTION or ANGLE group."""
        plan: Plan = self.plan
        frames: Frames = self.frames
        scalar: cython.int
        last: cython.int = plan.first[group] + plan.count[group]
        newest: cython.int = 0
        number: cython.int
        best: cython.int = 0
        lift: cython.int
        lifts: cython.int = 2 if plan.accelerated[group] else 1
        misses: cython.longlong
        fewest: cython.longlong
        lifted: cython.int = 0
        for number in range(frames.used, 0, -1):
            if frames.has[4 * group + number]:
                newest = number
        self.window[group] = 0
        self.lifted[group] = 0
        if newest == 0 or not self.moves(group, newest):
            for scalar in range(plan.first[group], last):
                self.guess[scalar] = frames.old[4 * scalar]
                self.step[scalar] = self.bend[scalar] = 0
            return
        for number in range(frames.used, newest, -1):
            if best or not frames.has[4 * group + number]:
                continue
            fewest = -1
            for lift in range(lifts):
                misses = self.miss(group, number, newest, lift)
                if misses >= 0 and (fewest < 0 or misses < fewest):
                    fewest = misses
                    best = number
                    lifted = lift
        self.window[group] = best
        if best == 0:
            best = newest
            self.window[group] = 1
            if lifts > 1 and newest < frames.used and frames.has[4 * group + newest + 1]:
                lifted = self.strays(group, newest, newest + 1, 1) < self.strays(group, newest, newest + 1, 0)
        self.lifted[group] = lifted
        for scalar in range(plan.first[group], last):
            self.extend(group, scalar, best, newest, lifted)

    def moves(self, group: cython.int, newest: cython.int) -> cython.bint:
        """Whether to go on at all: what nobody declared to be a motion must have been one before."""
        plan: Plan = self.plan
        frames: Frames = self.frames
        scalar: cython.int
        older: cython.int = newest + 1
        way: cython.longlong
        line: cython.longlong
        held: cython.longlong = 0
        went: cython.longlong = 0
        if not plan.doubtful[group]:
            return True
        if older > frames.used or not frames.has[4 * group + older]:
            return False
        for scalar in range(plan.first[group], plan.first[group] + plan.count[group]):
            way = self.since(group, scalar, newest)
            line = way - rounded(
                (self.since(group, scalar, older) - way)
                * self.back[2 * (FRAMES * FRAMES * group + (older - 1) * FRAMES + newest - 1)]
                / (1.0 - self.back[2 * (FRAMES * FRAMES * group + (older - 1) * FRAMES + newest - 1)])
            )
            held += abs(way)
            went += abs(line)
        return went < held

    def stray(
        self, group: cython.int, scalar: cython.int, window: cython.int, number: cython.int, lift: cython.int
    ) -> cython.longlong:
        """How far a history frame lies off the line of a window."""
        pair: cython.Py_ssize_t = 2 * (FRAMES * FRAMES * group + (window - 1) * FRAMES + number - 1)
        way: cython.double = self.since(group, scalar, window) * self.back[pair]
        if lift:
            way += self.acceleration[scalar] * self.back[pair + 1]
        return abs(rounded(way) - self.since(group, scalar, number))

    def strays(self, group: cython.int, window: cython.int, number: cython.int, lift: cython.int) -> cython.longlong:
        total: cython.longlong = 0
        scalar: cython.int
        for scalar in range(self.plan.first[group], self.plan.first[group] + self.plan.count[group]):
            total += self.stray(group, scalar, window, number, lift)
        return total

    def miss(self, group: cython.int, window: cython.int, newest: cython.int, lift: cython.int) -> cython.longlong:
        """The sum of all strays of the frames inside of a window; -1 if one of them is more than one step."""
        total: cython.longlong = 0
        off: cython.longlong
        number: cython.int
        scalar: cython.int
        for scalar in range(self.plan.first[group], self.plan.first[group] + self.plan.count[group]):
            for number in range(newest, window):
                if self.frames.has[4 * group + number]:
                    off = self.stray(group, scalar, window, number, lift)
                    if off > 1:
                        return -1
                    total += off
        return total

    def extend(
        self, group: cython.int, scalar: cython.int, window: cython.int, newest: cython.int, lift: cython.int
    ) -> cython.void:
        """Guess, step and bend of one scalar along a window."""
        at: cython.Py_ssize_t = 2 * FRAMES * group
        way: cython.double = self.since(group, scalar, window) * self.ahead[at + 2 * (window - 1)]
        near: cython.double = self.since(group, scalar, newest) * self.ahead[at + 2 * (newest - 1)]
        far: cython.double
        older: cython.int = newest + 1
        self.bend[scalar] = 0
        if older <= self.frames.used and self.frames.has[4 * group + older]:
            far = self.since(group, scalar, older) * self.ahead[at + 2 * (older - 1)]
            self.bend[scalar] = rounded(near - far)
        if lift:
            way += self.acceleration[scalar] * self.ahead[at + 2 * (window - 1) + 1]
        self.step[scalar] = rounded(way)
        self.guess[scalar] = self.ahead_of(group, scalar)

    def ahead_of(self, group: cython.int, scalar: cython.int) -> cython.longlong:
        """The baseline's value and the step, as the field can hold them."""
        value: cython.longlong = self.frames.old[4 * scalar] + self.step[scalar]
        if not cython.compiled:
            value = wrapped(value)
        return self.within(group, scalar, value)

    def within(self, group: cython.int, scalar: cython.int, value: cython.longlong) -> cython.longlong:
        """A value that the field can hold."""
        field: cython.int = self.plan.field[scalar]
        low: cython.longlong = self.table.low[field]
        high: cython.longlong = low + self.table.span[field]
        modulus: cython.longlong = self.plan.modulus[group]
        if modulus:
            value = (value - low) % modulus
            if value < 0:
                value += modulus
            return value + low
        if value < low:
            return low
        return high if value > high else value

    def integrate(self, group: cython.int, now: cython.p_longlong) -> cython.void:
        """The same for an INTEGRAL group, from the source's values before and ``now``."""
        scalar: cython.int
        origin: cython.int
        index: cython.int
        both: cython.longlong
        mean: cython.double
        for index in range(self.plan.count[group]):
            scalar = self.plan.first[group] + index
            origin = self.plan.first[self.plan.source[group]] + index
            both = self.frames.old[4 * origin] + now[origin]
            if not cython.compiled:
                both = wrapped(both)
            mean = both * 0.5
            self.step[scalar] = rounded(mean * self.plan.rate[group] * self.ticks)
            self.bend[scalar] = now[origin] - self.frames.old[4 * origin]
            if not cython.compiled:
                self.bend[scalar] = wrapped(self.bend[scalar])
            self.guess[scalar] = self.ahead_of(group, scalar)
        self.window[group] = 3
        self.lifted[group] = 0
