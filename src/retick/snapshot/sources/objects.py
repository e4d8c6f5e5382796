"""Columns from objects of declared components (a compiled kernel).

A plan says for one class which attribute goes to which column and how it is quantised: the rule of ``Fixed.quantise``.
"""

from array import array
from collections.abc import Callable
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython import array as carray
    from cython.cimports.cpython.float import PyFloat_AS_DOUBLE, PyFloat_Check
    from cython.cimports.cpython.long import PyLong_AsLongLongAndOverflow, PyLong_CheckExact
    from cython.cimports.libc.math import rint
    from cython.cimports.retick.snapshot.kernels.arrays import doubles
    from cython.cimports.retick.snapshot.kernels.columns import UNCHECKED, Columns, blank_columns
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
    from cython.cimports.retick.snapshot.sources.mappings import put_value
else:
    from retick.snapshot.kernels.arrays import doubles
    from retick.snapshot.kernels.columns import Columns
    from retick.snapshot.kernels.table import FieldTable

__all__ = ["ObjectPlan", "columns_of_objects"]

_SIGNED = array("q")


@cython.cclass
class ObjectPlan:
    """How objects of one class become rows; see the .pxd for what each member holds."""

    if not cython.compiled:
        component: int
        names: tuple[str, ...]
        scales: Any
        lowest: Any
        highest: Any
        _owners: list[Any]

    def __init__(self, component: int, names: tuple[str, ...], fixed: list[tuple[int, int, int]]) -> None:
        """``fixed``: scale, lowest and highest q of each field, the scale 0 where values are integers as they are."""
        self.component = component
        self.names = names
        self._owners = [array("d", numbers) for numbers in zip(*fixed, strict=True)] or [array("d")] * 3
        self.scales = doubles(self._owners[0])
        self.lowest = doubles(self._owners[1])
        self.highest = doubles(self._owners[2])


def columns_of_objects(
    cls: Any,
    table: FieldTable,
    tick: Any,
    items: list,  # type: ignore[type-arg]  # a C type
    plans: dict,  # type: ignore[type-arg]  # a C type
    plan_for: Callable[[type], ObjectPlan | None],
) -> Any:
    """The snapshot of pairs of an entity id and its objects; None for the caller to look at.

    ``plan_for`` makes the plan of a class that is not in ``plans``, None if there is none.
    """
    if cython.compiled:
        made: Columns = blank_columns(cls, table, tick)
        components: cython.int = table.component_count
        component: cython.int
        found: cython.int
        entity: cython.longlong
        overflow: cython.int = 0
        index: cython.Py_ssize_t
        count: cython.Py_ssize_t = len(items)
        plan: ObjectPlan
        seen: carray.array = carray.clone(_SIGNED, components + 1, False)
        for component in range(components):
            made.room[component] = count
            seen.data.as_longlongs[component] = -1
        made.allocate(count, made.room)
        made.order = UNCHECKED
        for index in range(count):
            identity, held = items[index]
            if not PyLong_CheckExact(identity):
                return None
            entity = PyLong_AsLongLongAndOverflow(identity, cython.address(overflow))
            if overflow or not 0 <= entity <= 0xFFFFFFFF:
                return None
            made.keys[index] = cython.cast(cython.uint, entity)
            found = 0
            for item in held:
                known = plans.get(type(item))
                if known is None:
                    known = plan_for(type(item))
                    if known is None:
                        return None
                    plans[type(item)] = known
                plan = known
                component = plan.component
                # The last of two objects of one component counts, which is for the caller.
                if seen.data.as_longlongs[component] == index or not _put_object(made, plan, item):
                    return None
                seen.data.as_longlongs[component] = index
                made.rows[component] += 1
                found += 1
            if found < components:
                if not made.noted:
                    made.note_absent(count)
                for component in range(components):
                    made.present[component][index] = seen.data.as_longlongs[component] == index
        made.finish(count)
        return made
    return None


@cython.cfunc
def _put_object(made: Columns, plan: ObjectPlan, item: Any) -> cython.bint:
    """Every attribute into its column; False if one is unusual."""
    if cython.compiled:
        field: cython.int = made.table.first[plan.component]
        row: cython.Py_ssize_t = made.rows[plan.component]
        at: cython.Py_ssize_t
        overflow: cython.int = 0
        number: cython.longlong
        scaled: cython.double
        try:
            for at in range(len(plan.names)):
                value = getattr(item, plan.names[at])
                if plan.scales[at] == 0:
                    if not put_value(made, field + at, row, value):
                        return False
                    continue
                if PyFloat_Check(value):
                    scaled = PyFloat_AS_DOUBLE(value) * plan.scales[at]
                elif PyLong_CheckExact(value):
                    number = PyLong_AsLongLongAndOverflow(value, cython.address(overflow))
                    # Beyond it the product may not be exact.
                    if overflow or not -2097152 <= number <= 2097152:
                        return False
                    scaled = cython.cast(cython.double, number) * plan.scales[at]
                else:
                    return False
                if scaled >= plan.highest[at]:
                    scaled = plan.highest[at]
                elif scaled <= plan.lowest[at]:
                    scaled = plan.lowest[at]
                elif scaled != scaled:
                    return False
                made.columns[field + at][row] = cython.cast(cython.longlong, rint(scaled))
        except (AttributeError, TypeError, ValueError):
            return False
        return True
    return False
