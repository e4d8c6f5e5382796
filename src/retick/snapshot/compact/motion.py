"""Predicts vectors, angles and integrals (a compiled kernel).

Contents: the baseline and the history frames; motion; rotation.

The chosen window is the longest whose line passes within one step of every history frame inside it; if there is none,
the newest frame alone gives the velocity. A declared acceleration is tried with and without.
"""

import struct
from array import array
from itertools import accumulate, chain
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.libc.math import fabs, sqrt
    from cython.cimports.libc.string import memcmp, memcpy
    from cython.cimports.retick.snapshot.columns import Columns, FieldTable, doubles, ints, longs, uchars, ulongs
    from cython.cimports.retick.snapshot.compact.coder import CompactPlan
    from cython.cimports.retick.snapshot.compact.numbers import FRAMES, TERMS, length_of, log_of, rounded
else:
    from math import fabs, sqrt

    from retick.snapshot.columns import Columns, FieldTable, doubles, ints, longs, uchars, ulongs
    from retick.snapshot.compact.coder import CompactPlan
    from retick.snapshot.compact.numbers import FRAMES, TERMS, length_of, log_of, rounded

# The baseline and the history frames of one packet, and the values that one entity has in them.
#
# Frame 0 is the baseline, frames 1 to 3 are the history, newest first. All are :class:`Columns`, which may have other
# entities than the baseline: then a map gives the row of each of the baseline's entities, -1 where it is missing.


