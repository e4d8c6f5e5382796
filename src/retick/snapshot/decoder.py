"""Decodes packets to snapshots (a compiled kernel).

Contents: headers and sections; create and destroy sections; update sections; the decoder.

A decoder consists of parts that share one ``Reader``: ``Framing`` finds the sections, ``Creates`` and
``Updates`` read their bodies, and ``DeltaTarget`` holds the columns that updates change.

Creates are read straight into new columns, updates straight into a copy of the baseline, so that no value is kept
twice and the baseline does not change. Whatever the order of the sections in the packet, destroys are applied first,
then creates, then updates.
"""

from array import array
from typing import Any

from retick.snapshot.errors import decode_error

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.snapshot import layout
    from cython.cimports.retick.snapshot.columns import (
        ASCENDING,
        Columns,
        FieldTable,
        blank_columns,
        checked_columns,
        copy_columns,
        gather_columns,
        longs,
    )
    from cython.cimports.retick.snapshot.stream import DeltaTarget, Reader, read_created, read_updated
    from cython.cimports.retick.wire.bits import load_le16, load_le32, load_le64
else:
    from retick.snapshot import layout
    from retick.snapshot.columns import (
        ASCENDING,
        Columns,
        FieldTable,
        blank_columns,
        checked_columns,
        copy_columns,
        gather_columns,
        longs,
    )
    from retick.snapshot.stream import DeltaTarget, Reader, read_created, read_updated
    from retick.wire.bits import load_le16, load_le32, load_le64

# Headers and sections of a packet. Their layout is in layout.py.
#
# Every section is found, and its tag and length checked, before any body is read.

_NO_LIMIT = (1 << 62) - 1


