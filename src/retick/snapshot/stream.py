"""The bytes of one packet with a read position, and field values read there (a compiled kernel).

Contents: faults; the reader; the packer; the columns that a delta is applied to; the common case.

The bytes are first copied into the reader's own space, followed by zeros: then a word may be loaded anywhere in the
data, and nobody can change it while it is read. Sizes are checked before the copy.

Every part of the decoder uses the same reader. Methods return a status; the result is in ``value`` or ``entity``, and
the numbers of a fault are in ``fault``.

A component's values are read without checking the remaining bits if all of them are certain to be there.
"""

from array import array
from typing import Any

from retick.errors import EncodeError, UsageError, with_code
from retick.snapshot.layout import HEADER, MAGIC
from retick.wire.varint import encode_varuint

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython import array as carray
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize
    from cython.cimports.libc.string import memcpy, memmove, memset
    from cython.cimports.retick.snapshot import layout
    from cython.cimports.retick.snapshot.columns import Columns, FieldTable, blank_columns
    from cython.cimports.retick.wire.bits import load_be64, load_le32, store_be64, store_le16, store_le32
else:
    from retick.snapshot import layout
    from retick.snapshot.columns import Columns, FieldTable, as_signed, blank_columns
    from retick.wire.bits import load_be64, load_le32, store_be64

# Faults: their numbers, by name.
#
# A kernel that finds a fault writes the numbers here and returns a status. ``errors`` makes an exception of the two.
# Each status uses only some of the numbers; the others hold whatever an earlier fault left.


@cython.final
@cython.cclass
class Fault:
    """The fault of a packet or a snapshot."""

    status: cython.int  # readonly: of a fault that is kept for later, else OK
    limit: cython.longlong  # public: a limit, and
    actual: cython.longlong  # public: the count or size that is above it
    needed: cython.longlong  # public: bits or bytes that a value needs, and
    available: cython.longlong  # public: those that are left
    expected: cython.longlong  # public: what should stand there, and
    found: cython.longlong  # public: what does
    flags: cython.longlong  # public: of the header
    tag: cython.longlong  # public: of the section
    extra: cython.longlong  # public: bits or bytes after the last item
    entity: cython.longlong  # public: id of the entity
    component: cython.longlong  # public: id of the component
    field: cython.longlong  # public: number of the field in the table
    value: cython.longlong  # public: that its field cannot hold
    previous: cython.longlong  # public: an id or tick, and
    current: cython.longlong  # public: the one that should be above it

    def __init__(self) -> None:
        self.status = 0
        self.limit = self.actual = 0
        self.needed = self.available = 0
        self.expected = self.found = 0
        self.flags = self.tag = self.extra = 0
        self.entity = self.component = self.field = self.value = 0
        self.previous = self.current = 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def over_limit(self, status: cython.int, limit: cython.longlong, actual: cython.longlong) -> cython.int:
        """Note a limit and the number above it; returns the status."""
        self.limit = limit
        self.actual = actual
        return status


# The reader: bits, varints, ids and values of one packet.

if not cython.compiled:
    PADDING_BYTES = 16  # C constant: zeros after the data, so that a word may be read anywhere in it


