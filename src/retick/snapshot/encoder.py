"""Encodes snapshots as bytes (a compiled kernel).

Contents: rows that differ; what changed between two snapshots; the sections of a packet; the encoder.

``Diff`` finds what to write, ``Sections`` writes it with a ``Packer``; nothing leaves the encoder unless all of it was
valid.
"""

from array import array
from typing import Any

from retick.snapshot.errors import encode_error

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython import array as carray
    from cython.cimports.libc.string import memcmp
    from cython.cimports.retick.snapshot import layout
    from cython.cimports.retick.snapshot.columns import Columns, FieldTable, checked_columns, longs
    from cython.cimports.retick.snapshot.stream import Packer, put_entity
    from cython.cimports.retick.wire.bits import store_be64
else:
    from retick.snapshot import layout
    from retick.snapshot.columns import Columns, FieldTable, checked_columns, longs
    from retick.snapshot.stream import Packer, put_entity
    from retick.wire.bits import store_be64

# Rows that differ between two snapshots of the same entities.
#
# If two snapshots have the same entities with the same components, their rows pair up. One pass over each pair of
# columns marks the rows where anything differs: a loop that the C compiler turns into vector instructions.


@cython.final
@cython.cclass
class Marks:
    """The rows that ``mark`` found to differ."""

    table: FieldTable
    rows: cython.p_ulonglong  # by row of each component: not 0 where anything differs
    _owner: Any
    _capacity: cython.Py_ssize_t

    def __init__(self, table: FieldTable) -> None:
        self.table = table
        self._capacity = -1

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def mark(self, base: Columns, current: Columns) -> cython.int:
        """Compare column by column; both must have the same shape."""
        component: cython.int
        field: cython.int
        end: cython.int
        row: cython.Py_ssize_t
        at: cython.Py_ssize_t = 0
        for component in range(self.table.component_count):
            at += current.rows[component]
        if at > self._capacity:
            self._make_room(at)
        at = 0
        for component in range(self.table.component_count):
            field = self.table.first[component]
            end = field + self.table.fields[component]
            for row in range(current.rows[component]):
                self.rows[at + row] = 0
            # Four columns per pass, since each pass reads and writes the marks once more.
            while end - field >= 4:
                self.mark_four(base, current, field, at, current.rows[component])
                field += 4
            while field < end:
                self.mark_one(base, current, field, at, current.rows[component])
                field += 1
            at += current.rows[component]
        return 0

    def _make_room(self, rows: cython.Py_ssize_t) -> None:
        self._capacity = 2 * rows + 16
        self._owner = array("Q", bytes(8 * self._capacity))
        if cython.compiled:
            held: carray.array = self._owner
            self.rows = held.data.as_ulonglongs
        else:
            # Differences of signed numbers, which may be negative here.
            self.rows = [0] * self._capacity

    @cython.cfunc
    @cython.exceptval(check=False)
    def mark_one(
        self, base: Columns, current: Columns, field: cython.int, at: cython.Py_ssize_t, rows: cython.Py_ssize_t
    ) -> cython.void:
        before: cython.p_longlong = base.columns[field]
        after: cython.p_longlong = current.columns[field]
        marks: cython.p_ulonglong = self.rows
        row: cython.Py_ssize_t
        for row in range(rows):
            marks[at + row] |= before[row] ^ after[row]

    @cython.cfunc
    @cython.exceptval(check=False)
    def mark_four(
        self, base: Columns, current: Columns, field: cython.int, at: cython.Py_ssize_t, rows: cython.Py_ssize_t
    ) -> cython.void:
        a: cython.p_longlong = base.columns[field]
        b: cython.p_longlong = base.columns[field + 1]
        c: cython.p_longlong = base.columns[field + 2]
        d: cython.p_longlong = base.columns[field + 3]
        e: cython.p_longlong = current.columns[field]
        f: cython.p_longlong = current.columns[field + 1]
        g: cython.p_longlong = current.columns[field + 2]
        h: cython.p_longlong = current.columns[field + 3]
        marks: cython.p_ulonglong = self.rows
        row: cython.Py_ssize_t
        for row in range(rows):
            marks[at + row] |= (a[row] ^ e[row]) | (b[row] ^ f[row]) | (c[row] ^ g[row]) | (d[row] ^ h[row])


