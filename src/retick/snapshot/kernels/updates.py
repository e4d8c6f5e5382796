"""Update sections, read straight into the columns that they change (a compiled kernel)."""

from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.snapshot.kernels import layout
    from cython.cimports.retick.snapshot.kernels import status as st
    from cython.cimports.retick.snapshot.kernels.fast import read_updated
    from cython.cimports.retick.snapshot.kernels.framing import Framing
    from cython.cimports.retick.snapshot.kernels.reader import Reader
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
    from cython.cimports.retick.snapshot.kernels.target import Target
    from cython.cimports.retick.wire.words import load_le16, load_le32
else:
    from retick.snapshot.kernels import layout
    from retick.snapshot.kernels import status as st
    from retick.snapshot.kernels.fast import read_updated
    from retick.snapshot.kernels.framing import Framing
    from retick.snapshot.kernels.reader import Reader
    from retick.snapshot.kernels.table import FieldTable
    from retick.snapshot.kernels.target import Target
    from retick.wire.words import load_le16, load_le32

__all__ = ["Updates"]


@cython.cclass
class Updates:
    """Reads masked, sparse and packed updates; see the .pxd for what each member holds."""

    if not cython.compiled:
        reader: Reader
        framing: Framing
        target: Target
        table: FieldTable
        max_update: int
        max_components: int
        distinct: int

    def __init__(self, framing: Framing, target: Target, limits: Any) -> None:
        self.reader = framing.reader
        self.framing = framing
        self.target = target
        self.table = self.reader.table
        self.max_update = limits.max_entities_update
        self.max_components = limits.max_components_per_entity
        self.distinct = 0

    def read(self, section: cython.int) -> cython.int:
        """An update section of any kind, into the target."""
        masked: cython.bint = self.framing.tags[section] == layout.MASKED
        packed: cython.bint = self.framing.tags[section] == layout.PACKED
        most: cython.longlong = self.max_update
        status: cython.int = self.framing.begin_body(section)
        if status != st.OK:
            return status
        self.target.start()
        if not masked:
            most *= self.max_components
        if self.reader.value > most:
            return self.reader.fault.over_limit(st.LIMIT_UPDATE, most, self.reader.value)
        status = self.read_masked() if masked else self.read_sparse(packed)
        if status == st.OK:
            status = self.framing.finish_body(section)
        if status == st.OK and not masked and self.distinct > self.max_update:
            return self.reader.fault.over_limit(st.LIMIT_UPDATE, self.max_update, self.distinct)
        return status

    def read_masked(self) -> cython.int:
        """Entities with a mask of components, and for each component a mask of fields."""
        table: FieldTable = self.table
        reader: Reader = self.reader
        target: Target = self.target
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
            if status != st.OK:
                return status
            mask_at = reader.pos
            if reader.end - reader.pos < table.component_count:
                return reader.short_of(st.COMPONENT_MASK_BITS, table.component_count)
            reader.pos += table.component_count
            if target.columns is not target.sink:
                target.seek(reader.entity)
            for component in range(table.component_count):
                if (reader.buf[mask_at >> 3] >> (7 - (mask_at & 7))) & 1:
                    row = target.row_of(component, reader.entity)
                    status = reader.read_component(target.columns, component, row, False)
                    if status != st.OK:
                        return status
                mask_at += 1
        return st.OK

    def read_sparse(self, packed: cython.bint) -> cython.int:
        """Entries of an entity id, a component id, and fields by their index."""
        reader: Reader = self.reader
        target: Target = self.target
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
            if status != st.OK:
                return status
            identity = reader.value
            if reader.entity < previous or (reader.entity == previous and identity <= last_component):
                reader.fault.previous = previous
                reader.fault.current = reader.entity
                return st.ENTITY_ORDER
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
                return st.UNKNOWN_COMPONENT
            status = self.read_entry(component, packed)
            if status != st.OK:
                return status
        return st.OK

    def read_entry_head(self, packed: cython.bint) -> cython.int:
        """Entity id into the reader's ``entity``, component id into its ``value``."""
        reader: Reader = self.reader
        status: cython.int = reader.align()
        if status != st.OK:
            return status
        if packed:
            status = reader.read_varint()
            if status != st.OK:
                return status
            reader.entity = reader.value
            status = reader.read_varint()
            if status != st.OK:
                return status
        else:
            if reader.end - reader.pos < 32:
                return reader.short_of(st.UNEXPECTED_EOF, 32)
            reader.entity = load_le32(reader.buf, reader.pos >> 3)
            reader.pos += 32
            if reader.end - reader.pos < 16:
                return reader.short_of(st.UNEXPECTED_EOF, 16)
            reader.value = load_le16(reader.buf, reader.pos >> 3)
            reader.pos += 16
        if reader.value == 0 or reader.value > 65535:
            reader.fault.found = reader.value
            return st.INVALID_COMPONENT_ID
        return st.OK

    def read_entry(self, component: cython.int, packed: cython.bint) -> cython.int:
        """The fields of one entity and component."""
        table: FieldTable = self.table
        reader: Reader = self.reader
        target: Target = self.target
        fields: cython.longlong = table.fields[component]
        index_bits: cython.int = table.index_bits[component]
        status: cython.int = reader.read_varint()
        count: cython.longlong
        index: cython.longlong
        number: cython.longlong
        previous: cython.longlong = -1
        row: cython.Py_ssize_t
        if status != st.OK:
            return status
        count = reader.value
        if count == 0:
            reader.fault.component = table.component_id[component]
            return st.EMPTY_FIELD_MASK
        if count > reader.max_fields:
            return reader.fault.over_limit(st.LIMIT_FIELDS, reader.max_fields, count)
        if count > fields:
            reader.fault.found = count
            reader.fault.expected = fields
            return st.FIELD_COUNT_MISMATCH
        row = target.row_of(component, reader.entity)
        for number in range(count):  # noqa: B007 - a typed loop variable makes it a C loop
            if packed:
                if reader.end - reader.pos < index_bits:
                    return reader.short_of(st.UNEXPECTED_EOF, index_bits)
                index = reader.read_bits(index_bits)
            else:
                status = reader.align()
                if status == st.OK:
                    status = reader.read_varint()
                if status != st.OK:
                    return status
                index = reader.value
            if index >= fields or index <= previous:
                reader.fault.component = table.component_id[component]
                reader.fault.found = index
                return st.INVALID_FIELD_INDEX
            previous = index
            status = reader.read_value(target.columns, table.first[component] + index, row)
            if status != st.OK:
                return status
        return st.OK
