"""The bodies of create and destroy sections, and every field's value, read (a compiled kernel).

A component's values are read without a check of the remaining bits where all of them are certain to be there; the
bytes have zeros after them, so a word can be loaded at any place.

Space for entities is bounded by what the remaining bytes can hold, not by the count that the packet states.
"""

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython import array as carray
    from cython.cimports.retick.snapshot.kernels import status as st
    from cython.cimports.retick.snapshot.kernels.columns import Columns, blank_columns
    from cython.cimports.retick.snapshot.kernels.fast import POSITION, PREVIOUS, take_created
    from cython.cimports.retick.snapshot.kernels.framing import Framing
    from cython.cimports.retick.snapshot.kernels.table import VARSINT, VARUINT, FieldTable
    from cython.cimports.retick.wire.words import load_be64
else:
    from retick.snapshot.kernels import status as st
    from retick.snapshot.kernels.columns import Columns, blank_columns
    from retick.snapshot.kernels.fast import POSITION, PREVIOUS, take_created
    from retick.snapshot.kernels.framing import Framing
    from retick.snapshot.kernels.table import VARSINT, VARUINT, FieldTable
    from retick.wire.words import load_be64

__all__ = ["Bodies"]


@cython.cclass
class Bodies(Framing):
    """Reads what sections hold; see the .pxd for what each member is."""

    if not cython.compiled:
        table: FieldTable
        cls: Any
        max_create: int
        max_destroy: int
        max_components: int
        max_fields: int
        max_section_bytes: int
        pos: int
        end: int
        value: int
        created: Any
        destroys: Any
        quick: bool
        state: Any
        _state_owner: Any

    def __init__(self, schema: Any, version: int, limits: Any, strict: bool, cls: Any) -> None:
        Framing.__init__(self, schema, version, limits, strict)
        self.table = schema.table
        self.cls = cls
        self.max_create = limits.max_entities_create
        self.max_destroy = limits.max_entities_destroy
        self.max_components = limits.max_components_per_entity
        self.max_fields = limits.max_fields_per_component
        self.max_section_bytes = limits.max_section_bytes
        self.pos = self.end = 0
        widest = max((len(component.fields) for component in schema.components), default=0)
        self.quick = self.table.all_plain and widest <= limits.max_fields_per_component
        self._state_owner = array("q", bytes(8 * 3))
        if cython.compiled:
            held: carray.array = self._state_owner
            self.state = held.data.as_longlongs
        else:
            self.state = self._state_owner

    @cython.final
    def begin(self, section: cython.int) -> cython.int:
        """Start on a body and read its count into ``value``."""
        start: cython.Py_ssize_t = self.sections[3 * section + 1]
        end: cython.Py_ssize_t = self.sections[3 * section + 2]
        if end - start > self.max_section_bytes:
            return self.too_many(st.LIMIT_SECTION_BYTES, self.max_section_bytes, end - start)
        self.pos = 8 * start
        self.end = 8 * end
        return self.take_varint()

    @cython.final
    def finish(self, tag: cython.int) -> cython.int:
        """After the last item: padding, and nothing else."""
        status: cython.int = self.align()
        if status == st.OK and self.pos < self.end:
            self.a = tag
            self.b = self.end - self.pos
            return st.TRAILING_SECTION
        return status

    @cython.final
    def take_destroys(self, section: cython.int) -> cython.int:
        status: cython.int = self.begin(section)
        index: cython.Py_ssize_t
        previous: cython.longlong = -1
        if status != st.OK:
            return status
        if self.value > self.max_destroy:
            return self.too_many(st.LIMIT_DESTROY, self.max_destroy, self.value)
        destroys = array("I")
        for index in range(self.value):  # noqa: B007 - a typed loop variable makes it a C loop
            status = self.take_id(previous)
            if status != st.OK:
                return status
            previous = self.entity
            destroys.append(self.entity)
        self.destroys = destroys
        return self.finish(2)

    @cython.final
    def take_creates(self, section: cython.int, full: cython.bint) -> cython.int:
        status: cython.int = self.begin(section)
        count: cython.Py_ssize_t
        entities: cython.Py_ssize_t
        index: cython.Py_ssize_t
        previous: cython.longlong = -1
        made: Columns
        if status != st.OK:
            return status
        count = self.value
        if count > self.max_create:
            return self.too_many(st.LIMIT_CREATE, self.max_create, count)
        if full and self.table.component_count > self.max_components:
            return self.too_many(st.LIMIT_COMPONENTS, self.max_components, self.table.component_count)
        # One more than can be there whole: the last may fail after its id.
        entities = (self.end - self.pos) // self.table.entity_least_bits + 1
        if count < entities:
            entities = count
        made = self.space_for(entities)
        index = 0
        while index < count:
            if self.quick:
                self.state[POSITION] = self.pos
                self.state[PREVIOUS] = previous
                index = take_created(self.table, made, self.buf, self.state, self.end, self.strict, index, count)
                self.pos = self.state[POSITION]
                previous = self.state[PREVIOUS]
                if index == count:
                    break
            status = self.take_id(previous)
            if status != st.OK:
                return status
            previous = self.entity
            made.keys[index] = self.entity
            status = self.take_create(made, index, entities)
            if status != st.OK:
                return status
            index += 1
        made.settle(count)
        self.created = made
        return self.finish(1)

    @cython.final
    def space_for(self, entities: cython.Py_ssize_t) -> Columns:
        """Columns for creates: room for all at once unless that would be out of proportion to the bytes."""
        table: FieldTable = self.table
        made: Columns = blank_columns(self.cls, table, self.tick)
        component: cython.int
        rows: cython.Py_ssize_t
        total: cython.Py_ssize_t = 0
        left: cython.Py_ssize_t = self.end - self.pos
        if entities > 0:
            for component in range(table.component_count):
                rows = entities
                if table.least_bits[component] > 0 and left // table.least_bits[component] < rows:
                    rows = left // table.least_bits[component]
                made.room[component] = rows
                total += rows * table.fields[component]
            if total > left:
                # Not every entity can have every component: start small and grow with what comes.
                for component in range(table.component_count):
                    if made.room[component] > 8:
                        made.room[component] = 8
        made.allocate(entities, made.room)
        return made

    @cython.final
    def take_create(self, made: Columns, index: cython.Py_ssize_t, entities: cython.Py_ssize_t) -> cython.int:
        """The components of one new entity."""
        table: FieldTable = self.table
        component: cython.int
        status: cython.int
        row: cython.Py_ssize_t
        mask_at: cython.Py_ssize_t = self.pos
        if self.end - self.pos < table.component_count:
            return self.short_of(st.COMPONENT_MASK_BITS, table.component_count)
        self.pos += table.component_count
        for component in range(table.component_count):
            if (self.buf[mask_at >> 3] >> (7 - (mask_at & 7))) & 1:
                row = made.rows[component]
                if row >= made.room[component]:
                    made.grow(component)
                status = self.take_component(made, component, row, True)
                if status != st.OK:
                    return status
                made.rows[component] = row + 1
                if made.noted:
                    made.present[component][index] = 1
            else:
                if not made.noted:
                    made.note_absent(entities)
                made.present[component][index] = 0
            mask_at += 1
        return st.OK

    @cython.final
    def take_component(
        self, made: Columns, component: cython.int, row: cython.Py_ssize_t, creating: cython.bint
    ) -> cython.int:
        """A field mask and the values it names."""
        table: FieldTable = self.table
        fields: cython.int = table.fields[component]
        mask_at: cython.Py_ssize_t = self.pos
        word: cython.int
        empty: cython.bint = True
        if fields > self.max_fields:
            return self.too_many(st.LIMIT_FIELDS, self.max_fields, fields)
        if self.end - self.pos < fields:
            return self.short_of(st.FIELD_MASK_BITS, fields)
        for word in range(table.first_word[component], table.first_word[component] + table.words[component]):
            if self.take(table.mask_width[word]) != 0:
                empty = False
        if empty and not creating:
            self.a = table.component_id[component]
            return st.EMPTY_FIELD_MASK
        return self.take_fields(made, component, row, mask_at, creating)

    @cython.final
    def take_fields(
        self,
        made: Columns,
        component: cython.int,
        row: cython.Py_ssize_t,
        mask_at: cython.Py_ssize_t,
        creating: cython.bint,
    ) -> cython.int:
        """The values of those fields whose bit is set in the mask at ``mask_at``."""
        table: FieldTable = self.table
        buf: cython.p_uchar = self.buf
        widths: cython.p_int = table.bits
        columns: cython.pointer(cython.p_longlong) = made.columns  # type: ignore[valid-type]  # a C type
        every: cython.ulonglong = 18446744073709551615
        field: cython.int
        bits: cython.int
        status: cython.int
        pos: cython.Py_ssize_t = self.pos
        word: cython.ulonglong
        certain: cython.bint = table.plain[component] != 0 and self.end - pos >= table.value_bits[component]
        for field in range(table.first[component], table.first[component] + table.fields[component]):
            mask_at += 1
            if not (buf[(mask_at - 1) >> 3] >> (7 - ((mask_at - 1) & 7))) & 1:
                if creating:
                    self.a = table.component_id[component]
                    self.b = self.schema.fields[field][1].id
                    return st.MISSING_FIELD
            elif certain:
                bits = widths[field]
                word = (((load_be64(buf, pos >> 3) << (pos & 7)) & every) >> (64 - bits)) ^ table.flip[field]
                if word > table.span[field]:
                    return self.out_of_range(field, word)
                pos += bits
                if cython.compiled:
                    columns[field][row] = word + table.low[field]
                else:
                    columns[field][row] = _signed(word + table.low[field])
            else:
                self.pos = pos
                status = self.take_value(made, field, row)
                if status != st.OK:
                    return status
                pos = self.pos
        self.pos = pos
        return st.OK

    @cython.final
    def out_of_range(self, field: cython.int, word: cython.ulonglong) -> cython.int:
        self.field = field
        self.a = self.table.low[field] + word
        return st.VALUE_RANGE

    @cython.final
    def take_value(self, made: Columns, field: cython.int, row: cython.Py_ssize_t) -> cython.int:
        """One value of any kind, with every check."""
        table: FieldTable = self.table
        status: cython.int
        half: cython.ulonglong = 2147483648
        word: cython.ulonglong
        if table.kind[field] == VARUINT or table.kind[field] == VARSINT:
            status = self.align()
            if status == st.OK:
                status = self.take_varint()
            if status != st.OK:
                return status
            word = self.value
            if table.kind[field] == VARSINT:
                # Zigzag, as a distance from the lowest value.
                word = half - ((word + 1) >> 1) if word & 1 else half + (word >> 1)
        else:
            if self.end - self.pos < table.bits[field]:
                return self.short_of(st.UNEXPECTED_EOF, table.bits[field])
            word = self.take(table.bits[field]) ^ table.flip[field]
            if word > table.span[field]:
                return self.out_of_range(field, word)
        if cython.compiled:
            made.columns[field][row] = word + table.low[field]
        else:
            made.columns[field][row] = _signed(word + table.low[field])
        return st.OK

    @cython.final
    def align(self) -> cython.int:
        """Skip padding, which a strict reader wants to be zero."""
        offset: cython.int = self.pos & 7
        if offset:
            if self.strict and self.buf[self.pos >> 3] & (255 >> offset):
                return st.PADDING
            self.pos += 8 - offset
        return st.OK

    @cython.final
    def take(self, bits: cython.int) -> cython.ulonglong:
        """Up to 64 bits, which must be there."""
        offset: cython.int = self.pos & 7
        at: cython.Py_ssize_t = self.pos >> 3
        every: cython.ulonglong = 18446744073709551615
        word: cython.ulonglong = (load_be64(self.buf, at) << offset) & every
        if bits + offset > 64:
            word |= self.buf[at + 8] >> (8 - offset)
        self.pos += bits
        # A shift by 64 is not defined in C.
        return word >> (64 - bits) if bits else 0

    @cython.final
    def take_varint(self) -> cython.int:
        """A varuint on a byte boundary, into ``value``."""
        shift: cython.int
        byte: cython.ulonglong
        largest: cython.ulonglong = 4294967295
        value: cython.ulonglong = 0
        for shift in range(0, 35, 7):
            if self.end - self.pos < 8:
                return self.short_of(st.UNEXPECTED_EOF, 8)
            byte = self.buf[self.pos >> 3]
            self.pos += 8
            value |= (byte & 127) << shift
            if byte < 128:
                if self.strict and (value > largest or (byte == 0 and shift > 0)):
                    return st.BODY_VARINT
                self.value = value & largest
                return st.OK
        return st.BODY_VARINT

    @cython.final
    def take_id(self, previous: cython.longlong) -> cython.int:
        """Padding and an entity id, into ``entity``; it must be above ``previous``."""
        at: cython.Py_ssize_t
        status: cython.int = self.align()
        if status != st.OK:
            return status
        if self.end - self.pos < 32:
            return self.short_of(st.UNEXPECTED_EOF, 32)
        at = self.pos >> 3
        self.entity = self.buf[at] | (self.buf[at + 1] << 8) | (self.buf[at + 2] << 16)
        self.value = self.buf[at + 3]
        self.entity |= self.value << 24
        self.pos += 32
        if self.entity <= previous:
            self.a = previous
            self.b = self.entity
            return st.ENTITY_ORDER
        return st.OK

    @cython.final
    def short_of(self, status: cython.int, bits: cython.Py_ssize_t) -> cython.int:
        self.a = bits
        self.b = self.end - self.pos
        return status

    @cython.final
    def too_many(self, status: cython.int, limit: cython.longlong, actual: cython.longlong) -> cython.int:
        self.a = limit
        self.b = actual
        return status


@cython.cfunc
def _signed(value: Any) -> Any:
    """As a column holds it: unsigned 64-bit numbers as the signed ones with the same bits."""
    return value - 18446744073709551616 if value > 9223372036854775807 else value