@cython.cfunc
@cython.exceptval(check=False)
def same_shape(left: Columns, right: Columns) -> cython.bint:
    """Whether both have the same entities with the same components, so that their rows pair up."""
    component: cython.int
    count: cython.Py_ssize_t = left.count
    if left.count != right.count:
        return False
    if cython.compiled:
        if count and left.keys != right.keys and memcmp(left.keys, right.keys, 4 * count) != 0:
            return False
        for component in range(left.table.component_count):
            if left.present[component] == right.present[component]:
                continue
            if left.present[component] == cython.NULL or right.present[component] == cython.NULL:
                if left.rows[component] != count or right.rows[component] != count:
                    return False
            elif memcmp(left.present[component], right.present[component], count) != 0:
                return False
        return True
    if list(left.keys[:count]) != list(right.keys[:count]):
        return False
    for component in range(left.table.component_count):
        if [left.has_one(i, component) for i in range(count)] != [right.has_one(i, component) for i in range(count)]:
            return False
    return True


# What changed between two snapshots: ids to destroy, entities to create, fields to update.
#
# Two snapshots mostly have the same entities. Then ``Marks`` says which rows differ, and masks of fields are made only
# for these. Otherwise the two lists of ascending ids are merged.
#
# All working space is kept and grows as needed, so that comparing allocates nothing once it is large enough.


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _varint_bytes(value: cython.ulonglong) -> cython.int:
    size: cython.int = 1
    while value > 127:
        value >>= 7
        size += 1
    return size