@cython.final
@cython.cclass
class Framing:
    """The framing of the last opened packet."""

    reader: Reader
    version: cython.int
    max_packet_bytes: cython.longlong
    max_sections: cython.longlong
    max_section_len: cython.longlong
    max_section_bytes: cython.longlong
    flags: cython.int  # readonly
    tick: cython.longlong  # readonly
    baseline_tick: cython.longlong  # readonly
    schema_hash: cython.ulonglong  # readonly: of the standard header
    payload: cython.Py_ssize_t  # first byte after the header
    section_count: cython.int  # readonly
    tags: cython.p_longlong  # by section
    starts: cython.p_longlong  # by section: first byte of the body
    ends: cython.p_longlong  # by section: byte after the body
    _owners: list[Any]
    _capacity: cython.Py_ssize_t

    def __init__(self, reader: Reader, version: int, limits: Any) -> None:
        self.reader = reader
        self.version = version
        self.max_packet_bytes = limits.max_packet_bytes
        self.max_sections = limits.max_sections
        self.max_section_len = limits.max_section_len
        self.max_section_bytes = limits.max_section_bytes
        self.flags = 0
        self.tick = self.baseline_tick = 0
        self.schema_hash = 0
        self.payload = 0
        self.section_count = 0
        self._capacity = -1

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def open(self, data: Any) -> cython.int:
        """Make checks 1 to 8 of a packet with the standard header."""
        reader: Reader = self.reader
        status: cython.int = reader.load(data, self.max_packet_bytes, layout.HEADER_BYTES)
        if status != layout.OK:
            return status
        reader.fault.found = load_le32(reader.buf, 0)
        if reader.fault.found != layout.MAGIC_WORD:
            return layout.INVALID_MAGIC
        reader.fault.found = load_le16(reader.buf, layout.VERSION_AT)
        reader.fault.expected = self.version
        if reader.fault.found != self.version:
            return layout.UNSUPPORTED_VERSION
        self.flags = load_le16(reader.buf, layout.FLAGS_AT)
        reader.fault.flags = self.flags
        opens_session: cython.bint = self.flags == layout.SESSION_INIT and self.version >= 2
        if self.flags != layout.FULL and self.flags != layout.DELTA and not opens_session:
            return layout.INVALID_FLAGS
        self.schema_hash = load_le64(reader.buf, layout.HASH_AT)
        self.tick = load_le32(reader.buf, layout.TICK_AT)
        self.baseline_tick = load_le32(reader.buf, layout.BASELINE_TICK_AT)
        reader.fault.found = self.baseline_tick
        if self.flags == layout.FULL and self.baseline_tick != 0:
            return layout.INVALID_BASELINE_TICK
        if self.flags == layout.DELTA and self.baseline_tick == 0:
            return layout.INVALID_BASELINE_TICK
        reader.fault.expected = load_le32(reader.buf, layout.PAYLOAD_BYTES_AT)
        reader.fault.found = reader.size - layout.HEADER_BYTES
        if reader.fault.expected != reader.fault.found:
            return layout.PAYLOAD_LENGTH
        reader.pos = 8 * layout.HEADER_BYTES
        return self.find_sections()

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def open_compact(self, data: Any, last_tick: cython.longlong) -> cython.int:
        """Check a compact frame, whose ticks count from ``last_tick``."""
        reader: Reader = self.reader
        largest: cython.longlong = 4294967295
        length: cython.longlong
        left: cython.longlong
        status: cython.int = reader.load(data, _NO_LIMIT, 1)
        if status != layout.OK:
            return status
        self.flags = reader.buf[0]
        reader.pos = 8
        reader.fault.flags = self.flags
        if self.flags != layout.FULL and self.flags != layout.DELTA:
            return layout.INVALID_FLAGS
        status = self.read_number()
        if status != layout.OK:
            return status
        self.tick = last_tick + reader.value
        if reader.value == 0 or self.tick > largest:
            return layout.INVALID_FLAGS
        status = self.read_number()
        if status != layout.OK:
            return status
        self.baseline_tick = self.tick - reader.value
        reader.fault.found = self.baseline_tick
        if self.baseline_tick < 0 or (reader.value != 0 if self.flags == layout.FULL else self.baseline_tick == 0):
            return layout.INVALID_BASELINE_TICK
        status = self.read_number()
        if status != layout.OK:
            return status
        length = reader.value
        left = (reader.end - reader.pos) >> 3
        if length > left:
            reader.fault.expected = length
            reader.fault.found = left
            return layout.PAYLOAD_LENGTH
        if length < left:
            if reader.strict:
                reader.fault.extra = left - length
                return layout.TRAILING_BYTES
            reader.size = (reader.pos >> 3) + length
            reader.end = 8 * reader.size
        return self.find_sections()

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def find_sections(self) -> cython.int:
        """Note the tag and place of every section from here to the end of the packet."""
        reader: Reader = self.reader
        status: cython.int
        tag: cython.int
        last_tag: cython.int = layout.SESSION if self.version >= 2 else layout.MASKED
        at: cython.Py_ssize_t
        self.section_count = 0
        self.payload = reader.pos >> 3
        # A section takes two bytes at least.
        at = (reader.size - self.payload) // 2
        if at > self.max_sections:
            at = self.max_sections
        if at > self._capacity:
            self._make_room(at)
        while reader.pos < reader.end:
            if self.section_count >= self.max_sections:
                return reader.fault.over_limit(layout.SECTION_COUNT, self.max_sections, self.section_count + 1)
            tag = reader.buf[reader.pos >> 3]
            reader.pos += 8
            status = self.read_number()
            if status != layout.OK:
                return status
            if reader.value > self.max_section_len:
                return reader.fault.over_limit(layout.SECTION_LENGTH, self.max_section_len, reader.value)
            at = reader.pos >> 3
            if reader.value > reader.size - at:
                reader.fault.needed = reader.value
                reader.fault.available = reader.size - at
                return layout.FRAMING_TRUNCATED
            if tag < layout.CREATES or tag > last_tag:
                reader.fault.tag = tag
                return layout.UNKNOWN_TAG
            self.tags[self.section_count] = tag
            self.starts[self.section_count] = at
            self.ends[self.section_count] = at + reader.value
            self.section_count += 1
            reader.pos += 8 * reader.value
        return layout.OK

    def _make_room(self, most: cython.Py_ssize_t) -> None:
        self._capacity = most
        self._owners = [array("q", bytes(8 * most)) for _ in range(3)]
        self.tags, self.starts, self.ends = longs(self._owners[0]), longs(self._owners[1]), longs(self._owners[2])

    @cython.cfunc
    @cython.exceptval(check=False)
    def read_number(self) -> cython.int:
        """Read a varuint of a header or section head into the reader's ``value``."""
        status: cython.int = self.reader.read_varint()
        if status == layout.UNEXPECTED_EOF:
            self.reader.fault.needed = 1
            self.reader.fault.available = 0
            return layout.FRAMING_TRUNCATED
        return layout.FRAMING_VARINT if status == layout.BODY_VARINT else status

    @cython.cfunc
    @cython.exceptval(check=False)
    def begin_body(self, section: cython.int) -> cython.int:
        """Start the body of a section, and read its count into the reader's ``value``."""
        reader: Reader = self.reader
        length: cython.longlong = self.ends[section] - self.starts[section]
        if length > self.max_section_bytes:
            return reader.fault.over_limit(layout.LIMIT_SECTION_BYTES, self.max_section_bytes, length)
        reader.pos = 8 * self.starts[section]
        reader.end = 8 * self.ends[section]
        reader.entity = -1
        return reader.read_varint()

    @cython.cfunc
    @cython.exceptval(check=False)
    def finish_body(self, section: cython.int) -> cython.int:
        """Check that only padding follows the last item of a section."""
        reader: Reader = self.reader
        status: cython.int = reader.align()
        if status == layout.OK and reader.pos < reader.end:
            reader.fault.tag = self.tags[section]
            reader.fault.extra = reader.end - reader.pos
            return layout.TRAILING_SECTION
        return status

    def payload_bytes(self) -> int:
        """How many bytes the payload has."""
        return self.reader.size - self.payload

    def header_bytes(self) -> int:
        """How many bytes precede the payload."""
        return self.payload

    def section(self, index: cython.int) -> Any:
        """The tag, first byte and end of a section."""
        return self.tags[index], self.starts[index], self.ends[index]

    def section_bytes(self, index: cython.int) -> bytes:
        """The body of a section."""
        return self.reader.copy_of(self.starts[index], self.ends[index])


