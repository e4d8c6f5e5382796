"""Rows of a world to the columns of compact snapshots, and back (a compiled kernel).

Theory of operation. Compact snapshots have those fields of the tables that are coded compactly, as one column each.
Columns are numbered through all components: those of component c are from ``begins[c]`` to ``begins[c + 1]``.
``offsets`` has for each its place in the row of an entity. ``members`` has for each component that of the compact
schema, or -1 if it has no such field. :mod:`retick.authority.world.compact` makes them.
"""

from array import array
from typing import Any

from retick.authority.world.rows import Rows
from retick.snapshot import Snapshot

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.snapshot.kernels.arrays import ints, uchars, uints, ulongs
    from cython.cimports.retick.snapshot.kernels.columns import Columns, blank_columns
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
else:
    from retick.snapshot.kernels.arrays import ints, uchars, uints, ulongs
    from retick.snapshot.kernels.columns import Columns, as_signed, blank_columns
    from retick.snapshot.kernels.table import FieldTable

__all__ = ["columns_of", "middle_of", "rows_of"]

_ALL_BITS = (1 << 64) - 1


def columns_of(rows: Rows, tick: Any, tables: Any) -> Any:
    """The snapshot of the compact fields of some rows, at a tick."""
    table: FieldTable = tables.table
    made: Columns = blank_columns(Snapshot, table, tick)
    count: cython.Py_ssize_t = len(rows.ids)
    index: cython.Py_ssize_t
    to: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t
    row: cython.Py_ssize_t
    column: cython.Py_ssize_t
    component: cython.int
    ids: cython.p_uint = uints(rows.ids)
    kinds: cython.p_uchar = uchars(rows.kinds)
    starts: cython.p_int = ints(rows.starts)
    values: cython.p_ulonglong = ulongs(rows.values)
    members: cython.p_int = ints(tables.members)
    begins: cython.p_int = ints(tables.begins)
    offsets: cython.p_int = ints(tables.offsets)
    for index in range(count):
        component = members[kinds[index]]
        if component >= 0:
            made.room[component] += 1
            to += 1
    made.allocate(to, made.room)
    made.note_absent(to)
    if cython.compiled:
        for component in range(table.component_count):
            for index in range(to):
                made.present[component][index] = 0
    else:
        for flags in made.present:
            flags[:] = bytes(to)
    to = 0
    for index in range(count):
        component = members[kinds[index]]
        if component < 0:
            continue
        made.keys[to] = ids[index]
        made.present[component][to] = 1
        row = made.rows[component]
        made.rows[component] = row + 1
        at = starts[index]
        for column in range(begins[kinds[index]], begins[kinds[index] + 1]):
            if cython.compiled:
                made.columns[column][row] = cython.cast(cython.longlong, values[at + offsets[column]])
            else:
                made.columns[column][row] = as_signed(values[at + offsets[column]])
        to += 1
    made.finish(to)
    return made


def rows_of(columns: Columns, middle: Rows, tick: Any, tables: Any) -> Rows:
    """The rows of a snapshot that has the entities of ``middle``, from which all other fields are."""
    index: cython.Py_ssize_t
    at: cython.Py_ssize_t
    row: cython.Py_ssize_t
    column: cython.Py_ssize_t
    component: cython.int
    values = array("Q", middle.values)
    passed = array("i", bytes(4 * len(tables.members)))  # rows of each component that are done
    kinds: cython.p_uchar = uchars(middle.kinds)
    starts: cython.p_int = ints(middle.starts)
    numbers: cython.p_ulonglong = ulongs(values)
    members: cython.p_int = ints(tables.members)
    begins: cython.p_int = ints(tables.begins)
    offsets: cython.p_int = ints(tables.offsets)
    done: cython.p_int = ints(passed)
    for index in range(len(middle.ids)):
        component = members[kinds[index]]
        if component < 0:
            continue
        row = done[component]
        done[component] = row + 1
        at = starts[index]
        for column in range(begins[kinds[index]], begins[kinds[index] + 1]):
            if cython.compiled:
                numbers[at + offsets[column]] = cython.cast(cython.ulonglong, columns.columns[column][row])
            else:
                numbers[at + offsets[column]] = columns.columns[column][row] & _ALL_BITS
    return Rows(tick, middle.ids, middle.kinds, middle.starts, values)


def middle_of(base: Rows, rows: Rows, tables: Any) -> Rows:
    """``rows`` with the compact fields of ``base``, and those of new entities at their defaults.

    What makes it of ``base`` is the structure of a compact snapshot; the rest of the snapshot makes ``rows`` of it.
    """
    old: cython.Py_ssize_t = 0
    olds: cython.Py_ssize_t = len(base.ids)
    new: cython.Py_ssize_t
    at: cython.Py_ssize_t
    before: cython.Py_ssize_t
    column: cython.Py_ssize_t
    is_old: cython.bint
    values = array("Q", rows.values)
    old_ids: cython.p_uint = uints(base.ids)
    new_ids: cython.p_uint = uints(rows.ids)
    old_kinds: cython.p_uchar = uchars(base.kinds)
    new_kinds: cython.p_uchar = uchars(rows.kinds)
    old_starts: cython.p_int = ints(base.starts)
    new_starts: cython.p_int = ints(rows.starts)
    old_values: cython.p_ulonglong = ulongs(base.values)
    numbers: cython.p_ulonglong = ulongs(values)
    defaults: cython.p_ulonglong = ulongs(tables.defaults)
    begins: cython.p_int = ints(tables.begins)
    offsets: cython.p_int = ints(tables.offsets)
    for new in range(len(rows.ids)):
        while old < olds and old_ids[old] < new_ids[new]:
            old += 1
        is_old = old < olds and old_ids[old] == new_ids[new] and old_kinds[old] == new_kinds[new]
        before = old_starts[old] if is_old else 0
        at = new_starts[new]
        for column in range(begins[new_kinds[new]], begins[new_kinds[new] + 1]):
            numbers[at + offsets[column]] = old_values[before + offsets[column]] if is_old else defaults[column]
    return Rows(base.tick, rows.ids, rows.kinds, rows.starts, values)