@cython.final
@cython.cclass
class Diff:
    """The difference that ``compare`` found last."""

    table: FieldTable
    destroyed: cython.Py_ssize_t  # readonly
    created: cython.Py_ssize_t  # readonly
    updated: cython.Py_ssize_t  # readonly
    entries: cython.Py_ssize_t  # readonly: changed components of all updated entities
    masked_cost: cython.longlong  # bits that masked updates spend on field masks
    packed_cost: cython.longlong  # bits that packed ones spend on ids, counts and indices
    counting: cython.bint
    destroy_id: cython.p_longlong
    create_at: cython.p_longlong  # index of the entity in the current snapshot
    create_row: cython.p_longlong  # by created entity and component; -1 where it is absent
    create_start: cython.p_longlong  # byte at which the encoder put it
    update_at: cython.p_longlong
    update_row: cython.p_longlong
    update_start: cython.p_longlong
    masks: cython.p_ulonglong  # by updated entity and mask word
    base_row: cython.p_longlong  # by component: row of the entity at hand
    current_row: cython.p_longlong
    marks: Marks
    component: cython.longlong  # id of the component that was added or removed
    capacity: cython.Py_ssize_t
    _owners: list[Any]

    def __init__(self, table: FieldTable) -> None:
        self.table = table
        self.marks = Marks(table)
        self.capacity = -1
        self.reserve(0)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def reserve(self, entities: cython.Py_ssize_t) -> cython.int:
        """Make space to compare this many entities."""
        components: cython.Py_ssize_t = self.table.component_count
        words: cython.Py_ssize_t = self.table.word_count
        if entities > self.capacity:
            self.capacity = 2 * entities + 16
            sizes = [self.capacity] * 5 + [self.capacity * components] * 2 + [components] * 2
            spaces = [array("q", bytes(8 * (size + 1))) for size in [*sizes, self.capacity * words]]
            self._owners = spaces
            if cython.compiled:
                self.destroy_id = longs(spaces[0])
                self.create_at = longs(spaces[1])
                self.create_start = longs(spaces[2])
                self.update_at = longs(spaces[3])
                self.update_start = longs(spaces[4])
                self.create_row = longs(spaces[5])
                self.update_row = longs(spaces[6])
                self.base_row = longs(spaces[7])
                self.current_row = longs(spaces[8])
                self.masks = cython.cast(cython.p_ulonglong, longs(spaces[9]))
            else:
                (self.destroy_id, self.create_at, self.create_start, self.update_at, self.update_start) = spaces[:5]
                (self.create_row, self.update_row, self.base_row, self.current_row) = spaces[5:9]
                self.masks = [0] * len(spaces[9])  # unsigned 64-bit numbers, which array("q") cannot hold
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def compare(self, base: Columns, current: Columns, counting: cython.bint) -> cython.int:
        """Compute the difference; both must have ascending ids. Returns OK, or PRESENCE_MISMATCH.

        Entries and costs are computed only if ``counting``: packed updates need them, masked ones do not.
        """
        component: cython.int
        self.reserve(current.count if current.count > base.count else base.count)
        self.counting = counting
        self.destroyed = self.created = self.updated = self.entries = 0
        self.masked_cost = self.packed_cost = 0
        for component in range(self.table.component_count):
            self.base_row[component] = 0
            self.current_row[component] = 0
        if same_shape(base, current):
            self.marks.mark(base, current)
            if self.table.component_count == 1 and self.table.word_count == 1 and current.rows[0] == current.count:
                self.compare_single(base, current)
            else:
                self.compare_marked(base, current)
            return layout.OK
        return self.compare_merged(base, current)

    @cython.cfunc
    @cython.exceptval(check=False)
    def compare_marked(self, base: Columns, current: Columns) -> cython.void:
        components: cython.int = self.table.component_count
        component: cython.int
        index: cython.Py_ssize_t
        row: cython.Py_ssize_t
        at: cython.Py_ssize_t
        here: cython.bint
        found: cython.int
        rows_at: cython.Py_ssize_t = 0
        mask_at: cython.Py_ssize_t = 0
        marks: cython.p_ulonglong = self.marks.rows
        for index in range(current.count):
            found = 0
            at = 0
            for component in range(components):
                if cython.compiled:
                    here = current.present[component] == cython.NULL or current.present[component][index] != 0
                else:
                    here = current.has_one(index, component)
                row = self.current_row[component]
                self.update_row[rows_at + component] = row
                if here:
                    self.current_row[component] = row + 1
                    if marks[at + row] != 0:
                        if found == 0 and components > 1:
                            self.clear_masks(mask_at)
                        found += self.row_mask(
                            base, current, component, row, row, mask_at + self.table.first_word[component]
                        )
                at += current.rows[component]
            if found:
                self.update_at[self.updated] = index
                self.note_entity(current.keys[index], mask_at)
                rows_at += components
                mask_at += self.table.word_count

    @cython.cfunc
    @cython.exceptval(check=False)
    def compare_single(self, base: Columns, current: Columns) -> cython.void:
        """Compare snapshots with one component that every entity has, and one mask word: usual for small schemas."""
        before: cython.pointer(cython.p_longlong) = base.columns  # type: ignore[valid-type]  # a C type
        after: cython.pointer(cython.p_longlong) = current.columns  # type: ignore[valid-type]  # a C type
        marks: cython.p_ulonglong = self.marks.rows
        fields: cython.int = self.table.fields[0]
        careful: cython.bint = self.table.has_threshold[0] != 0
        field: cython.int
        index: cython.Py_ssize_t
        updated: cython.Py_ssize_t = 0
        bits: cython.ulonglong
        for index in range(current.count):
            if marks[index] == 0:
                continue
            if careful:
                if not self.row_mask(base, current, 0, index, index, updated):
                    continue
            else:
                bits = 0
                for field in range(fields):
                    bits = 2 * bits + (after[field][index] != before[field][index])
                self.masks[updated] = bits
            self.update_row[updated] = index
            self.update_at[updated] = index
            updated += 1
        if self.counting:
            for index in range(updated):
                self.note_entity(current.keys[self.update_at[index]], index)
        self.updated = updated

    @cython.cfunc
    @cython.exceptval(check=False)
    def clear_masks(self, mask_at: cython.Py_ssize_t) -> cython.void:
        word: cython.int
        for word in range(self.table.word_count):
            self.masks[mask_at + word] = 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def note_entity(self, entity: cython.uint, mask_at: cython.Py_ssize_t) -> cython.void:
        """Note an updated entity, and its part in the size rule that chooses between masked and packed."""
        table: FieldTable = self.table
        component: cython.int
        changed: cython.int
        self.updated += 1
        if not self.counting:
            return
        for component in range(table.component_count):
            changed = self.count_changed(component, mask_at)
            if changed:
                self.entries += 1
                self.masked_cost += table.fields[component]
                self.packed_cost += table.index_bits[component] * changed + 8 * (
                    _varint_bytes(entity) + _varint_bytes(table.component_id[component]) + _varint_bytes(changed)
                )

    @cython.cfunc
    @cython.exceptval(check=False)
    def count_changed(self, component: cython.int, mask_at: cython.Py_ssize_t) -> cython.int:
        """How many fields of a component the masks of one entity name."""
        word: cython.int
        bits: cython.ulonglong
        changed: cython.int = 0
        first: cython.int = self.table.first_word[component]
        for word in range(first, first + self.table.words[component]):
            bits = self.masks[mask_at + word]
            while bits != 0:
                bits &= bits - 1
                changed += 1
        return changed

    @cython.cfunc
    @cython.exceptval(check=False)
    def row_mask(
        self,
        base: Columns,
        current: Columns,
        component: cython.int,
        base_row: cython.Py_ssize_t,
        row: cython.Py_ssize_t,
        mask_at: cython.Py_ssize_t,
    ) -> cython.int:
        """Write the mask of changed fields; returns whether there are any."""
        table: FieldTable = self.table
        before: cython.pointer(cython.p_longlong) = base.columns  # type: ignore[valid-type]  # a C type
        after: cython.pointer(cython.p_longlong) = current.columns  # type: ignore[valid-type]  # a C type
        careful: cython.bint = table.has_threshold[component] != 0
        field: cython.int = table.first[component]
        word: cython.int
        bit: cython.int
        differs: cython.bint
        bits: cython.ulonglong
        found: cython.int = 0
        for word in range(table.words[component]):
            bits = 0
            for bit in range(table.mask_width[table.first_word[component] + word]):  # noqa: B007 - a C loop
                differs = after[field][row] != before[field][base_row]
                if careful and differs and table.threshold[field] != 0:
                    differs = self.beyond(field, after[field][row], before[field][base_row])
                bits = (bits << 1) | differs
                field += 1
            self.masks[mask_at + word] = bits
            if bits != 0:
                found = 1
        return found

    @cython.cfunc
    @cython.exceptval(check=False)
    def beyond(self, field: cython.int, after: cython.longlong, before: cython.longlong) -> cython.bint:
        """Whether two values differ by more than the field's threshold."""
        threshold: cython.ulonglong = self.table.threshold[field]
        high: cython.ulonglong
        low: cython.ulonglong
        if cython.compiled:
            high = after
            low = before
            if (high < low) if self.table.wraps[field] != 0 else (after < before):
                high, low = low, high
            return high - low > threshold
        if self.table.wraps[field] != 0:
            return abs((after & 0xFFFFFFFFFFFFFFFF) - (before & 0xFFFFFFFFFFFFFFFF)) > threshold
        return abs(after - before) > threshold

    @cython.cfunc
    @cython.exceptval(check=False)
    def compare_entity(
        self, base: Columns, current: Columns, base_at: cython.Py_ssize_t, at: cython.Py_ssize_t
    ) -> cython.int:
        """Compare an entity that is in both."""
        components: cython.int = self.table.component_count
        rows_at: cython.Py_ssize_t = self.updated * components
        mask_at: cython.Py_ssize_t = self.updated * self.table.word_count
        component: cython.int
        found: cython.int = 0
        here: cython.bint
        self.clear_masks(mask_at)
        for component in range(components):
            here = _has(current, at, component)
            if here != _has(base, base_at, component):
                self.component = self.table.component_id[component]
                return layout.PRESENCE_MISMATCH
            self.update_row[rows_at + component] = self.current_row[component]
            if here:
                found |= self.row_mask(
                    base,
                    current,
                    component,
                    self.base_row[component],
                    self.current_row[component],
                    mask_at + self.table.first_word[component],
                )
                self.base_row[component] += 1
                self.current_row[component] += 1
        if found:
            self.update_at[self.updated] = at
            self.note_entity(current.keys[at], mask_at)
        return layout.OK

    @cython.cfunc
    @cython.exceptval(check=False)
    def compare_merged(self, base: Columns, current: Columns) -> cython.int:
        before: cython.Py_ssize_t = 0
        after: cython.Py_ssize_t = 0
        status: cython.int
        while before < base.count or after < current.count:
            if after == current.count or (before < base.count and base.keys[before] < current.keys[after]):
                self.destroy_id[self.destroyed] = base.keys[before]
                self.destroyed += 1
                self.skip(base, before)
                before += 1
            elif before == base.count or base.keys[before] > current.keys[after]:
                self.add_created(current, after)
                after += 1
            else:
                status = self.compare_entity(base, current, before, after)
                if status != layout.OK:
                    return status
                before += 1
                after += 1
        return layout.OK

    @cython.cfunc
    @cython.exceptval(check=False)
    def skip(self, base: Columns, at: cython.Py_ssize_t) -> cython.void:
        component: cython.int
        for component in range(self.table.component_count):
            if _has(base, at, component):
                self.base_row[component] += 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def add_created(self, current: Columns, at: cython.Py_ssize_t) -> cython.void:
        """Note a created entity, whose rows are the next of each component that it has."""
        component: cython.int
        rows_at: cython.Py_ssize_t = self.created * self.table.component_count
        self.create_at[self.created] = at
        self.created += 1
        for component in range(self.table.component_count):
            if _has(current, at, component):
                self.create_row[rows_at + component] = self.current_row[component]
                self.current_row[component] += 1
            else:
                self.create_row[rows_at + component] = -1

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_all(self, current: Columns) -> cython.int:
        """Note every entity as created: the difference from nothing."""
        component: cython.int
        at: cython.Py_ssize_t
        self.reserve(current.count)
        self.destroyed = self.created = self.updated = self.entries = 0
        for component in range(self.table.component_count):
            self.current_row[component] = 0
        for at in range(current.count):
            self.add_created(current, at)
        return layout.OK


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _has(columns: Columns, at: cython.Py_ssize_t, component: cython.int) -> cython.bint:
    if cython.compiled:
        return columns.present[component] == cython.NULL or columns.present[component][at] != 0
    return columns.has_one(at, component)