# Create and destroy sections.
#
# Space for entities is bounded by what the remaining bytes can hold, not by the count that the packet states.


@cython.final
@cython.cclass
class Creates:
    """Reads created entities and destroyed ids."""

    reader: Reader
    framing: Framing
    table: FieldTable
    cls: Any  # of the columns that are made
    max_create: cython.longlong
    max_destroy: cython.longlong
    max_components: cython.longlong
    created: Columns | None  # what a create section held; None before
    destroyed: Any  # the ids of a destroy section; None before

    def __init__(self, framing: Framing, cls: Any, limits: Any) -> None:
        self.reader = framing.reader
        self.framing = framing
        self.table = self.reader.table
        self.cls = cls
        self.max_create = limits.max_entities_create
        self.max_destroy = limits.max_entities_destroy
        self.max_components = limits.max_components_per_entity

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def read_destroys(self, section: cython.int) -> cython.int:
        """Read the ids of a destroy section into ``destroyed``."""
        reader: Reader = self.reader
        status: cython.int = self.framing.begin_body(section)
        index: cython.Py_ssize_t
        if status != layout.OK:
            return status
        if reader.value > self.max_destroy:
            return reader.fault.over_limit(layout.LIMIT_DESTROY, self.max_destroy, reader.value)
        destroyed = array("I")
        for index in range(reader.value):  # noqa: B007 - a typed loop variable makes it a C loop
            status = reader.read_id()
            if status != layout.OK:
                return status
            destroyed.append(reader.entity)
        self.destroyed = destroyed
        return self.framing.finish_body(section)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def read_creates(self, section: cython.int, full: cython.bint) -> cython.int:
        """Read the entities of a create section into ``created``; ``full`` if it is all of a full packet."""
        reader: Reader = self.reader
        status: cython.int = self.framing.begin_body(section)
        count: cython.Py_ssize_t
        entities: cython.Py_ssize_t
        index: cython.Py_ssize_t = 0
        made: Columns
        if status != layout.OK:
            return status
        count = reader.value
        if count > self.max_create:
            return reader.fault.over_limit(layout.LIMIT_CREATE, self.max_create, count)
        if full and self.table.component_count > self.max_components:
            return reader.fault.over_limit(layout.LIMIT_COMPONENTS, self.max_components, self.table.component_count)
        # One more than can be complete: the last may fail after its id.
        entities = (reader.end - reader.pos) // self.table.entity_least_bits + 1
        if count < entities:
            entities = count
        made = self.space_for(entities)
        while index < count:
            if reader.quick:
                index = read_created(self.table, made, reader, index, count)
                if index == count:
                    break
            status = reader.read_id()
            if status != layout.OK:
                return status
            made.keys[index] = reader.entity
            status = self.read_entity(made, index, entities)
            if status != layout.OK:
                return status
            index += 1
        made.finish(count)
        self.created = made
        return self.framing.finish_body(section)

    @cython.cfunc
    def space_for(self, entities: cython.Py_ssize_t) -> Columns:
        """Columns for creates: room for all at once unless that would be out of proportion to the bytes."""
        table: FieldTable = self.table
        made: Columns = blank_columns(self.cls, table, self.framing.tick)
        component: cython.int
        rows: cython.Py_ssize_t
        total: cython.Py_ssize_t = 0
        left: cython.Py_ssize_t = self.reader.end - self.reader.pos
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

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def read_entity(self, made: Columns, index: cython.Py_ssize_t, entities: cython.Py_ssize_t) -> cython.int:
        """Read the components of one new entity, whose id has been read."""
        table: FieldTable = self.table
        reader: Reader = self.reader
        component: cython.int
        status: cython.int
        row: cython.Py_ssize_t
        mask_at: cython.Py_ssize_t = reader.pos
        if reader.end - reader.pos < table.component_count:
            return reader.short_of(layout.COMPONENT_MASK_BITS, table.component_count)
        reader.pos += table.component_count
        for component in range(table.component_count):
            if (reader.buf[mask_at >> 3] >> (7 - (mask_at & 7))) & 1:
                row = made.rows[component]
                if row >= made.room[component]:
                    made.grow(component)
                status = reader.read_component(made, component, row, True)
                if status != layout.OK:
                    return status
                made.rows[component] = row + 1
                if made.noted:
                    made.present[component][index] = 1
            else:
                if not made.noted:
                    made.note_absent(entities)
                made.present[component][index] = 0
            mask_at += 1
        return layout.OK


