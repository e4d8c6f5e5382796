"""Create and destroy sections, read (a compiled kernel).

Space for entities is bounded by what the remaining bytes can hold, not by the count that the packet states.
"""

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.snapshot.kernels import status as st
    from cython.cimports.retick.snapshot.kernels.columns import Columns, blank_columns
    from cython.cimports.retick.snapshot.kernels.fast import read_created
    from cython.cimports.retick.snapshot.kernels.framing import Framing
    from cython.cimports.retick.snapshot.kernels.reader import Reader
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
else:
    from retick.snapshot.kernels import status as st
    from retick.snapshot.kernels.columns import Columns, blank_columns
    from retick.snapshot.kernels.fast import read_created
    from retick.snapshot.kernels.framing import Framing
    from retick.snapshot.kernels.reader import Reader
    from retick.snapshot.kernels.table import FieldTable

__all__ = ["Creates"]


@cython.cclass
class Creates:
    """Reads entities that come and ids that go; see the .pxd for what each member holds."""

    if not cython.compiled:
        reader: Reader
        framing: Framing
        table: FieldTable
        cls: Any
        max_create: int
        max_destroy: int
        max_components: int
        created: Columns | None
        destroyed: Any

    def __init__(self, framing: Framing, cls: Any, limits: Any) -> None:
        self.reader = framing.reader
        self.framing = framing
        self.table = self.reader.table
        self.cls = cls
        self.max_create = limits.max_entities_create
        self.max_destroy = limits.max_entities_destroy
        self.max_components = limits.max_components_per_entity

    def read_destroys(self, section: cython.int) -> cython.int:
        """The ids of a destroy section, into ``destroyed``."""
        reader: Reader = self.reader
        status: cython.int = self.framing.begin_body(section)
        index: cython.Py_ssize_t
        if status != st.OK:
            return status
        if reader.value > self.max_destroy:
            return reader.fault.over_limit(st.LIMIT_DESTROY, self.max_destroy, reader.value)
        destroyed = array("I")
        for index in range(reader.value):  # noqa: B007 - a typed loop variable makes it a C loop
            status = reader.read_id()
            if status != st.OK:
                return status
            destroyed.append(reader.entity)
        self.destroyed = destroyed
        return self.framing.finish_body(section)

    def read_creates(self, section: cython.int, full: cython.bint) -> cython.int:
        """The entities of a create section, into ``created``; ``full`` when it is all of a full packet."""
        reader: Reader = self.reader
        status: cython.int = self.framing.begin_body(section)
        count: cython.Py_ssize_t
        entities: cython.Py_ssize_t
        index: cython.Py_ssize_t = 0
        made: Columns
        if status != st.OK:
            return status
        count = reader.value
        if count > self.max_create:
            return reader.fault.over_limit(st.LIMIT_CREATE, self.max_create, count)
        if full and self.table.component_count > self.max_components:
            return reader.fault.over_limit(st.LIMIT_COMPONENTS, self.max_components, self.table.component_count)
        # One more than can be there whole: the last may fail after its id.
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
            if status != st.OK:
                return status
            made.keys[index] = reader.entity
            status = self.read_entity(made, index, entities)
            if status != st.OK:
                return status
            index += 1
        made.finish(count)
        self.created = made
        return self.framing.finish_body(section)

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

    def read_entity(self, made: Columns, index: cython.Py_ssize_t, entities: cython.Py_ssize_t) -> cython.int:
        """The components of one new entity, whose id has been read."""
        table: FieldTable = self.table
        reader: Reader = self.reader
        component: cython.int
        status: cython.int
        row: cython.Py_ssize_t
        mask_at: cython.Py_ssize_t = reader.pos
        if reader.end - reader.pos < table.component_count:
            return reader.short_of(st.COMPONENT_MASK_BITS, table.component_count)
        reader.pos += table.component_count
        for component in range(table.component_count):
            if (reader.buf[mask_at >> 3] >> (7 - (mask_at & 7))) & 1:
                row = made.rows[component]
                if row >= made.room[component]:
                    made.grow(component)
                status = reader.read_component(made, component, row, True)
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
