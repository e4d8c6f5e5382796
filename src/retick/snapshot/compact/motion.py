"""Where vectors, angles and integrals should be now (a compiled kernel).

The window is the longest whose line passes within one step of every history frame inside of it; if there is none, the
newest frame alone gives the velocity. An acceleration that was declared is tried with and without.
"""

import struct
from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.libc.string import memcpy
    from cython.cimports.retick.snapshot.compact.frames import Frames
    from cython.cimports.retick.snapshot.compact.logs import log_of, rounded
    from cython.cimports.retick.snapshot.compact.numbers import FRAMES
    from cython.cimports.retick.snapshot.compact.plan import Plan
    from cython.cimports.retick.snapshot.kernels.arrays import doubles, ints, longs, ulongs
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
else:
    from retick.snapshot.compact.frames import Frames
    from retick.snapshot.compact.logs import log_of, rounded
    from retick.snapshot.compact.numbers import FRAMES
    from retick.snapshot.compact.plan import Plan
    from retick.snapshot.kernels.arrays import doubles, ints, longs, ulongs
    from retick.snapshot.kernels.table import FieldTable

__all__ = ["Motion", "wrapped"]

_DOUBLE, _BITS = struct.Struct("<d"), struct.Struct("<q")


def wrapped(value: Any) -> Any:
    """A number as 64 bits hold it, for uncompiled kernels: C does so by itself."""
    return ((value + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)


@cython.cclass
class Motion:
    """Predictions for the entity at hand; see the .pxd for what each member holds."""

    if not cython.compiled:
        plan: Plan
        frames: Frames
        ahead: Any
        back: Any
        acceleration: Any
        ticks: float
        low: Any
        room: Any
        way: Any
        guess: Any
        step: Any
        bend: Any
        window: Any
        lifted: Any
        fastest: int
        arrays: Any
        _gains_owner: Any
        _owners: Any

    def __init__(self, plan: Plan, table: FieldTable, frames: Frames, acceleration: Any) -> None:
        self.plan = plan
        self.frames = frames
        scalars = plan.scalar_count + 1
        guess, step, bend = (array("q", bytes(8 * scalars)) for _ in range(3))
        way = array("q", bytes(8 * 4 * scalars))
        window, lifted = (array("i", bytes(4 * (plan.group_count + 1))) for _ in range(2))
        low, room = array("q"), array("Q")
        group: cython.int
        scalar: cython.int
        for group in range(plan.group_count):
            for scalar in range(plan.first[group], plan.first[group] + plan.count[group]):
                low.append(table.low[plan.field[scalar]])
                room.append(plan.modulus[group] - 1 if plan.modulus[group] else table.span[plan.field[scalar]])
        self.arrays = (step, bend)
        self._owners = (guess, step, bend, way, window, lifted, low, room, acceleration)
        self.guess, self.step, self.bend, self.way = longs(guess), longs(step), longs(bend), longs(way)
        self.window, self.lifted = ints(window), ints(lifted)
        self.low, self.room = longs(low), ulongs(room)
        self.acceleration = doubles(acceleration)

    def use(self, ahead: Any, back: Any, ticks: Any) -> cython.void:
        """The factors of this packet, of all groups one after the other, and its ticks after the baseline."""
        self._gains_owner = (ahead, back)
        self.ticks = ticks
        self.ahead, self.back = doubles(ahead), doubles(back)

    def note(self, group: cython.int, steps: cython.longlong, bends: cython.longlong) -> cython.void:
        """How far a group should move, and how much two windows differ on that; both as sums over its scalars."""
        speed: cython.int = log_of(steps)
        self.fastest = speed if speed > self.fastest else self.fastest
        if steps == 0 and bends == 0:
            self.window[group] = 0

    def shortest(self, group: cython.int, way: cython.longlong) -> cython.longlong:
        """A difference of two values; the short way round for an angle."""
        modulus: cython.longlong = self.plan.modulus[group]
        if modulus:
            if way >= modulus - modulus // 2:
                way -= modulus
            elif way < -(modulus // 2):
                way += modulus
        return way

    def within(self, group: cython.int, scalar: cython.int, value: cython.longlong) -> cython.longlong:
        """A value that the field can hold."""
        low: cython.longlong = self.low[scalar]
        high: cython.longlong = low + self.room[scalar]
        modulus: cython.longlong = self.plan.modulus[group]
        if modulus:
            value -= low
            if not cython.compiled:
                value = wrapped(value)
            value %= modulus
            if value < 0:
                value += modulus
            return value + low
        value = low if value < low else value
        return high if value > high else value

    def predict(self, group: cython.int) -> cython.void:
        """Guess, step and bend of every scalar of a MOTION or ANGLE group."""
        newest: cython.int = 0
        number: cython.int
        best: cython.int = 0
        lift: cython.int
        lifts: cython.int = 2 if self.plan.accelerated[group] else 1
        misses: cython.longlong
        fewest: cython.longlong
        lifted: cython.int = 0
        if self.look_back(group):
            newest = self.frames.newest(group)
        if newest == 0 or (self.plan.doubtful[group] and not self.moves(group, newest)):
            self.stay(group)
            return
        number = self.frames.used
        while number > newest and best == 0:
            if self.frames.has[4 * group + number]:
                fewest = -1
                for lift in range(lifts):
                    misses = self.miss(group, number, newest, lift)
                    if misses >= 0 and (fewest < 0 or misses < fewest):
                        fewest = misses
                        best = number
                        lifted = lift
            number -= 1
        self.window[group] = best
        if best == 0:
            best = newest
            self.window[group] = 1
            if lifts > 1 and newest < self.frames.used and self.frames.has[4 * group + newest + 1]:
                lifted = self.strays(group, newest, newest + 1, 1) < self.strays(group, newest, newest + 1, 0)
        self.lifted[group] = lifted
        self.extend(group, best, newest, lifted)

    def look_back(self, group: cython.int) -> cython.bint:
        """How far each scalar has come since each history frame; whether any has moved at all.

        A group that is the same in all frames stays what it is, by all windows, with and without acceleration.
        """
        at: cython.Py_ssize_t
        first: cython.Py_ssize_t = 4 * self.plan.first[group]
        last: cython.Py_ssize_t = first + 4 * self.plan.count[group]
        old: cython.p_longlong = self.frames.old
        ways: cython.p_longlong = self.way
        way: cython.longlong
        moved: cython.longlong = 0
        for at in range(first, last):
            way = old[at & ~3] - old[at]
            if not cython.compiled:
                way = wrapped(way)
            ways[at] = way
            moved |= way
        if self.plan.modulus[group]:
            for at in range(first, last):
                ways[at] = self.shortest(group, ways[at])
        return moved != 0 or not self.frames.dense

    def stay(self, group: cython.int) -> cython.void:
        """Predict that nothing changes."""
        scalar: cython.int
        for scalar in range(self.plan.first[group], self.plan.first[group] + self.plan.count[group]):
            self.guess[scalar] = self.frames.old[4 * scalar]
            self.step[scalar] = self.bend[scalar] = 0
        self.window[group] = self.lifted[group] = 0

    def moves(self, group: cython.int, newest: cython.int) -> cython.bint:
        """Whether to go on at all: what nobody declared to be a motion must have been one before."""
        scalar: cython.int
        older: cython.int = newest + 1
        way: cython.longlong
        line: cython.longlong
        held: cython.longlong = 0
        went: cython.longlong = 0
        share: cython.double
        if older > self.frames.used or not self.frames.has[4 * group + older]:
            return False
        share = self.back[2 * (FRAMES * FRAMES * group + (older - 1) * FRAMES + newest - 1)]
        for scalar in range(self.plan.first[group], self.plan.first[group] + self.plan.count[group]):
            way = self.way[4 * scalar + newest]
            line = way - rounded((self.way[4 * scalar + older] - way) * share / (1.0 - share))
            held += abs(way)
            went += abs(line)
        return went < held

    def stray(
        self, group: cython.int, scalar: cython.int, window: cython.int, number: cython.int, lift: cython.int
    ) -> cython.longlong:
        """How far a history frame lies off the line of a window."""
        pair: cython.Py_ssize_t = 2 * (FRAMES * FRAMES * group + (window - 1) * FRAMES + number - 1)
        way: cython.double = self.way[4 * scalar + window] * self.back[pair]
        if lift:
            way += self.acceleration[scalar] * self.back[pair + 1]
        off: cython.longlong = rounded(way) - self.way[4 * scalar + number]
        return abs(off)

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

    def extend(self, group: cython.int, window: cython.int, newest: cython.int, lift: cython.int) -> cython.void:
        """Guess, step and bend of all scalars along a window."""
        gains: cython.Py_ssize_t = 2 * FRAMES * group
        gain: cython.double = self.ahead[gains + 2 * (window - 1)]
        rise: cython.double = self.ahead[gains + 2 * (window - 1) + 1]
        near: cython.double = self.ahead[gains + 2 * (newest - 1)]
        far: cython.double = 0.0
        older: cython.int = newest + 1
        scalar: cython.int
        step: cython.longlong
        bend: cython.longlong = 0
        way: cython.double
        steps: cython.longlong = 0
        bends: cython.longlong = 0
        bending: cython.bint = older <= self.frames.used and self.frames.has[4 * group + older]
        if bending:
            far = self.ahead[gains + 2 * (older - 1)]
        for scalar in range(self.plan.first[group], self.plan.first[group] + self.plan.count[group]):
            way = self.way[4 * scalar + window] * gain
            if lift:
                way += self.acceleration[scalar] * rise
            step = rounded(way)
            if bending:
                bend = rounded(self.way[4 * scalar + newest] * near - self.way[4 * scalar + older] * far)
            self.step[scalar] = step
            self.bend[scalar] = bend
            self.guess[scalar] = self.ahead_of(group, scalar)
            steps += abs(step)
            bends += abs(bend)
        self.note(group, steps, bends)

    def ahead_of(self, group: cython.int, scalar: cython.int) -> cython.longlong:
        """The baseline's value and the step, as the field can hold them."""
        value: cython.longlong = self.frames.old[4 * scalar] + self.step[scalar]
        if not cython.compiled:
            value = wrapped(value)
        return self.within(group, scalar, value)

    def goes_on(self, group: cython.int) -> cython.int:
        """The guess of a REAL group: 1 if it is on a line, 0 if it is the baseline's value."""
        scalar: cython.int = self.plan.first[group]
        old: cython.p_longlong = self.frames.old
        newest: cython.int = self.frames.newest(group)
        older: cython.int = newest + 1
        self.guess[scalar] = old[4 * scalar]
        if newest == 0 or older > self.frames.used or not self.frames.has[4 * group + older]:
            return 0
        here: cython.double = _real(old[4 * scalar])
        way: cython.double = here - _real(old[4 * scalar + newest])
        far: cython.double = here - _real(old[4 * scalar + older])
        share: cython.double = self.back[2 * (FRAMES * FRAMES * group + (older - 1) * FRAMES + newest - 1)]
        line: cython.double = here + way * self.ahead[2 * FRAMES * group + 2 * (newest - 1)]
        # What is no number is below nothing; what is not finite is no number less itself.
        if not abs(way - (far - way) * share / (1.0 - share)) < abs(way) or line - line != 0.0:
            return 0
        self.guess[scalar] = _bits(line)
        return 1

    def integrate(self, group: cython.int, now: cython.p_longlong) -> cython.void:
        """The same for an INTEGRAL group, from the source's values before and ``now``."""
        scalar: cython.int
        origin: cython.int = self.plan.first[self.plan.source[group]]
        both: cython.longlong
        bend: cython.longlong
        mean: cython.double
        steps: cython.longlong = 0
        bends: cython.longlong = 0
        self.window[group] = 3
        self.lifted[group] = 0
        for scalar in range(self.plan.first[group], self.plan.first[group] + self.plan.count[group]):
            both = self.frames.old[4 * origin] + now[origin]
            bend = now[origin] - self.frames.old[4 * origin]
            if not cython.compiled:
                both, bend = wrapped(both), wrapped(bend)
            mean = both * 0.5
            self.step[scalar] = rounded(mean * self.plan.rate[group] * self.ticks)
            self.bend[scalar] = bend
            self.guess[scalar] = self.ahead_of(group, scalar)
            steps += abs(self.step[scalar])
            bends += _size(bend)
            origin += 1
        self.note(group, steps, bends)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _real(bits: cython.longlong) -> cython.double:
    """The double of some bits."""
    if cython.compiled:
        made: cython.double = 0.0
        memcpy(cython.address(made), cython.address(bits), 8)
        return made
    return _DOUBLE.unpack(_BITS.pack(bits))[0]  # type: ignore[no-any-return]  # eight bytes are one number


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _bits(real: cython.double) -> cython.longlong:
    """The bits of a double."""
    if cython.compiled:
        made: cython.longlong = 0
        memcpy(cython.address(made), cython.address(real), 8)
        return made
    return _BITS.unpack(_DOUBLE.pack(real))[0]  # type: ignore[no-any-return]  # as above


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _size(value: cython.longlong) -> cython.longlong:
    """The absolute value, but no more than logs can tell apart, so that sums of it stay within 64 bits."""
    most: cython.longlong = 1
    most <<= 40
    return most if value > most or value < -most else abs(value)
