"""The bodies of update sections, read straight into the columns that they change (a compiled kernel).

The format wants every section decoded before anything is applied: an error of decoding anywhere in the packet goes
before an error of applying, such as an update of an entity that is not there. So the first error of applying is only
noted, and reading goes on into a sink of one row until the end of the section.
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
    from cython.cimports.retick.snapshot.kernels.bodies import Bodies
    from cython.cimports.retick.snapshot.kernels.columns import Columns, blank_columns
    from cython.cimports.retick.snapshot.kernels.fast import CURSOR, POSITION, PREVIOUS, take_updated
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
else:
    from retick.snapshot.kernels import status as st
    from retick.snapshot.kernels.bodies import Bodies
    from retick.snapshot.kernels.columns import Columns, blank_columns
    from retick.snapshot.kernels.fast import CURSOR, POSITION, PREVIOUS, take_updated
    from retick.snapshot.kernels.table import FieldTable

__all__ = ["Updates"]


@cython.cclass
class Updates(Bodies):
    """Reads masked, sparse and packed updates; see the .pxd for what each member holds."""

    if not cython.compiled:
        sink: Columns
        max_update: int
        distinct: int
        dense: bool
        target: Columns
        cursor: int
        rank: Any
        _rank_owner: Any
        pending: int
        pending_a: int
        pending_b: int

    def __init__(self, schema: Any, version: int, limits: Any, strict: bool, cls: Any) -> None:
        Bodies.__init__(self, schema, version, limits, strict, cls)
        component: cython.int
        self.max_update = limits.max_entities_update
        self._rank_owner = array("q", bytes(8 * (self.table.component_count + 1)))
        if cython.compiled:
            held: carray.array = self._rank_owner
            self.rank = held.data.as_longlongs
        else:
            self.rank = self._rank_owner
        self.sink = blank_columns(Columns, self.table, 0)
        for component in range(self.table.component_count):
            self.sink.room[component] = 1
        self.sink.allocate(1, self.sink.room)
        self.target = self.sink

    def fail_later(self, status: cython.int, a: cython.longlong, b: cython.longlong) -> cython.void:
        """The first error of applying; the rest of the packet is still decoded, into the sink."""
        self.pending = status
        self.pending_a = a
        self.pending_b = b
        self.target = self.sink

    def take_updates(self, section: cython.int, applying: cython.bint) -> cython.int:
        """An update section of any kind, into the target, or into the sink when not ``applying``."""
        component: cython.int
        tag: cython.int = self.sections[3 * section]
        status: cython.int = self.begin(section)
        most: cython.longlong = self.max_update
        if status != st.OK:
            return status
        if not applying:
            self.target = self.sink
        self.cursor = 0
        self.dense = True
        for component in range(self.table.component_count):
            self.rank[component] = 0
            if self.target.rows[component] != self.target.count:
                self.dense = False
        if tag != 3:
            most *= self.max_components
        if self.value > most:
            return self.too_many(st.LIMIT_UPDATE, most, self.value)
        status = self.take_masked() if tag == 3 else self.take_sparse(tag == 5)
        return status if status != st.OK else self.finish_updates(tag)

    def finish_updates(self, tag: cython.int) -> cython.int:
        status: cython.int = self.finish(tag)
        if status == st.OK and tag != 3 and self.distinct > self.max_update:
            return self.too_many(st.LIMIT_UPDATE, self.max_update, self.distinct)
        return status

    def take_masked(self) -> cython.int:
        table: FieldTable = self.table
        component: cython.int
        status: cython.int
        count: cython.Py_ssize_t = self.value
        index: cython.Py_ssize_t = 0
        mask_at: cython.Py_ssize_t
        row: cython.Py_ssize_t
        previous: cython.longlong = -1
        while index < count:
            if self.quick and self.dense and self.target is not self.sink:
                self.state[POSITION] = self.pos
                self.state[CURSOR] = self.cursor
                self.state[PREVIOUS] = previous
                index += take_updated(table, self.target, self.buf, self.state, self.end, self.strict, count - index)
                self.pos = self.state[POSITION]
                self.cursor = self.state[CURSOR]
                previous = self.state[PREVIOUS]
                if index == count:
                    break
            index += 1
            status = self.take_id(previous)
            if status != st.OK:
                return status
            previous = self.entity
            mask_at = self.pos
            if self.end - self.pos < table.component_count:
                return self.short_of(st.COMPONENT_MASK_BITS, table.component_count)
            self.pos += table.component_count
            if self.target is not self.sink:
                self.seek(self.entity)
            for component in range(table.component_count):
                if (self.buf[mask_at >> 3] >> (7 - (mask_at & 7))) & 1:
                    row = self.row_of(component)
                    status = self.take_component(self.target, component, row, False)
                    if status != st.OK:
                        return status
                mask_at += 1
        return st.OK

    def take_sparse(self, packed: cython.bint) -> cython.int:
        status: cython.int
        count: cython.Py_ssize_t = self.value
        index: cython.Py_ssize_t
        component: cython.int
        identity: cython.longlong
        previous: cython.longlong = -1
        last_component: cython.longlong = 0
        self.distinct = 0
        for index in range(count):  # noqa: B007 - a typed loop variable makes it a C loop
            status = self.take_entry_head(packed)
            if status != st.OK:
                return status
            identity = self.value
            if self.entity < previous or (self.entity == previous and identity <= last_component):
                self.a = previous
                self.b = self.entity
                return st.ENTITY_ORDER
            if self.entity != previous:
                self.distinct += 1
                if self.target is not self.sink:
                    self.seek(self.entity)
            previous = self.entity
            last_component = identity
            component = 0
            while component < self.table.component_count and self.table.component_id[component] != identity:
                component += 1
            if component == self.table.component_count:
                self.a = identity
                return st.UNKNOWN_COMPONENT
            status = self.take_entry(component, packed)
            if status != st.OK:
                return status
        return st.OK

    def take_entry_head(self, packed: cython.bint) -> cython.int:
        """Entity id into ``entity``, component id into ``value``."""
        status: cython.int = self.align()
        if status != st.OK:
            return status
        if packed:
            status = self.take_varint()
            if status != st.OK:
                return status
            self.entity = self.value
            status = self.take_varint()
            if status != st.OK:
                return status
        else:
            if self.end - self.pos < 32:
                return self.short_of(st.UNEXPECTED_EOF, 32)
            self.entity = self.little(self.pos >> 3, 4)
            self.pos += 32
            if self.end - self.pos < 16:
                return self.short_of(st.UNEXPECTED_EOF, 16)
            self.value = self.little(self.pos >> 3, 2)
            self.pos += 16
        if self.value == 0 or self.value > 65535:
            self.a = self.value
            return st.INVALID_COMPONENT_ID
        return st.OK

    def take_entry(self, component: cython.int, packed: cython.bint) -> cython.int:
        """The fields of one entity and component."""
        table: FieldTable = self.table
        status: cython.int = self.take_varint()
        count: cython.longlong
        index: cython.longlong
        number: cython.longlong
        previous: cython.longlong = -1
        row: cython.Py_ssize_t
        if status != st.OK:
            return status
        count = self.value
        self.a = table.component_id[component]
        if count == 0:
            return st.EMPTY_FIELD_MASK
        if count > self.max_fields:
            return self.too_many(st.LIMIT_FIELDS, self.max_fields, count)
        if count > table.fields[component]:
            self.a = count
            self.b = table.fields[component]
            return st.FIELD_COUNT_MISMATCH
        row = self.row_of(component)
        for number in range(count):  # noqa: B007 - a typed loop variable makes it a C loop
            if packed:
                if self.end - self.pos < table.index_bits[component]:
                    return self.short_of(st.UNEXPECTED_EOF, table.index_bits[component])
                index = self.take(table.index_bits[component])
            else:
                status = self.align()
                if status == st.OK:
                    status = self.take_varint()
                if status != st.OK:
                    return status
                index = self.value
            if index >= table.fields[component] or index <= previous:
                self.a = table.component_id[component]
                self.b = index
                return st.INVALID_FIELD_INDEX
            previous = index
            status = self.take_value(self.target, table.first[component] + index, row)
            if status != st.OK:
                return status
        return st.OK

    def seek(self, entity: cython.uint) -> cython.void:
        """Move the cursor to an entity of the target, and note it if it is not there."""
        target: Columns = self.target
        component: cython.int
        index: cython.Py_ssize_t
        cursor: cython.Py_ssize_t = self.cursor
        while cursor < target.count and target.keys[cursor] < entity:
            cursor += 1
        for component in range(self.table.component_count):
            if target.rows[component] == target.count:
                self.rank[component] = cursor
            else:
                for index in range(self.cursor, cursor):
                    self.rank[component] += target.present[component][index]
        self.cursor = cursor
        if cursor == target.count or target.keys[cursor] != entity:
            self.fail_later(st.ENTITY_NOT_FOUND, entity, 0)

    def row_of(self, component: cython.int) -> cython.Py_ssize_t:
        """The row of the entity at the cursor; in the sink, if it lacks the component or was not found."""
        target: Columns = self.target
        if target is self.sink:
            return 0
        if target.rows[component] != target.count and not target.present[component][self.cursor]:
            self.fail_later(st.COMPONENT_NOT_FOUND, self.entity, self.table.component_id[component])
            return 0
        row: cython.Py_ssize_t = self.rank[component]
        return row
