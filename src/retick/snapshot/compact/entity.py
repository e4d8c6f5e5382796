"""One changed entity: its groups in order, each predicted and then coded (a compiled kernel).

One program serves both directions: while encoding it reads the target's values, while decoding it writes them.
"""

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.snapshot.compact.coder import Coder
    from cython.cimports.retick.snapshot.compact.frames import Frames
    from cython.cimports.retick.snapshot.compact.logs import length_of
    from cython.cimports.retick.snapshot.compact.motion import Motion
    from cython.cimports.retick.snapshot.compact.numbers import (
        ANGLE,
        CHOICE,
        CHOICE_MODELS,
        FEATURES,
        HOLD,
        INTEGRAL,
        LARGEST_MODELS,
        REAL,
        ROTATION,
    )
    from cython.cimports.retick.snapshot.compact.plan import Plan
    from cython.cimports.retick.snapshot.compact.rotation import Rotation
    from cython.cimports.retick.snapshot.kernels import status as st
    from cython.cimports.retick.snapshot.kernels.arrays import longs
    from cython.cimports.retick.snapshot.kernels.fault import Fault
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
else:
    from retick.snapshot.compact.coder import Coder
    from retick.snapshot.compact.frames import Frames
    from retick.snapshot.compact.logs import length_of
    from retick.snapshot.compact.motion import Motion, wrapped
    from retick.snapshot.compact.numbers import (
        ANGLE,
        CHOICE,
        CHOICE_MODELS,
        FEATURES,
        HOLD,
        INTEGRAL,
        LARGEST_MODELS,
        REAL,
        ROTATION,
    )
    from retick.snapshot.compact.plan import Plan
    from retick.snapshot.compact.rotation import Rotation
    from retick.snapshot.kernels import status as st
    from retick.snapshot.kernels.arrays import longs
    from retick.snapshot.kernels.fault import Fault
    from retick.snapshot.kernels.table import FieldTable

    HELD, MOVED, TURNED, SUMMED, DOUBTED = 0, 1, 2, 3, 4

__all__ = ["Entity"]


