"""Snapshots to bytes (a compiled kernel).

Bits gather in one 64-bit word and leave it eight bytes at a time. The packet is built in space that the encoder
keeps: a section's body first, six bytes further on than needed, and its tag and length right before it when the
length is known; so the first section, mostly the only one, never moves. Every value is checked as it is written;
nothing leaves the encoder unless all of it was right.

Methods return a status; the attributes ``a``, ``b``, ``entity`` and ``field`` hold its numbers.
"""

from typing import Any

from retick.snapshot.faults import encode_fault
from retick.wire.varint import encode_varuint

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize
    from cython.cimports.libc.string import memcpy, memmove
    from cython.cimports.retick.snapshot import status as st
    from cython.cimports.retick.snapshot.columns import Columns, foreign_schema
    from cython.cimports.retick.snapshot.diff import Diff
    from cython.cimports.retick.snapshot.fast import put_entity
    from cython.cimports.retick.snapshot.table import VARSINT, VARUINT, FieldTable
    from cython.cimports.retick.wire.words import store_be64
else:
    from retick.snapshot import status as st
    from retick.snapshot.columns import Columns, foreign_schema
    from retick.snapshot.diff import Diff
    from retick.snapshot.fast import put_entity
    from retick.snapshot.table import VARSINT, VARUINT, FieldTable
    from retick.wire.words import store_be64

    HEADER_BYTES, SECTION_HEAD, FULL, DELTA = 28, 6, 1, 2
    CREATES, DESTROYS, MASKED, PACKED, CHOOSE = 1, 2, 3, 5, 0

__all__ = ["Encoder"]

_MAGIC = b"\x43\x45\x44\x53"