@cython.final
@cython.cclass
class Frames:
    """The snapshots from which a packet is predicted."""

    plan: CompactPlan
    table: FieldTable
    used: cython.int  # history frames
    count: cython.Py_ssize_t  # entities of the baseline
    base: Columns
    first: Columns
    second: Columns
    third: Columns
    target: Columns  # the values to encode, or where decoded ones go; it has the baseline's rows
    cells: cython.pp_longlong  # by scalar and frame: the column of its field
    targets: cython.pp_longlong  # by scalar: the same in the target
    mapped: cython.p_int  # by frame: whether its rows are others than the baseline's entities
    dense: cython.bint  # whether no frame is mapped
    maps: cython.p_longlong  # by frame, component and entity: the row, unless dense
    rest: cython.p_uchar  # by entity: history frames with the baseline's values, from the newest on
    ways: cython.p_longlong  # by entity: what `differ` found
    old: cython.p_longlong  # by scalar and frame: the values of the entity at hand
    has: cython.p_int  # by group and frame: whether it has any
    rows: cython.p_longlong  # by group: its row in the baseline, unless dense
    order: cython.p_longlong  # by component and row of the baseline: the entity, unless dense
    group_starts: cython.p_int  # by component: the first of its groups in the list; and one more
    group_list: cython.p_int
    _maps_owner: Any
    _order_owner: Any
    _rest_owner: Any
    _ways_owner: Any
    _owners: tuple[Any, ...]

    def __init__(self, plan: CompactPlan, table: FieldTable) -> None:
        self.plan = plan
        self.table = table
        mapped = array("i", bytes(4 * (FRAMES + 1)))
        old = array("q", bytes(8 * 4 * (plan.scalar_count + 1)))
        has = array("i", bytes(4 * 4 * (plan.group_count + 1)))
        rows = array("q", bytes(8 * (plan.group_count + 1)))
        cells = array("Q", bytes(8 * 4 * (plan.scalar_count + 1)))
        targets = array("Q", bytes(8 * (plan.scalar_count + 1)))
        by_component = [
            [number for number, group in enumerate(plan.groups) if group.component == component]
            for component in range(table.component_count)
        ]
        starts = array("i", accumulate((len(groups) for groups in by_component), initial=0))
        listed = array("i", [*chain.from_iterable(by_component), 0])
        self._owners = (mapped, old, has, rows, cells, targets, starts, listed)
        self.group_starts, self.group_list = ints(starts), ints(listed)
        if cython.compiled:
            self.cells = cython.cast(cython.pointer(cython.p_longlong), ulongs(cells))
            self.targets = cython.cast(cython.pointer(cython.p_longlong), ulongs(targets))
        else:
            self.cells = [None] * len(cells)
            self.targets = [None] * len(targets)
        self._maps_owner = array("q")
        self._order_owner = array("q")
        self._rest_owner = array("B")
        self._ways_owner = array("q")
        self.mapped, self.old, self.has, self.rows = ints(mapped), longs(old), ints(has), longs(rows)

    @cython.cfunc
    def use(self, base: Columns, history: Any, target: Columns) -> cython.void:
        """Set the baseline, up to three history frames, newest first, and a target with the baseline's rows."""
        frame: cython.int
        group: cython.int
        scalar: cython.int
        source: Columns
        self.base = base
        self.target = target
        self.count = base.count
        self.used = len(history)
        # An unused frame is the baseline, so that there is always one.
        self.first = history[0] if self.used > 0 else base
        self.second = history[1] if self.used > 1 else base
        self.third = history[2] if self.used > 2 else base
        self._make_space()
        self.dense = True
        for frame in range(FRAMES + 1):
            source = self.frame(frame)
            for scalar in range(self.plan.scalar_count):
                self.cells[4 * scalar + frame] = source.columns[self.plan.field[scalar]]
            for group in range(self.plan.group_count):
                self.has[4 * group + frame] = True
            if frame <= self.used:
                self.mapped[frame] = not self._is_in_order(source)
                self.dense = self.dense and not self.mapped[frame]
        if not self.dense:
            for frame in range(self.used + 1):
                self._map(frame)
            self._put_in_order()
        for scalar in range(self.plan.scalar_count):
            self.targets[scalar] = target.columns[self.plan.field[scalar]]
        self._find_rest()

    @cython.cfunc
    def frame(self, number: cython.int) -> Columns:
        found: Columns = self.base
        if number == 1:
            found = self.first
        elif number == 2:
            found = self.second
        elif number == 3:
            found = self.third
        return found

    @cython.cfunc
    def _make_space(self) -> cython.void:
        each: cython.Py_ssize_t = self.table.component_count * self.count
        rows: cython.Py_ssize_t = (FRAMES + 1) * each
        if len(self._rest_owner) < self.count:
            self._rest_owner = array("B", bytes(self.count))
            self._ways_owner = array("q", bytes(8 * self.count))
        if len(self._maps_owner) < rows:
            self._maps_owner = array("q", bytes(8 * rows))
            self._order_owner = array("q", bytes(8 * each))
        self.rest = uchars(self._rest_owner)
        self.ways = longs(self._ways_owner)
        self.maps = longs(self._maps_owner)
        self.order = longs(self._order_owner)

    @cython.cfunc
    @cython.exceptval(check=False)
    def _is_in_order(self, source: Columns) -> cython.bint:
        """Whether the baseline's entities have the same row numbers in a frame as in the baseline."""
        base: Columns = self.base
        component: cython.int
        if source.count != self.count:
            return False
        for component in range(self.table.component_count):
            if source.rows[component] != source.count:
                return False
        if cython.compiled:
            return source.keys == base.keys or memcmp(source.keys, base.keys, 4 * self.count) == 0
        return source.keys[: self.count] == base.keys[: self.count]  # type: ignore[no-any-return]  # arrays

    @cython.cfunc
    @cython.exceptval(check=False)
    def _map(self, number: cython.int) -> cython.void:
        """Map the baseline's entities to their rows in a frame, by component; -1 if missing there."""
        source: Columns = self.frame(number)
        base: Columns = self.base
        component: cython.int
        index: cython.Py_ssize_t
        at: cython.Py_ssize_t
        row: cython.longlong
        to: cython.Py_ssize_t
        maps: cython.p_longlong = self.maps
        for component in range(self.table.component_count):
            to = (number * self.table.component_count + component) * self.count
            at = 0
            row = 0
            flags: cython.p_uchar = source.present[component]
            for index in range(self.count):
                while at < source.count and source.keys[at] < base.keys[index]:
                    row += _has(flags, at)
                    at += 1
                maps[to + index] = -1
                if at < source.count and source.keys[at] == base.keys[index] and _has(flags, at):
                    maps[to + index] = row

    @cython.cfunc
    @cython.exceptval(check=False)
    def _put_in_order(self) -> cython.void:
        """List the entities that have each component, by their rows."""
        component: cython.int
        index: cython.Py_ssize_t
        to: cython.Py_ssize_t
        row: cython.longlong
        for component in range(self.table.component_count):
            to = component * self.count
            for index in range(self.count):
                row = self.maps[to + index]
                if row >= 0:
                    self.order[to + row] = index

    @cython.cfunc
    @cython.exceptval(check=False)
    def row(self, number: cython.int, component: cython.int, entity: cython.Py_ssize_t) -> cython.longlong:
        """The row of an entity's component in a frame; -1 if missing. Not for use when all is dense."""
        return self.maps[(number * self.table.component_count + component) * self.count + entity]  # type: ignore[no-any-return]  # mypy sees kernels untyped

    @cython.cfunc
    def _find_rest(self) -> cython.void:
        """Find, for each entity, how many of the newest history frames have the baseline's values."""
        number: cython.int
        index: cython.Py_ssize_t
        for index in range(self.count):
            self.rest[index] = self.used
        for number in range(self.used, 0, -1):
            self.differ(self.frame(number), number)
            self._note_rest(number - 1)

    @cython.cfunc
    @cython.exceptval(check=False)
    def _note_rest(self, rest: cython.int) -> cython.void:
        """Set the rest of all entities that ``differ`` found to differ."""
        index: cython.Py_ssize_t
        count: cython.Py_ssize_t = self.count
        ways: cython.p_longlong = self.ways
        rests: cython.p_uchar = self.rest
        for index in range(count):
            rests[index] = rest if ways[index] else rests[index]

    @cython.cfunc
    def differ(self, other: Columns, number: cython.int) -> cython.void:
        """Set ``ways`` to nonzero for every entity that differs between the baseline and another frame."""
        index: cython.Py_ssize_t
        ways: cython.p_longlong = self.ways
        for index in range(self.count):
            ways[index] = 0
        if self.mapped[0] or self.mapped[number]:
            self._differ_by_rows(other, number)
        else:
            self._differ_in_order(other)

    @cython.cfunc
    @cython.exceptval(check=False)
    def _differ_by_rows(self, other: Columns, number: cython.int) -> cython.void:
        component: cython.int
        group: cython.int
        listed: cython.int
        scalar: cython.int
        row: cython.Py_ssize_t
        there: cython.longlong
        ways: cython.p_longlong = self.ways
        for component in range(self.table.component_count):
            if cython.compiled:
                order: cython.p_longlong = self.order + component * self.count
                map_to: cython.p_longlong = self.maps + (number * self.table.component_count + component) * self.count
            else:
                order = self.order[component * self.count :]
                map_to = self.maps[(number * self.table.component_count + component) * self.count :]
            for listed in range(self.group_starts[component], self.group_starts[component + 1]):
                group = self.group_list[listed]
                for scalar in range(self.plan.first[group], self.plan.first[group] + self.plan.count[group]):
                    ours: cython.p_longlong = self.base.columns[self.plan.field[scalar]]
                    theirs: cython.p_longlong = other.columns[self.plan.field[scalar]]
                    for row in range(self.base.rows[component]):
                        there = map_to[order[row]]
                        ways[order[row]] |= 1 if there < 0 else ours[row] ^ theirs[there]

    @cython.cfunc
    @cython.exceptval(check=False)
    def _differ_in_order(self, other: Columns) -> cython.void:
        """Do what ``differ`` does if all rows match; compares two fields at once, for fewer passes through memory."""
        scalar: cython.int = 0
        index: cython.Py_ssize_t
        ways: cython.p_longlong = self.ways
        fields: cython.p_int = self.plan.field
        while scalar + 1 < self.plan.scalar_count:
            ours: cython.p_longlong = self.base.columns[fields[scalar]]
            theirs: cython.p_longlong = other.columns[fields[scalar]]
            our_next: cython.p_longlong = self.base.columns[fields[scalar + 1]]
            their_next: cython.p_longlong = other.columns[fields[scalar + 1]]
            for index in range(self.count):
                ways[index] |= (ours[index] ^ theirs[index]) | (our_next[index] ^ their_next[index])
            scalar += 2
        if scalar < self.plan.scalar_count:
            ours = self.base.columns[fields[scalar]]
            theirs = other.columns[fields[scalar]]
            for index in range(self.count):
                ways[index] |= ours[index] ^ theirs[index]

    @cython.cfunc
    @cython.exceptval(check=False)
    def load(self, entity: cython.Py_ssize_t) -> cython.void:
        """Load the values of one entity in all frames into ``old``; ``has`` says for each group where it has any."""
        scalar: cython.int
        component: cython.int
        at: cython.Py_ssize_t
        old: cython.p_longlong = self.old
        cells: cython.pointer(cython.p_longlong) = self.cells  # type: ignore[valid-type]  # a C type
        if self.dense:
            for scalar in range(self.plan.scalar_count):
                at = 4 * scalar
                old[at] = cells[at][entity]
                old[at + 1] = cells[at + 1][entity]
                old[at + 2] = cells[at + 2][entity]
                old[at + 3] = cells[at + 3][entity]
            return
        for component in range(self.table.component_count):
            self._load_component(component, entity)

    @cython.cfunc
    @cython.exceptval(check=False)
    def _load_component(self, component: cython.int, entity: cython.Py_ssize_t) -> cython.void:
        """Load the groups of one component, when not all is dense."""
        group: cython.int
        scalar: cython.int
        listed: cython.int
        here: cython.longlong = self.row(0, component, entity)
        first: cython.longlong = self.row(1, component, entity) if self.used > 0 else -1
        second: cython.longlong = self.row(2, component, entity) if self.used > 1 else -1
        third: cython.longlong = self.row(3, component, entity) if self.used > 2 else -1
        old: cython.p_longlong = self.old
        cells: cython.pointer(cython.p_longlong) = self.cells  # type: ignore[valid-type]  # a C type
        for listed in range(self.group_starts[component], self.group_starts[component + 1]):
            group = self.group_list[listed]
            self.has[4 * group] = here >= 0
            if here < 0:
                continue
            self.rows[group] = here
            self.has[4 * group + 1] = first >= 0
            self.has[4 * group + 2] = second >= 0
            self.has[4 * group + 3] = third >= 0
            for scalar in range(self.plan.first[group], self.plan.first[group] + self.plan.count[group]):
                old[4 * scalar] = cells[4 * scalar][here]
                if first >= 0:
                    old[4 * scalar + 1] = cells[4 * scalar + 1][first]
                if second >= 0:
                    old[4 * scalar + 2] = cells[4 * scalar + 2][second]
                if third >= 0:
                    old[4 * scalar + 3] = cells[4 * scalar + 3][third]

    @cython.cfunc
    @cython.exceptval(check=False)
    def held_by(self, group: cython.int) -> cython.int:
        """The history frames in which the entity has a group, as a mask by frame number."""
        number: cython.int
        found: cython.int = 14
        if not self.dense:
            for number in range(1, FRAMES + 1):
                if number > self.used or not self.has[4 * group + number]:
                    found &= ~(1 << number)
        return found

    @cython.cfunc
    @cython.exceptval(check=False)
    def newest(self, group: cython.int) -> cython.int:
        """The newest history frame in which the entity has a group; 0 for none."""
        number: cython.int
        for number in range(1, self.used + 1):
            if self.has[4 * group + number]:
                return number
        return 0


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _has(flags: cython.p_uchar, entity: cython.Py_ssize_t) -> cython.bint:
    """Whether an entity has the component of some flags; without flags, every entity has it."""
    if cython.compiled:
        return flags == cython.NULL or flags[entity] != 0
    return flags is None or flags[entity] != 0


