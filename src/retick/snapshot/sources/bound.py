"""Snapshots out of columns that were bound once, and into them (a compiled kernel).

Columns are bound as a template: a ``Columns`` over all of the user's rows, whose buffers were looked at when they were
bound. What is taken or written each tick are pointers and rows.
"""

from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.libc.string import memmove
    from cython.cimports.retick.snapshot.kernels.columns import UNCHECKED, Columns, blank_columns
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
else:
    from retick.snapshot.kernels.columns import UNCHECKED, Columns, blank_columns
    from retick.snapshot.kernels.table import FieldTable

__all__ = ["bound_snapshot", "lacking", "write_rows"]


@cython.cfunc
@cython.inline
def _has_flags(columns: Columns, component: cython.int) -> cython.bint:
    if cython.compiled:
        return columns.present[component] != cython.NULL
    return columns.present[component] is not None


def bound_snapshot(cls: Any, template: Columns, tick: Any, count: cython.Py_ssize_t) -> Any:
    """The first ``count`` entities, presence copied; a component id instead if one of its flags is not 0 or 1."""
    table: FieldTable = template.table
    made: Columns = blank_columns(cls, table, tick)
    component: cython.int
    field: cython.int
    index: cython.Py_ssize_t
    flagged: cython.bint = False
    made.owned = False
    made.order = UNCHECKED
    made.count = count
    made.keys = template.keys
    made._ids_owner = template._ids_owner
    made._owners = template._owners
    for field in range(table.field_count):
        made.columns[field] = template.columns[field]
    for component in range(table.component_count):
        made.rows[component] = made.room[component] = count
        flagged = flagged or _has_flags(template, component)
    if not flagged:
        return made
    made.note_absent(count)
    for component in range(table.component_count):
        if not _has_flags(template, component):
            continue
        made.rows[component] = 0
        for index in range(count):
            if template.present[component][index] > 1:
                return table.component_id[component]
            made.present[component][index] = template.present[component][index]
            made.rows[component] += template.present[component][index]
    made.finish(count)
    return made


def lacking(template: Columns, source: Columns) -> Any:
    """The id of the first component that an entity of ``source`` lacks although no presence is bound; else None."""
    component: cython.int
    for component in range(source.table.component_count):
        if source.rows[component] != source.count and not _has_flags(template, component):
            return source.table.component_id[component]
    return None


def write_rows(template: Columns, source: Columns) -> None:
    """Ids, values and presence of ``source`` into the bound buffers, which are large enough and writable."""
    table: FieldTable = source.table
    component: cython.int
    field: cython.int
    index: cython.Py_ssize_t
    count: cython.Py_ssize_t = source.count
    rows: cython.Py_ssize_t
    if count == 0:
        return
    if cython.compiled:
        memmove(template.keys, source.keys, 4 * count)
    else:
        template.keys[:count] = source.keys[:count]
    for component in range(table.component_count):
        rows = source.rows[component]
        if _has_flags(template, component):
            for index in range(count):
                template.present[component][index] = source.has_one(index, component)
        if rows == 0:
            continue  # such a column may have no memory
        for field in range(table.first[component], table.first[component] + table.fields[component]):
            if cython.compiled:
                memmove(template.columns[field], source.columns[field], 8 * rows)
            else:
                template.columns[field][:rows] = source.columns[field][:rows]