# The sections of a packet, written from a difference.
#
# Every value is checked as it is written. Methods return a status; its numbers are in the packer's ``fault``.


@cython.final
@cython.cclass
class Sections:
    """Writes sections of every kind."""

    table: FieldTable
    packer: Packer
    diff: Diff  # what is to be written
    quick: cython.bint  # public: whole entities may be written by put_entity
    max_create: cython.longlong
    max_update: cython.longlong
    max_components: cython.longlong
    max_fields: cython.longlong
    create_end: cython.Py_ssize_t  # readonly: where the last entity that was created ends
    update_end: cython.Py_ssize_t  # readonly: where the last one that was updated ends

    def __init__(self, table: FieldTable, packer: Packer, diff: Diff, limits: Any) -> None:
        self.table = table
        self.packer = packer
        self.diff = diff
        self.max_create = limits.max_entities_create
        self.max_update = limits.max_entities_update
        self.max_components = limits.max_components_per_entity
        self.max_fields = limits.max_fields_per_component
        self.quick = table.all_plain and table.widest <= self.max_fields
        self.create_end = self.update_end = 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def write_destroys(self) -> cython.int:
        """Write the ids of destroyed entities."""
        packer: Packer = self.packer
        index: cython.Py_ssize_t
        packer.begin_section()
        packer.put_varint(self.diff.destroyed)
        for index in range(self.diff.destroyed):
            if packer.at + 64 > packer.size:
                packer.make_room()
            packer.put_id(self.diff.destroy_id[index])
        return packer.end_section(layout.DESTROYS)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def write_creates(self, current: Columns, full: cython.bint) -> cython.int:
        """Write a create section: every entity for a full packet, else those that the comparison found."""
        table: FieldTable = self.table
        packer: Packer = self.packer
        diff: Diff = self.diff
        components: cython.Py_ssize_t = table.component_count
        entity: cython.longlong
        previous: cython.longlong = -1
        index: cython.Py_ssize_t
        status: cython.int
        if full:
            if current.count > self.max_create:
                return packer.fault.over_limit(layout.LIMIT_CREATE, self.max_create, current.count)
            if components > self.max_components:
                return packer.fault.over_limit(layout.LIMIT_COMPONENTS, self.max_components, components)
            diff.add_all(current)
        packer.begin_section()
        packer.put_varint(diff.created)
        for index in range(diff.created):
            diff.create_start[index] = packer.begin_entity()
            entity = current.keys[diff.create_at[index]]
            if entity <= previous:
                packer.fault.previous = previous
                packer.fault.current = entity
                return layout.ENTITY_ORDER
            previous = entity
            if self.quick and put_entity(
                table, current, entity, diff.create_row, index * components, table.full_mask, 0, True, packer
            ):
                continue
            packer.fault.entity = entity
            packer.put_id(entity)
            status = self.write_created(current, index * components)
            if status != layout.OK:
                return status
        packer.flush()
        self.create_end = packer.at
        return packer.end_section(layout.CREATES)

    @cython.cfunc
    @cython.exceptval(check=False)
    def write_created(self, current: Columns, rows_at: cython.Py_ssize_t) -> cython.int:
        """Write the components of a created entity, after its id."""
        table: FieldTable = self.table
        rows: cython.p_longlong = self.diff.create_row
        component: cython.int
        status: cython.int
        for component in range(table.component_count):
            self.packer.put(rows[rows_at + component] >= 0, 1)
        for component in range(table.component_count):
            if rows[rows_at + component] >= 0:
                status = self.put_mask(component, table.full_mask, table.first_word[component])
                if status == layout.OK:
                    status = self.write_fields(
                        current,
                        component,
                        rows[rows_at + component],
                        table.full_mask,
                        table.first_word[component],
                        False,
                    )
                if status != layout.OK:
                    return status
        return layout.OK

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def write_masked(self, current: Columns) -> cython.int:
        """Write an update section with masks of components and fields."""
        table: FieldTable = self.table
        packer: Packer = self.packer
        diff: Diff = self.diff
        entity: cython.uint
        index: cython.Py_ssize_t
        mask_at: cython.Py_ssize_t
        rows_at: cython.Py_ssize_t
        status: cython.int
        packer.begin_section()
        packer.put_varint(diff.updated)
        for index in range(diff.updated):
            diff.update_start[index] = packer.begin_entity()
            entity = current.keys[diff.update_at[index]]
            mask_at = index * table.word_count
            rows_at = index * table.component_count
            if self.quick and put_entity(
                table, current, entity, diff.update_row, rows_at, diff.masks, mask_at, False, packer
            ):
                continue
            packer.fault.entity = entity
            packer.put_id(entity)
            status = self.write_updated(current, rows_at, mask_at)
            if status != layout.OK:
                return status
        packer.flush()
        self.update_end = packer.at
        return packer.end_section(layout.MASKED)

    @cython.cfunc
    @cython.exceptval(check=False)
    def write_updated(self, current: Columns, rows_at: cython.Py_ssize_t, mask_at: cython.Py_ssize_t) -> cython.int:
        """Write the changed components of an entity, after its id."""
        table: FieldTable = self.table
        diff: Diff = self.diff
        component: cython.int
        status: cython.int
        first: cython.Py_ssize_t
        for component in range(table.component_count):
            self.packer.put(diff.count_changed(component, mask_at) != 0, 1)
        for component in range(table.component_count):
            if diff.count_changed(component, mask_at):
                first = mask_at + table.first_word[component]
                status = self.put_mask(component, diff.masks, first)
                if status == layout.OK:
                    status = self.write_fields(
                        current, component, diff.update_row[rows_at + component], diff.masks, first, False
                    )
                if status != layout.OK:
                    return status
        return layout.OK

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def write_packed(self, current: Columns) -> cython.int:
        """Write an update section with an entry for each changed component of each entity."""
        table: FieldTable = self.table
        packer: Packer = self.packer
        diff: Diff = self.diff
        most: cython.longlong = self.max_update * self.max_components
        index: cython.Py_ssize_t
        component: cython.int
        status: cython.int
        mask_at: cython.Py_ssize_t
        if diff.entries > most:
            return packer.fault.over_limit(layout.LIMIT_UPDATE, most, diff.entries)
        packer.begin_section()
        packer.put_varint(diff.entries)
        for index in range(diff.updated):
            diff.update_start[index] = packer.begin_entity()
            packer.fault.entity = current.keys[diff.update_at[index]]
            mask_at = index * table.word_count
            for component in range(table.component_count):
                status = self.write_entry(
                    current, component, diff.update_row[index * table.component_count + component], mask_at
                )
                if status != layout.OK:
                    return status
        packer.flush()
        self.update_end = packer.at
        return packer.end_section(layout.PACKED)

    @cython.cfunc
    @cython.exceptval(check=False)
    def write_entry(
        self, current: Columns, component: cython.int, row: cython.Py_ssize_t, mask_at: cython.Py_ssize_t
    ) -> cython.int:
        """Write the changed fields of one component of the current entity, if there are any."""
        table: FieldTable = self.table
        packer: Packer = self.packer
        changed: cython.int = self.diff.count_changed(component, mask_at)
        if not changed:
            return layout.OK
        if table.fields[component] > self.max_fields:
            return packer.fault.over_limit(layout.LIMIT_FIELDS, self.max_fields, table.fields[component])
        packer.align()
        packer.put_varint(packer.fault.entity)
        packer.put_varint(table.component_id[component])
        packer.put_varint(changed)
        return self.write_fields(current, component, row, self.diff.masks, mask_at + table.first_word[component], True)

    @cython.cfunc
    @cython.exceptval(check=False)
    def put_mask(self, component: cython.int, masks: cython.p_ulonglong, mask_at: cython.Py_ssize_t) -> cython.int:
        """Write the mask of a component's fields."""
        table: FieldTable = self.table
        number: cython.int
        if table.fields[component] > self.max_fields:
            return self.packer.fault.over_limit(layout.LIMIT_FIELDS, self.max_fields, table.fields[component])
        for number in range(table.words[component]):
            self.packer.put(masks[mask_at + number], table.mask_width[table.first_word[component] + number])
        return layout.OK

    @cython.cfunc
    @cython.exceptval(check=False)
    def write_fields(
        self,
        current: Columns,
        component: cython.int,
        row: cython.Py_ssize_t,
        masks: cython.p_ulonglong,
        mask_at: cython.Py_ssize_t,
        indexed: cython.bint,
    ) -> cython.int:
        """Write the values of the fields in a mask, each after its index if ``indexed``: the innermost loop."""
        table: FieldTable = self.table
        packer: Packer = self.packer
        first_word: cython.int = table.first_word[component]
        field: cython.int = table.first[component]
        index_bits: cython.int = table.index_bits[component] if indexed else 0
        bits: cython.int
        free: cython.int
        number: cython.int
        bit: cython.int
        mask: cython.ulonglong
        value: cython.ulonglong
        index: cython.ulonglong
        every: cython.ulonglong = 18446744073709551615
        word: cython.ulonglong = packer.word
        fill: cython.int = packer.fill
        at: cython.Py_ssize_t = packer.at
        for number in range(table.words[component]):
            mask = masks[mask_at + number]
            for bit in range(table.mask_width[first_word + number] - 1, -1, -1):
                if (mask >> bit) & 1:
                    value = (current.columns[field][row] - table.low[field]) & every
                    if value > table.span[field]:
                        packer.fault.field = field
                        packer.fault.value = current.columns[field][row]
                        return layout.VALUE_RANGE
                    bits = table.bits[field]
                    if table.coding[field] != layout.FIXED_WIDTH or bits + index_bits > 64:
                        packer.word = word
                        packer.fill = fill
                        packer.at = at
                        if index_bits:
                            packer.put(field - table.first[component], index_bits)
                        if bits:
                            packer.put(value ^ table.flip[field], bits)
                        else:
                            packer.align()
                            packer.put_varint(_zigzag(value) if table.coding[field] == layout.VARSINT else value)
                        word = packer.word
                        fill = packer.fill
                        at = packer.at
                        field += 1
                        continue
                    value ^= table.flip[field]
                    if index_bits:
                        index = field - table.first[component]
                        value |= index << bits
                        bits += index_bits
                    free = 64 - fill
                    if bits < free:
                        if bits:
                            word |= value << (free - bits)
                            fill += bits
                    else:
                        fill = bits - free
                        store_be64(packer.buf, at, word | (value >> fill))
                        at += 8
                        word = (value << (64 - fill)) & every if fill else 0
                field += 1
        packer.word = word
        packer.fill = fill
        packer.at = at
        return layout.OK


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _zigzag(offset: cython.ulonglong) -> cython.ulonglong:
    """Zigzag-encode a signed 32-bit value, given as its distance from the lowest one."""
    half: cython.ulonglong = 2147483648
    if offset >= half:
        return 2 * (offset - half)
    return 2 * (half - offset) - 1


