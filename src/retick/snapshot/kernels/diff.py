"""What changed between two snapshots: ids to destroy, entities to create, fields to update (a compiled kernel).

Two snapshots mostly hold the same entities. Then ``Marks`` says which rows differ, and masks of fields are made only
for these. Otherwise the two lists of ascending ids are merged.

All working space is kept and grows as needed, so that comparing allocates nothing once it has been large enough.
"""

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.snapshot.kernels import status as st
    from cython.cimports.retick.snapshot.kernels.arrays import longs
    from cython.cimports.retick.snapshot.kernels.columns import Columns
    from cython.cimports.retick.snapshot.kernels.marks import Marks, same_shape
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
else:
    from retick.snapshot.kernels import status as st
    from retick.snapshot.kernels.arrays import longs
    from retick.snapshot.kernels.columns import Columns
    from retick.snapshot.kernels.marks import Marks, same_shape
    from retick.snapshot.kernels.table import FieldTable

__all__ = ["Diff"]


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


@cython.cclass
class Diff:
    """The difference that ``compare`` found last; see the .pxd for what each member holds."""

    if not cython.compiled:
        table: FieldTable
        destroyed: int
        created: int
        updated: int
        entries: int
        masked_cost: int
        packed_cost: int
        counting: bool
        destroy_id: Any
        create_at: Any
        create_row: Any
        create_start: Any
        update_at: Any
        update_row: Any
        update_start: Any
        masks: Any
        base_row: Any
        current_row: Any
        marks: Marks
        component: int
        capacity: int
        _owners: list[Any]

    def __init__(self, table: FieldTable) -> None:
        self.table = table
        self.marks = Marks(table)
        self.capacity = -1
        self.reserve(0)

    def reserve(self, entities: cython.Py_ssize_t) -> cython.int:
        """Space to compare this many entities."""
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

    def compare(self, base: Columns, current: Columns, counting: cython.bint) -> cython.int:
        """Fill in the difference; both must have ascending ids. OK, or PRESENCE_MISMATCH.

        Entries and costs are worked out only when ``counting``: packed updates need them, masked ones do not.
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
            return st.OK
        return self.compare_merged(base, current)

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

    def compare_single(self, base: Columns, current: Columns) -> cython.void:
        """The same for one component that every entity has, with one mask word: the usual case of a small schema."""
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

    def clear_masks(self, mask_at: cython.Py_ssize_t) -> cython.void:
        word: cython.int
        for word in range(self.table.word_count):
            self.masks[mask_at + word] = 0

    def note_entity(self, entity: cython.uint, mask_at: cython.Py_ssize_t) -> cython.void:
        """One more updated entity, and its part in the size rule that chooses between masked and packed."""
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

    def row_mask(
        self,
        base: Columns,
        current: Columns,
        component: cython.int,
        base_row: cython.Py_ssize_t,
        row: cython.Py_ssize_t,
        mask_at: cython.Py_ssize_t,
    ) -> cython.int:
        """Write down the mask of changed fields; not 0 when there are any."""
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

    def compare_entity(
        self, base: Columns, current: Columns, base_at: cython.Py_ssize_t, at: cython.Py_ssize_t
    ) -> cython.int:
        """An entity that is in both."""
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
                return st.PRESENCE_MISMATCH
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
        return st.OK

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
                if status != st.OK:
                    return status
                before += 1
                after += 1
        return st.OK

    def skip(self, base: Columns, at: cython.Py_ssize_t) -> cython.void:
        component: cython.int
        for component in range(self.table.component_count):
            if _has(base, at, component):
                self.base_row[component] += 1

    def add_created(self, current: Columns, at: cython.Py_ssize_t) -> cython.void:
        """One more created entity, whose rows are the next of each component that it has."""
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

    def add_all(self, current: Columns) -> cython.int:
        """Every entity as a created one: the difference to nothing."""
        component: cython.int
        at: cython.Py_ssize_t
        self.reserve(current.count)
        self.destroyed = self.created = self.updated = self.entries = 0
        for component in range(self.table.component_count):
            self.current_row[component] = 0
        for at in range(current.count):
            self.add_created(current, at)
        return st.OK


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _has(columns: Columns, at: cython.Py_ssize_t, component: cython.int) -> cython.bint:
    if cython.compiled:
        return columns.present[component] == cython.NULL or columns.present[component][at] != 0
    return columns.has_one(at, component)
