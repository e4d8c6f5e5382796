"""Which rows differ between two snapshots of the same entities (a compiled kernel).

Where two snapshots hold the same entities with the same components, their rows pair up. One pass over each pair of
columns marks the rows where anything differs: a loop that the C compiler makes into vector instructions.
"""

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython import array as carray
    from cython.cimports.libc.string import memcmp
    from cython.cimports.retick.snapshot.kernels.columns import Columns
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
else:
    from retick.snapshot.kernels.columns import Columns
    from retick.snapshot.kernels.table import FieldTable

__all__ = ["Marks", "same_shape"]


@cython.cclass
class Marks:
    """The rows that ``mark`` found to differ; see the .pxd for what each member holds."""

    if not cython.compiled:
        table: FieldTable
        rows: Any
        _owner: Any
        _capacity: int

    def __init__(self, table: FieldTable) -> None:
        self.table = table
        self._capacity = -1

    def mark(self, base: Columns, current: Columns) -> cython.int:
        """Compare column by column; both must have the same shape."""
        component: cython.int
        field: cython.int
        end: cython.int
        row: cython.Py_ssize_t
        at: cython.Py_ssize_t = 0
        for component in range(self.table.component_count):
            at += current.rows[component]
        if at > self._capacity:
            self._make_room(at)
        at = 0
        for component in range(self.table.component_count):
            field = self.table.first[component]
            end = field + self.table.fields[component]
            for row in range(current.rows[component]):
                self.rows[at + row] = 0
            # Four columns a pass, since each pass reads and writes the marks once more.
            while end - field >= 4:
                self.mark_four(base, current, field, at, current.rows[component])
                field += 4
            while field < end:
                self.mark_one(base, current, field, at, current.rows[component])
                field += 1
            at += current.rows[component]
        return 0

    def _make_room(self, rows: cython.Py_ssize_t) -> None:
        self._capacity = 2 * rows + 16
        self._owner = array("Q", bytes(8 * self._capacity))
        if cython.compiled:
            held: carray.array = self._owner
            self.rows = held.data.as_ulonglongs
        else:
            # Differences of signed numbers, which may be negative here.
            self.rows = [0] * self._capacity

    def mark_one(
        self, base: Columns, current: Columns, field: cython.int, at: cython.Py_ssize_t, rows: cython.Py_ssize_t
    ) -> cython.void:
        before: cython.p_longlong = base.columns[field]
        after: cython.p_longlong = current.columns[field]
        marks: cython.p_ulonglong = self.rows
        row: cython.Py_ssize_t
        for row in range(rows):
            marks[at + row] |= before[row] ^ after[row]

    def mark_four(
        self, base: Columns, current: Columns, field: cython.int, at: cython.Py_ssize_t, rows: cython.Py_ssize_t
    ) -> cython.void:
        a: cython.p_longlong = base.columns[field]
        b: cython.p_longlong = base.columns[field + 1]
        c: cython.p_longlong = base.columns[field + 2]
        d: cython.p_longlong = base.columns[field + 3]
        e: cython.p_longlong = current.columns[field]
        f: cython.p_longlong = current.columns[field + 1]
        g: cython.p_longlong = current.columns[field + 2]
        h: cython.p_longlong = current.columns[field + 3]
        marks: cython.p_ulonglong = self.rows
        row: cython.Py_ssize_t
        for row in range(rows):
            marks[at + row] |= (a[row] ^ e[row]) | (b[row] ^ f[row]) | (c[row] ^ g[row]) | (d[row] ^ h[row])


def same_shape(left: Columns, right: Columns) -> cython.bint:
    """Whether both hold the same entities with the same components, so that their rows pair up."""
    component: cython.int
    count: cython.Py_ssize_t = left.count
    if left.count != right.count:
        return False
    if cython.compiled:
        if count and left.keys != right.keys and memcmp(left.keys, right.keys, 4 * count) != 0:
            return False
        for component in range(left.table.component_count):
            if left.present[component] == right.present[component]:
                continue
            if left.present[component] == cython.NULL or right.present[component] == cython.NULL:
                if left.rows[component] != count or right.rows[component] != count:
                    return False
            elif memcmp(left.present[component], right.present[component], count) != 0:
                return False
        return True
    if list(left.keys[:count]) != list(right.keys[:count]):
        return False
    for component in range(left.table.component_count):
        if [left.has_one(i, component) for i in range(count)] != [right.has_one(i, component) for i in range(count)]:
            return False
    return True