# The encoder: whole packets of one schema and version.


@cython.final
@cython.cclass
class Encoder:
    """Encodes packets of one schema and version."""

    schema: Any  # readonly
    table: FieldTable
    packer: Packer
    diff: Diff
    sections: Sections  # readonly
    max_create: cython.longlong
    max_update: cython.longlong
    max_destroy: cython.longlong

    def __init__(self, schema: Any, version: int, limits: Any, strict: bool) -> None:
        self.schema = schema
        self.table = schema.table
        self.packer = Packer(schema, version, limits, strict)
        self.diff = Diff(self.table)
        self.sections = Sections(self.table, self.packer, self.diff, limits)
        self.max_create = limits.max_entities_create
        self.max_update = limits.max_entities_update
        self.max_destroy = limits.max_entities_destroy

    def full(self, snapshot: Any, into: Any = None) -> Any:
        """Encode a packet with every entity."""
        status: cython.int
        current: Columns = checked_columns(snapshot, self.table)
        self.packer.start()
        if current.count:
            status = self.sections.write_creates(current, True)
            if status != layout.OK:
                raise self.error(status)
        return self.packer.emit(layout.FULL, current.tick, 0, into)

    def delta(self, baseline: Any, snapshot: Any, mode: cython.int, into: Any = None) -> Any:
        """Encode the changes since ``baseline``; ``mode`` is MASKED, PACKED or CHOOSE of layout.py."""
        base: Columns = checked_columns(baseline, self.table)
        current: Columns = checked_columns(snapshot, self.table)
        status: cython.int = self.write_delta(base, current, mode)
        if status != layout.OK:
            raise self.error(status)
        return self.packer.emit(layout.DELTA, current.tick, base.tick, into)

    def frame(self, baseline: Any, snapshot: Any, last_tick: Any, into: Any = None) -> Any:
        """Encode a delta with the compact header, whose ticks count from ``last_tick``; always packed."""
        base: Columns = checked_columns(baseline, self.table)
        current: Columns = checked_columns(snapshot, self.table)
        status: cython.int
        if current.tick <= last_tick:
            self.packer.fault.previous, self.packer.fault.current = last_tick, current.tick
            raise self.error(layout.ENTITY_ORDER)
        if base.tick > current.tick:
            self.packer.fault.expected, self.packer.fault.found = base.tick, current.tick
            raise self.error(layout.BASELINE_TICK)
        status = self.write_delta(base, current, layout.PACKED)
        if status != layout.OK:
            raise self.error(status)
        return self.packer.emit_frame(current.tick - last_tick, current.tick - base.tick, into)

    def create_body(self, snapshot: Any) -> Any:
        """The body of a create section with every entity, as a delta carries it."""
        current: Columns = checked_columns(snapshot, self.table)
        status: cython.int
        self.packer.start()
        self.diff.add_all(current)
        status = self.out_of_order(current)
        if status == layout.OK:
            status = self.sections.write_creates(current, False)
        if status != layout.OK:
            raise self.error(status)
        return self.packer.body_bytes()

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def write_delta(self, base: Columns, current: Columns, mode: cython.int) -> cython.int:
        """Write the sections that turn ``base`` into ``current``: destroys, creates, updates."""
        diff: Diff = self.diff
        status: cython.int
        if base.tick == 0:
            self.packer.fault.found, self.packer.fault.flags = 0, layout.DELTA
            return layout.INVALID_BASELINE_TICK
        status = self.out_of_order(base)
        if status == layout.OK:
            status = self.out_of_order(current)
        if status != layout.OK:
            return status
        status = diff.compare(base, current, mode != layout.MASKED)
        if status != layout.OK:
            self.packer.fault.component = diff.component
            return status
        if diff.created > self.max_create:
            return self.packer.fault.over_limit(layout.LIMIT_CREATE, self.max_create, diff.created)
        if diff.updated > self.max_update:
            return self.packer.fault.over_limit(layout.LIMIT_UPDATE, self.max_update, diff.updated)
        if diff.destroyed > self.max_destroy:
            return self.packer.fault.over_limit(layout.LIMIT_DESTROY, self.max_destroy, diff.destroyed)
        return self.write_sections(current, mode)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def write_sections(self, current: Columns, mode: cython.int) -> cython.int:
        """Write the result of the comparison as sections."""
        diff: Diff = self.diff
        status: cython.int
        self.packer.start()
        if diff.destroyed:
            status = self.sections.write_destroys()
            if status != layout.OK:
                return status
        if diff.created:
            status = self.sections.write_creates(current, False)
            if status != layout.OK:
                return status
        if diff.updated:
            if mode == layout.PACKED or (mode == layout.CHOOSE and diff.packed_cost <= diff.masked_cost):
                return self.sections.write_packed(current)
            return self.sections.write_masked(current)
        return layout.OK

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def out_of_order(self, columns: Columns) -> cython.int:
        """Return ENTITY_ORDER if ids do not ascend."""
        at: cython.Py_ssize_t = columns.first_disorder()
        if at == 0:
            return layout.OK
        self.packer.fault.previous = columns.keys[at - 1]
        self.packer.fault.current = columns.keys[at]
        return layout.ENTITY_ORDER

    def error(self, status: cython.int) -> Any:
        """The exception for a status, with the packer's fault."""
        return encode_error(status, self.packer.fault, self.schema)