def all_in_order(table: FieldTable, *snapshots: Any) -> bool:
    """Whether all are snapshots of this table with ascending ids; other code finds out what is wrong with one."""
    for snapshot in snapshots:
        if not isinstance(snapshot, Columns):
            return False
        columns: Columns = snapshot
        if columns.table is not table or columns.first_disorder():
            return False
    return True


def first_disorder(columns: Columns) -> int:
    """The index of the first id that is not above the one before it; 0 if all ascend."""
    return columns.first_disorder()


@cython.ccall
@cython.exceptval(check=False)
def same_shape(one: Columns, other: Columns) -> cython.bint:
    """Whether both have the same entities with the same components."""
    component: cython.int
    index: cython.Py_ssize_t
    if one.count != other.count:
        return False
    for index in range(one.count):
        if one.keys[index] != other.keys[index]:
            return False
    for component in range(one.table.component_count):
        if one.rows[component] != other.rows[component]:
            return False
        if one.rows[component] != one.count:
            for index in range(one.count):
                if one.has_one(index, component) != other.has_one(index, component):
                    return False
    return True


# Motion: predicts vectors, angles and integrals.

_DOUBLE, _BITS = struct.Struct("<d"), struct.Struct("<q")


def wrapped(value: Any) -> Any:
    """Wrap a number to 64 bits, for uncompiled kernels: C does so by itself."""
    return ((value + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)


@cython.final
@cython.cclass
class MotionPredictor:
    """Predictions for the entity that is being coded."""

    plan: CompactPlan
    frames: Frames
    ahead: cython.p_double  # by group and window: gain, lift
    back: cython.p_double  # by group, window and frame: share, lift
    acceleration: cython.p_double  # by scalar, in steps of the field for each tick squared
    ticks: cython.double  # from the baseline to the snapshot
    low: cython.p_longlong  # by scalar: the least value
    room: cython.p_ulonglong  # by scalar: how far above that the largest is
    way: cython.p_longlong  # by scalar and frame: how far it has come since then
    guess: cython.p_longlong  # by scalar: the predicted value
    step: cython.p_longlong  # by scalar: how far that is from the baseline
    bend: cython.p_longlong  # by scalar: how far the predictions of two windows differ
    window: cython.p_int  # by group: 0 none, 1 the newest frame, 2 and 3 longer lines that fit
    lifted: cython.p_int  # by group: whether the acceleration is in it
    fastest: cython.int  # log of the largest predicted step of a group, so far in this entity
    arrays: tuple[Any, ...]  # of step and bend
    _gains_owner: tuple[Any, ...]
    _owners: tuple[Any, ...]

    def __init__(self, plan: CompactPlan, table: FieldTable, frames: Frames, acceleration: Any) -> None:
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

    @cython.cfunc
    def use(self, ahead: Any, back: Any, ticks: Any) -> cython.void:
        """Set the factors of this packet, for all groups, and its ticks after the baseline."""
        self._gains_owner = (ahead, back)
        self.ticks = ticks
        self.ahead, self.back = doubles(ahead), doubles(back)

    @cython.cfunc
    @cython.exceptval(check=False)
    def note(self, group: cython.int, steps: cython.longlong, bends: cython.longlong) -> cython.void:
        """Note how far a group should move, and how much two windows differ on that; both are sums over its scalars."""
        speed: cython.int = log_of(steps)
        self.fastest = speed if speed > self.fastest else self.fastest
        if steps == 0 and bends == 0:
            self.window[group] = 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def shortest(self, group: cython.int, way: cython.longlong) -> cython.longlong:
        """The difference of two values; for an angle, the short way round."""
        modulus: cython.longlong = self.plan.modulus[group]
        if modulus:
            if way >= modulus - modulus // 2:
                way -= modulus
            elif way < -(modulus // 2):
                way += modulus
        return way

    @cython.cfunc
    @cython.exceptval(check=False)
    def within(self, group: cython.int, scalar: cython.int, value: cython.longlong) -> cython.longlong:
        """A value clamped to what the field can hold."""
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

    @cython.cfunc
    @cython.exceptval(check=False)
    def predict(self, group: cython.int) -> cython.void:
        """Predict guess, step and bend of every scalar of a MOTION or ANGLE group."""
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

    @cython.cfunc
    @cython.exceptval(check=False)
    def look_back(self, group: cython.int) -> cython.bint:
        """Measure how far each scalar has come since each history frame; returns whether any has moved.

        A group that is the same in all frames stays, by all windows, with and without acceleration.
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

    @cython.cfunc
    @cython.exceptval(check=False)
    def stay(self, group: cython.int) -> cython.void:
        """Predict that nothing changes."""
        scalar: cython.int
        for scalar in range(self.plan.first[group], self.plan.first[group] + self.plan.count[group]):
            self.guess[scalar] = self.frames.old[4 * scalar]
            self.step[scalar] = self.bend[scalar] = 0
        self.window[group] = self.lifted[group] = 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def moves(self, group: cython.int, newest: cython.int) -> cython.bint:
        """Whether to predict motion: a group without a declared motion must have been moving before."""
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

    @cython.cfunc
    @cython.exceptval(check=False)
    def stray(
        self, group: cython.int, scalar: cython.int, window: cython.int, number: cython.int, lift: cython.int
    ) -> cython.longlong:
        """The distance of a history frame from the line of a window."""
        pair: cython.Py_ssize_t = 2 * (FRAMES * FRAMES * group + (window - 1) * FRAMES + number - 1)
        way: cython.double = self.way[4 * scalar + window] * self.back[pair]
        if lift:
            way += self.acceleration[scalar] * self.back[pair + 1]
        off: cython.longlong = rounded(way) - self.way[4 * scalar + number]
        return abs(off)

    @cython.cfunc
    @cython.exceptval(check=False)
    def strays(self, group: cython.int, window: cython.int, number: cython.int, lift: cython.int) -> cython.longlong:
        total: cython.longlong = 0
        scalar: cython.int
        for scalar in range(self.plan.first[group], self.plan.first[group] + self.plan.count[group]):
            total += self.stray(group, scalar, window, number, lift)
        return total

    @cython.cfunc
    @cython.exceptval(check=False)
    def miss(self, group: cython.int, window: cython.int, newest: cython.int, lift: cython.int) -> cython.longlong:
        """The sum of the distances of the frames inside a window; -1 if one is more than one step."""
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

    @cython.cfunc
    @cython.exceptval(check=False)
    def extend(self, group: cython.int, window: cython.int, newest: cython.int, lift: cython.int) -> cython.void:
        """Predict guess, step and bend of all scalars along a window."""
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

    @cython.cfunc
    @cython.exceptval(check=False)
    def ahead_of(self, group: cython.int, scalar: cython.int) -> cython.longlong:
        """The baseline's value plus the step, as the field can hold it."""
        value: cython.longlong = self.frames.old[4 * scalar] + self.step[scalar]
        if not cython.compiled:
            value = wrapped(value)
        return self.within(group, scalar, value)

    @cython.cfunc
    @cython.exceptval(check=False)
    def goes_on(self, group: cython.int) -> cython.int:
        """Guess a REAL group: 1 if it is on a line, 0 if it is the baseline's value."""
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
        # NaN is not below anything; a number that is not finite minus itself is NaN.
        if not abs(way - (far - way) * share / (1.0 - share)) < abs(way) or line - line != 0.0:
            return 0
        self.guess[scalar] = _bits(line)
        return 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def integrate(self, group: cython.int, now: cython.p_longlong) -> cython.void:
        """Predict an INTEGRAL group from the source's values before and ``now``."""
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
    """The double with these bits."""
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
    """The absolute value, but no more than logs can tell apart, so that sums of it fit 64 bits."""
    most: cython.longlong = 1
    most <<= 40
    return most if value > most or value < -most else abs(value)


# Rotation: a quaternion as its smallest three components.
#
# The fields are the index of the largest component, and the other three in x, y, z, w order, each an integer from 0 to
# ``2**bits - 1`` for -1/sqrt(2) to 1/sqrt(2). Here a component is ``2 * q - (2**bits - 1)``; so the length of the whole
# is ``sqrt(2) * (2**bits - 1)``.


@cython.final
@cython.cclass
class RotationPredictor:
    """Predictions for one rotation of the entity that is being coded."""

    plan: CompactPlan
    frames: Frames
    motion: MotionPredictor
    turns: cython.p_double  # by group: the series of each window, then of each window and frame
    quats: cython.p_double  # by frame: four components
    guess: cython.p_double  # by group: the predicted components
    rate: cython.p_double  # by group: how far the predictions of two windows differ
    start: cython.p_double  # by group: the baseline's components
    largest: cython.int  # of the prediction
    second: cython.int
    gap: cython.int  # how sure the largest is
    _turns_owner: Any
    _owners: tuple[Any, ...]

    def __init__(self, plan: CompactPlan, frames: Frames, motion: MotionPredictor) -> None:
        self.plan = plan
        self.frames = frames
        self.motion = motion
        quats = array("d", bytes(8 * 4 * (FRAMES + 1)))
        guess, rate, start = (array("d", bytes(8 * 4 * (plan.group_count + 1))) for _ in range(3))
        self._owners = (quats, guess, rate, start)
        self.quats, self.guess, self.rate, self.start = doubles(quats), doubles(guess), doubles(rate), doubles(start)

    @cython.cfunc
    def use(self, turns: Any) -> cython.void:
        """Set the series of this packet, for all groups."""
        self._turns_owner = turns
        self.turns = doubles(turns)

    @cython.cfunc
    @cython.exceptval(check=False)
    def unpack(self, group: cython.int, number: cython.int) -> cython.void:
        """Compute the four components in one frame, with the sign that is nearer to the baseline's."""
        scalar: cython.int = self.plan.first[group]
        most: cython.double = (1 << self.plan.bits[group]) - 1
        missing: cython.int = self.frames.old[4 * scalar + number] & 3
        at: cython.Py_ssize_t = 4 * number
        # Which of the three is missing cannot be predicted, so this does not branch on it.
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

    @cython.cfunc
    @cython.exceptval(check=False)
    def bent(self, series: cython.Py_ssize_t, s: cython.double) -> cython.double:
        """The value of a power series at ``s``."""
        total: cython.double = 0.0
        term: cython.int
        for term in range(TERMS - 1, -1, -1):
            total = total * s + self.turns[series + term]
        return total

    @cython.cfunc
    @cython.exceptval(check=False)
    def chord(self, group: cython.int, number: cython.int) -> cython.double:
        """A quarter of the squared distance between the baseline and a frame, on a sphere of radius 1."""
        most: cython.double = (1 << self.plan.bits[group]) - 1
        total: cython.double = 0.0
        way: cython.double
        index: cython.int
        for index in range(4):
            way = self.quats[index] - self.quats[4 * number + index]
            total += way * way
        return total / (8.0 * most * most)

    @cython.cfunc
    @cython.exceptval(check=False)
    def fits(self, group: cython.int, window: cython.int, newest: cython.int) -> cython.bint:
        """Whether the arc of a window passes every history frame inside it within one step."""
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

    @cython.cfunc
    @cython.exceptval(check=False)
    def predict(self, group: cython.int) -> cython.void:
        """Predict the quaternion of a ROTATION group, and how it turns."""
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

    @cython.cfunc
    @cython.exceptval(check=False)
    def note_bend(self, group: cython.int, newest: cython.int) -> cython.void:
        """Note for each component how far the turns of two windows differ, in half steps."""
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

    @cython.cfunc
    @cython.exceptval(check=False)
    def note_turn(self, group: cython.int) -> cython.void:
        """Note how far the rotation turns, as a feature of residuals."""
        total: cython.double = 0.0
        bends: cython.double = 0.0
        index: cython.int
        for index in range(4 * group, 4 * group + 4):
            total += fabs(self.guess[index] - self.start[index])
            bends += fabs(self.rate[index])
        self.motion.note(group, rounded(0.5 * total), rounded(0.5 * bends))

    @cython.cfunc
    @cython.exceptval(check=False)
    def rank(self, group: cython.int) -> cython.void:
        """Predict the largest and second largest component, and how certain that is (0 to 7)."""
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

    @cython.cfunc
    @cython.exceptval(check=False)
    def place(self, group: cython.int, largest: cython.int) -> cython.void:
        """Set guess, step and bend of the three scalars, now that the largest component is known."""
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
