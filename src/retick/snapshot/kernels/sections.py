"""The sections of a packet, written from a difference (a compiled kernel).

Every value is checked as it is written. Methods return a status; its numbers are in the packer's ``fault``.
"""

from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.snapshot.kernels import layout
    from cython.cimports.retick.snapshot.kernels import status as st
    from cython.cimports.retick.snapshot.kernels.columns import Columns
    from cython.cimports.retick.snapshot.kernels.diff import Diff
    from cython.cimports.retick.snapshot.kernels.fast import put_entity
    from cython.cimports.retick.snapshot.kernels.packer import Packer
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
    from cython.cimports.retick.wire.words import store_be64
else:
    from retick.snapshot.kernels import layout
    from retick.snapshot.kernels import status as st
    from retick.snapshot.kernels.columns import Columns
    from retick.snapshot.kernels.diff import Diff
    from retick.snapshot.kernels.fast import put_entity
    from retick.snapshot.kernels.packer import Packer
    from retick.snapshot.kernels.table import FieldTable
    from retick.wire.words import store_be64

__all__ = ["Sections"]


@cython.cclass
class Sections:
    """Writes sections of every kind; see the .pxd for what each member holds."""

    if not cython.compiled:
        table: FieldTable
        packer: Packer
        diff: Diff
        quick: bool
        max_create: int
        max_update: int
        max_components: int
        max_fields: int
        create_end: int
        update_end: int

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

    def write_destroys(self) -> cython.int:
        """The ids that are gone."""
        packer: Packer = self.packer
        index: cython.Py_ssize_t
        packer.begin_section()
        packer.put_varint(self.diff.destroyed)
        for index in range(self.diff.destroyed):
            if packer.at + 64 > packer.size:
                packer.make_room()
            packer.put_id(self.diff.destroy_id[index])
        return packer.end_section(layout.DESTROYS)

    def write_creates(self, current: Columns, full: cython.bint) -> cython.int:
        """A create section: of every entity for a full packet, else of those that the comparison found."""
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
                return packer.fault.over_limit(st.LIMIT_CREATE, self.max_create, current.count)
            if components > self.max_components:
                return packer.fault.over_limit(st.LIMIT_COMPONENTS, self.max_components, components)
            diff.add_all(current)
        packer.begin_section()
        packer.put_varint(diff.created)
        for index in range(diff.created):
            diff.create_start[index] = packer.begin_entity()
            entity = current.keys[diff.create_at[index]]
            if entity <= previous:
                packer.fault.previous = previous
                packer.fault.current = entity
                return st.ENTITY_ORDER
            previous = entity
            if self.quick and put_entity(
                table, current, entity, diff.create_row, index * components, table.full_mask, 0, True, packer
            ):
                continue
            packer.fault.entity = entity
            packer.put_id(entity)
            status = self.write_created(current, index * components)
            if status != st.OK:
                return status
        packer.flush()
        self.create_end = packer.at
        return packer.end_section(layout.CREATES)

    def write_created(self, current: Columns, rows_at: cython.Py_ssize_t) -> cython.int:
        """The components of a created entity, after its id."""
        table: FieldTable = self.table
        rows: cython.p_longlong = self.diff.create_row
        component: cython.int
        status: cython.int
        for component in range(table.component_count):
            self.packer.put(rows[rows_at + component] >= 0, 1)
        for component in range(table.component_count):
            if rows[rows_at + component] >= 0:
                status = self.put_mask(component, table.full_mask, table.first_word[component])
                if status == st.OK:
                    status = self.write_fields(
                        current,
                        component,
                        rows[rows_at + component],
                        table.full_mask,
                        table.first_word[component],
                        False,
                    )
                if status != st.OK:
                    return status
        return st.OK

    def write_masked(self, current: Columns) -> cython.int:
        """An update section with masks of components and fields."""
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
            if status != st.OK:
                return status
        packer.flush()
        self.update_end = packer.at
        return packer.end_section(layout.MASKED)

    def write_updated(self, current: Columns, rows_at: cython.Py_ssize_t, mask_at: cython.Py_ssize_t) -> cython.int:
        """The changed components of an entity, after its id."""
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
                if status == st.OK:
                    status = self.write_fields(
                        current, component, diff.update_row[rows_at + component], diff.masks, first, False
                    )
                if status != st.OK:
                    return status
        return st.OK

    def write_packed(self, current: Columns) -> cython.int:
        """An update section with an entry for each changed component of each entity."""
        table: FieldTable = self.table
        packer: Packer = self.packer
        diff: Diff = self.diff
        most: cython.longlong = self.max_update * self.max_components
        index: cython.Py_ssize_t
        component: cython.int
        status: cython.int
        mask_at: cython.Py_ssize_t
        if diff.entries > most:
            return packer.fault.over_limit(st.LIMIT_UPDATE, most, diff.entries)
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
                if status != st.OK:
                    return status
        packer.flush()
        self.update_end = packer.at
        return packer.end_section(layout.PACKED)

    def write_entry(
        self, current: Columns, component: cython.int, row: cython.Py_ssize_t, mask_at: cython.Py_ssize_t
    ) -> cython.int:
        """The changed fields of one component of the entity at hand, if there are any."""
        table: FieldTable = self.table
        packer: Packer = self.packer
        changed: cython.int = self.diff.count_changed(component, mask_at)
        if not changed:
            return st.OK
        if table.fields[component] > self.max_fields:
            return packer.fault.over_limit(st.LIMIT_FIELDS, self.max_fields, table.fields[component])
        packer.align()
        packer.put_varint(packer.fault.entity)
        packer.put_varint(table.component_id[component])
        packer.put_varint(changed)
        return self.write_fields(current, component, row, self.diff.masks, mask_at + table.first_word[component], True)

    def put_mask(self, component: cython.int, masks: cython.p_ulonglong, mask_at: cython.Py_ssize_t) -> cython.int:
        """The mask of a component's fields."""
        table: FieldTable = self.table
        number: cython.int
        if table.fields[component] > self.max_fields:
            return self.packer.fault.over_limit(st.LIMIT_FIELDS, self.max_fields, table.fields[component])
        for number in range(table.words[component]):
            self.packer.put(masks[mask_at + number], table.mask_width[table.first_word[component] + number])
        return st.OK

    def write_fields(
        self,
        current: Columns,
        component: cython.int,
        row: cython.Py_ssize_t,
        masks: cython.p_ulonglong,
        mask_at: cython.Py_ssize_t,
        indexed: cython.bint,
    ) -> cython.int:
        """The values of the fields in a mask, each after its index when ``indexed``: the innermost loop."""
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
                        return st.VALUE_RANGE
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
        return st.OK


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _zigzag(offset: cython.ulonglong) -> cython.ulonglong:
    """Zigzag of a signed 32-bit value that is given as its distance from the lowest one."""
    half: cython.ulonglong = 2147483648
    if offset >= half:
        return 2 * (offset - half)
    return 2 * (half - offset) - 1
