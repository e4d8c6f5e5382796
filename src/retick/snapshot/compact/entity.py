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
    from cython.cimports.libc.math import fabs
    from cython.cimports.retick.snapshot.compact.coder import Coder
    from cython.cimports.retick.snapshot.compact.frames import Frames
    from cython.cimports.retick.snapshot.compact.logs import log_of, rounded
    from cython.cimports.retick.snapshot.compact.magnitude import Magnitude
    from cython.cimports.retick.snapshot.compact.motion import Motion
    from cython.cimports.retick.snapshot.compact.numbers import (
        ANGLE,
        CHOICE,
        CHOICE_MODELS,
        HOLD,
        INTEGRAL,
        LARGEST_MODELS,
        MOTION,
        ROTATION,
    )
    from cython.cimports.retick.snapshot.compact.plan import Plan
    from cython.cimports.retick.snapshot.compact.rotation import Rotation
    from cython.cimports.retick.snapshot.kernels import status as st
    from cython.cimports.retick.snapshot.kernels.arrays import ints, longs
    from cython.cimports.retick.snapshot.kernels.columns import Columns
    from cython.cimports.retick.snapshot.kernels.fault import Fault
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
else:
    from math import fabs

    from retick.snapshot.compact.coder import Coder
    from retick.snapshot.compact.frames import Frames
    from retick.snapshot.compact.logs import log_of, rounded
    from retick.snapshot.compact.magnitude import Magnitude
    from retick.snapshot.compact.motion import Motion, wrapped
    from retick.snapshot.compact.numbers import (
        ANGLE,
        CHOICE,
        CHOICE_MODELS,
        HOLD,
        INTEGRAL,
        LARGEST_MODELS,
        MOTION,
        ROTATION,
    )
    from retick.snapshot.compact.plan import Plan
    from retick.snapshot.compact.rotation import Rotation
    from retick.snapshot.kernels import status as st
    from retick.snapshot.kernels.arrays import ints, longs
    from retick.snapshot.kernels.columns import Columns
    from retick.snapshot.kernels.fault import Fault
    from retick.snapshot.kernels.table import FieldTable

    HELD, MOVED, TURNED = 0, 1, 2

__all__ = ["Entity"]


