"""The part of a world that one receiver sees, and the priority of each entity in it (a compiled kernel)."""

from array import array
from operator import index as whole
from typing import Any

from retick.errors import UsageError

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.float import PyFloat_AS_DOUBLE, PyFloat_CheckExact
    from cython.cimports.cpython.long import PyLong_AsLongLongAndOverflow, PyLong_CheckExact
    from cython.cimports.retick.snapshot.kernels.arrays import doubles, longs
    from cython.cimports.retick.snapshot.kernels.columns import Columns
    from cython.cimports.retick.snapshot.kernels.copies import gather_columns
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
else:
    from retick.snapshot.kernels.arrays import doubles, longs
    from retick.snapshot.kernels.columns import Columns
    from retick.snapshot.kernels.copies import gather_columns
    from retick.snapshot.kernels.table import FieldTable

__all__ = ["VisiblePart"]


@cython.cclass
class VisiblePart:
    """What ``of`` found last; see the .pxd for what each member holds."""

    if not cython.compiled:
        table: FieldTable
        priority: Any
        pick: Any
        capacity: int
        _owners: list[Any]

    def __init__(self, table: FieldTable) -> None:
        self.table = table
        self.capacity = -1

    def of(self, cls: Any, base: Columns, world: Columns, visible: dict) -> Columns:  # type: ignore[type-arg]  # a C type
        """The entities of ``world`` that are visible and can be compared with ``base``; both have ascending ids."""
        if world.count > self.capacity:
            self.capacity = 2 * world.count + 16
            self._owners = [array("d", bytes(8 * self.capacity)), array("q", bytes(8 * self.capacity))]
            self.priority = doubles(self._owners[0])
            self.pick = longs(self._owners[1])
        self.see(world, visible)
        return self.pick_comparable(cls, base, world)

    def see(self, world: Columns, visible: dict) -> cython.int:  # type: ignore[type-arg]  # a C type
        """Mark the entities that are visible, and note their priorities; other ids are ignored."""
        at: cython.Py_ssize_t
        low: cython.Py_ssize_t
        high: cython.Py_ssize_t
        entity: cython.longlong
        for at in range(world.count):
            self.pick[at] = 0
        at = -1
        for identity, priority in visible.items():
            entity = _entity(identity)
            if entity < 0:
                continue
            # Mostly they come in the order of the world.
            at += 1
            if at >= world.count or world.keys[at] != entity:
                low = at if at < world.count and world.keys[at] < entity else 0
                high = low + 1
                while high < world.count and world.keys[high] < entity:
                    low, high = high, 2 * high - low
                high = min(high, world.count)
                while low < high:
                    at = (low + high) >> 1
                    if world.keys[at] < entity:
                        low = at + 1
                    else:
                        high = at
                at = low
                if at == world.count or world.keys[at] != entity:
                    continue
            self.pick[at] = 1
            self.priority[at] = _priority(identity, priority)
        return 0

    def pick_comparable(self, cls: Any, base: Columns, world: Columns) -> Columns:
        """The world without what is not visible, and without entities whose components are others than in ``base``."""
        dense: cython.bint = True
        component: cython.int
        at: cython.Py_ssize_t
        before: cython.Py_ssize_t = 0
        count: cython.Py_ssize_t = 0
        for component in range(self.table.component_count):
            if base.rows[component] != base.count or world.rows[component] != world.count:
                dense = False
        for at in range(world.count):
            if self.pick[at] == 0:
                continue
            if not dense:
                while before < base.count and base.keys[before] < world.keys[at]:
                    before += 1
                if not self.comparable(base, before, world, at):
                    continue
            self.pick[count] = at
            self.priority[count] = self.priority[at]
            count += 1
        if count == world.count:
            return world
        picked = array("q", bytes(8 * count))
        places: cython.p_longlong = longs(picked)
        for at in range(count):
            places[at] = self.pick[at]
        return gather_columns(cls, world, world, picked, world.tick)

    def comparable(
        self, base: Columns, before: cython.Py_ssize_t, world: Columns, at: cython.Py_ssize_t
    ) -> cython.bint:
        """Whether an entity has the components that it has in ``base``, or is not there."""
        component: cython.int
        if before == base.count or base.keys[before] != world.keys[at]:
            return True
        for component in range(self.table.component_count):
            if base.has_one(before, component) != world.has_one(at, component):
                return False
        return True


@cython.cfunc
@cython.inline
@cython.exceptval(-2)
def _entity(identity: Any) -> cython.longlong:
    """An id of a visible entity; -1 if no entity can have it."""
    if cython.compiled and PyLong_CheckExact(identity):
        overflow: cython.int = 0
        entity: cython.longlong = PyLong_AsLongLongAndOverflow(identity, cython.address(overflow))
        return entity if entity >= 0 and overflow == 0 else -1
    try:
        number = whole(identity)
    except TypeError:
        raise UsageError(f"visible entities are given by their ids, not {identity!r}") from None
    return number if 0 <= number <= 0xFFFFFFFF else -1


@cython.cfunc
@cython.inline
@cython.exceptval(-2, check=True)
def _priority(identity: Any, given: Any) -> cython.double:
    if cython.compiled and PyFloat_CheckExact(given):
        return PyFloat_AS_DOUBLE(given)
    try:
        return float(given)
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"the priority of entity {identity} must be above zero, not {given!r}") from None
