"""Columns from plain mappings of numbers (a compiled kernel)."""

from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.long import PyLong_AsLongLongAndOverflow, PyLong_CheckExact
    from cython.cimports.cpython.number import PyNumber_Index
    from cython.cimports.retick.snapshot.kernels.columns import UNCHECKED, Columns, blank_columns
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
else:
    from retick.snapshot.kernels.columns import Columns
    from retick.snapshot.kernels.table import FieldTable

__all__ = ["columns_of_items", "put_value"]


def columns_of_items(cls: Any, table: FieldTable, tick: Any, items: list) -> Any:  # type: ignore[type-arg]  # a C type
    """The snapshot of pairs of an entity id and a dict of component id to values; None for the caller to look at."""
    if cython.compiled:
        made: Columns = blank_columns(cls, table, tick)
        components: cython.int = table.component_count
        component: cython.int
        at: cython.int
        found: cython.int
        entity: cython.longlong
        overflow: cython.int = 0
        index: cython.Py_ssize_t
        count: cython.Py_ssize_t = len(items)
        identities: list = [table.component_id[component] for component in range(components)]
        for component in range(components):
            made.room[component] = count
        made.allocate(count, made.room)
        made.order = UNCHECKED
        try:
            for index in range(count):
                identity, given = items[index]
                if not PyLong_CheckExact(identity) or type(given) is not dict:
                    return None
                entity = PyLong_AsLongLongAndOverflow(identity, cython.address(overflow))
                if overflow or not 0 <= entity <= 0xFFFFFFFF:
                    return None
                made.keys[index] = cython.cast(cython.uint, entity)
                held: dict = given
                found = 0
                for component in range(components):
                    values = held.get(identities[component])
                    if values is None:
                        if not made.noted:
                            made.note_absent(count)
                        made.present[component][index] = 0
                        continue
                    found += 1
                    row: tuple = values if type(values) is tuple else tuple(values)
                    if len(row) != table.fields[component]:
                        return None
                    for at in range(table.fields[component]):
                        if not put_value(made, table.first[component] + at, made.rows[component], row[at]):
                            return None
                    made.rows[component] += 1
                if found != len(held):
                    return None
        except (TypeError, ValueError):
            return None
        made.finish(count)
        return made
    return None


def put_value(made: Columns, field: cython.int, row: cython.Py_ssize_t, value: Any) -> cython.bint:
    """Write one number into its column; False if it is none that the column can hold."""
    if cython.compiled:
        table: FieldTable = made.table
        overflow: cython.int = 0
        number: cython.longlong
        if value is True or value is False:
            if not table.bools[field]:
                return False
            made.columns[field][row] = value is True
            return True
        whole = value if PyLong_CheckExact(value) else PyNumber_Index(value)
        number = PyLong_AsLongLongAndOverflow(whole, cython.address(overflow))
        if overflow:
            if overflow < 0 or not table.wraps[field] or whole > 18446744073709551615:
                return False
            made.columns[field][row] = whole - 18446744073709551616
            return True
        if number < 0 and table.wraps[field]:
            return False  # it would read as a large number
        made.columns[field][row] = number
        return True
    return False