# Update sections, read straight into the columns that they change.


@cython.final
@cython.cclass
class Updates:
    """Reads masked, sparse and packed updates."""

    reader: Reader
    framing: Framing
    target: DeltaTarget
    table: FieldTable
    max_update: cython.longlong
    max_components: cython.longlong
    distinct: cython.Py_ssize_t  # entities in a sparse section

    def __init__(self, framing: Framing, target: DeltaTarget, limits: Any) -> None:
        self.reader = framing.reader
        self.framing = framing
        self.target = target
        self.table = self.reader.table
        self.max_update = limits.max_entities_update
        self.max_components = limits.max_components_per_entity
        self.distinct = 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def read(self, section: cython.int) -> cython.int:
        """Read an update section of any kind into the target."""
        masked: cython.bint = self.framing.tags[section] == layout.MASKED
        packed: cython.bint = self.framing.tags[section] == layout.PACKED
        most: cython.longlong = self.max_update
        status: cython.int = self.framing.begin_body(section)
        if status != layout.OK:
            return status
        self.target.start()
        if not masked:
            most *= self.max_components
        if self.reader.value > most:
            return self.reader.fault.over_limit(layout.LIMIT_UPDATE, most, self.reader.value)
        status = self.read_masked() if masked else self.read_sparse(packed)
        if status == layout.OK:
            status = self.framing.finish_body(section)
        if status == layout.OK and not masked and self.distinct > self.max_update:
            return self.reader.fault.over_limit(layout.LIMIT_UPDATE, self.max_update, self.distinct)
        return status

    @cython.cfunc
    @cython.exceptval(check=False)
    def read_masked(self) -> cython.int:
        """Read entities with a mask of components, and for each component a mask of fields."""
        table: FieldTable = self.table
        reader: Reader = self.reader
        target: DeltaTarget = self.target
        component: cython.int
        status: cython.int
        count: cython.Py_ssize_t = reader.value
        index: cython.Py_ssize_t = 0
        mask_at: cython.Py_ssize_t
        row: cython.Py_ssize_t
        while index < count:
            if reader.quick and target.dense and target.columns is not target.sink:
                index += read_updated(table, target, reader, count - index)
                if index == count:
                    break
            index += 1
            status = reader.read_id()
            if status != layout.OK:
                return status
            mask_at = reader.pos
            if reader.end - reader.pos < table.component_count:
                return reader.short_of(layout.COMPONENT_MASK_BITS, table.component_count)
            reader.pos += table.component_count
            if target.columns is not target.sink:
                target.seek(reader.entity)
            for component in range(table.component_count):
                if (reader.buf[mask_at >> 3] >> (7 - (mask_at & 7))) & 1:
                    row = target.row_of(component, reader.entity)
                    status = reader.read_component(target.columns, component, row, False)
                    if status != layout.OK:
                        return status
                mask_at += 1
        return layout.OK

    @cython.cfunc
    @cython.exceptval(check=False)
    def read_sparse(self, packed: cython.bint) -> cython.int:
        """Read entries of an entity id, a component id, and fields by index."""
        reader: Reader = self.reader
        target: DeltaTarget = self.target
        status: cython.int
        count: cython.Py_ssize_t = reader.value
        index: cython.Py_ssize_t
        component: cython.int
        identity: cython.longlong
        previous: cython.longlong = -1
        last_component: cython.longlong = 0
        self.distinct = 0
        for index in range(count):  # noqa: B007 - a typed loop variable makes it a C loop
            status = self.read_entry_head(packed)
            if status != layout.OK:
                return status
            identity = reader.value
            if reader.entity < previous or (reader.entity == previous and identity <= last_component):
                reader.fault.previous = previous
                reader.fault.current = reader.entity
                return layout.ENTITY_ORDER
            if reader.entity != previous:
                self.distinct += 1
                if target.columns is not target.sink:
                    target.seek(reader.entity)
            previous = reader.entity
            last_component = identity
            component = 0
            while component < self.table.component_count and self.table.component_id[component] != identity:
                component += 1
            if component == self.table.component_count:
                reader.fault.component = identity
                return layout.UNKNOWN_COMPONENT
            status = self.read_entry(component, packed)
            if status != layout.OK:
                return status
        return layout.OK

    @cython.cfunc
    @cython.exceptval(check=False)
    def read_entry_head(self, packed: cython.bint) -> cython.int:
        """Read an entity id into the reader's ``entity``, and a component id into its ``value``."""
        reader: Reader = self.reader
        status: cython.int = reader.align()
        if status != layout.OK:
            return status
        if packed:
            status = reader.read_varint()
            if status != layout.OK:
                return status
            reader.entity = reader.value
            status = reader.read_varint()
            if status != layout.OK:
                return status
        else:
            if reader.end - reader.pos < 32:
                return reader.short_of(layout.UNEXPECTED_EOF, 32)
            reader.entity = load_le32(reader.buf, reader.pos >> 3)
            reader.pos += 32
            if reader.end - reader.pos < 16:
                return reader.short_of(layout.UNEXPECTED_EOF, 16)
            reader.value = load_le16(reader.buf, reader.pos >> 3)
            reader.pos += 16
        if reader.value == 0 or reader.value > 65535:
            reader.fault.found = reader.value
            return layout.INVALID_COMPONENT_ID
        return layout.OK

    @cython.cfunc
    @cython.exceptval(check=False)
    def read_entry(self, component: cython.int, packed: cython.bint) -> cython.int:
        """Read the fields of one entity and component."""
        table: FieldTable = self.table
        reader: Reader = self.reader
        target: DeltaTarget = self.target
        fields: cython.longlong = table.fields[component]
        index_bits: cython.int = table.index_bits[component]
        status: cython.int = reader.read_varint()
        count: cython.longlong
        index: cython.longlong
        number: cython.longlong
        previous: cython.longlong = -1
        row: cython.Py_ssize_t
        if status != layout.OK:
            return status
        count = reader.value
        if count == 0:
            reader.fault.component = table.component_id[component]
            return layout.EMPTY_FIELD_MASK
        if count > reader.max_fields:
            return reader.fault.over_limit(layout.LIMIT_FIELDS, reader.max_fields, count)
        if count > fields:
            reader.fault.found = count
            reader.fault.expected = fields
            return layout.FIELD_COUNT_MISMATCH
        row = target.row_of(component, reader.entity)
        for number in range(count):  # noqa: B007 - a typed loop variable makes it a C loop
            if packed:
                if reader.end - reader.pos < index_bits:
                    return reader.short_of(layout.UNEXPECTED_EOF, index_bits)
                index = reader.read_bits(index_bits)
            else:
                status = reader.align()
                if status == layout.OK:
                    status = reader.read_varint()
                if status != layout.OK:
                    return status
                index = reader.value
            if index >= fields or index <= previous:
                reader.fault.component = table.component_id[component]
                reader.fault.found = index
                return layout.INVALID_FIELD_INDEX
            previous = index
            status = reader.read_value(target.columns, table.first[component] + index, row)
            if status != layout.OK:
                return status
        return layout.OK


