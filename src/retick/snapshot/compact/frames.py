"""The baseline and the history frames of one packet, and the values that one entity has in them (a compiled kernel).

Frame 0 is the baseline, frames 1 to 3 are the history, the newest first. All are :class:`Columns`, which may have other
entities than the baseline: then a map gives the row of each of the baseline's entities, -1 where it is not there.
"""

from array import array
from itertools import accumulate, chain
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.libc.string import memcmp
    from cython.cimports.retick.snapshot.compact.numbers import FRAMES
    from cython.cimports.retick.snapshot.compact.plan import Plan
    from cython.cimports.retick.snapshot.kernels.arrays import ints, longs, uchars, ulongs
    from cython.cimports.retick.snapshot.kernels.columns import Columns
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
else:
    from retick.snapshot.compact.numbers import FRAMES
    from retick.snapshot.compact.plan import Plan
    from retick.snapshot.kernels.arrays import ints, longs, uchars, ulongs
    from retick.snapshot.kernels.columns import Columns
    from retick.snapshot.kernels.table import FieldTable

__all__ = ["Frames", "all_in_order", "first_disorder", "same_shape"]


@cython.cclass
class Frames:
    """What a packet is predicted from; see the .pxd for what each member holds."""

    if not cython.compiled:
        plan: Plan
        table: FieldTable
        used: int
        count: int
        base: Columns
        first: Columns
        second: Columns
        third: Columns
        target: Columns
        cells: Any
        targets: Any
        mapped: Any
        dense: bool
        maps: Any
        rest: Any
        ways: Any
        old: Any
        has: Any
        rows: Any
        order: Any
        group_starts: Any
        group_list: Any
        _maps_owner: Any
        _order_owner: Any
        _rest_owner: Any
        _ways_owner: Any
        _owners: Any

    def __init__(self, plan: Plan, table: FieldTable) -> None:
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

    def use(self, base: Columns, history: Any, target: Columns) -> cython.void:
        """The baseline, up to three history frames, the newest first, and what has the baseline's rows."""
        frame: cython.int
        group: cython.int
        scalar: cython.int
        source: Columns
        self.base = base
        self.target = target
        self.count = base.count
        self.used = len(history)
        # A frame that is not used is the baseline, so that there is always one.
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

    def frame(self, number: cython.int) -> Columns:
        found: Columns = self.base
        if number == 1:
            found = self.first
        elif number == 2:
            found = self.second
        elif number == 3:
            found = self.third
        return found

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

    def _is_in_order(self, source: Columns) -> cython.bint:
        """Whether the rows of the baseline's entities in a frame are the same numbers as the entities have."""
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

    def _map(self, number: cython.int) -> cython.void:
        """The rows of the baseline's entities in a frame, component by component; -1 where it is not there."""
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

    def _put_in_order(self) -> cython.void:
        """The entities that have each component, by their rows."""
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

    def row(self, number: cython.int, component: cython.int, entity: cython.Py_ssize_t) -> cython.longlong:
        """Row of an entity's component in a frame; -1 where it is not there. Not where all is dense."""
        return self.maps[(number * self.table.component_count + component) * self.count + entity]  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def _find_rest(self) -> cython.void:
        """For each entity: how many of the history frames, from the newest on, have the baseline's values."""
        number: cython.int
        index: cython.Py_ssize_t
        for index in range(self.count):
            self.rest[index] = self.used
        for number in range(self.used, 0, -1):
            self.differ(self.frame(number), number)
            self._note_rest(number - 1)

    def _note_rest(self, rest: cython.int) -> cython.void:
        """The rest of all entities that `differ` found to differ."""
        index: cython.Py_ssize_t
        count: cython.Py_ssize_t = self.count
        ways: cython.p_longlong = self.ways
        rests: cython.p_uchar = self.rest
        for index in range(count):
            rests[index] = rest if ways[index] else rests[index]

    def differ(self, other: Columns, number: cython.int) -> cython.void:
        """Into ``ways``: not zero for every entity that differs between the baseline and another frame."""
        index: cython.Py_ssize_t
        ways: cython.p_longlong = self.ways
        for index in range(self.count):
            ways[index] = 0
        if self.mapped[0] or self.mapped[number]:
            self._differ_by_rows(other, number)
        else:
            self._differ_in_order(other)

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

    def _differ_in_order(self, other: Columns) -> cython.void:
        """The same where every entity has the same row in both; two fields at once, for fewer trips through memory."""
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

    def load(self, entity: cython.Py_ssize_t) -> cython.void:
        """The values of one entity in all frames, into ``old``; ``has`` says for each group where it has any."""
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

    def _load_component(self, component: cython.int, entity: cython.Py_ssize_t) -> cython.void:
        """The same for the groups of one component, where not all is dense."""
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

    def held_by(self, group: cython.int) -> cython.int:
        """The history frames in which the entity at hand has a group; a frame's number is that of its bit."""
        number: cython.int
        found: cython.int = 14
        if not self.dense:
            for number in range(1, FRAMES + 1):
                if number > self.used or not self.has[4 * group + number]:
                    found &= ~(1 << number)
        return found

    def newest(self, group: cython.int) -> cython.int:
        """The newest history frame in which the entity at hand has a group; 0 for none."""
        number: cython.int
        for number in range(1, self.used + 1):
            if self.has[4 * group + number]:
                return number
        return 0


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _has(flags: cython.p_uchar, entity: cython.Py_ssize_t) -> cython.bint:
    """Whether an entity has the component of some flags; without flags every one has."""
    if cython.compiled:
        return flags == cython.NULL or flags[entity] != 0
    return flags is None or flags[entity] != 0


def all_in_order(table: FieldTable, *snapshots: Any) -> bool:
    """Whether all are snapshots of this table, their ids ascending: what is wrong with one is for others to say."""
    for snapshot in snapshots:
        if not isinstance(snapshot, Columns):
            return False
        columns: Columns = snapshot
        if columns.table is not table or columns.first_disorder():
            return False
    return True


def first_disorder(columns: Columns) -> int:
    """Index of the first id that is not above the one before it; 0 when all ascend."""
    return columns.first_disorder()


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
