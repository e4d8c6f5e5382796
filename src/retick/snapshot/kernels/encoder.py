"""Snapshots to bytes (a compiled kernel).

Every value is checked as it is written; nothing leaves the encoder unless all of it was right.

Methods return a status; the attributes ``a``, ``b``, ``entity`` and ``field`` hold its numbers.
"""

from typing import Any

from retick.snapshot.faults import encode_fault

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.snapshot.kernels import status as st
    from cython.cimports.retick.snapshot.kernels.columns import Columns, checked_columns
    from cython.cimports.retick.snapshot.kernels.diff import Diff
    from cython.cimports.retick.snapshot.kernels.fast import put_entity
    from cython.cimports.retick.snapshot.kernels.packer import DELTA, HEADER_BYTES, Packer
    from cython.cimports.retick.snapshot.kernels.table import VARSINT, VARUINT, FieldTable
    from cython.cimports.retick.wire.words import store_be64
else:
    from retick.snapshot.kernels import status as st
    from retick.snapshot.kernels.columns import Columns, checked_columns
    from retick.snapshot.kernels.diff import Diff
    from retick.snapshot.kernels.fast import put_entity
    from retick.snapshot.kernels.packer import DELTA, HEADER_BYTES, Packer
    from retick.snapshot.kernels.table import VARSINT, VARUINT, FieldTable
    from retick.wire.words import store_be64

    FULL, CREATES, DESTROYS, MASKED, PACKED, CHOOSE = 1, 1, 2, 3, 5, 0

__all__ = ["Encoder"]