@cython.final
@cython.cclass
class Reader:
    """Reads bits, varints, ids and values."""

    fault: Fault  # readonly: what is wrong with the packet
    strict: cython.bint  # readonly
    buf: cython.p_uchar  # the packet, then zeros
    size: cython.Py_ssize_t  # bytes of the packet
    pos: cython.Py_ssize_t  # bit at which reading goes on
    end: cython.Py_ssize_t  # bit after the last that may be read
    value: cython.ulonglong  # what read_varint read last
    entity: cython.longlong  # what read_id read last; -1 before the first of a section
    table: FieldTable
    max_fields: cython.longlong
    quick: cython.bint  # public: whole entities may be read by read_created and read_updated
    _space: Any
    _capacity: cython.Py_ssize_t

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

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def load(self, data: Any, limit: cython.longlong, least: cython.Py_ssize_t) -> cython.int:
        """Copy a packet whose size is within bounds, and start at its first bit."""
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
            return layout.PACKET_TOO_SMALL
        if self.size > limit:
            return self.fault.over_limit(layout.PACKET_BYTES, limit, self.size)
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
        return layout.OK

    def copy_of(self, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> bytes:
        """The packet's bytes from ``start`` to ``end``."""
        return bytes(self._space[start:end])

    @cython.cfunc
    @cython.exceptval(check=False)
    def align(self) -> cython.int:
        """Skip padding up to a byte boundary; a strict reader requires zeros."""
        offset: cython.int = self.pos & 7
        if offset:
            if self.strict and self.buf[self.pos >> 3] & (255 >> offset):
                return layout.PADDING
            self.pos += 8 - offset
        return layout.OK

    @cython.cfunc
    @cython.exceptval(check=False)
    def read_bits(self, bits: cython.int) -> cython.ulonglong:
        """Read up to 64 bits, which must be there."""
        offset: cython.int = self.pos & 7
        at: cython.Py_ssize_t = self.pos >> 3
        every: cython.ulonglong = 18446744073709551615
        word: cython.ulonglong = (load_be64(self.buf, at) << offset) & every
        if bits + offset > 64:
            word |= self.buf[at + 8] >> (8 - offset)
        self.pos += bits
        # A shift by 64 is not defined in C.
        return word >> (64 - bits) if bits else 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def read_varint(self) -> cython.int:
        """Read a varuint on a byte boundary into ``value``."""
        shift: cython.int
        byte: cython.ulonglong
        largest: cython.ulonglong = 4294967295
        value: cython.ulonglong = 0
        if self.end - self.pos >= 8 and self.buf[self.pos >> 3] < 128:
            # Most have one byte.
            self.value = self.buf[self.pos >> 3]
            self.pos += 8
            return layout.OK
        for shift in range(0, 35, 7):
            if self.end - self.pos < 8:
                return self.short_of(layout.UNEXPECTED_EOF, 8)
            byte = self.buf[self.pos >> 3]
            self.pos += 8
            value |= (byte & 127) << shift
            if byte < 128:
                if self.strict and (value > largest or (byte == 0 and shift > 0)):
                    return layout.BODY_VARINT
                self.value = value & largest
                return layout.OK
        return layout.BODY_VARINT

    @cython.cfunc
    @cython.exceptval(check=False)
    def read_id(self) -> cython.int:
        """Read padding and an entity id into ``entity``; it must be above the previous id."""
        previous: cython.longlong = self.entity
        status: cython.int = self.align()
        if status != layout.OK:
            return status
        if self.end - self.pos < 32:
            return self.short_of(layout.UNEXPECTED_EOF, 32)
        self.entity = load_le32(self.buf, self.pos >> 3)
        self.pos += 32
        if self.entity <= previous:
            self.fault.previous = previous
            self.fault.current = self.entity
            return layout.ENTITY_ORDER
        return layout.OK

    @cython.cfunc
    @cython.exceptval(check=False)
    def short_of(self, status: cython.int, bits: cython.Py_ssize_t) -> cython.int:
        """Note how many bits are needed and how many are left; returns the status."""
        self.fault.needed = bits
        self.fault.available = self.end - self.pos
        return status

    @cython.cfunc
    @cython.exceptval(check=False)
    def read_component(
        self, made: Columns, component: cython.int, row: cython.Py_ssize_t, creating: cython.bint
    ) -> cython.int:
        """Read a field mask and the values that it names."""
        table: FieldTable = self.table
        fields: cython.int = table.fields[component]
        mask_at: cython.Py_ssize_t = self.pos
        word: cython.int
        empty: cython.bint = True
        if fields > self.max_fields:
            return self.fault.over_limit(layout.LIMIT_FIELDS, self.max_fields, fields)
        if self.end - self.pos < fields:
            return self.short_of(layout.FIELD_MASK_BITS, fields)
        for word in range(table.first_word[component], table.first_word[component] + table.words[component]):
            if self.read_bits(table.mask_width[word]) != 0:
                empty = False
        if empty and not creating:
            self.fault.component = table.component_id[component]
            return layout.EMPTY_FIELD_MASK
        return self.read_fields(made, component, row, mask_at, creating)

    @cython.cfunc
    @cython.exceptval(check=False)
    def read_fields(
        self,
        made: Columns,
        component: cython.int,
        row: cython.Py_ssize_t,
        mask_at: cython.Py_ssize_t,
        creating: cython.bint,
    ) -> cython.int:
        """Read the values of the fields with a set bit in the mask at ``mask_at``."""
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
                    return layout.MISSING_FIELD
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
                if status != layout.OK:
                    return status
                pos = self.pos
        self.pos = pos
        return layout.OK

    @cython.cfunc
    @cython.exceptval(check=False)
    def read_value(self, made: Columns, field: cython.int, row: cython.Py_ssize_t) -> cython.int:
        """Read one value of any kind, with every check."""
        status: cython.int
        half: cython.ulonglong = 2147483648
        word: cython.ulonglong
        if self.table.coding[field] != layout.FIXED_WIDTH:
            status = self.align()
            if status == layout.OK:
                status = self.read_varint()
            if status != layout.OK:
                return status
            word = self.value
            if self.table.coding[field] == layout.VARSINT:
                # Zigzag, as a distance from the lowest value.
                word = half - ((word + 1) >> 1) if word & 1 else half + (word >> 1)
        else:
            if self.end - self.pos < self.table.bits[field]:
                return self.short_of(layout.UNEXPECTED_EOF, self.table.bits[field])
            word = self.read_bits(self.table.bits[field]) ^ self.table.flip[field]
            if word > self.table.span[field]:
                return self.out_of_range(field, word)
        if cython.compiled:
            made.columns[field][row] = word + self.table.low[field]
        else:
            made.columns[field][row] = as_signed(word + self.table.low[field])
        return layout.OK

    @cython.cfunc
    @cython.exceptval(check=False)
    def out_of_range(self, field: cython.int, word: cython.ulonglong) -> cython.int:
        self.fault.field = field
        self.fault.value = self.table.low[field] + word
        return layout.VALUE_RANGE


# The packer: writes bits into packets, for the encoder.
#
# Bits gather in one 64-bit word and leave it eight bytes at a time. The packet is built in space that is kept: a
# section's body first, six bytes further on than needed, and its tag and length right before it once the length is
# known; so the first section, mostly the only one, never moves. The header goes before that.

if not cython.compiled:
    SECTION_HEAD = 6  # C constant: bytes of a tag and the longest length


@cython.final
@cython.cclass
class Packer:
    """Writes bits, the heads of sections, and headers."""

    fault: Fault  # readonly: what is wrong with the snapshot
    strict: cython.bint
    max_section_bytes: cython.longlong
    max_section_len: cython.longlong
    entity_bytes: cython.Py_ssize_t  # most that one entity takes
    buf: cython.p_uchar  # whole bytes lie in it before `at`
    size: cython.Py_ssize_t
    at: cython.Py_ssize_t
    word: cython.ulonglong  # bits that are not in buf yet, from its top
    fill: cython.int  # how many these are
    payload: cython.Py_ssize_t  # where the payload starts
    body: cython.Py_ssize_t  # where the body of the section being written starts
    _out: "bytearray"  # what buf points into
    _header: bytes  # the standard header, without flags, ticks and length

    def __init__(self, schema: Any, version: int, limits: Any, strict: bool) -> None:
        self.fault = Fault()
        self.strict = strict
        self.max_section_bytes = limits.max_section_bytes
        self.max_section_len = limits.max_section_len
        self.entity_bytes = schema.table.entity_worst_bytes
        self._header = HEADER.pack(MAGIC, version, 0, schema.hash, 0, 0, 0)
        self._out = bytearray()
        self.size = self.at = 0
        self.make_room()

    @cython.cfunc
    @cython.exceptval(check=False)
    def start(self) -> cython.void:
        """Start a packet: its payload, with space for the header before it."""
        self.payload = self.at = layout.HEADER_BYTES

    @cython.cfunc
    @cython.exceptval(check=False)
    def put(self, value: cython.ulonglong, bits: cython.int) -> cython.void:
        """Write up to 64 bits; ``value`` must have no others."""
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

    @cython.cfunc
    @cython.exceptval(check=False)
    def put_varint(self, value: cython.ulonglong) -> cython.void:
        while value > 127:
            self.put((value & 127) | 128, 8)
            value >>= 7
        self.put(value, 8)

    @cython.cfunc
    @cython.exceptval(check=False)
    def put_id(self, value: cython.ulonglong) -> cython.void:
        # Little-endian, as 32 bits that are written most significant first.
        self.put(
            ((value & 255) << 24) | ((value & 65280) << 8) | ((value >> 8) & 65280) | (value >> 24),
            32,
        )

    @cython.cfunc
    @cython.exceptval(check=False)
    def align(self) -> cython.void:
        """Write zero bits up to a byte boundary."""
        if self.fill & 7:
            self.put(0, 8 - (self.fill & 7))

    @cython.cfunc
    @cython.exceptval(check=False)
    def flush(self) -> cython.void:
        """Pad to a byte boundary and leave no bits in the word."""
        if self.fill:
            self.align()
            store_be64(self.buf, self.at, self.word)
            self.at += self.fill >> 3
            self.word = 0
            self.fill = 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def begin_section(self) -> cython.int:
        """Leave space for tag and length and start the body."""
        if self.at + 64 > self.size:
            self.make_room()
        self.at += SECTION_HEAD
        self.body = self.at
        self.word = 0
        self.fill = 0
        return layout.OK

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def begin_entity(self) -> cython.Py_ssize_t:
        """Make room for one more entity, on a byte boundary; returns its start."""
        if self.at + self.entity_bytes > self.size:
            self.make_room()
        if self.fill:
            self.flush()
        return self.at

    @cython.cfunc
    @cython.exceptval(check=False)
    def end_section(self, tag: cython.int) -> cython.int:
        """Pad the body, check its size, and write tag and length before it."""
        length: cython.Py_ssize_t
        head: cython.Py_ssize_t = 2
        first: cython.bint = self.body == layout.HEADER_BYTES + SECTION_HEAD
        at: cython.Py_ssize_t
        self.flush()
        length = self.at - self.body
        if length > self.max_section_bytes:
            return self.fault.over_limit(layout.LIMIT_SECTION_BYTES, self.max_section_bytes, length)
        if self.strict and length > self.max_section_len:
            return self.fault.over_limit(layout.SECTION_LENGTH, self.max_section_len, length)
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
        return layout.OK

    @cython.cfunc
    def emit(self, flags: cython.int, tick: cython.ulonglong, baseline_tick: cython.ulonglong, into: Any) -> Any:
        """Write the standard header before the payload and return the packet."""
        start: cython.Py_ssize_t = self.payload - layout.HEADER_BYTES
        length: cython.ulonglong = self.at - self.payload
        if cython.compiled:
            out: cython.p_uchar = self.buf + start
            memcpy(out, PyBytes_AS_STRING(self._header), layout.HEADER_BYTES)
            store_le16(out, layout.FLAGS_AT, flags)
            store_le32(out, layout.TICK_AT, tick)
            store_le32(out, layout.BASELINE_TICK_AT, baseline_tick)
            store_le32(out, layout.PAYLOAD_BYTES_AT, length)
        else:
            magic, version, _flags, schema_hash, *_numbers = HEADER.unpack(self._header)
            HEADER.pack_into(self.buf, start, magic, version, flags, schema_hash, tick, baseline_tick, length)
        return self.copy_out(start, into)

    @cython.cfunc
    def emit_frame(self, tick_delta: Any, baseline_delta: Any, into: Any) -> Any:
        """Write the compact header of a delta before the payload and return the frame."""
        head = bytes((layout.DELTA,)) + encode_varuint(tick_delta) + encode_varuint(baseline_delta)
        head += encode_varuint(self.at - self.payload)
        # Right before the payload: it takes at most 16 bytes, which a standard header would have used.
        start: cython.Py_ssize_t = self.payload - len(head)
        self._out[start : self.payload] = head
        return self.copy_out(start, into)

    @cython.cfunc
    def copy_out(self, start: cython.Py_ssize_t, into: Any) -> Any:
        """Everything from ``start`` on: as bytes, or written into a buffer and its length returned."""
        length: cython.Py_ssize_t = self.at - start
        if into is not None:
            target = memoryview(into).cast("B")
            if target.readonly:
                raise UsageError("the buffer to encode into must be writable")
            if len(target) < length:
                message = f"the packet needs {length} bytes, the buffer has {len(target)}"
                raise with_code(EncodeError(message), "OutputTooSmall")
            target[:length] = memoryview(self._out)[start : self.at]
            return length
        if cython.compiled:
            return PyBytes_FromStringAndSize(cython.cast(cython.p_char, self.buf + start), length)
        return bytes(self.buf[start : self.at])

    def body_bytes(self) -> bytes:
        """The body of the section that was written last."""
        return bytes(self._out[self.body : self.at])

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def make_room(self) -> cython.int:
        """Make space for one more entity at its largest, and double the space."""
        self.size = 2 * self.at + 2 * self.entity_bytes + 256
        grown = bytearray(self.size)
        grown[: self.at] = self._out[: self.at]
        self._out = grown
        if cython.compiled:
            self.buf = cython.cast(cython.p_uchar, PyByteArray_AS_STRING(grown))
        else:
            self.buf = grown
        return 0


# The columns that a delta is applied to, and the current entity in them.
#
# The format requires every section to be decoded before anything is applied: a decoding error anywhere in the packet
# takes precedence over an error of applying, such as an update of a missing entity. So the first error of applying is
# only noted, and from then on values go into a sink of one row until the end of the packet.


@cython.final
@cython.cclass
class DeltaTarget:
    """The columns where updates are written."""

    table: FieldTable
    columns: Columns  # that updates are written to: those of the result, or the sink
    sink: Columns  # one row of each component, for values that are only checked
    dense: cython.bint  # every entity has every component
    cursor: cython.Py_ssize_t  # index of the entity at hand
    rank: cython.p_longlong  # by component: row of the entity at the cursor
    _rank_owner: Any
    fault: Fault  # the first error of applying; its status is OK as long as there is none

    def __init__(self, table: FieldTable) -> None:
        component: cython.int
        self.table = table
        self.fault = Fault()
        self._rank_owner = array("q", bytes(8 * (table.component_count + 1)))
        if cython.compiled:
            held: carray.array = self._rank_owner
            self.rank = held.data.as_longlongs
        else:
            self.rank = self._rank_owner
        self.sink = blank_columns(Columns, table, 0)
        for component in range(table.component_count):
            self.sink.room[component] = 1
        self.sink.allocate(1, self.sink.room)
        self.columns = self.sink
        self.start()

    @cython.cfunc
    @cython.exceptval(check=False)
    def start(self) -> cython.void:
        """Go to the first entity of the columns."""
        component: cython.int
        self.cursor = 0
        self.dense = True
        for component in range(self.table.component_count):
            self.rank[component] = 0
            if self.columns.rows[component] != self.columns.count:
                self.dense = False

    @cython.cfunc
    @cython.exceptval(check=False)
    def fail(self, status: cython.int) -> cython.void:
        """Note the first error of applying; its numbers are in ``fault``, and the packet's rest goes to the sink."""
        self.fault.status = status
        self.columns = self.sink

    @cython.cfunc
    @cython.exceptval(check=False)
    def seek(self, entity: cython.longlong) -> cython.void:
        """Move the cursor forward to an entity; a missing entity is an error of applying."""
        columns: Columns = self.columns
        component: cython.int
        index: cython.Py_ssize_t
        cursor: cython.Py_ssize_t = self.cursor
        while cursor < columns.count and columns.keys[cursor] < entity:
            cursor += 1
        for component in range(self.table.component_count):
            if columns.rows[component] == columns.count:
                self.rank[component] = cursor
            else:
                for index in range(self.cursor, cursor):
                    self.rank[component] += columns.present[component][index]
        self.cursor = cursor
        if cursor == columns.count or columns.keys[cursor] != entity:
            self.fault.entity = entity
            self.fail(layout.ENTITY_NOT_FOUND)

    @cython.cfunc
    @cython.exceptval(check=False)
    def row_of(self, component: cython.int, entity: cython.longlong) -> cython.Py_ssize_t:
        """The row of the entity at the cursor; of the sink, if it lacks the component or was not found."""
        columns: Columns = self.columns
        if columns is self.sink:
            return 0
        if columns.rows[component] != columns.count and not columns.present[component][self.cursor]:
            self.fault.entity = entity
            self.fault.component = self.table.component_id[component]
            self.fail(layout.COMPONENT_NOT_FOUND)
            return 0
        row: cython.Py_ssize_t = self.rank[component]
        return row


# The common case: whole entities at a time.
#
# Most schemas have only fields of fixed width, and most packets are valid. These functions read and write such entities
# quickly, and *stop before* anything unusual: a value out of range, an id out of order, a missing bit, a varint. The
# encoder's or the decoder's own code then handles that entity, with every check in its place and the right error. So
# nothing here decides what is an error, and leaving these functions out changes only the speed.
#
# Every entity starts on a byte boundary, so each can be handled alone.


@cython.cfunc
@cython.exceptval(check=False)
def put_entity(
    table: FieldTable,
    current: Columns,
    entity: cython.uint,
    rows: cython.p_longlong,
    rows_at: cython.Py_ssize_t,
    masks: cython.p_ulonglong,
    masks_at: cython.Py_ssize_t,
    creating: cython.bint,
    packer: Packer,
) -> cython.bint:
    """Write one created or masked-updated entity; False, without moving the packer, if it is unusual.

    A component is written if it has a row and, unless creating, a mask that is not 0.
    """
    components: cython.int = table.component_count
    buf: cython.p_uchar = packer.buf
    at: cython.Py_ssize_t = packer.at
    widths: cython.p_int = table.bits
    flips: cython.p_ulonglong = table.flip
    spans: cython.p_ulonglong = table.span
    lows: cython.p_longlong = table.low
    columns: cython.pointer(cython.p_longlong) = current.columns  # type: ignore[valid-type]  # a C type
    every: cython.ulonglong = 18446744073709551615
    one: cython.ulonglong = 1
    word: cython.ulonglong = 0
    mask: cython.ulonglong
    value: cython.ulonglong
    fill: cython.int = components
    component: cython.int
    field: cython.int
    bit: cython.int
    bits: cython.int
    free: cython.int
    row: cython.Py_ssize_t
    buf[at] = entity & 255
    buf[at + 1] = (entity >> 8) & 255
    buf[at + 2] = (entity >> 16) & 255
    buf[at + 3] = entity >> 24
    at += 4
    for component in range(components):
        if rows[rows_at + component] >= 0 and (creating or masks[masks_at + component] != 0):
            word |= one << (63 - component)
    for component in range(components):
        mask = masks[masks_at + component]
        row = rows[rows_at + component]
        if row < 0 or (mask == 0 and not creating):
            continue
        bits = table.fields[component]
        value = mask
        field = table.first[component]
        bit = bits
        while True:
            # First the mask itself, then the value of each field in it.
            free = 64 - fill
            if bits < free:
                word |= value << (free - bits)
                fill += bits
            else:
                fill = bits - free
                store_be64(buf, at, word | (value >> fill))
                at += 8
                word = (value << (64 - fill)) & every if fill else 0
            bit -= 1
            while bit >= 0 and not (mask >> bit) & 1:
                bit -= 1
                field += 1
            if bit < 0:
                break
            value = (columns[field][row] - lows[field]) & every
            if value > spans[field]:
                return False
            value ^= flips[field]
            bits = widths[field]
            field += 1
    store_be64(buf, at, word)
    packer.at = at + ((fill + 7) >> 3)
    return True


@cython.cfunc
@cython.exceptval(check=False)
def read_created(
    table: FieldTable, made: Columns, reader: Reader, index: cython.Py_ssize_t, count: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Read created entities from ``index`` on; returns the index of the first unusual one, or ``count``.

    Entities with every component all have the same size and layout. So their ids and masks are checked first, then one
    column after another is filled.
    """
    buf: cython.p_uchar = reader.buf
    pos: cython.Py_ssize_t = reader.pos
    component: cython.int
    at: cython.Py_ssize_t
    good: cython.Py_ssize_t
    if pos & 7:
        if reader.strict and buf[pos >> 3] & (255 >> (pos & 7)):
            return index
        pos += 8 - (pos & 7)
    good = (reader.end - pos) // (8 * table.entity_plain_bytes)
    if count - index < good:
        good = count - index
    for component in range(table.component_count):
        if made.room[component] - made.rows[component] < good:
            good = made.room[component] - made.rows[component]
    good = _alike(table, made, buf, pos >> 3, reader.strict, index, good, reader.entity)
    for component in range(table.component_count):
        good = _read_columns(table, made, component, buf, pos >> 3, good)
    for component in range(table.component_count):
        made.rows[component] += good
        if made.noted:
            for at in range(index, index + good):
                made.present[component][at] = 1
    if good > 0:
        reader.pos = pos + 8 * table.entity_plain_bytes * good
        reader.entity = made.keys[index + good - 1]
    return index + good


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _alike(
    table: FieldTable,
    made: Columns,
    buf: cython.p_uchar,
    start: cython.Py_ssize_t,
    strict: cython.bint,
    index: cython.Py_ssize_t,
    count: cython.Py_ssize_t,
    previous: cython.longlong,
) -> cython.Py_ssize_t:
    """How many entities from ``start`` on have every component, every field, ascending ids and clean padding."""
    entity: cython.longlong
    component: cython.int
    number: cython.Py_ssize_t
    full: cython.ulonglong
    size: cython.Py_ssize_t = table.entity_plain_bytes
    padding: cython.int = (1 << (8 * size - table.entity_plain_bits)) - 1 if strict else 0
    for number in range(count):
        entity = load_le32(buf, start)
        if entity <= previous or buf[start + size - 1] & padding:
            return number
        if load_be64(buf, start + 4) >> (64 - table.component_count) != table.all_components:
            return number
        for component in range(table.component_count):
            full = table.full_mask[component]
            if (load_be64(buf, start + table.mask_byte[component]) >> table.mask_shift[component]) & full != full:
                return number
        made.keys[index + number] = entity
        previous = entity
        start += size
    return count


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _read_columns(
    table: FieldTable,
    made: Columns,
    component: cython.int,
    buf: cython.p_uchar,
    start: cython.Py_ssize_t,
    count: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Read one component's columns for entities of equal layout; returns how many have all values in range."""
    field: cython.int
    shift: cython.int
    at: cython.Py_ssize_t
    number: cython.Py_ssize_t
    size: cython.Py_ssize_t = table.entity_plain_bytes
    row: cython.Py_ssize_t = made.rows[component]
    value: cython.ulonglong
    mask: cython.ulonglong
    flip: cython.ulonglong
    span: cython.ulonglong
    low: cython.longlong
    column: cython.p_longlong
    for field in range(table.first[component], table.first[component] + table.fields[component]):
        at = start + table.field_byte[field]
        shift = table.field_shift[field]
        mask = table.field_mask[field]
        flip = table.flip[field]
        span = table.span[field]
        low = table.low[field]
        column = made.columns[field]
        for number in range(count):
            value = ((load_be64(buf, at) >> shift) & mask) ^ flip
            if value > span:
                count = number
                break
            if cython.compiled:
                column[row + number] = value + low
            else:
                column[row + number] = as_signed(value + low)
            at += size
    return count


@cython.cfunc
@cython.exceptval(check=False)
def read_updated(table: FieldTable, target: DeltaTarget, reader: Reader, count: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Read masked updates into a target whose entities have all components; returns how many of ``count`` were read."""
    columns: Columns = target.columns
    buf: cython.p_uchar = reader.buf
    strict: cython.bint = reader.strict
    components: cython.int = table.component_count
    pos: cython.Py_ssize_t = reader.pos
    cursor: cython.Py_ssize_t = target.cursor
    previous: cython.longlong = reader.entity
    entity: cython.longlong
    done: cython.Py_ssize_t = 0
    component: cython.int
    at: cython.Py_ssize_t
    touched: cython.ulonglong
    last: cython.Py_ssize_t = reader.end - table.entity_plain_bits
    while done < count:
        if pos & 7:
            if strict and buf[pos >> 3] & (255 >> (pos & 7)):
                break
            pos += 8 - (pos & 7)
        if pos > last:
            break
        entity = load_le32(buf, pos >> 3)
        if entity <= previous:
            break
        while cursor < columns.count and columns.keys[cursor] < entity:
            cursor += 1
        if cursor == columns.count or columns.keys[cursor] != entity:
            break
        at = pos + 32
        touched = load_be64(buf, at >> 3)
        at += components
        for component in range(components):
            if (touched >> (63 - component)) & 1:
                at = _read_masked(table, columns, component, cursor, buf, at)
                if at < 0:
                    break
        if at < 0:
            break
        previous = entity
        pos = at
        done += 1
    reader.pos = pos
    target.cursor = cursor
    reader.entity = previous
    return done


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _read_masked(
    table: FieldTable,
    target: Columns,
    component: cython.int,
    row: cython.Py_ssize_t,
    buf: cython.p_uchar,
    pos: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Read a nonempty field mask and its values, whose bits must be there; returns the position after them, or -1."""
    widths: cython.p_int = table.bits
    flips: cython.p_ulonglong = table.flip
    spans: cython.p_ulonglong = table.span
    lows: cython.p_longlong = table.low
    columns: cython.pointer(cython.p_longlong) = target.columns  # type: ignore[valid-type]  # a C type
    every: cython.ulonglong = 18446744073709551615
    mask: cython.ulonglong
    word: cython.ulonglong
    field: cython.int = table.first[component]
    bits: cython.int = table.fields[component]
    bit: cython.int
    mask = ((load_be64(buf, pos >> 3) << (pos & 7)) & every) >> (64 - bits)
    if mask == 0:
        return -1
    pos += bits
    for bit in range(bits - 1, -1, -1):
        if (mask >> bit) & 1:
            bits = widths[field]
            word = (((load_be64(buf, pos >> 3) << (pos & 7)) & every) >> (64 - bits)) ^ flips[field]
            if word > spans[field]:
                return -1
            pos += bits
            if cython.compiled:
                columns[field][row] = word + lows[field]
            else:
                columns[field][row] = as_signed(word + lows[field])
        field += 1
    return pos
