# cython: nonecheck=True
"""The attributes of things: descriptors that read and write one field each, and check every write (a compiled kernel).

Arguments from Python code are annotated as Any: Cython would check or convert another type first, and the checks here
could not say what is wrong.
"""
# retick: floats -- they are kept as their bits; only exact operations are done with them

from typing import Any

from retick.errors import UsageError

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.long import PyLong_AsLongLongAndOverflow
    from cython.cimports.retick.sim.shapes.shape import Shape, copied
    from cython.cimports.retick.sim.world.cells import (
        CACHE,
        LINK,
        MEMBER,
        NUMBER,
        PART,
        REAL,
        SHAPE,
        TEXT,
        TRUTH,
        VALUES,
        WIDE,
        Cell,
        FieldPlan,
    )
    from cython.cimports.retick.sim.world.places import check_free, check_open, enter, leave, things_by_id
else:
    from retick.sim.shapes.shape import Shape, copied
    from retick.sim.world.cells import (
        CACHE,
        LINK,
        MEMBER,
        NUMBER,
        PART,
        REAL,
        SHAPE,
        TEXT,
        TRUTH,
        VALUES,
        Cell,
        FieldPlan,
    )
    from retick.sim.world.places import check_free, check_open, enter, leave, things_by_id

# By this name, as the lists of a world check what is written to them.
_SET = list.__setitem__

__all__ = ["Field"]


