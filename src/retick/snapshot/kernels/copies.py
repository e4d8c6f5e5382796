"""Columns made of other columns: a copy, and a choice of entities from two (a compiled kernel)."""

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython import array as carray
    from cython.cimports.libc.string import memcpy
    from cython.cimports.retick.snapshot.kernels.arrays import longs
    from cython.cimports.retick.snapshot.kernels.columns import UNCHECKED, Columns, blank_columns
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
else:
    from retick.snapshot.kernels.arrays import longs
    from retick.snapshot.kernels.columns import UNCHECKED, Columns, blank_columns
    from retick.snapshot.kernels.table import FieldTable

__all__ = ["copy_columns", "duplicate", "gather", "gather_columns", "select"]

_SIGNED = array("q")


def copy_columns(cls: Any, source: Columns, tick: Any) -> Columns:
    """The same entities in owned columns of their own; ids and presence are shared where nobody can change them."""
    table: FieldTable = source.table
    made: Columns = blank_columns(cls, table, tick)
    component: cython.int
    field: cython.int
    rows: cython.Py_ssize_t
    made.allocate(0 if source.owned else source.count, source.rows)
    made.count = source.count
    made.order = source.order
    for component in range(table.component_count):
        rows = source.rows[component]
        made.rows[component] = rows
        made.present[component] = source.present[component]
        if rows == 0:
            continue  # no memory to copy from
        for field in range(table.first[component], table.first[component] + table.fields[component]):
            if cython.compiled:
                memcpy(made.columns[field], source.columns[field], 8 * rows)
            else:
                made.columns[field][:rows] = source.columns[field][:rows]
    if source.owned:
        made.keys = source.keys
        made._ids_owner = source._ids_owner
        made._present_owner = source._present_owner
    else:
        _copy_shape(made, source)
    return made


@cython.cfunc
def _copy_shape(made: Columns, source: Columns) -> cython.void:
    index: cython.Py_ssize_t
    component: cython.int
    for index in range(source.count):
        made.keys[index] = source.keys[index]
    made.note_absent(source.count)
    for component in range(source.table.component_count):
        for index in range(source.count):
            made.present[component][index] = source.has_one(index, component)
    made.finish(source.count)


def duplicate(cls: Any, source: Columns, tick: Any) -> Any:
    """The same entities in owned columns."""
    return copy_columns(cls, source, tick)


def select(cls: Any, source: Columns, wanted: Any) -> Any:
    """The entities whose ids are in ``wanted``, a set, as far as they are there; ``source`` itself if it is owned and
    they are all."""
    index: cython.Py_ssize_t
    count: cython.Py_ssize_t = 0
    picked = array("q", bytes(8 * source.count))
    places: cython.p_longlong = longs(picked)
    for index in range(source.count):
        if source.keys[index] in wanted:
            places[count] = index
            count += 1
    if count == source.count and source.owned:
        return source
    del picked[count:]
    return gather_columns(cls, source, source, picked, source.tick)


def gather(cls: Any, left: Columns, right: Columns, sources: Any, tick: Any) -> Any:
    """New columns, entity by entity: index i of ``left`` where ``sources`` says i, of ``right`` where it says ~i."""
    return gather_columns(cls, left, right, sources, tick)


def gather_columns(cls: Any, left: Columns, right: Columns, sources: Any, tick: Any) -> Columns:
    """New columns, entity by entity: index i of ``left`` where ``sources`` says i, of ``right`` where it says ~i."""
    table: FieldTable = left.table
    made: Columns = blank_columns(cls, table, tick)
    count: cython.Py_ssize_t = len(sources)
    component: cython.int
    index: cython.Py_ssize_t
    if cython.compiled:
        picked: carray.array = sources
        pick: cython.p_longlong = picked.data.as_longlongs
        taken: carray.array = carray.clone(_SIGNED, count, False)
        take: cython.p_longlong = taken.data.as_longlongs
        for component in range(table.component_count):
            made.room[component] = min(count, left.rows[component] + right.rows[component])
    else:
        pick = sources
        take = [0] * count
        made.room = [min(count, left.rows[c] + right.rows[c]) for c in range(table.component_count)]
    made.allocate(count, made.room)
    made.order = UNCHECKED
    made.note_absent(count)
    for index in range(count):
        if pick[index] >= 0:
            made.keys[index] = left.keys[pick[index]]
        else:
            made.keys[index] = right.keys[~pick[index]]
    for component in range(table.component_count):
        _gather_component(made, left, right, component, pick, take, count)
    made.finish(count)
    return made


@cython.cfunc
def _gather_component(
    made: Columns,
    left: Columns,
    right: Columns,
    component: cython.int,
    pick: cython.p_longlong,
    take: cython.p_longlong,
    count: cython.Py_ssize_t,
) -> cython.void:
    table: FieldTable = made.table
    rows: cython.Py_ssize_t = 0
    index: cython.Py_ssize_t
    row: cython.Py_ssize_t
    field: cython.int
    into: cython.p_longlong
    one: cython.p_longlong
    other: cython.p_longlong
    left_rank = _ranks(left, component)
    right_rank = _ranks(right, component)
    for index in range(count):
        row = pick[index]
        if row >= 0:
            if left_rank is not None:
                row = left_rank[row]
                if row < 0:
                    made.present[component][index] = 0
                    continue
        elif right_rank is not None:
            row = right_rank[~row]
            if row < 0:
                made.present[component][index] = 0
                continue
            row = ~row
        take[rows] = row
        rows += 1
    made.rows[component] = rows
    for field in range(table.first[component], table.first[component] + table.fields[component]):
        into, one, other = made.columns[field], left.columns[field], right.columns[field]
        for index in range(rows):
            row = take[index]
            into[index] = one[row] if row >= 0 else other[~row]


@cython.cfunc
def _ranks(source: Columns, component: cython.int) -> Any:
    """Row of each entity, -1 for those without the component; None when row and entity index are the same."""
    index: cython.Py_ssize_t
    row: cython.Py_ssize_t = 0
    if source.rows[component] == source.count:
        return None
    ranks = []
    for index in range(source.count):
        if source.has_one(index, component):
            ranks.append(row)
            row += 1
        else:
            ranks.append(-1)
    return ranks
