"""The entropy-coded body: every entity of the baseline, and what changed in it (a compiled kernel).

Contents: one changed entity; the whole body; the usual packet.

A single walk serves both directions: while encoding it reads the target's values, while decoding it writes them. The
target has the entities and components of the baseline, row by row.
"""

from array import array
from collections.abc import Callable
from typing import Any

from retick.snapshot.compact.head import (
    CARRIED,
    CHECK,
    CHECK_BYTES,
    EVEN,
    HISTORY,
    SHORT_HEADS,
    USUAL,
    USUAL_AGES,
    Head,
    check_of,
    split_check,
    with_check,
)

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.snapshot import layout
    from cython.cimports.retick.snapshot.columns import Columns, FieldTable, copy_columns, longs, uchars
    from cython.cimports.retick.snapshot.compact import numbers as n
    from cython.cimports.retick.snapshot.compact.coder import Coder, CompactPlan, Statistics
    from cython.cimports.retick.snapshot.compact.motion import Frames, MotionPredictor, RotationPredictor, same_shape
    from cython.cimports.retick.snapshot.stream import Fault
else:
    from retick.snapshot import layout
    from retick.snapshot.columns import Columns, FieldTable, copy_columns, longs, uchars
    from retick.snapshot.compact import numbers as n
    from retick.snapshot.compact.coder import Coder, CompactPlan, Statistics
    from retick.snapshot.compact.motion import Frames, MotionPredictor, RotationPredictor, same_shape, wrapped
    from retick.snapshot.stream import Fault

# One changed entity: its groups in order, each predicted and then coded.
#
# A single program serves both directions: while encoding it reads the target's values, while decoding it writes them.

if not cython.compiled:
    HELD = 0  # C constant: sorts of sign and mantissa models
    MOVED = 1  # C constant
    TURNED = 2  # C constant
    SUMMED = 3  # C constant
    DOUBTED = 4  # C constant


