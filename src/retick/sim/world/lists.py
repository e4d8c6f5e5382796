# cython: nonecheck=True
"""The lists of a world: Python lists with a most, whose content is checked (a compiled kernel).

Both kinds of list are ordinary lists to whoever reads them. Every change is checked first, and is made as a whole or
not at all. A thing is in a list once. Writing an item to an index while it is at another index exchanges the two, so
that the usual ways to swap, to shuffle and to remove by moving the last item work.
"""

from typing import Any

from retick.errors import UsageError

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.sim.world.cells import Cell, FieldPlan
    from cython.cimports.retick.sim.world.places import check_free, check_open, enter, leave
else:
    from retick.sim.world.cells import Cell, FieldPlan
    from retick.sim.world.places import check_free, check_open, enter, leave

# Called by these names and not as list.pop(...): Cython would make a call of the method out of that, and so of our own.
_DELETE, _INDEX, _POP, _SET = list.__delitem__, list.index, list.pop, list.__setitem__
_REMOVE, _REVERSE, _SORT = list.remove, list.reverse, list.sort

__all__ = ["BoundedList", "ThingList", "ValueList"]


@cython.cclass
class BoundedList(list):  # type: ignore[type-arg]  # a C class cannot inherit from list[Any]
    """A list that holds at most what its field declares."""

    if not cython.compiled:
        __slots__ = ("_field", "_holder")
        _field: FieldPlan
        _holder: Cell

    def become(self, items: list[Any]) -> cython.int:
        """Replace the whole content, after all checks."""
        return 0

    def check_changes(self) -> cython.int:
        """Refuse to change the list of a world that is read-only."""
        return check_open(self._holder, self._field)

    def check_room(self, count: cython.Py_ssize_t) -> cython.int:
        """Refuse to hold ``count`` items if that is more than declared."""
        self.check_changes()
        field: FieldPlan = self._field
        if count > field.most:
            raise UsageError(f"{field.where} holds at most {field.most}, not {count}")
        return 0

    def extend(self, items: Any) -> None:
        self.become([*self, *items])

    def __iadd__(self, items: Any) -> "BoundedList":  # type: ignore[misc]  # + gives a plain list, += this one
        self.become([*self, *items])
        return self

    def __imul__(self, times: Any) -> "BoundedList":  # type: ignore[misc]  # * gives a plain list, *= this one
        self.become(list(self) * times)
        return self

    def insert(self, index: Any, item: Any) -> None:
        after = list(self)
        after.insert(index, item)
        self.become(after)

    def clear(self) -> None:
        self.become([])

    def pop(self, index: Any = -1) -> Any:
        self.check_changes()
        return _POP(self, index)

    def remove(self, item: Any) -> None:
        self.check_changes()
        _REMOVE(self, item)

    def __delitem__(self, index: Any) -> None:
        self.check_changes()
        _DELETE(self, index)

    def sort(self, *, key: Any = None, reverse: Any = False) -> None:
        self.check_changes()
        _SORT(self, key=key, reverse=reverse)

    def reverse(self) -> None:
        self.check_changes()
        _REVERSE(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        # A copy is a plain list: it is in no world.
        return list, (list(self),)


@cython.cclass
class ThingList(BoundedList):
    """A list of things; each has an id while it is in the list of a world."""

    def __init__(self, field: Any, holder: Any) -> None:
        self._field = field
        self._holder = holder

    def check_item(self, item: Any) -> cython.int:
        """Refuse what cannot enter."""
        field: FieldPlan = self._field
        if type(item) is not field.plan.kind:
            raise UsageError(f"{field.where} holds {field.plan.name}, not {item!r}")
        holder: Cell = self._holder
        return check_free(item, holder._world, field.where)

    def become(self, items: list[Any]) -> cython.int:
        self.check_room(len(items))
        staying = set()
        for item in items:
            if isinstance(item, Cell):
                cell: Cell = item
                if item in staying:
                    raise UsageError(f"{self._field.where}: this {type(item).__name__} would be in the list twice")
                staying.add(item)
                if cell._owner is self:
                    continue
            self.check_item(item)
        for item in self:
            if item not in staying:
                leave(item)
        _SET(self, slice(None), items)
        for item in items:
            cell = item
            if cell._owner is not self:
                enter(cell, self, self._holder)
        return 0

    def append(self, item: Any) -> None:
        self.check_item(item)
        self.check_room(len(self) + 1)
        enter(item, self, self._holder)
        list.append(self, item)

    def pop(self, index: Any = -1) -> Any:
        self.check_changes()
        item = _POP(self, index)
        leave(item)
        return item

    def remove(self, item: Any) -> None:
        del self[_INDEX(self, item)]

    def __delitem__(self, index: Any) -> None:
        if isinstance(index, slice):
            after = list(self)
            del after[index]
            self.become(after)
        else:
            self.check_changes()
            item = self[index]
            _DELETE(self, index)
            leave(item)

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            after = list(self)
            after[index] = value
            self.become(after)
            return
        self.check_changes()
        before = self[index]
        if before is value:
            return
        if isinstance(value, Cell):
            cell: Cell = value
            if cell._owner is self:
                _SET(self, _INDEX(self, value), before)
                _SET(self, index, value)
                return
        self.check_item(value)
        leave(before)
        enter(value, self, self._holder)
        _SET(self, index, value)

    def column(self, name: Any) -> list[Any]:
        """One field of all items, in the order of the list."""
        return [getattr(item, name) for item in self]


@cython.cclass
class ValueList(BoundedList):
    """A list of numbers, bools, enum members, vectors or rectangles."""

    def __init__(self, field: Any, holder: Any) -> None:
        self._field = field
        self._holder = holder
        _SET(self, slice(None), [self.checked(value) for value in field.default])

    def checked(self, value: Any) -> Any:
        """``value`` as the list holds it."""
        field: FieldPlan = self._field
        return field.kind.checked(value, f"{field.where}[]")

    def become(self, items: list[Any]) -> cython.int:
        self.check_room(len(items))
        _SET(self, slice(None), [self.checked(item) for item in items])
        return 0

    def append(self, value: Any) -> None:
        self.check_room(len(self) + 1)
        list.append(self, self.checked(value))

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            after = list(self)
            after[index] = value
            self.become(after)
        else:
            self.check_changes()
            _SET(self, index, self.checked(value))
