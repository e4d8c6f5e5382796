"""Where a rotation should be now: a quaternion as its smallest three components (a compiled kernel).

The fields are the index of the largest component, and the other three in x, y, z, w order, each a whole number from 0
to ``2**bits - 1`` for -1/sqrt(2) to 1/sqrt(2). In here a component is ``2 * q - (2**bits - 1)``; so the length of the
whole is ``sqrt(2) * (2**bits - 1)``.
"""

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.libc.math import fabs, sqrt
    from cython.cimports.retick.snapshot.compact.frames import Frames
    from cython.cimports.retick.snapshot.compact.logs import length_of, rounded
    from cython.cimports.retick.snapshot.compact.motion import Motion
    from cython.cimports.retick.snapshot.compact.numbers import FRAMES, TERMS
    from cython.cimports.retick.snapshot.compact.plan import Plan
    from cython.cimports.retick.snapshot.kernels.arrays import doubles
else:
    from math import fabs, sqrt

    from retick.snapshot.compact.frames import Frames
    from retick.snapshot.compact.logs import length_of, rounded
    from retick.snapshot.compact.motion import Motion
    from retick.snapshot.compact.numbers import FRAMES, TERMS
    from retick.snapshot.compact.plan import Plan
    from retick.snapshot.kernels.arrays import doubles

__all__ = ["Rotation"]