@cython.final
@cython.cclass
class Entity:
    """The entity that is being coded."""

    plan: CompactPlan
    coder: Coder
    frames: Frames
    motion: MotionPredictor
    rotation: RotationPredictor
    fault: Fault  # readonly: what is wrong, or OK
    now: cython.p_longlong  # by scalar: the entity's values after the packet
    off: cython.p_longlong  # by scalar: its residual
    moved: cython.int  # whether the entity differs from the newest history frame
    strayed: cython.int  # log of the largest residual of the groups before, in this entity
    held: cython.int  # whether the HOLD group before, in this entity, has changed
    costs: list[Any]  # bits by group, if they are counted
    _owners: tuple[Any, ...]

    def __init__(self, plan: CompactPlan, table: FieldTable, acceleration: Any) -> None:
        now, off = (array("q", bytes(8 * (plan.scalar_count + 1))) for _ in range(2))
        self._owners = (now, off)
        self.now, self.off = longs(now), longs(off)
        self.plan = plan
        self.frames = Frames(plan, table)
        self.motion = MotionPredictor(plan, table, self.frames, acceleration)
        self.rotation = RotationPredictor(plan, self.frames, self.motion)
        self.coder = Coder(off, *self.motion.arrays)
        self.fault = Fault()
        self.costs = None  # type: ignore[assignment]  # not counted

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def code(self, index: cython.Py_ssize_t) -> cython.int:
        """Code everything in one changed entity."""
        group: cython.int
        number: cython.int
        kind: cython.int
        status: cython.int
        spent: cython.double = 0.0
        self.frames.load(index)
        if self.coder.encoding and self.fetch(index) != layout.OK:
            return layout.VALUE_RANGE
        self.moved = self.frames.used > 0 and self.frames.rest[index] == 0
        self.strayed = self.held = self.motion.fastest = 0
        self.coder.features[0] = 16
        self.coder.features[6] = self.flag()
        for number in range(self.plan.predicted_count):
            group = self.plan.predicted[number]
            if self.frames.has[4 * group]:
                if self.plan.kind[group] == n.ROTATION:
                    self.rotation.predict(group)
                else:
                    self.motion.predict(group)
        for group in range(self.plan.group_count):
            if not self.frames.has[4 * group]:
                continue
            if self.costs is not None:
                spent = self.coder.bits_written()
            kind = self.plan.kind[group]
            if kind == n.HOLD:
                status = self.hold(group)
            elif kind == n.CHOICE:
                status = self.choice(group, index)
            elif kind == n.REAL:
                status = self.real(group)
            elif kind == n.ROTATION:
                status = self.turned(group)
            else:
                if kind == n.INTEGRAL:
                    self.motion.integrate(group, self.now)
                status = self.moving(group)
            if status != layout.OK:
                return status
            if self.costs is not None:
                self.costs[group] += self.coder.bits_written() - spent
        if not self.coder.encoding:
            self.store(index)
        return layout.OK

    @cython.cfunc
    @cython.exceptval(check=False)
    def flag(self) -> cython.int:
        """16 if the entity's first choice is not its lowest value, else 0."""
        group: cython.int = self.plan.flag_group
        scalar: cython.int
        if group < 0 or not self.frames.has[4 * group]:
            return 0
        scalar = self.plan.first[group]
        return 16 if self.frames.old[4 * scalar] != self.motion.low[scalar] else 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def fetch(self, index: cython.Py_ssize_t) -> cython.int:
        """Read the values to encode, and check that their fields and angles can hold them."""
        group: cython.int
        scalar: cython.int
        wrong: cython.int = -1
        # From the last to the first, so that the first wrong one is named.
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
            return layout.OK
        self.fault.entity = self.frames.base.keys[index]
        return self.blame(wrong)

    @cython.cfunc
    @cython.exceptval(check=False)
    def store(self, index: cython.Py_ssize_t) -> cython.void:
        """Write the decoded values into the target."""
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

    @cython.cfunc
    @cython.exceptval(check=False)
    def misfits(self, scalar: cython.int) -> cython.bint:
        """Whether the field or the angle of a scalar cannot hold its value."""
        above: cython.ulonglong = self.now[scalar] - self.motion.low[scalar]
        if not cython.compiled:
            above &= 0xFFFFFFFFFFFFFFFF
        room: cython.ulonglong = self.motion.room[scalar]
        return above > room

    @cython.cfunc
    @cython.exceptval(check=False)
    def blame(self, scalar: cython.int) -> cython.int:
        """Write into the fault that the value of a scalar is wrong."""
        self.fault.field = self.plan.field[scalar]
        self.fault.value = self.now[scalar]
        return layout.VALUE_RANGE

    @cython.cfunc
    @cython.exceptval(check=False)
    def hold(self, group: cython.int) -> cython.int:
        """Code a group that mostly stays as it is: a flag, and residuals if it changes."""
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
            level = n.length_of(differ & -differ) - 2
        self.held = self.coder.bit(self.plan.models[group] + (level * 2 + self.moved) * 2 + self.held, changed)
        if not self.held:
            for scalar in range(first, last):
                self.now[scalar] = old[4 * scalar]
            return layout.OK
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

    @cython.cfunc
    @cython.exceptval(check=False)
    def choice(self, group: cython.int, index: cython.Py_ssize_t) -> cython.int:
        """Code a flag or one of a few values: whether it changes, and to which."""
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
            return layout.OK
        if bits == 1:
            self.now[scalar] = low + 1 - (old - low)
        else:
            for place in range(bits - 1, -1, -1):
                node = 2 * node + self.coder.bit(models + n.CHOICE_MODELS + node, (value >> place) & 1)
            self.now[scalar] = low + node - (1 << bits)
        return self.blame(scalar) if self.misfits(scalar) else layout.OK

    @cython.cfunc
    @cython.exceptval(check=False)
    def real(self, group: cython.int) -> cython.int:
        """Code a float: how many of its bits differ from the guess, in a tree of its own, and which."""
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
        return layout.OK

    @cython.cfunc
    @cython.exceptval(check=False)
    def moving(self, group: cython.int) -> cython.int:
        first: cython.int = self.plan.first[group]
        window: cython.int = self.motion.window[group]
        if self.plan.doubtful[group]:
            return self.residuals(group, first, 13 + window, DOUBTED, 0)
        if self.plan.kind[group] == n.ANGLE:  # one number, like doubtful ones: it has the models of later places
            return self.residuals(group, first, 13 + window, MOVED, 1)
        if self.plan.kind[group] == n.INTEGRAL:
            return self.residuals(group, first, 12, SUMMED, 0)
        return self.residuals(group, first, 2 * window + self.motion.lifted[group], MOVED, 0)

    @cython.cfunc
    @cython.exceptval(check=False)
    def turned(self, group: cython.int) -> cython.int:
        """Code a rotation: which component is the largest, then the three others."""
        coder: Coder = self.coder
        rotation: RotationPredictor = self.rotation
        scalar: cython.int = self.plan.first[group]
        largest: cython.int = self.now[scalar] if coder.encoding else 0
        models: cython.Py_ssize_t
        index: cython.int
        other: cython.int
        rotation.rank(group)
        models = n.LARGEST_MODELS + 4 * rotation.gap
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

    @cython.cfunc
    @cython.exceptval(check=False)
    def residuals(
        self, group: cython.int, first: cython.int, slot: cython.int, sort: cython.int, later: cython.int
    ) -> cython.int:
        """Code the scalars of a group from ``first`` on, each as the difference from its guess.

        ``slot`` and ``sort`` choose the models; ``later`` is 1 for those of the second and later scalars.
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
        at: cython.Py_ssize_t = n.FEATURES * (window * self.plan.scalar_count + first)
        strayed = self.coder.residuals(first, last, at, slot, sort, later)
        if strayed > self.strayed:
            self.strayed = strayed
        if self.coder.encoding:
            return layout.OK
        for scalar in range(first, last):
            value = self.motion.guess[scalar] + self.off[scalar]
            if not cython.compiled:
                value = wrapped(value)
            self.now[scalar] = self.motion.within(group, scalar, value) if turns else value
            if self.misfits(scalar):
                return self.blame(scalar)
        return layout.OK


# The whole body: every entity of the baseline, one after another.


@cython.final
@cython.cclass
class Body:
    """Codes the changes of one packet."""

    plan: CompactPlan
    entity: Entity
    coder: Coder  # of the entity, as the next two
    frames: Frames
    fault: Fault  # readonly: what is wrong, or OK
    changes: cython.Py_ssize_t  # readonly: entities with a change
    fitting: cython.Py_ssize_t  # readonly: entities from the first on that the next two have room for
    budget: cython.Py_ssize_t  # public: bytes
    most_changes: cython.Py_ssize_t  # public: entities
    levels: cython.p_uchar  # by entity: context of the flag that says whether it has changed
    _levels_owner: Any
    _factors: Any  # of the packet before

    def __init__(self, plan: CompactPlan, table: FieldTable, acceleration: Any) -> None:
        self.plan = plan
        self.entity = Entity(plan, table, acceleration)
        self.coder = self.entity.coder
        self.frames = self.entity.frames
        self.fault = self.entity.fault
        self.budget = self.most_changes = 0
        self._levels_owner = array("B")
        self._factors = None

    def note_costs(self, costs: Any) -> None:
        """From now on, add the bits of each group to this list, with entity flags at its end; None stops it."""
        self.entity.costs = costs

    @cython.ccall
    def encode(
        self,
        statistics: Statistics,
        base: Columns,
        history: Any,
        factors: Any,
        target: Columns,
        cut: cython.Py_ssize_t,
        head: bytes,
    ) -> bytes:
        """``head`` and the bytes of the body; ``statistics`` learn from it. If it fails, the status is in ``fault``."""
        self.start(statistics, base, history, factors, target)
        self.coder.begin_encoding(head)
        # The target has the baseline's rows, so it is compared as if it were the baseline.
        self.frames.differ(target, 0)
        self.fault.status = self.walk(cut)
        return self.coder.finish()

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def decode(
        self,
        statistics: Statistics,
        base: Columns,
        history: Any,
        factors: Any,
        target: Columns,
        cut: cython.Py_ssize_t,
        data: bytes,
        start: cython.Py_ssize_t,
    ) -> cython.int:
        """Decode the body into ``target``, a copy of ``base``. Returns the status; if it is not OK, see ``fault``."""
        self.start(statistics, base, history, factors, target)
        self.coder.begin_decoding(data, start)
        self.fault.status = self.walk(cut)
        if self.fault.status == layout.OK and self.coder.at < len(data):
            self.fault.extra = 8 * (len(data) - self.coder.at)
            self.fault.status = layout.TRAILING_BYTES
        return self.fault.status

    @cython.cfunc
    def start(self, statistics: Statistics, base: Columns, history: Any, factors: Any, target: Columns) -> cython.void:
        self.coder.use(statistics.models, statistics.weights)
        self.frames.use(base, history, target)
        if factors is not self._factors:
            self._factors = factors
            self.entity.motion.use(factors.ahead, factors.back, factors.ticks)
            self.entity.rotation.use(factors.turns)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def walk(self, cut: cython.Py_ssize_t) -> cython.int:
        """Code all entities before ``cut``."""
        coder: Coder = self.coder
        frames: Frames = self.frames
        index: cython.Py_ssize_t = 0
        end: cython.Py_ssize_t = cut if cut < frames.count else frames.count
        status: cython.int
        worst: cython.Py_ssize_t = 128 * self.plan.scalar_count + 64
        spent: cython.double = 0.0
        counting: cython.bint = self.entity.costs is not None
        self.changes = 0
        self.fitting = 0
        self.find_levels(end)
        while index < end:
            if coder.encoding:
                coder.make_room(worst + 2 * (end - index))  # the flag of an entity takes at most eleven bits
            if counting:
                spent = coder.bits_written()
            index = coder.until_changed(self.levels, frames.ways, index, end)
            if counting:
                self.entity.costs[self.plan.group_count] += coder.bits_written() - spent
            if index < end and not coder.overrun:
                self.changes += 1
                status = self.entity.code(index)
                if status != layout.OK:
                    return status
            if coder.overrun:
                self.fault.needed, self.fault.available = 8, 0
                return layout.UNEXPECTED_EOF
            index += 1
            if coder.at <= self.budget and self.changes <= self.most_changes:
                self.fitting = index
        return layout.OK

    @cython.cfunc
    def find_levels(self, end: cython.Py_ssize_t) -> cython.void:
        """Estimate how likely each entity before ``end`` has changed, from its speed or rest, and its first flag."""
        plan: CompactPlan = self.plan
        frames: Frames = self.frames
        index: cython.Py_ssize_t
        row: cython.longlong
        flags: cython.p_longlong = cython.NULL
        flag: cython.int
        level: cython.int
        if len(self._levels_owner) < end:
            self._levels_owner = array("B", bytes(end))
        self.levels = uchars(self._levels_owner)
        # A byte may alias anything, to a C compiler: local variables are not read again after each write.
        levels: cython.p_uchar = self.levels
        rests: cython.p_uchar = frames.rest
        used: cython.int = frames.used
        dense: cython.bint = frames.dense
        flagged: cython.bint = plan.flag_group >= 0
        if flagged:
            flags = frames.base.columns[plan.field[plan.first[plan.flag_group]]]
        for index in range(end):
            flag = 0
            if flagged:
                row = index if dense else frames.row(0, plan.component[plan.flag_group], index)
                if row >= 0:
                    flag = flags[row] if 0 <= flags[row] < 3 else 3
            level = 19
            if used:
                level = 15 + rests[index] if rests[index] else self.speed_of(index)
            levels[index] = 4 * level + flag

    @cython.cfunc
    @cython.exceptval(check=False)
    def speed_of(self, index: cython.Py_ssize_t) -> cython.int:
        """The logs of all that an entity has moved since the newest history frame, in 16 levels."""
        plan: CompactPlan = self.plan
        frames: Frames = self.frames
        group: cython.int
        scalar: cython.int
        number: cython.int
        component: cython.int
        here: cython.longlong
        there: cython.longlong
        way: cython.longlong = 0
        if frames.dense:
            for number in range(plan.tracked_count):
                scalar = plan.tracked[number]
                way += _way(frames.cells[4 * scalar][index], frames.cells[4 * scalar + 1][index])
            return way >> 4 if way < 256 else 15
        for component in range(frames.table.component_count):
            here = frames.row(0, component, index)
            there = frames.row(1, component, index)
            if here < 0 or there < 0:
                continue
            for number in range(frames.group_starts[component], frames.group_starts[component + 1]):
                group = frames.group_list[number]
                if plan.kind[group] != n.CHOICE:
                    for scalar in range(plan.first[group], plan.first[group] + plan.count[group]):
                        way += _way(frames.cells[4 * scalar][here], frames.cells[4 * scalar + 1][there])
        return way >> 4 if way < 256 else 15


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _way(here: cython.longlong, there: cython.longlong) -> cython.int:
    """The log of the distance between two values."""
    way: cython.longlong = here - there
    if not cython.compiled:
        way = wrapped(way)
    return n.log_of(way)


# The usual packet, coded as a whole, both ways.
#
# Most packets have the usual history, or one of even distances, and nothing is wrong with them. No entity comes or
# goes, or the caller has a structure of its own for that. These methods code such packets with little around the body,
# and return None for all others: then :class:`PayloadCodec` codes the packet, with every check in its place and the
# right error. So nothing here decides what is an error, and leaving it out changes only the speed.

if not cython.compiled:
    NO_CUT = 0x40000000  # C constant


@cython.final
@cython.cclass
class Encoded:
    """A payload, and what both ends have after it."""

    if not cython.compiled:
        __slots__ = ("cut", "payload", "statistics")

    payload: bytes  # readonly
    statistics: Statistics  # readonly
    cut: cython.bint  # readonly: whether changes were left out to keep to a number of bytes

    def __init__(self, payload: bytes, statistics: Statistics, cut: bool) -> None:
        self.payload = payload
        self.statistics = statistics
        self.cut = cut


@cython.final
@cython.cclass
class Usual:
    """Codes the usual packets of one codec."""

    body: Body
    table: FieldTable
    start: Statistics  # of the prior
    sealed: cython.bint
    entity_bits: cython.Py_ssize_t  # by which a packet is worth its while
    most_changes: cython.Py_ssize_t  # limits
    most_entities: cython.Py_ssize_t
    most_bytes: cython.Py_ssize_t
    longest: cython.Py_ssize_t
    ticks: cython.longlong  # of the factors
    _ages: Any
    _factors: Any
    _factors_of: Any
    _or_plain: Any
    _sizes: tuple[int, int]

    def __init__(
        self,
        body: Body,
        table: FieldTable,
        start: Statistics,
        limits: Any,
        sealed: bool,
        entity_bits: int,
        factors_of: Callable[[int, tuple[int, ...]], Any],
        or_plain: Callable[[Any, Any, Any, bytes, Any], tuple[bytes, Any]],
    ) -> None:
        """``or_plain`` gives the payload and the statistics of the plain form if that is shorter."""
        self.body = body
        self.table = table
        self.start = start
        self.sealed = sealed
        self.entity_bits = entity_bits
        self.most_changes = min(limits.max_entities_update, NO_CUT)
        self.most_entities = min(limits.max_total_entities_after_apply, NO_CUT)
        self.most_bytes = min(limits.max_section_bytes, NO_CUT)
        self.longest = min(limits.max_section_len, NO_CUT)
        self.ticks = -1
        self._ages = USUAL_AGES
        self._factors_of = factors_of
        self._or_plain = or_plain
        self._sizes = (len(start.models), len(start.weights))

    @cython.ccall
    def encode(self, base: Any, current: Any, history: Any, carried: Any, structure: bytes) -> Any:
        """Encode a packet; None if it is not a usual one."""
        if len(history) != n.FRAMES or not (self.takes(base) and self.takes(current)):
            return None
        ages: Any = self.ages_of(base, history)
        here: Columns = base
        there: Columns = current
        ticks: cython.longlong = current.tick
        start: Statistics = self.start
        statistics: Statistics
        payload: bytes
        ticks -= base.tick
        if ages is None or base.tick == 0 or not same_shape(here, there):
            return None
        if carried is not None:
            if not self.knows(carried):
                return None
            start = carried
        statistics = start.copy()
        head: bytes = (
            Head(ages, carried is not None, None, structure).to_bytes()
            if structure
            else SHORT_HEADS[ages, carried is not None]
        )
        self.body.budget = NO_CUT
        payload = self.body.encode(statistics, here, history, self.factors(ticks, ages), there, NO_CUT, head)
        changes: cython.Py_ssize_t = self.body.changes
        if self.body.fault.status != layout.OK or changes > self.most_changes:
            return None
        is_long: cython.bint = (
            8 * (len(payload) - len(head)) > changes * self.entity_bits or len(payload) > self.longest
        )
        if is_long and not structure:
            payload, statistics = self._or_plain(base, current, carried, payload, statistics)
        statistics.lineage = check_of(payload, start.lineage, current.tick, base.tick)
        if not self.sealed:
            payload = with_check(payload, statistics.lineage)
        return Encoded(payload, statistics, False) if len(payload) <= self.most_bytes else None

    @cython.ccall
    def decode(self, base: Any, tick: Any, data: Any, held: Callable[[int], Any], carried: Any) -> Any:
        """Decode a packet to snapshot and statistics; None if it is not a usual one."""
        if type(data) is not bytes or not 1 <= len(data) <= self.most_bytes or tick >> 32 or not self.takes(base):
            return None
        form: cython.int = data[0]
        payload: bytes = data
        check: Any = None
        if not self.sealed:
            if not form & CHECK or len(data) < 1 + CHECK_BYTES:
                return None
            payload, check = split_check(data, True)
            form = payload[0]
        first: cython.int = 1
        body_at: cython.int = 1
        if form & ~CARRIED & 0xFF == EVEN and len(payload) > 1:
            first = payload[1]
            body_at = 2
        elif form & ~CARRIED & 0xFF != USUAL:
            return None
        if base.count > self.most_entities:
            return None
        start: Statistics = self.start
        statistics: Statistics
        if form & CARRIED:
            if carried is None or not self.knows(carried):
                return None
            start = carried
        lineage: Any = check_of(payload, start.lineage, tick, base.tick)
        if check is not None and check != lineage:
            return None
        here: Columns = base
        at: cython.longlong = base.tick
        ticks: cython.longlong = tick
        second: cython.int = 2 * first if form & HISTORY == EVEN else USUAL_AGES[1]
        third: cython.int = 3 * first if form & HISTORY == EVEN else USUAL_AGES[2]
        history: list[Any] = [held(at - first), held(at - second), held(at - third)]
        ages: Any = self.ages_of(base, history)
        if ages != (first, second, third):
            return None
        statistics = start.copy()
        statistics.lineage = lineage
        target: Columns = copy_columns(type(base), here, tick)
        status: cython.int = self.body.decode(
            statistics, here, history, self.factors(ticks - at, ages), target, NO_CUT, payload, body_at
        )
        if status != layout.OK or self.body.changes > self.most_changes:
            return None
        return target, statistics

    @cython.cfunc
    def takes(self, snapshot: Any) -> cython.bint:
        """Whether this is a snapshot of the codec's own table, with ascending ids."""
        if not isinstance(snapshot, Columns):
            return False
        columns: Columns = snapshot
        if columns.table is not self.table:
            return False
        disorder: cython.Py_ssize_t = columns.first_disorder()
        return disorder == 0

    @cython.cfunc
    def ages_of(self, base: Any, history: Any) -> Any:
        """The ages of the history frames, if they are usual or even; else None."""
        index: cython.int
        for index in range(n.FRAMES):
            if not self.takes(history[index]):
                return None
        at: Any = base.tick
        ages: Any = (at - history[0].tick, at - history[1].tick, at - history[2].tick)
        return ages if (ages, True) in SHORT_HEADS else None

    @cython.cfunc
    def knows(self, statistics: Any) -> cython.bint:
        """Whether these are statistics of the codec's plan."""
        if not isinstance(statistics, Statistics):
            return False
        given: Statistics = statistics
        sizes: tuple[int, int] = (len(given.models), len(given.weights))
        return sizes == self._sizes

    @cython.cfunc
    def factors(self, ticks: cython.longlong, ages: Any) -> Any:
        """The factors of a packet ``ticks`` after its baseline; mostly the same as for the packet before."""
        if ticks != self.ticks or ages != self._ages or ticks < 0:
            self._factors = self._factors_of(ticks, ages)
            self.ticks = ticks
            self._ages = ages
        return self._factors
