"""The columns that a delta is applied to, and the entity at hand in them (a compiled kernel).

The format wants every section decoded before anything is applied: an error of decoding anywhere in the packet goes
before an error of applying, such as an update of an entity that is not there. So the first error of applying is only
written down, and from then on values go into a sink of one row until the end of the packet.
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
    from cython.cimports.retick.snapshot.kernels.fault import Fault
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
else:
    from retick.snapshot.kernels import status as st
    from retick.snapshot.kernels.columns import Columns, blank_columns
    from retick.snapshot.kernels.fault import Fault
    from retick.snapshot.kernels.table import FieldTable

__all__ = ["Target"]


@cython.cclass
class Target:
    """Where updates are written; see the .pxd for what each member holds."""

    if not cython.compiled:
        table: FieldTable
        columns: Columns
        sink: Columns
        dense: bool
        cursor: int
        rank: Any
        _rank_owner: Any
        fault: Fault

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

    def start(self) -> cython.void:
        """Go to the first entity of the columns."""
        component: cython.int
        self.cursor = 0
        self.dense = True
        for component in range(self.table.component_count):
            self.rank[component] = 0
            if self.columns.rows[component] != self.columns.count:
                self.dense = False

    def fail(self, status: cython.int) -> cython.void:
        """The first error of applying; its numbers are in ``fault``, and the rest of the packet goes to the sink."""
        self.fault.status = status
        self.columns = self.sink

    def seek(self, entity: cython.longlong) -> cython.void:
        """Move the cursor forward to an entity; an error of applying if it is not there."""
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
            self.fail(st.ENTITY_NOT_FOUND)

    def row_of(self, component: cython.int, entity: cython.longlong) -> cython.Py_ssize_t:
        """The row of the entity at the cursor; in the sink, if it lacks the component or was not found."""
        columns: Columns = self.columns
        if columns is self.sink:
            return 0
        if columns.rows[component] != columns.count and not columns.present[component][self.cursor]:
            self.fault.entity = entity
            self.fault.component = self.table.component_id[component]
            self.fail(st.COMPONENT_NOT_FOUND)
            return 0
        row: cython.Py_ssize_t = self.rank[component]
        return row