@cython.cclass
class Rotation:
    """Predictions for one rotation of the entity at hand; see the .pxd for what each member holds."""

    if not cython.compiled:
        plan: Plan
        frames: Frames
        motion: Motion
        turns: Any
        quats: Any
        guess: Any
        rate: Any
        start: Any
        largest: int
        second: int
        gap: int
        _turns_owner: Any
        _owners: Any

    def __init__(self, plan: Plan, frames: Frames, motion: Motion) -> None:
        self.plan = plan
        self.frames = frames
        self.motion = motion
        quats = array("d", bytes(8 * 4 * (FRAMES + 1)))
        guess, rate, start = (array("d", bytes(8 * 4 * (plan.group_count + 1))) for _ in range(3))
        self._owners = (quats, guess, rate, start)
        self.quats, self.guess, self.rate, self.start = doubles(quats), doubles(guess), doubles(rate), doubles(start)

    def use(self, turns: Any) -> cython.void:
        """The series of this packet, of all groups one after the other."""
        self._turns_owner = turns
        self.turns = doubles(turns)

    def unpack(self, group: cython.int, number: cython.int) -> cython.void:
        """The four components in one frame, with the sign that is nearer to the baseline's."""
        scalar: cython.int = self.plan.first[group]
        most: cython.double = (1 << self.plan.bits[group]) - 1
        missing: cython.int = self.frames.old[4 * scalar + number] & 3
        at: cython.Py_ssize_t = 4 * number
        # Where the three go; which one is missing cannot be foreseen, so that there is no jump by it.
        first: cython.int = missing == 0
        second: cython.int = 1 + (missing < 2)
        third: cython.int = 2 + (missing < 3)
        a: cython.double = 2.0 * self.frames.old[4 * (scalar + 1) + number] - most
        b: cython.double = 2.0 * self.frames.old[4 * (scalar + 2) + number] - most
        c: cython.double = 2.0 * self.frames.old[4 * (scalar + 3) + number] - most
        left: cython.double = 2.0 * most * most - a * a - b * b - c * c
        sign: cython.double = 1.0
        left = sqrt(left if left > 0.0 else 0.0)
        if number and (
            self.quats[first] * a + self.quats[second] * b + self.quats[third] * c + self.quats[missing] * left < 0.0
        ):
            sign = -1.0
        self.quats[at + first] = sign * a
        self.quats[at + second] = sign * b
        self.quats[at + third] = sign * c
        self.quats[at + missing] = sign * left

    def bent(self, series: cython.Py_ssize_t, s: cython.double) -> cython.double:
        """A power series at ``s``."""
        total: cython.double = 0.0
        term: cython.int
        for term in range(TERMS - 1, -1, -1):
            total = total * s + self.turns[series + term]
        return total

    def chord(self, group: cython.int, number: cython.int) -> cython.double:
        """A quarter of the squared distance between the baseline and a frame, of a sphere of radius 1."""
        most: cython.double = (1 << self.plan.bits[group]) - 1
        total: cython.double = 0.0
        way: cython.double
        index: cython.int
        for index in range(4):
            way = self.quats[index] - self.quats[4 * number + index]
            total += way * way
        return total / (8.0 * most * most)

    def fits(self, group: cython.int, window: cython.int, newest: cython.int) -> cython.bint:
        """Whether the arc of a window passes every history frame inside of it within one step."""
        at: cython.Py_ssize_t
        number: cython.int
        index: cython.int
        s: cython.double = self.chord(group, window)
        a: cython.double
        b: cython.double
        for number in range(newest, window):
            if not self.frames.has[4 * group + number]:
                continue
            at = 2 * TERMS * ((FRAMES + FRAMES * FRAMES) * group + FRAMES + (window - 1) * FRAMES + number - 1)
            a = self.bent(at, s)
            b = self.bent(at + TERMS, s)
            for index in range(4):
                if (
                    fabs(a * self.quats[index] - b * self.quats[4 * window + index] - self.quats[4 * number + index])
                    > 2.0
                ):
                    return False
        return True

    def predict(self, group: cython.int) -> cython.void:
        """The predicted quaternion of a ROTATION group, and how it turns."""
        frames: Frames = self.frames
        number: cython.int
        newest: cython.int = 0
        best: cython.int = 0
        index: cython.int
        at: cython.Py_ssize_t = 4 * group
        s: cython.double
        a: cython.double
        b: cython.double
        self.unpack(group, 0)
        self.motion.window[group] = 0
        self.motion.lifted[group] = 0
        for number in range(frames.used, 0, -1):
            if frames.has[4 * group + number]:
                newest = number
                self.unpack(group, number)
        for index in range(4):
            self.guess[at + index] = self.start[at + index] = self.quats[index]
            self.rate[at + index] = 0.0
        if newest == 0:
            return
        for number in range(frames.used, newest, -1):
            if best == 0 and frames.has[4 * group + number] and self.fits(group, number, newest):
                best = number
        self.motion.window[group] = best
        if best == 0:
            best = newest
            self.motion.window[group] = 1
        number = 2 * TERMS * ((FRAMES + FRAMES * FRAMES) * group + best - 1)
        s = self.chord(group, best)
        a = self.bent(number, s)
        b = self.bent(number + TERMS, s)
        for index in range(4):
            self.guess[at + index] = a * self.quats[index] - b * self.quats[4 * best + index]
        self.note_bend(group, newest)
        self.note_turn(group)

    def note_bend(self, group: cython.int, newest: cython.int) -> cython.void:
        """Of each component how far the turns of two windows differ, in half steps."""
        older: cython.int = newest + 1
        index: cython.int
        near: cython.double = self.motion.ahead[2 * FRAMES * group + 2 * (newest - 1)]
        far: cython.double
        if older > self.frames.used or not self.frames.has[4 * group + older]:
            return
        far = self.motion.ahead[2 * FRAMES * group + 2 * (older - 1)]
        for index in range(4):
            self.rate[4 * group + index] = (self.quats[index] - self.quats[4 * newest + index]) * near - (
                self.quats[index] - self.quats[4 * older + index]
            ) * far

    def note_turn(self, group: cython.int) -> cython.void:
        """How far the rotation turns, as a feature of residuals."""
        total: cython.double = 0.0
        bends: cython.double = 0.0
        index: cython.int
        for index in range(4 * group, 4 * group + 4):
            total += fabs(self.guess[index] - self.start[index])
            bends += fabs(self.rate[index])
        self.motion.note(group, rounded(0.5 * total), rounded(0.5 * bends))

    def rank(self, group: cython.int) -> cython.void:
        """Which component should be the largest, which the second, and how sure that is (0 to 7)."""
        at: cython.Py_ssize_t = 4 * group
        most: cython.double = (1 << self.plan.bits[group]) - 1
        index: cython.int
        share: cython.longlong
        size: cython.double = fabs(self.guess[at])
        most_size: cython.double = size
        next_size: cython.double = -1.0
        largest: cython.int = 0
        second: cython.int = 0
        for index in range(1, 4):
            size = fabs(self.guess[at + index])
            largest = index if size > most_size else largest
            most_size = size if size > most_size else most_size
        for index in range(4):
            size = -1.0 if index == largest else fabs(self.guess[at + index])
            second = index if size > next_size else second
            next_size = size if size > next_size else next_size
        self.largest = largest
        self.second = second
        share = rounded((most_size - next_size) / most * 64.0)
        self.gap = length_of(share if share > 0 else 0)
        if self.gap > 7:
            self.gap = 7

    def place(self, group: cython.int, largest: cython.int) -> cython.void:
        """Guess, step and bend of the three scalars, now that the largest component is known."""
        at: cython.Py_ssize_t = 4 * group
        scalar: cython.int = self.plan.first[group] + 1
        most: cython.longlong = (1 << self.plan.bits[group]) - 1
        sign: cython.double = -1.0 if self.guess[at + largest] < 0.0 else 1.0
        found: cython.longlong
        index: cython.int
        before: cython.double
        for index in range(4):
            if index == largest:
                continue
            before = self.start[at + index] * sign
            found = rounded((self.guess[at + index] * sign + most) * 0.5)
            self.motion.step[scalar] = rounded((self.guess[at + index] * sign - before) * 0.5)
            self.motion.bend[scalar] = rounded(self.rate[at + index] * sign * 0.5)
            if found < 0:
                found = 0
            if found > most:
                found = most
            self.motion.guess[scalar] = found
            scalar += 1