@cython.cclass
class Entity:
    """The entity at hand; see the .pxd for what each member holds."""

    if not cython.compiled:
        plan: Plan
        coder: Coder
        frames: Frames
        motion: Motion
        rotation: Rotation
        fault: Fault
        now: Any
        off: Any
        moved: int
        strayed: int
        held: int
        costs: Any
        _owners: Any

    def __init__(self, plan: Plan, table: FieldTable, acceleration: Any) -> None:
        now, off = (array("q", bytes(8 * (plan.scalar_count + 1))) for _ in range(2))
        self._owners = (now, off)
        self.now, self.off = longs(now), longs(off)
        self.plan = plan
        self.frames = Frames(plan, table)
        self.motion = Motion(plan, table, self.frames, acceleration)
        self.rotation = Rotation(plan, self.frames, self.motion)
        self.coder = Coder(off, *self.motion.arrays)
        self.fault = Fault()
        self.costs = None

    def code(self, index: cython.Py_ssize_t) -> cython.int:
        """Everything in one changed entity."""
        group: cython.int
        number: cython.int
        kind: cython.int
        status: cython.int
        spent: cython.double = 0.0
        self.frames.load(index)
        if self.coder.encoding and self.fetch(index) != st.OK:
            return st.VALUE_RANGE
        self.moved = self.frames.used > 0 and self.frames.rest[index] == 0
        self.strayed = self.held = self.motion.fastest = 0
        self.coder.features[0] = 16
        self.coder.features[6] = self.flag()
        for number in range(self.plan.predicted_count):
            group = self.plan.predicted[number]
            if self.frames.has[4 * group]:
                if self.plan.kind[group] == ROTATION:
                    self.rotation.predict(group)
                else:
                    self.motion.predict(group)
        for group in range(self.plan.group_count):
            if not self.frames.has[4 * group]:
                continue
            if self.costs is not None:
                spent = self.coder.bits_written()
            kind = self.plan.kind[group]
            if kind == HOLD:
                status = self.hold(group)
            elif kind == CHOICE:
                status = self.choice(group, index)
            elif kind == REAL:
                status = self.real(group)
            elif kind == ROTATION:
                status = self.turned(group)
            else:
                if kind == INTEGRAL:
                    self.motion.integrate(group, self.now)
                status = self.moving(group)
            if status != st.OK:
                return status
            if self.costs is not None:
                self.costs[group] += self.coder.bits_written() - spent
        if not self.coder.encoding:
            self.store(index)
        return st.OK

    def flag(self) -> cython.int:
        """16 if the entity's first choice is not its lowest value, else 0."""
        group: cython.int = self.plan.flag_group
        scalar: cython.int
        if group < 0 or not self.frames.has[4 * group]:
            return 0
        scalar = self.plan.first[group]
        return 16 if self.frames.old[4 * scalar] != self.motion.low[scalar] else 0

    def fetch(self, index: cython.Py_ssize_t) -> cython.int:
        """The values to encode, if their fields can hold them, and their angle."""
        group: cython.int
        scalar: cython.int
        wrong: cython.int = -1
        # From the last to the first: the first that is wrong is named.
        if self.frames.dense:
            for scalar in range(self.plan.scalar_count - 1, -1, -1):
                self.now[scalar] = self.frames.targets[scalar][index]
                wrong = scalar if self.misfits(scalar) else wrong
        else:
            for group in range(self.plan.group_count - 1, -1, -1):
                if self.frames.has[4 * group]:
                    scalar = self.plan.first[group] + self.plan.count[group] - 1
                    while scalar >= self.plan.first[group]:
                        self.now[scalar] = self.frames.targets[scalar][self.frames.rows[group]]
                        wrong = scalar if self.misfits(scalar) else wrong
                        scalar -= 1
        if wrong < 0:
            return st.OK
        self.fault.entity = self.frames.base.keys[index]
        return self.blame(wrong)

    def store(self, index: cython.Py_ssize_t) -> cython.void:
        """The decoded values into the target."""
        group: cython.int
        scalar: cython.int
        if self.frames.dense:
            for scalar in range(self.plan.scalar_count):
                self.frames.targets[scalar][index] = self.now[scalar]
            return
        for group in range(self.plan.group_count):
            if self.frames.has[4 * group]:
                for scalar in range(self.plan.first[group], self.plan.first[group] + self.plan.count[group]):
                    self.frames.targets[scalar][self.frames.rows[group]] = self.now[scalar]

    def misfits(self, scalar: cython.int) -> cython.bint:
        """Whether the value of a scalar is none of its field, or its angle."""
        above: cython.ulonglong = self.now[scalar] - self.motion.low[scalar]
        if not cython.compiled:
            above &= 0xFFFFFFFFFFFFFFFF
        room: cython.ulonglong = self.motion.room[scalar]
        return above > room

    def blame(self, scalar: cython.int) -> cython.int:
        """The value of a scalar is wrong: the fault says so."""
        self.fault.field = self.plan.field[scalar]
        self.fault.value = self.now[scalar]
        return st.VALUE_RANGE

    def hold(self, group: cython.int) -> cython.int:
        """A group that mostly stays as it is: a flag, and residuals if it does not."""
        first: cython.int = self.plan.first[group]
        last: cython.int = first + self.plan.count[group]
        old: cython.p_longlong = self.frames.old
        changed: cython.int = 0
        differ: cython.int = 0
        level: cython.int = self.frames.used
        scalar: cython.int
        way: cython.longlong
        for scalar in range(first, last):
            changed |= self.now[scalar] != old[4 * scalar]
            differ |= (old[4 * scalar] != old[4 * scalar + 1]) << 1
            differ |= (old[4 * scalar] != old[4 * scalar + 2]) << 2
            differ |= (old[4 * scalar] != old[4 * scalar + 3]) << 3
        differ &= self.frames.held_by(group)
        if differ:
            level = length_of(differ & -differ) - 2
        self.held = self.coder.bit(self.plan.models[group] + (level * 2 + self.moved) * 2 + self.held, changed)
        if not self.held:
            for scalar in range(first, last):
                self.now[scalar] = old[4 * scalar]
            return st.OK
        for scalar in range(first, last):
            way = 0
            if self.frames.used and self.frames.has[4 * group + 1]:
                way = old[4 * scalar] - old[4 * scalar + 1]
                if not cython.compiled:
                    way = wrapped(way)
            self.motion.guess[scalar] = old[4 * scalar]
            self.motion.step[scalar] = way
            self.motion.bend[scalar] = 0
        return self.residuals(group, first, 1, HELD, 0)

    def choice(self, group: cython.int, index: cython.Py_ssize_t) -> cython.int:
        """A flag or one of a few values: whether it is another, and which."""
        scalar: cython.int = self.plan.first[group]
        old: cython.longlong = self.frames.old[4 * scalar]
        low: cython.longlong = self.motion.low[scalar]
        models: cython.Py_ssize_t = self.plan.models[group]
        node: cython.int = 1
        bits: cython.int = self.plan.bits[group]
        value: cython.int = self.now[scalar] - low
        context: cython.int = 7
        place: cython.int
        if 0 <= old - low < 7:
            context = old - low
        context = (context * 2 + self.moved) * 4 + self.frames.rest[index]
        if not self.coder.bit(models + context, self.now[scalar] != old):
            self.now[scalar] = old
            return st.OK
        if bits == 1:
            self.now[scalar] = low + 1 - (old - low)
        else:
            for place in range(bits - 1, -1, -1):
                node = 2 * node + self.coder.bit(models + CHOICE_MODELS + node, (value >> place) & 1)
            self.now[scalar] = low + node - (1 << bits)
        return self.blame(scalar) if self.misfits(scalar) else st.OK

    def real(self, group: cython.int) -> cython.int:
        """The bits of a float: how many of them differ from the guess, in a tree of its own, and which."""
        scalar: cython.int = self.plan.first[group]
        models: cython.Py_ssize_t = self.plan.models[group] + 128 * self.motion.goes_on(group)
        guess: cython.longlong = self.motion.guess[scalar]
        off: cython.longlong = 0
        rest: cython.ulonglong = 0
        size: cython.int = 0
        node: cython.int = 1
        place: cython.int
        if self.coder.encoding:
            off = self.now[scalar] - guess
            if not cython.compiled:
                off = wrapped(off)
            rest = -off if off < 0 else off
            while size < 64 and rest >> size:
                size += 1
        for place in range(6, -1, -1):
            node = 2 * node + self.coder.bit(models + node, (size >> place) & 1)
        size = node - 128
        if size > 64:
            return self.blame(scalar)
        if size:
            top: cython.ulonglong = 1
            top <<= size - 1
            rest = self.coder.raw((rest & ~top) | (top if off < 0 else 0), size)
            off = (rest & ~top) | top
            off = -off if rest & top else off
        guess += off
        if not cython.compiled:
            guess = wrapped(guess)
        self.now[scalar] = guess
        return st.OK

    def moving(self, group: cython.int) -> cython.int:
        first: cython.int = self.plan.first[group]
        window: cython.int = self.motion.window[group]
        if self.plan.doubtful[group]:
            return self.residuals(group, first, 13 + window, DOUBTED, 0)
        if self.plan.kind[group] == ANGLE:  # one number, as those that are doubtful: it has the models of later places
            return self.residuals(group, first, 13 + window, MOVED, 1)
        if self.plan.kind[group] == INTEGRAL:
            return self.residuals(group, first, 12, SUMMED, 0)
        return self.residuals(group, first, 2 * window + self.motion.lifted[group], MOVED, 0)

    def turned(self, group: cython.int) -> cython.int:
        """A rotation: which component is the largest, then the three others."""
        coder: Coder = self.coder
        rotation: Rotation = self.rotation
        scalar: cython.int = self.plan.first[group]
        largest: cython.int = self.now[scalar] if coder.encoding else 0
        models: cython.Py_ssize_t
        index: cython.int
        other: cython.int
        rotation.rank(group)
        models = LARGEST_MODELS + 4 * rotation.gap
        if coder.bit(models, largest == rotation.largest):
            largest = rotation.largest
        elif coder.bit(models + 1, largest == rotation.second):
            largest = rotation.second
        else:
            other = -1
            for index in range(4):
                if index == rotation.largest or index == rotation.second:
                    continue
                if other < 0 or coder.bit(models + 2, largest == index):
                    other = index
            largest = other
        self.now[scalar] = largest
        rotation.place(group, largest)
        return self.residuals(group, scalar + 1, 8 + self.motion.window[group], TURNED, 0)

    def residuals(
        self, group: cython.int, first: cython.int, slot: cython.int, sort: cython.int, later: cython.int
    ) -> cython.int:
        """The scalars of a group from ``first`` on, each as what it differs from its guess.

        ``slot`` and ``sort`` choose the models; ``later`` is 1 for those that the second and later scalars have.
        """
        last: cython.int = self.plan.first[group] + self.plan.count[group]
        window: cython.int = self.motion.window[group] if sort != HELD else 0
        turns: cython.bint = self.plan.modulus[group] != 0
        scalar: cython.int
        strayed: cython.int
        value: cython.longlong
        self.coder.features[3] = self.motion.fastest
        self.coder.features[4] = self.strayed
        if self.coder.encoding:
            for scalar in range(first, last):
                value = self.now[scalar] - self.motion.guess[scalar]
                if not cython.compiled:
                    value = wrapped(value)
                self.off[scalar] = self.motion.shortest(group, value) if turns else value
        at: cython.Py_ssize_t = FEATURES * (window * self.plan.scalar_count + first)
        strayed = self.coder.residuals(first, last, at, slot, sort, later)
        if strayed > self.strayed:
            self.strayed = strayed
        if self.coder.encoding:
            return st.OK
        for scalar in range(first, last):
            value = self.motion.guess[scalar] + self.off[scalar]
            if not cython.compiled:
                value = wrapped(value)
            self.now[scalar] = self.motion.within(group, scalar, value) if turns else value
            if self.misfits(scalar):
                return self.blame(scalar)
        return st.OK