@cython.cclass
class Encoder(Packer):
    """Writes packets of one schema and version; see the .pxd for what each member holds."""

    if not cython.compiled:
        schema: Any
        diff: Diff
        quick: bool
        max_create: int
        max_update: int
        max_destroy: int
        max_components: int
        max_fields: int
        create_end: int
        update_end: int
        entity: int
        field: int

    def __init__(self, schema: Any, version: int, limits: Any, strict: bool) -> None:
        Packer.__init__(self, schema, version, limits, strict)
        self.schema = schema
        self.diff = Diff(schema.table)
        self.max_create = limits.max_entities_create
        self.max_update = limits.max_entities_update
        self.max_destroy = limits.max_entities_destroy
        self.max_components = limits.max_components_per_entity
        self.max_fields = limits.max_fields_per_component
        widest = max((len(component.fields) for component in schema.components), default=0)
        self.quick = self.table.all_plain and widest <= limits.max_fields_per_component
        self.entity = self.field = 0
        self.create_end = self.update_end = 0

    def full(self, snapshot: Any, into: Any = None) -> Any:
        """A packet with every entity."""
        status: cython.int
        current: Columns = checked_columns(snapshot, self.table)
        self.payload = self.at = HEADER_BYTES
        if current.count:
            status = self.write_creates(current, True)
            if status != st.OK:
                raise encode_fault(status, self)
        return self.emit(FULL, current.tick, 0, into)

    def delta(self, baseline: Any, snapshot: Any, mode: cython.int, into: Any = None) -> Any:
        """A packet with what changed since ``baseline``; ``mode`` is MASKED, PACKED or CHOOSE."""
        base: Columns = checked_columns(baseline, self.table)
        current: Columns = checked_columns(snapshot, self.table)
        status: cython.int = self.write_delta(base, current, mode)
        if status != st.OK:
            raise encode_fault(status, self)
        return self.emit(DELTA, current.tick, base.tick, into)

    def frame(self, baseline: Any, snapshot: Any, last_tick: Any, into: Any = None) -> Any:
        """The same with the compact header, whose ticks count from ``last_tick``; always packed."""
        base: Columns = checked_columns(baseline, self.table)
        current: Columns = checked_columns(snapshot, self.table)
        status: cython.int
        if current.tick <= last_tick:
            self.a, self.b = last_tick, current.tick
            raise encode_fault(st.ENTITY_ORDER, self)
        if base.tick > current.tick:
            self.a, self.b = base.tick, current.tick
            raise encode_fault(st.BASELINE_TICK, self)
        status = self.write_delta(base, current, PACKED)
        if status != st.OK:
            raise encode_fault(status, self)
        return self.frame_around(current.tick - last_tick, current.tick - base.tick, into)

    def create_body(self, snapshot: Any) -> Any:
        """The body of a create section with every entity, as a delta carries it."""
        current: Columns = checked_columns(snapshot, self.table)
        status: cython.int
        self.payload = self.at = HEADER_BYTES
        self.diff.take_all(current)
        status = self.out_of_order(current)
        if status == st.OK:
            status = self.write_creates(current, False)
        if status != st.OK:
            raise encode_fault(status, self)
        return bytes(self._out[self.body : self.at])

    def entity_sizes(self) -> Any:
        """Index, bytes and whether created, for each entity that was written last."""
        return self.diff.sizes(self.create_end, self.update_end)

    def write_delta(self, base: Columns, current: Columns, mode: cython.int) -> cython.int:
        diff: Diff = self.diff
        status: cython.int
        status = self.out_of_order(base)
        if status == st.OK:
            status = self.out_of_order(current)
        if status != st.OK:
            return status
        status = diff.compare(base, current, mode != MASKED)
        if status != st.OK:
            self.a = diff.component
            return status
        if diff.created > self.max_create:
            return self.too_many(st.LIMIT_CREATE, self.max_create, diff.created)
        if diff.updated > self.max_update:
            return self.too_many(st.LIMIT_UPDATE, self.max_update, diff.updated)
        if diff.destroyed > self.max_destroy:
            return self.too_many(st.LIMIT_DESTROY, self.max_destroy, diff.destroyed)
        self.payload = self.at = HEADER_BYTES
        if diff.destroyed:
            status = self.write_destroys()
            if status != st.OK:
                return status
        if diff.created:
            status = self.write_creates(current, False)
            if status != st.OK:
                return status
        if diff.updated:
            if mode == PACKED or (mode == CHOOSE and diff.packed_cost <= diff.masked_cost):
                return self.write_packed(current)
            return self.write_masked(current)
        return st.OK

    def write_destroys(self) -> cython.int:
        index: cython.Py_ssize_t
        self.begin_section()
        self.put_varint(self.diff.destroyed)
        for index in range(self.diff.destroyed):
            if self.at + 64 > self.size:
                self.make_room()
            self.put_id(self.diff.destroy_id[index])
        return self.end_section(DESTROYS)

    def write_creates(self, current: Columns, full: cython.bint) -> cython.int:
        """A create section: of every entity for a full packet, else of those that the comparison found."""
        diff: Diff = self.diff
        index: cython.Py_ssize_t
        status: cython.int
        components: cython.Py_ssize_t = self.table.component_count
        at: cython.Py_ssize_t
        previous: cython.longlong = -1
        if full:
            if current.count > self.max_create:
                return self.too_many(st.LIMIT_CREATE, self.max_create, current.count)
            if components > self.max_components:
                return self.too_many(st.LIMIT_COMPONENTS, self.max_components, components)
            diff.take_all(current)
        self.begin_section()
        self.put_varint(diff.created)
        for index in range(diff.created):
            if self.at + self.table.entity_worst_bytes > self.size:
                self.make_room()
            self.rest()
            diff.create_start[index] = self.at
            self.entity = current.keys[diff.create_at[index]]
            if self.entity <= previous:
                self.a, self.b = previous, self.entity
                return st.ENTITY_ORDER
            previous = self.entity
            if self.quick:
                at = put_entity(
                    self.table,
                    current,
                    self.entity,
                    diff.create_row,
                    index * components,
                    self.table.full_mask,
                    0,
                    True,
                    self.buf,
                    self.at,
                )
                if at > 0:
                    self.at = at
                    continue
            self.put_id(self.entity)
            status = self.write_create(current, index * components)
            if status != st.OK:
                return status
        self.rest()
        self.create_end = self.at
        return self.end_section(CREATES)

    def write_create(self, current: Columns, rows_at: cython.Py_ssize_t) -> cython.int:
        table: FieldTable = self.table
        component: cython.int
        status: cython.int
        row: cython.Py_ssize_t
        for component in range(table.component_count):
            self.put(self.diff.create_row[rows_at + component] >= 0, 1)
        for component in range(table.component_count):
            row = self.diff.create_row[rows_at + component]
            if row >= 0:
                if table.fields[component] > self.max_fields:
                    return self.too_many(st.LIMIT_FIELDS, self.max_fields, table.fields[component])
                self.put_mask(component, table.full_mask, table.first_word[component])
                status = self.write_fields(current, component, row, table.full_mask, table.first_word[component], False)
                if status != st.OK:
                    return status
        return st.OK

    def write_masked(self, current: Columns) -> cython.int:
        table: FieldTable = self.table
        diff: Diff = self.diff
        index: cython.Py_ssize_t
        component: cython.int
        status: cython.int
        mask_at: cython.Py_ssize_t
        rows_at: cython.Py_ssize_t
        at: cython.Py_ssize_t
        self.begin_section()
        self.put_varint(diff.updated)
        for index in range(diff.updated):
            if self.at + table.entity_worst_bytes > self.size:
                self.make_room()
            self.rest()
            diff.update_start[index] = self.at
            self.entity = current.keys[diff.update_at[index]]
            mask_at = index * table.word_count
            rows_at = index * table.component_count
            if self.quick:
                at = put_entity(
                    table,
                    current,
                    self.entity,
                    diff.update_row,
                    rows_at,
                    diff.masks,
                    mask_at,
                    False,
                    self.buf,
                    self.at,
                )
                if at > 0:
                    self.at = at
                    continue
            self.put_id(self.entity)
            for component in range(table.component_count):
                self.put(diff.count_changed(component, mask_at) != 0, 1)
            for component in range(table.component_count):
                if diff.count_changed(component, mask_at):
                    if table.fields[component] > self.max_fields:
                        return self.too_many(st.LIMIT_FIELDS, self.max_fields, table.fields[component])
                    self.put_mask(component, diff.masks, mask_at + table.first_word[component])
                    status = self.write_fields(
                        current,
                        component,
                        diff.update_row[rows_at + component],
                        diff.masks,
                        mask_at + table.first_word[component],
                        False,
                    )
                    if status != st.OK:
                        return status
        self.rest()
        self.update_end = self.at
        return self.end_section(MASKED)

    def write_packed(self, current: Columns) -> cython.int:
        table: FieldTable = self.table
        diff: Diff = self.diff
        index: cython.Py_ssize_t
        component: cython.int
        changed: cython.int
        status: cython.int
        mask_at: cython.Py_ssize_t
        if diff.entries > self.max_update * self.max_components:
            return self.too_many(st.LIMIT_UPDATE, self.max_update * self.max_components, diff.entries)
        self.begin_section()
        self.put_varint(diff.entries)
        for index in range(diff.updated):
            if self.at + table.entity_worst_bytes > self.size:
                self.make_room()
            mask_at = index * table.word_count
            self.rest()
            diff.update_start[index] = self.at
            self.entity = current.keys[diff.update_at[index]]
            for component in range(table.component_count):
                changed = diff.count_changed(component, mask_at)
                if changed:
                    if table.fields[component] > self.max_fields:
                        return self.too_many(st.LIMIT_FIELDS, self.max_fields, table.fields[component])
                    self.align()
                    self.put_varint(self.entity)
                    self.put_varint(table.component_id[component])
                    self.put_varint(changed)
                    status = self.write_fields(
                        current,
                        component,
                        diff.update_row[index * table.component_count + component],
                        diff.masks,
                        mask_at + table.first_word[component],
                        True,
                    )
                    if status != st.OK:
                        return status
        self.rest()
        self.update_end = self.at
        return self.end_section(PACKED)

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
        word: cython.ulonglong = self.word
        fill: cython.int = self.fill
        at: cython.Py_ssize_t = self.at
        for number in range(table.words[component]):
            mask = masks[mask_at + number]
            for bit in range(table.mask_width[first_word + number] - 1, -1, -1):
                if (mask >> bit) & 1:
                    value = (current.columns[field][row] - table.low[field]) & every
                    if value > table.span[field]:
                        self.field = field
                        self.a = current.columns[field][row]
                        return st.VALUE_RANGE
                    bits = table.bits[field]
                    if table.kind[field] == VARUINT or table.kind[field] == VARSINT or bits + index_bits > 64:
                        self.word = word
                        self.fill = fill
                        self.at = at
                        self.put(field - table.first[component], index_bits)
                        if bits:
                            self.put(value ^ table.flip[field], bits)
                        else:
                            self.align()
                            self.put_varint(_zigzag(value) if table.kind[field] == VARSINT else value)
                        word = self.word
                        fill = self.fill
                        at = self.at
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
                        store_be64(self.buf, at, word | (value >> fill))
                        at += 8
                        word = (value << (64 - fill)) & every if fill else 0
                field += 1
        self.word = word
        self.fill = fill
        self.at = at
        return st.OK

    def put_mask(self, component: cython.int, masks: cython.p_ulonglong, mask_at: cython.Py_ssize_t) -> cython.void:
        number: cython.int
        for number in range(self.table.words[component]):
            self.put(masks[mask_at + number], self.table.mask_width[self.table.first_word[component] + number])

    def out_of_order(self, columns: Columns) -> cython.int:
        at: cython.Py_ssize_t = columns.first_disorder()
        if at == 0:
            return st.OK
        self.a = columns.keys[at - 1]
        self.b = columns.keys[at]
        return st.ENTITY_ORDER


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _zigzag(offset: cython.ulonglong) -> cython.ulonglong:
    """Zigzag of a signed 32-bit value that is given as its distance from the lowest one."""
    half: cython.ulonglong = 2147483648
    if offset >= half:
        return 2 * (offset - half)
    return 2 * (half - offset) - 1