@cython.cclass
class Field(FieldPlan):
    """Reads and writes one declared field as an attribute."""

    def __get__(self, thing: Any, owner: Any) -> Any:
        if thing is None:
            return self
        cell: Cell = thing
        code: cython.int = self.code
        if code <= LINK:
            if self.slot + self.optional >= cell._slots:
                raise AttributeError(f"this {type(thing).__name__} has no {self.where}")
            if code == REAL and not self.optional:
                if cython.compiled:
                    return cython.cast(cython.p_double, cell._row)[self.slot]
                return cell._row[self.slot]
            if code == LINK:
                return self.linked(cell)
            if self.optional and not cell._row[self.slot + 1]:
                return None
            if code == NUMBER:
                return cell._row[self.slot]
            return self.read(cell)
        return self.held(cell)

    def read(self, cell: Cell) -> Any:
        """The value of a scalar."""
        code: cython.int = self.code
        if code == TRUTH:
            return cell._row[self.slot] != 0
        if code == MEMBER:
            return self.kind.members[cell._row[self.slot]]
        if cython.compiled:
            if code == REAL:
                return cython.cast(cython.p_double, cell._row)[self.slot]
            return cython.cast(cython.p_ulonglong, cell._row)[self.slot]
        return cell._row[self.slot]

    def linked(self, cell: Cell) -> Any:
        """The item that a reference names; None if there is none, or if it has left."""
        number = cell._row[self.slot]
        if not number or cell._world is None:
            return None
        return things_by_id(cell._world).get(number)

    def held(self, cell: Cell) -> Any:
        """The part of a cell that this field is for."""
        if cell._parts is None or self.part >= len(cell._parts):
            raise AttributeError(f"this {type(cell).__name__} has no {self.where}")
        part = cell._parts[self.part]
        if cell._open < 0 and part is not None:
            # Vectors change in place and do not know whose they are: of a read-only world one gets copies.
            if self.code == SHAPE:
                return copied(part)
            if self.code == VALUES and part and isinstance(part[0], Shape):
                copies = self.make_list(self, cell)
                _SET(copies, slice(None), [copied(each) for each in part])
                return copies
        return part

    def __set__(self, thing: Any, value: Any) -> None:
        cell: Cell = thing
        code: cython.int = self.code
        if code > LINK:
            self.replace(cell, value)
            return
        if self.slot + self.optional >= cell._open:
            check_open(cell, self)
            raise AttributeError(f"this {type(thing).__name__} has no {self.where}")
        if code == LINK:
            self.link(cell, value)
            return
        if not cython.compiled:
            is_real = code == REAL and type(value) is float and value == value
            is_number = code == NUMBER and type(value) is int and self.least <= value <= self.greatest
            if (is_real or is_number) and not self.optional:
                cell._row[self.slot] = value
                return
        else:
            number: cython.longlong
            real: cython.double
            overflow: cython.int = 0
            if not self.optional:
                # The common cases without a Python comparison; everything else is checked below.
                if code == REAL:
                    if type(value) is float:
                        real = value
                        if real == real:
                            cython.cast(cython.p_double, cell._row)[self.slot] = real
                            return
                elif code == NUMBER and isinstance(value, int):
                    number = PyLong_AsLongLongAndOverflow(value, cython.address(overflow))
                    if overflow == 0 and self.least <= number <= self.greatest:
                        cell._row[self.slot] = number
                        return
                elif code == TRUTH and (value is True or value is False):
                    cell._row[self.slot] = value is True
                    return
        self.write(cell, value)

    def __delete__(self, thing: Any) -> None:
        raise AttributeError(f"{self.where} cannot be deleted: it is declared")

    def write(self, cell: Cell, value: Any) -> cython.int:
        """Write a scalar after all checks."""
        if value is None and self.optional:
            # An absent value is zero in the row: equal states have equal rows.
            cell._row[self.slot] = 0
            cell._row[self.slot + 1] = 0
            return 0
        raw = self.kind.raw(self.kind.checked(value, self.where))
        if cython.compiled:
            if self.code == REAL:
                cython.cast(cython.p_double, cell._row)[self.slot] = raw
            elif self.code == WIDE:
                cython.cast(cython.p_ulonglong, cell._row)[self.slot] = raw
            else:
                cell._row[self.slot] = raw
        else:
            cell._row[self.slot] = raw
        if self.optional:
            cell._row[self.slot + 1] = 1
        return 0

    def link(self, cell: Cell, value: Any) -> cython.int:
        """Write a reference: only items of lists can be referred to, and only those of the same world."""
        if value is None:
            cell._row[self.slot] = 0
            return 0
        wanted = self.target_kind()
        if type(value) is not wanted:
            raise UsageError(f"{self.where}: {value!r} is not a {wanted.__name__}")
        other: Cell = value
        if not other._id:
            raise UsageError(f"{self.where}: this {wanted.__name__} is in no list of the world: append it first")
        if cell._world is None:
            cell._world = other._world
        elif cell._world is not other._world:
            raise UsageError(f"{self.where}: this {wanted.__name__} is in another world")
        cell._row[self.slot] = other._id
        return 0

    def replace(self, cell: Cell, value: Any) -> cython.int:
        """Write a part: a thing, the content of a list, or a cache."""
        before = self.held(cell)
        if self.code == CACHE:
            cell._parts[self.part] = value  # it is no state, and rebuild makes it after a load
            return 0
        check_open(cell, self)
        if self.code in (SHAPE, TEXT):
            self.assign(cell, before, value)
            return 0
        if self.code != PART:
            before[:] = value
            return 0
        if before is value:
            return 0
        if value is not None or not self.optional:
            if type(value) is not self.plan.kind:
                raise UsageError(f"{self.where}: {value!r} is not a {self.plan.name}")
            check_free(value, cell._world, self.where)
        if before is not None:
            leave(before)
        cell._parts[self.part] = value
        if value is not None:
            enter(value, cell, cell)
        return 0

    def assign(self, cell: Cell, before: Any, value: Any) -> cython.int:
        """Write a vector, a rectangle or a text: a copy, in a new object, so that nothing else changes with it."""
        if before is value:
            return 0  # as after self.pos += step, which has changed it in place
        if value is None and self.optional:
            cell._parts[self.part] = None
        elif self.code == SHAPE and type(value) is type(before):
            cell._parts[self.part] = copied(value)
        else:
            cell._parts[self.part] = self.kind.checked(value, self.where)
        return 0