@cython.cclass
class Entity:
    """The entity at hand; see the .pxd for what each member holds."""

    if not cython.compiled:
        plan: Plan
        table: FieldTable
        coder: Coder
        frames: Frames
        motion: Motion
        rotation: Rotation
        magnitude: Magnitude
        fault: Fault
        target: Columns
        now: Any
        speed: Any
        curve: Any
        moved: int
        strayed: int
        held: int
        costs: Any
        _owners: Any

    def __init__(self, plan: Plan, table: FieldTable, acceleration: Any) -> None:
        self.plan = plan
        self.table = table
        self.coder = Coder()
        self.frames = Frames(plan, table)
        self.motion = Motion(plan, table, self.frames, acceleration)
        self.rotation = Rotation(plan, self.frames, self.motion)
        self.magnitude = Magnitude(self.coder)
        self.fault = Fault()
        self.costs = None
        now = array("q", bytes(8 * (plan.scalar_count + 1)))
        speed, curve = (array("i", bytes(4 * (plan.group_count + 1))) for _ in range(2))
        self._owners = (now, speed, curve)
        self.now, self.speed, self.curve = longs(now), ints(speed), ints(curve)

    def code(self, index: cython.Py_ssize_t) -> cython.int:
        """Everything in one changed entity."""
        plan: Plan = self.plan
        frames: Frames = self.frames
        motion: Motion = self.motion
        group: cython.int
        kind: cython.int
        status: cython.int
        row: cython.longlong
        scalar: cython.int
        spent: cython.double = 0.0
        frames.load(index)
        self.moved = frames.used > 0 and frames.rest[index] == 0
        self.strayed = self.held = 0
        for group in range(plan.group_count):
            kind = plan.kind[group]
            self.speed[group] = self.curve[group] = 0
            if not frames.has[4 * group]:
                continue
            if kind == MOTION or kind == ANGLE:  # noqa: SIM109 - a tuple would be made in C too
                motion.predict(group)
                self.note_speed(group)
            elif kind == ROTATION:
                self.rotation.predict(group)
                self.note_turn(group)
        for group in range(plan.group_count):
            if not frames.has[4 * group]:
                continue
            if self.costs is not None:
                spent = self.coder.bits_written()
            row = frames.row(0, plan.component[group], index) if frames.mapped[0] else index
            if self.coder.encoding:
                status = self.fetch(group, index, row)
                if status != st.OK:
                    return status
            kind = plan.kind[group]
            if kind == HOLD:
                status = self.hold(group, row)
            elif kind == CHOICE:
                status = self.choice(group, index)
            else:
                if kind == INTEGRAL:
                    motion.integrate(group, self.now)
                    self.note_speed(group)
                status = self.turned(group) if kind == ROTATION else self.moving(group)
            if status != st.OK:
                return status
            if not self.coder.encoding:
                for scalar in range(plan.first[group], plan.first[group] + plan.count[group]):
                    self.target.columns[plan.field[scalar]][row] = self.now[scalar]
            if self.costs is not None:
                self.costs[group] += self.coder.bits_written() - spent
        return st.OK

    def note_speed(self, group: cython.int) -> cython.void:
        """The logs of the group's predicted step, and of how much its windows differ on that."""
        total: cython.longlong = 0
        bends: cython.longlong = 0
        scalar: cython.int
        for scalar in range(self.plan.first[group], self.plan.first[group] + self.plan.count[group]):
            total += abs(self.motion.step[scalar])
            bends += abs(self.motion.bend[scalar])
        self.speed[group] = log_of(total)
        self.curve[group] = log_of(bends)
        if total == 0 and bends == 0:
            self.motion.window[group] = 0

    def note_turn(self, group: cython.int) -> cython.void:
        total: cython.double = 0.0
        bends: cython.double = 0.0
        index: cython.int
        for index in range(4 * group, 4 * group + 4):
            total += fabs(self.rotation.guess[index] - self.rotation.start[index])
            bends += fabs(self.rotation.rate[index])
        self.speed[group] = log_of(rounded(0.5 * total))
        self.curve[group] = log_of(rounded(0.5 * bends))
        if self.speed[group] == 0 and self.curve[group] == 0:
            self.motion.window[group] = 0

    def fetch(self, group: cython.int, index: cython.Py_ssize_t, row: cython.longlong) -> cython.int:
        """The values to encode, if their fields can hold them, and their angle."""
        scalar: cython.int
        modulus: cython.longlong = self.plan.modulus[group]
        for scalar in range(self.plan.first[group], self.plan.first[group] + self.plan.count[group]):
            self.now[scalar] = self.target.columns[self.plan.field[scalar]][row]
            if self.misfits(scalar) or (
                modulus and self.now[scalar] - self.table.low[self.plan.field[scalar]] >= modulus
            ):
                self.fault.entity = self.frames.base.keys[index]
                self.fault.field = self.plan.field[scalar]
                self.fault.value = self.now[scalar]
                return st.VALUE_RANGE
        return st.OK

    def misfits(self, scalar: cython.int) -> cython.bint:
        """Whether the value of a scalar is none of its field; then the fault says so."""
        field: cython.int = self.plan.field[scalar]
        above: cython.ulonglong = self.now[scalar] - self.table.low[field]
        if not cython.compiled:
            above &= 0xFFFFFFFFFFFFFFFF
        if above <= self.table.span[field]:
            return False
        self.fault.field = field
        self.fault.value = self.now[scalar]
        return True

    def add(self, group: cython.int, scalar: cython.int, guess: cython.longlong, value: cython.longlong) -> cython.int:
        """While decoding: guess and residual make the value."""
        found: cython.longlong = guess + value
        if not cython.compiled:
            found = wrapped(found)
        if self.plan.modulus[group]:
            found = self.motion.within(group, scalar, found)
        self.now[scalar] = found
        return st.VALUE_RANGE if self.misfits(scalar) else st.OK

    def hold(self, group: cython.int, row: cython.longlong) -> cython.int:
        """A group that mostly stays as it is: a flag, and residuals if it does not."""
        plan: Plan = self.plan
        frames: Frames = self.frames
        scalar: cython.int
        last: cython.int = plan.first[group] + plan.count[group]
        changed: cython.int = 0
        level: cython.int = frames.used
        number: cython.int
        for number in range(frames.used, 0, -1):
            if not frames.has[4 * group + number]:
                continue
            for scalar in range(plan.first[group], last):
                if frames.old[4 * scalar] != frames.old[4 * scalar + number]:
                    level = number - 1
        for scalar in range(plan.first[group], last):
            if self.coder.encoding and self.now[scalar] != frames.old[4 * scalar]:
                changed = 1
        number = plan.models[group] + (level * 2 + self.moved) * 2 + self.held
        self.held = self.coder.bit(number, changed)
        if not self.held:
            for scalar in range(plan.first[group], last):
                self.now[scalar] = frames.old[4 * scalar]
            return st.OK
        for scalar in range(plan.first[group], last):
            self.motion.guess[scalar] = frames.old[4 * scalar]
            self.motion.step[scalar] = self.motion.bend[scalar] = 0
            if frames.used and frames.has[4 * group + 1]:
                self.motion.step[scalar] = self.motion.since(group, scalar, 1)
        self.motion.window[group] = 0
        return self.residuals(group, plan.first[group], 0, HELD)

    def choice(self, group: cython.int, index: cython.Py_ssize_t) -> cython.int:
        """A flag or one of a few values: whether it is another, and which."""
        coder: Coder = self.coder
        scalar: cython.int = self.plan.first[group]
        old: cython.longlong = self.frames.old[4 * scalar]
        low: cython.longlong = self.table.low[self.plan.field[scalar]]
        models: cython.Py_ssize_t = self.plan.models[group]
        node: cython.int = 1
        bits: cython.int = self.plan.bits[group]
        value: cython.int = 0
        context: cython.int = 7
        place: cython.int
        if 0 <= old - low < 7:
            context = old - low
        context = (context * 2 + self.moved) * 4 + self.frames.rest[index]
        if coder.encoding:
            value = self.now[scalar] - low
        if not coder.bit(models + context, coder.encoding and self.now[scalar] != old):
            self.now[scalar] = old
            return st.OK
        if bits == 1:
            self.now[scalar] = low + 1 - (old - low)
        else:
            for place in range(bits - 1, -1, -1):
                node = 2 * node + coder.bit(models + CHOICE_MODELS + node, (value >> place) & 1)
            self.now[scalar] = low + node - (1 << bits)
        return st.VALUE_RANGE if self.misfits(scalar) else st.OK

    def moving(self, group: cython.int) -> cython.int:
        slot: cython.int = 1 + 2 * self.motion.window[group] + self.motion.lifted[group]
        return self.residuals(group, self.plan.first[group], slot, MOVED)

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
        return self.residuals(group, scalar + 1, 9 + self.motion.window[group], TURNED)

    def residuals(self, group: cython.int, first: cython.int, slot: cython.int, sort: cython.int) -> cython.int:
        """The scalars of a group from ``first`` on, each as what it differs from its guess."""
        motion: Motion = self.motion
        magnitude: Magnitude = self.magnitude
        features: cython.p_int = magnitude.features
        last: cython.int = self.plan.first[group] + self.plan.count[group]
        scalar: cython.int
        other: cython.int = 0
        number: cython.int
        bent: cython.int = 0
        signs: cython.int
        strayed: cython.int = 0
        value: cython.longlong = 0
        for number in range(self.plan.group_count):
            if number != group:
                other = self.speed[number] if self.speed[number] > other else other
                bent = self.curve[number] if self.curve[number] > bent else bent
        features[0] = 16
        features[3] = self.speed[group]
        features[4] = self.curve[group]
        features[5] = other
        features[6] = features[7] = 0
        features[8] = self.strayed
        features[9] = 16 if motion.lifted[group] else 0
        features[10] = bent
        for scalar in range(first, last):
            features[1] = log_of(motion.step[scalar])
            features[2] = log_of(motion.bend[scalar])
            features[11] = strayed
            signs = (
                3 * self.sign(motion.step[scalar])
                + self.sign(motion.bend[scalar])
                + (9 if motion.window[group] > 1 else 0)
            )
            if self.coder.encoding:
                value = self.now[scalar] - motion.guess[scalar]
                if not cython.compiled:
                    value = wrapped(value)
                value = motion.shortest(group, value)
            value = magnitude.residual(scalar + self.plan.scalar_count * motion.window[group], slot, sort, signs, value)
            if not self.coder.encoding and self.add(group, scalar, motion.guess[scalar], value) != st.OK:
                return st.VALUE_RANGE
            features[7] = features[6]
            features[6] = magnitude.size
            strayed = magnitude.size if magnitude.size > strayed else strayed
        if strayed > self.strayed:
            self.strayed = strayed
        return st.OK

    def sign(self, value: cython.longlong) -> cython.int:
        """0 for zero, 1 above it, 2 below."""
        return (value > 0) + 2 * (value < 0)
