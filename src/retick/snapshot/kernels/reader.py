"""The bytes of one packet and the place in them, and field values read from there (a compiled kernel).

The bytes are first copied into space that the reader keeps, with zeros after them: then a word may be loaded at any
place of the data, and nobody can change it while it is read. Sizes are checked before the copy.

Every part of the decoder reads through the same reader. Methods return a status; what was read is in ``value`` or
``entity``, and the numbers of a fault are in ``fault``.

A component's values are read without a check of the remaining bits where all of them are certain to be there.
"""

from typing import Any

from retick.errors import UsageError

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING
    from cython.cimports.libc.string import memcpy, memset
    from cython.cimports.retick.snapshot.kernels import layout
    from cython.cimports.retick.snapshot.kernels import status as st
    from cython.cimports.retick.snapshot.kernels.columns import Columns
    from cython.cimports.retick.snapshot.kernels.fault import Fault
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
    from cython.cimports.retick.wire.words import load_be64, load_le32
else:
    from retick.snapshot.kernels import layout
    from retick.snapshot.kernels import status as st
    from retick.snapshot.kernels.columns import Columns, as_signed
    from retick.snapshot.kernels.fault import Fault
    from retick.snapshot.kernels.table import FieldTable
    from retick.wire.words import load_be64, load_le32

    PADDING_BYTES = 16

__all__ = ["Reader"]