@cython.cclass
class Encoder:
    """Writes packets of one schema and version."""

    if not cython.compiled:
        schema: Any
        table: FieldTable
        diff: Diff
        strict: bool
        quick: bool
        _header: bytes
        max_create: int
        max_update: int
        max_destroy: int
        max_components: int
        max_fields: int
        max_section_bytes: int
        max_section_len: int
        _out: bytearray
        buf: Any
        size: int
        at: int
        word: int
        fill: int
        payload: int
        body: int
        create_end: int
        update_end: int
        a: int
        b: int
        entity: int
        field: int

    def __init__(self, schema: Any, version: int, limits: Any, strict: bool) -> None:
        self.schema = schema
        self.table = schema.table
        self.diff = Diff(schema.table)
        self.strict = strict
        self._header = _MAGIC + version.to_bytes(4, "little") + schema.hash.to_bytes(8, "little") + bytes(12)
        self.max_create = limits.max_entities_create
        self.max_update = limits.max_entities_update
        self.max_destroy = limits.max_entities_destroy
        self.max_components = limits.max_components_per_entity
        self.max_fields = limits.max_fields_per_component
        self.max_section_bytes = limits.max_section_bytes
        self.max_section_len = limits.max_section_len
        widest = max((len(component.fields) for component in schema.components), default=0)
        self.quick = self.table.all_plain and widest <= limits.max_fields_per_component
        self.a = self.b = self.entity = self.field = 0
        self.create_end = self.update_end = 0
        self._out = bytearray()
        self.size = self.at = 0
        self.make_room()

    def full(self, current: Columns, into: Any = None) -> Any:
        """A packet with every entity."""
        status: cython.int
        if current.table is not self.table:
            foreign_schema(current, self.table)
        self.payload = self.at = HEADER_BYTES
        if current.count:
            status = self.write_creates(current, True)
            if status != st.OK:
                raise encode_fault(status, self)
        return self.emit(FULL, current.tick, 0, into)

    def delta(self, base: Columns, current: Columns, mode: cython.int, into: Any = None) -> Any:
        """A packet with what changed since ``base``; ``mode`` is MASKED, PACKED or CHOOSE."""
        status: cython.int = self.write_delta(base, current, mode)
        if status != st.OK:
            raise encode_fault(status, self)
        return self.emit(DELTA, current.tick, base.tick, into)

    def frame(self, base: Columns, current: Columns, last_tick: Any, into: Any = None) -> Any:
        """The same with the compact header, whose ticks count from ``last_tick``; always packed."""
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

    def frame_around(self, tick_delta: Any, baseline_delta: Any, into: Any) -> Any:
        head = bytes((DELTA,)) + encode_varuint(tick_delta) + encode_varuint(baseline_delta)
        head += encode_varuint(self.at - self.payload)
        # Right before the payload, where 28 bytes are free and this takes 16 at most.
        start: cython.Py_ssize_t = self.payload - len(head)
        self._out[start : self.payload] = head
        return self.copy_out(start, into)

    def create_body(self, current: Columns) -> Any:
        """The body of a create section with every entity, as a delta carries it."""
        status: cython.int
        self.payload = self.at = HEADER_BYTES
        self.diff.take_all(current)
        status = self.out_of_order(current)
        if status == st.OK:
            status = self.write_creates(current, False)
        if status != st.OK:
            raise encode_fault(status, self)
        return bytes(self._out[self.body : self.at])

    def entity_sizes(self, current: Columns) -> Any:
        """Index, bytes and whether created, for each entity that was written last."""
        return self.diff.sizes(current, self.create_end, self.update_end)

    def write_delta(self, base: Columns, current: Columns, mode: cython.int) -> cython.int:
        diff: Diff = self.diff
        status: cython.int
        if base.table is not self.table or current.table is not self.table:
            foreign_schema(base, self.table)
            foreign_schema(current, self.table)
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
        status = self.end_section(CREATES)
        self.create_end = self.at
        return status

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
        status = self.end_section(MASKED)
        self.update_end = self.at
        return status

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
        status = self.end_section(PACKED)
        self.update_end = self.at
        return status

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

    def put(self, value: cython.ulonglong, bits: cython.int) -> cython.void:
        free: cython.int = 64 - self.fill
        every: cython.ulonglong = 18446744073709551615
        if bits < free:
            if bits:
                self.word |= value << (free - bits)
                self.fill += bits
            return
        self.fill = bits - free
        store_be64(self.buf, self.at, self.word | (value >> self.fill))
        self.at += 8
        self.word = (value << (64 - self.fill)) & every if self.fill else 0

    def put_varint(self, value: cython.ulonglong) -> cython.void:
        while value > 127:
            self.put((value & 127) | 128, 8)
            value >>= 7
        self.put(value, 8)

    def put_id(self, value: cython.ulonglong) -> cython.void:
        # Little-endian, as 32 bits that come most significant first.
        self.put(
            ((value & 255) << 24) | ((value & 65280) << 8) | ((value >> 8) & 65280) | (value >> 24),
            32,
        )

    def align(self) -> cython.void:
        if self.fill & 7:
            self.put(0, 8 - (self.fill & 7))

    def rest(self) -> cython.void:
        """Pad to a byte boundary and leave no bits in the word."""
        if self.fill:
            self.align()
            store_be64(self.buf, self.at, self.word)
            self.at += self.fill >> 3
            self.word = 0
            self.fill = 0

    def begin_section(self) -> cython.int:
        if self.at + 64 > self.size:
            self.make_room()
        self.at += SECTION_HEAD
        self.body = self.at
        self.word = 0
        self.fill = 0
        return st.OK

    def end_section(self, tag: cython.int) -> cython.int:
        """Pad the body, check its size, and put tag and length before it."""
        length: cython.Py_ssize_t
        head: cython.Py_ssize_t = 2
        first: cython.bint = self.body == HEADER_BYTES + SECTION_HEAD
        at: cython.Py_ssize_t
        self.rest()
        length = self.at - self.body
        if length > self.max_section_bytes:
            return self.too_many(st.LIMIT_SECTION_BYTES, self.max_section_bytes, length)
        if self.strict and length > self.max_section_len:
            return self.too_many(st.SECTION_LENGTH, self.max_section_len, length)
        while length >> (7 * (head - 1)):
            head += 1
        at = self.body - head
        if first:
            self.payload = at
        elif head < SECTION_HEAD:
            at = self.body - SECTION_HEAD
            if cython.compiled:
                memmove(self.buf + at + head, self.buf + self.body, length)
            else:
                self.buf[at + head : at + head + length] = self.buf[self.body : self.at]
            self.body = at + head
            self.at = self.body + length
        self.buf[at] = tag
        while length > 127:
            at += 1
            self.buf[at] = (length & 127) | 128
            length >>= 7
        self.buf[at + 1] = length
        return st.OK

    def emit(self, flags: cython.int, tick: cython.ulonglong, baseline_tick: cython.ulonglong, into: Any) -> Any:
        """Put the 28-byte header before the payload and hand the packet out."""
        start: cython.Py_ssize_t = self.payload - HEADER_BYTES
        index: cython.int
        length: cython.ulonglong = self.at - self.payload
        if cython.compiled:
            out: cython.p_uchar = self.buf + start
            memcpy(out, PyBytes_AS_STRING(self._header), HEADER_BYTES)
            out[6] = flags
            for index in range(4):
                out[16 + index] = (tick >> (8 * index)) & 255
                out[20 + index] = (baseline_tick >> (8 * index)) & 255
                out[24 + index] = (length >> (8 * index)) & 255
        else:
            ticks = b"".join(value.to_bytes(4, "little") for value in (tick, baseline_tick, length))
            self.buf[start : self.payload] = self._header[:6] + flags.to_bytes(2, "little") + self._header[8:16] + ticks
        return self.copy_out(start, into)

    def copy_out(self, start: cython.Py_ssize_t, into: Any) -> Any:
        length: cython.Py_ssize_t = self.at - start
        if into is not None:
            memoryview(into).cast("B")[:length] = memoryview(self._out)[start : self.at]
            return length
        if cython.compiled:
            return PyBytes_FromStringAndSize(cython.cast(cython.p_char, self.buf + start), length)
        return bytes(self.buf[start : self.at])

    def make_room(self) -> cython.int:
        """Space for one more entity at its worst, and as much again as there was."""
        self.size = 2 * self.at + 2 * self.table.entity_worst_bytes + 256
        grown = bytearray(self.size)
        grown[: self.at] = self._out[: self.at]
        self._out = grown
        if cython.compiled:
            self.buf = cython.cast(cython.p_uchar, PyByteArray_AS_STRING(grown))
        else:
            self.buf = grown
        return 0

    def out_of_order(self, columns: Columns) -> cython.int:
        at: cython.Py_ssize_t = columns.first_disorder()
        if at == 0:
            return st.OK
        self.a = columns.keys[at - 1]
        self.b = columns.keys[at]
        return st.ENTITY_ORDER

    def too_many(self, status: cython.int, limit: cython.longlong, actual: cython.longlong) -> cython.int:
        self.a = limit
        self.b = actual
        return status


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _zigzag(offset: cython.ulonglong) -> cython.ulonglong:
    """Zigzag of a signed 32-bit value that is given as its distance from the lowest one."""
    half: cython.ulonglong = 2147483648
    if offset >= half:
        return 2 * (offset - half)
    return 2 * (half - offset) - 1