# The decoder: whole packets of one schema and version.


@cython.final
@cython.cclass
class Decoder:
    """Reads packets of one schema and version."""

    schema: Any  # readonly
    schema_hash: cython.ulonglong
    table: FieldTable
    cls: Any  # of the columns that are made
    max_total: cython.longlong
    reader: Reader  # readonly
    framing: Framing  # readonly: of the packet that was opened last
    creates: Creates
    updates: Updates
    target: DeltaTarget
    deferred: cython.int  # the update section that stands last, or -1

    def __init__(self, schema: Any, version: int, limits: Any, strict: bool, cls: Any) -> None:
        self.schema = schema
        self.schema_hash = schema.hash
        self.table = schema.table
        self.cls = cls
        self.max_total = limits.max_total_entities_after_apply
        self.reader = Reader(self.table, limits, strict)
        self.framing = Framing(self.reader, version, limits)
        self.creates = Creates(self.framing, cls, limits)
        self.target = DeltaTarget(self.table)
        self.updates = Updates(self.framing, self.target, limits)
        self.deferred = -1

    def full(self, data: Any) -> Any:
        """Decode a full packet."""
        status: cython.int = self.framing.open(data)
        if status == layout.OK and self.framing.flags != layout.FULL:
            status = layout.INVALID_FLAGS
        if status == layout.OK:
            status = self.check_hash()
        if status == layout.OK:
            status = self.read_full()
        if status != layout.OK:
            raise self.error(status)
        return self.creates.created

    def full_frame(self, data: Any, last_tick: Any) -> Any:
        """Refuse a full snapshot in a compact frame, which the format cannot express: its baseline tick is never 0."""
        status: cython.int = self.framing.open_compact(data, last_tick)
        if status == layout.OK:
            self.reader.fault.found = self.framing.baseline_tick
            status = layout.INVALID_BASELINE_TICK if self.framing.flags == layout.FULL else layout.INVALID_FLAGS
        raise self.error(status)

    def delta(self, baseline: Any, data: Any) -> Any:
        """Decode a delta packet against ``baseline``, which does not change."""
        base: Columns = checked_columns(baseline, self.table)
        status: cython.int = self.framing.open(data)
        if status == layout.OK:
            status = self.check_delta(base)
        if status == layout.OK:
            status = self.check_hash()
        if status != layout.OK:
            raise self.error(status)
        return self.apply(base)

    def frame(self, baseline: Any, data: Any, last_tick: Any) -> Any:
        """Decode a compact frame against ``baseline``, which does not change."""
        base: Columns = checked_columns(baseline, self.table)
        status: cython.int = self.framing.open_compact(data, last_tick)
        if status == layout.OK:
            status = self.check_delta(base)
        if status != layout.OK:
            raise self.error(status)
        return self.apply(base)

    def packet_header(self, data: Any) -> Any:
        """Decode header and sections of a standard packet, without its bodies."""
        status: cython.int = self.framing.open(data)
        if status != layout.OK:
            raise self.error(status)
        return self.framing

    def frame_header(self, data: Any, last_tick: Any) -> Any:
        """Decode header and sections of a compact frame, without its bodies."""
        status: cython.int = self.framing.open_compact(data, last_tick)
        if status != layout.OK:
            raise self.error(status)
        return self.framing

    def need_same_schema(self) -> None:
        """Refuse the last opened packet if it was written with another schema."""
        if self.check_hash() != layout.OK:
            raise self.error(layout.SCHEMA_MISMATCH)

    def check_bodies(self) -> None:
        """Decode the sections of the last opened packet, without applying them."""
        status: cython.int
        if self.framing.flags == layout.FULL:
            status = self.check_hash()
            if status == layout.OK:
                status = self.read_full()
        else:
            status = self.read_sections()
            if status == layout.OK and self.deferred >= 0:
                self.target.columns = self.target.sink
                status = self.updates.read(self.deferred)
        if status != layout.OK:
            raise self.error(status)

    def section_error(self, status: cython.int, section: cython.int) -> Any:
        """The error for a section at a wrong place."""
        self.reader.fault.tag = self.framing.tags[section]
        return self.error(status)

    def trailing_error(self, tag: cython.int, bits: cython.longlong) -> Any:
        """The error for bits after the last item of a section."""
        self.reader.fault.tag = tag
        self.reader.fault.extra = bits
        return self.error(layout.TRAILING_SECTION)

    def error(self, status: cython.int) -> Any:
        """The exception for a status, with the reader's fault."""
        return decode_error(status, self.reader.fault, self.schema)

    @cython.cfunc
    @cython.exceptval(check=False)
    def check_hash(self) -> cython.int:
        if self.framing.schema_hash == self.schema_hash:
            return layout.OK
        self.reader.fault.found = self.framing.schema_hash
        return layout.SCHEMA_MISMATCH

    @cython.cfunc
    @cython.exceptval(check=False)
    def check_delta(self, base: Columns) -> cython.int:
        """Check that the packet is a delta that starts from ``base``."""
        if self.framing.flags != layout.DELTA:
            return layout.INVALID_FLAGS
        self.reader.fault.expected = base.tick
        self.reader.fault.found = self.framing.baseline_tick
        return layout.OK if self.reader.fault.expected == self.reader.fault.found else layout.BASELINE_TICK

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def read_full(self) -> cython.int:
        """Read the only section of a full packet, if there is one."""
        status: cython.int
        section: cython.int
        if self.framing.section_count == 0:
            self.creates.created = self.creates.space_for(0)
            return layout.OK
        for section in range(self.framing.section_count):
            self.reader.fault.tag = self.framing.tags[section]
            if self.framing.tags[section] != layout.CREATES:
                return layout.UNEXPECTED_SECTION
            if section > 0:
                return layout.DUPLICATE_SECTION
            status = self.creates.read_creates(section, True)
            if status != layout.OK:
                return status
        return layout.OK

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def read_sections(self) -> cython.int:
        """Decode in packet order. If an update section is last, it is left for later, in ``deferred``."""
        section: cython.int
        tag: cython.int
        status: cython.int
        masked: cython.bint = False
        sparse: cython.bint = False
        self.creates.created = None
        self.creates.destroyed = None
        self.deferred = -1
        for section in range(self.framing.section_count):
            tag = self.framing.tags[section]
            self.reader.fault.tag = tag
            if tag == layout.SESSION:
                status = layout.UNEXPECTED_SECTION
            elif tag == layout.CREATES or tag == layout.DESTROYS:
                status = self.read_listed(section)
            elif masked if tag == layout.MASKED else sparse:
                status = layout.DUPLICATE_SECTION
            else:
                status = layout.OK
                if section < self.framing.section_count - 1 or masked or sparse:
                    self.target.columns = self.target.sink
                    status = self.updates.read(section)
                masked = masked or tag == layout.MASKED
                sparse = sparse or tag != layout.MASKED
                self.deferred = section
            if status != layout.OK:
                return status
        return layout.DUPLICATE_UPDATE if masked and sparse else layout.OK

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def read_listed(self, section: cython.int) -> cython.int:
        """Read a create or destroy section of a delta, which may have one of each."""
        if self.framing.tags[section] == layout.CREATES:
            return (
                self.creates.read_creates(section, False) if self.creates.created is None else layout.DUPLICATE_SECTION
            )
        return self.creates.read_destroys(section) if self.creates.destroyed is None else layout.DUPLICATE_SECTION

    @cython.cfunc
    def apply(self, base: Columns) -> Any:
        """Apply destroys, creates and updates to a copy of ``base``, in this order whatever the packet's is."""
        target: DeltaTarget = self.target
        status: cython.int = self.read_sections()
        if status == layout.OK:
            self.start_from(base)
            if self.deferred >= 0:
                status = self.updates.read(self.deferred)
        if status != layout.OK:
            raise self.error(status)
        if target.fault.status != layout.OK:
            raise decode_error(target.fault.status, target.fault, self.schema)
        target.columns.order = ASCENDING
        return target.columns

    @cython.cfunc
    def start_from(self, base: Columns) -> Any:
        """Make the columns that updates are applied to; after an error of applying, the sink stays."""
        target: DeltaTarget = self.target
        disorder: cython.Py_ssize_t = base.first_disorder()
        target.fault.status = layout.OK
        target.columns = target.sink
        if disorder:
            target.fault.previous = base.keys[disorder - 1]
            target.fault.current = base.keys[disorder]
            target.fail(layout.ENTITY_ORDER)
        elif self.creates.created is not None or self.creates.destroyed is not None:
            self.merge(base)
        elif base.count > self.max_total:
            target.fail(target.fault.over_limit(layout.LIMIT_TOTAL, self.max_total, base.count))
        else:
            target.columns = copy_columns(self.cls, base, self.framing.tick)

    @cython.cfunc
    def merge(self, base: Columns) -> Any:
        """The baseline without destroyed entities and with created ones."""
        target: DeltaTarget = self.target
        made: Columns = self.creates.created if self.creates.created is not None else target.sink
        index: cython.Py_ssize_t = 0
        other: cython.Py_ssize_t = 0
        kept = array("q")
        for identity in self.creates.destroyed or ():
            while index < base.count and base.keys[index] < identity:
                kept.append(index)
                index += 1
            if index == base.count or base.keys[index] != identity:
                target.fault.entity = identity
                target.fail(layout.ENTITY_NOT_FOUND)
                return
            index += 1
        kept.extend(range(index, base.count))
        sources = array("q")
        for old in kept:
            while other < made.count and made.keys[other] < base.keys[old]:
                sources.append(~other)
                other += 1
            if other < made.count and made.keys[other] == base.keys[old]:
                target.fault.entity = made.keys[other]
                target.fail(layout.ENTITY_EXISTS)
                return
            sources.append(old)
        for index in range(other, made.count):
            sources.append(~index)
        if len(sources) > self.max_total:
            target.fail(target.fault.over_limit(layout.LIMIT_TOTAL, self.max_total, len(sources)))
            return
        target.columns = gather_columns(self.cls, base, made, sources, self.framing.tick)