@cython.cclass
class Reader:
    """Reads bits, varints, ids and values; see the .pxd for what each member holds."""

    if not cython.compiled:
        fault: Fault
        strict: bool
        buf: Any
        size: int
        pos: int
        end: int
        value: int
        entity: int
        table: FieldTable
        max_fields: int
        quick: bool
        _space: Any
        _capacity: int

    def __init__(self, table: FieldTable, limits: Any, strict: bool) -> None:
        self.fault = Fault()
        self.strict = strict
        self.table = table
        self.max_fields = limits.max_fields_per_component
        self.quick = table.all_plain and table.widest <= self.max_fields
        self.size = self.pos = self.end = 0
        self.value = 0
        self.entity = -1
        self._capacity = -1

    def load(self, data: Any, limit: cython.longlong, least: cython.Py_ssize_t) -> cython.int:
        """Copy a packet in, once its size is known to be within bounds, and start at its first bit."""
        if not isinstance(data, bytes):
            try:
                data = bytes(memoryview(data))
            except TypeError:
                raise UsageError(f"a packet is bytes, not {type(data).__name__}") from None
        self.size = len(data)
        self.pos = 0
        self.end = 8 * self.size
        if self.size < least:
            self.fault.needed = least
            self.fault.available = self.size
            return st.PACKET_TOO_SMALL
        if self.size > limit:
            return self.fault.over_limit(st.PACKET_BYTES, limit, self.size)
        if self.size > self._capacity:
            self._capacity = self.size + 256
            self._space = bytearray(self._capacity + PADDING_BYTES)
            if cython.compiled:
                self.buf = cython.cast(cython.p_uchar, PyByteArray_AS_STRING(self._space))
            else:
                self.buf = self._space
        if cython.compiled:
            memcpy(self.buf, PyBytes_AS_STRING(data), self.size)
            memset(self.buf + self.size, 0, PADDING_BYTES)
        else:
            self.buf[: self.size + PADDING_BYTES] = data + bytes(PADDING_BYTES)
        return st.OK

    def copy_of(self, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> bytes:
        """The bytes from ``start`` to ``end`` of the packet."""
        return bytes(self._space[start:end])

    def align(self) -> cython.int:
        """Skip padding up to a byte boundary; a strict reader wants it to be zero."""
        offset: cython.int = self.pos & 7
        if offset:
            if self.strict and self.buf[self.pos >> 3] & (255 >> offset):
                return st.PADDING
            self.pos += 8 - offset
        return st.OK

    def read_bits(self, bits: cython.int) -> cython.ulonglong:
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

    def read_varint(self) -> cython.int:
        """A varuint on a byte boundary, into ``value``."""
        shift: cython.int
        byte: cython.ulonglong
        largest: cython.ulonglong = 4294967295
        value: cython.ulonglong = 0
        if self.end - self.pos >= 8 and self.buf[self.pos >> 3] < 128:
            # Most are of one byte.
            self.value = self.buf[self.pos >> 3]
            self.pos += 8
            return st.OK
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

    def read_id(self) -> cython.int:
        """Padding and an entity id, into ``entity``; it must be above the one that stood there."""
        previous: cython.longlong = self.entity
        status: cython.int = self.align()
        if status != st.OK:
            return status
        if self.end - self.pos < 32:
            return self.short_of(st.UNEXPECTED_EOF, 32)
        self.entity = load_le32(self.buf, self.pos >> 3)
        self.pos += 32
        if self.entity <= previous:
            self.fault.previous = previous
            self.fault.current = self.entity
            return st.ENTITY_ORDER
        return st.OK

    def short_of(self, status: cython.int, bits: cython.Py_ssize_t) -> cython.int:
        """Write down how many bits are needed and how many are left; returns the status."""
        self.fault.needed = bits
        self.fault.available = self.end - self.pos
        return status

    def read_component(
        self, made: Columns, component: cython.int, row: cython.Py_ssize_t, creating: cython.bint
    ) -> cython.int:
        """A field mask and the values it names."""
        table: FieldTable = self.table
        fields: cython.int = table.fields[component]
        mask_at: cython.Py_ssize_t = self.pos
        word: cython.int
        empty: cython.bint = True
        if fields > self.max_fields:
            return self.fault.over_limit(st.LIMIT_FIELDS, self.max_fields, fields)
        if self.end - self.pos < fields:
            return self.short_of(st.FIELD_MASK_BITS, fields)
        for word in range(table.first_word[component], table.first_word[component] + table.words[component]):
            if self.read_bits(table.mask_width[word]) != 0:
                empty = False
        if empty and not creating:
            self.fault.component = table.component_id[component]
            return st.EMPTY_FIELD_MASK
        return self.read_fields(made, component, row, mask_at, creating)

    def read_fields(
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
                    self.fault.component = table.component_id[component]
                    self.fault.field = field
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
                    columns[field][row] = as_signed(word + table.low[field])
            else:
                self.pos = pos
                status = self.read_value(made, field, row)
                if status != st.OK:
                    return status
                pos = self.pos
        self.pos = pos
        return st.OK

    def read_value(self, made: Columns, field: cython.int, row: cython.Py_ssize_t) -> cython.int:
        """One value of any kind, with every check."""
        status: cython.int
        half: cython.ulonglong = 2147483648
        word: cython.ulonglong
        if self.table.coding[field] != layout.FIXED_WIDTH:
            status = self.align()
            if status == st.OK:
                status = self.read_varint()
            if status != st.OK:
                return status
            word = self.value
            if self.table.coding[field] == layout.VARSINT:
                # Zigzag, as a distance from the lowest value.
                word = half - ((word + 1) >> 1) if word & 1 else half + (word >> 1)
        else:
            if self.end - self.pos < self.table.bits[field]:
                return self.short_of(st.UNEXPECTED_EOF, self.table.bits[field])
            word = self.read_bits(self.table.bits[field]) ^ self.table.flip[field]
            if word > self.table.span[field]:
                return self.out_of_range(field, word)
        if cython.compiled:
            made.columns[field][row] = word + self.table.low[field]
        else:
            made.columns[field][row] = as_signed(word + self.table.low[field])
        return st.OK

    def out_of_range(self, field: cython.int, word: cython.ulonglong) -> cython.int:
        self.fault.field = field
        self.fault.value = self.table.low[field] + word
        return st.VALUE_RANGE
