# cython: nonecheck=True
"""The things of a world: objects with typed fields over a row of slots (a compiled kernel).

Contents: plans and cells; where things are; the attributes of things; the lists of a world; how the fields of a thing
are packed.

Theory of operation. A class of things has one :class:`ThingPlan`. Each of its objects is a :class:`Cell`: a row of
64-bit slots for its numbers, and a list of parts for everything else (a thing inside it, a list, a vector, a cache).
Compiled, a row is C memory, and saving copies it; uncompiled it is a Python list of ints and floats. The attribute
descriptors below read and write one field each.

A cell is *settled* when it is in the world: in a list of it, or a field of something settled. List items get their
ids from the world when they settle. A cell is in one place only: its owner is the list or the cell that holds it.

A world can be shut: from then on only a load changes it. Every write compares its slot with the number of slots
that may be written, all or -1. So a write costs the same whether or not worlds can be shut.
"""

import struct
from array import array
from collections.abc import Sequence
from typing import Any

from retick.errors import UsageError
from retick.sim.world.advice import advice_on_value

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.long import PyLong_AsLongLongAndOverflow
    from cython.cimports.cpython.mem import PyMem_Calloc, PyMem_Free
    from cython.cimports.libc.string import memcpy
    from cython.cimports.retick.sim.shapes import Shape, copied
else:
    from retick.sim.shapes import Shape, copied

if cython.compiled:
    from cython.cimports.cpython.mem import PyMem_Free
    from cython.cimports.cpython.object import PyObject_GenericSetAttr
else:
    # What a field holds. Up to MEMBER these are scalars.
    NUMBER, WIDE, TRUTH, DOUBLE, MEMBER, LINK, PART, ITEMS, VALUES, CACHE, SHAPE, TEXT = range(12)  # C constants
    LAST_ID = 0xFFFFFFFF  # C constant

IS_COMPILED = bool(cython.compiled)
"""Whether rows are C memory."""


# Plans and cells: what is derived from a declaration, and the objects themselves.


@cython.cclass
class ThingPlan:
    """Everything derived from the declaration of one class of things."""

    kind: Any  # readonly
    name: Any  # readonly
    fields: tuple[Any, ...]  # readonly
    runs: tuple[Any, ...]  # readonly
    slots: cython.Py_ssize_t  # readonly
    parts: cython.Py_ssize_t  # readonly
    blank: Any  # readonly
    has_links: cython.bint  # readonly

    def __init__(self, kind: Any, fields: Any, runs: Any, slots: Any, parts: Any, blank: Any) -> None:
        """``blank`` is the row that a new object starts with: 8 packed bytes per slot; uncompiled, a list."""
        self.kind = kind
        self.name = kind.__name__
        self.fields = tuple(fields)
        self.runs = tuple(runs)
        self.slots = slots
        self.parts = parts
        self.blank = blank
        self.has_links = any(field.code == LINK for field in fields)


@cython.cclass
class FieldPlan:
    """Where one declared field is stored, and what it may hold."""

    owner: Any  # readonly
    name: Any  # readonly
    code: cython.int  # readonly
    slot: cython.Py_ssize_t  # readonly
    part: cython.Py_ssize_t  # readonly
    optional: cython.bint  # readonly
    least: cython.longlong
    greatest: cython.longlong
    kind: Any  # readonly
    plan: Any  # readonly
    target: Any
    most: cython.Py_ssize_t  # readonly
    default: Any  # readonly
    make_list: Any

    def __init__(
        self,
        owner: Any,
        name: Any,
        code: Any,
        *,
        slot: Any = -1,
        part: Any = -1,
        optional: Any = False,
        kind: Any = None,
        plan: Any = None,
        target: Any = None,
        most: Any = 0,
        default: Any = None,
        make_list: Any = None,
    ) -> None:
        self.owner = owner
        self.name = name
        self.code = code
        self.slot = slot
        self.part = part
        self.optional = optional
        self.kind = kind
        self.plan = plan
        self.target = target
        self.most = most
        self.default = default
        self.make_list = make_list
        self.least = self.greatest = 0
        if code <= MEMBER and code != WIDE:
            self.least, self.greatest = kind.least, kind.greatest

    @property
    def where(self) -> Any:
        """The names of class and field, for messages."""
        return f"{self.owner}.{self.name}"

    @cython.cfunc
    def target_kind(self) -> Any:
        """The class that a reference points to; a class that was declared later is looked up on first use."""
        if not isinstance(self.target, type):
            self.target = self.target.found(self.where)
        return self.target


@cython.cclass
class Cell:
    """An object with declared fields."""

    if not cython.compiled:
        __slots__ = ("__weakref__", "_id", "_open", "_owner", "_parts", "_plan", "_row", "_settled", "_slots", "_world")

    __weakref__: object
    _row: cython.p_longlong
    _slots: cython.Py_ssize_t
    _open: cython.Py_ssize_t
    _id: cython.longlong
    _settled: cython.bint
    _plan: ThingPlan
    _parts: list[Any]
    _owner: Any
    _world: Any

    @property
    def id(self) -> int:
        """The number of an item of a list, the same on every peer; 0 for a thing that is in no list of a world."""
        return self._id

    @property
    def world(self) -> Any:
        """The world that a thing is in, or was in before it was taken out."""
        if self._world is None:
            raise AttributeError(
                f"this {type(self).__name__} is in no world yet: append it to a list of the world first"
            )
        return self._world

    def __setattr__(self, name: Any, value: Any) -> None:
        try:
            if cython.compiled:
                PyObject_GenericSetAttr(self, name, value)
            else:
                object.__setattr__(self, name, value)
        except AttributeError:
            held = getattr(type(self), name, None)
            if isinstance(held, (int, float, str)):
                raise AttributeError(
                    f"{type(self).__name__}.{name} is read-only, as it is an attribute of the class: "
                    f"to make it a field, write {name}: {type(held).__name__} = {held!r}"
                ) from None
            if hasattr(type(self), name):
                raise
            raise AttributeError(f"{type(self).__name__}.{name} is not declared{advice_on_value(value)}") from None

    def __dealloc__(self) -> None:
        if cython.compiled:
            PyMem_Free(self._row)


@cython.cclass
class Root(Cell):
    """The world itself: it gives ids to items, and finds items by id."""

    if not cython.compiled:
        __slots__ = ("_cues", "_here", "_host", "_is_shut", "_known", "_next")

    _next: cython.longlong
    _known: Any
    _cues: Any  # public
    _here: Any  # public
    _host: Any  # public
    _is_shut: cython.bint

    @property
    def next_id(self) -> int:
        """The id that the next item gets."""
        return self._next


# Where things are: in a list of the world, in a field of another thing, or nowhere.
#
# A thing is in one place at a time. A thing that enters the world is settled with everything inside it, and list
# items get their ids then.


@cython.ccall
def new_cell(cls: Any) -> Any:
    """A new object of a class of things, with every field at its default."""
    plan: ThingPlan = cls._declared
    made = Root.__new__(cls) if issubclass(cls, Root) else Cell.__new__(cls)
    cell: Cell = made
    cell._plan = plan
    if cython.compiled:
        row: cython.p_longlong = cython.cast(cython.p_longlong, PyMem_Calloc(plan.slots + 1, 8))
        if row == cython.NULL:
            raise MemoryError
        defaults: bytes = plan.blank
        if len(defaults) != plan.slots * 8:
            PyMem_Free(row)
            raise UsageError(f"the plan of {plan.name} is broken")
        memcpy(row, cython.cast(cython.p_uchar, defaults), plan.slots * 8)
        cell._row = row
    else:
        cell._row = list(plan.blank)
        cell._id = 0
        cell._settled = False
        cell._owner = None
        cell._world = None
    cell._slots = cell._open = plan.slots
    cell._parts = [None] * plan.parts
    for each in plan.fields:
        field: FieldPlan = each
        if field.code == PART and not field.optional:
            inside = new_cell(field.plan.kind)
            enter(inside, cell, cell)
            cell._parts[field.part] = inside
        elif field.code == ITEMS or field.code == VALUES:
            cell._parts[field.part] = field.make_list(field, cell)
        elif field.code == SHAPE and field.default is not None:
            cell._parts[field.part] = copied(field.default)
        elif field.code in (CACHE, TEXT):
            cell._parts[field.part] = field.default
    if isinstance(made, Root):
        root: Root = made
        root._world = root
        root._settled = True
        root._next = 1
        root._known = None
        root._cues = None
        root._here = None
        root._host = None
        root._is_shut = False
        for each in cell._parts:
            if isinstance(each, Cell):
                settle(each, root, False)
    return made


@cython.cfunc
@cython.exceptval(-1, check=False)
def check_open(cell: Cell, field: FieldPlan) -> cython.int:
    """Refuse a change to a thing of a world that is shut."""
    if cell._open < 0:
        raise UsageError(f"{field.where} cannot be written: this world is read-only")
    return 0


@cython.ccall
@cython.exceptval(-1, check=False)
def shut(cell: Cell) -> cython.int:
    """Make a world, or a thing with everything inside it, read-only: from then on only a load changes it."""
    check_there(cell)
    cell._open = -1
    if isinstance(cell, Root):
        root: Root = cell
        root._is_shut = True
    for each in cell._plan.fields:
        field: FieldPlan = each
        if field.code == PART and cell._parts[field.part] is not None:
            shut(cell._parts[field.part])
        elif field.code == ITEMS:
            for item in cell._parts[field.part]:
                shut(item)
    return 0


@cython.cfunc
@cython.exceptval(-1, check=False)
def check_there(cell: Cell) -> cython.int:
    """Refuse values that get past the methods of things and lists: None, and objects without a plan."""
    if cell is None or cell._plan is None:
        raise UsageError("a list or a thing was changed without its own methods")
    return 0


@cython.cfunc
@cython.exceptval(-1, check=False)
def check_free(cell: Cell, world: Any, where: Any) -> cython.int:
    """Refuse a thing that already has a place, or whose references point into another world."""
    check_there(cell)
    if cell._owner is not None or isinstance(cell, Root):
        raise UsageError(
            f"{where}: this {type(cell).__name__} is in another place already: take it out there first, "
            f"or declare this field as Ref[{type(cell).__name__}] if it only refers to it"
        )
    if cell._world is not None and world is not None and cell._world is not world:
        raise UsageError(f"{where}: this {type(cell).__name__} belongs to another world")
    return 0


@cython.cfunc
@cython.exceptval(-1, check=False)
def enter(cell: Cell, owner: Any, holder: Cell) -> cython.int:
    """Put a free thing into ``owner``, which is ``holder`` or a list of it; inside a world, settle it."""
    cell._owner = owner
    if holder._settled:
        try:
            settle(cell, holder._world, owner is not holder)
        except UsageError:
            leave(cell)
            raise
    return 0


@cython.cfunc
@cython.exceptval(-1, check=False)
def settle(cell: Cell, world: Root, is_item: cython.bint) -> cython.int:
    """Make a thing and everything inside it part of the world; items get their ids, outer ones first."""
    check_there(cell)
    cell._world = world
    cell._settled = True
    if world._is_shut:
        cell._open = -1
    if is_item:
        if world._next >= LAST_ID:
            raise UsageError(f"{type(world).__name__} has given out all its ids, 1 to {LAST_ID - 1}")
        cell._id = world._next
        world._next += 1
        if world._known is not None:
            world._known[cell._id] = cell
    if cell._plan.parts:
        for each in cell._plan.fields:
            field: FieldPlan = each
            if field.code == PART and cell._parts[field.part] is not None:
                settle(cell._parts[field.part], world, False)
            elif field.code == ITEMS:
                for item in cell._parts[field.part]:
                    settle(item, world, True)
    return 0


@cython.cfunc
@cython.exceptval(-1, check=False)
def leave(cell: Cell) -> cython.int:
    """Take a thing out of its place. Its references can still be read."""
    check_there(cell)
    cell._owner = None
    if cell._settled:
        unsettle(cell)
    return 0


@cython.cfunc
@cython.exceptval(-1, check=False)
def unsettle(cell: Cell) -> cython.int:
    """Undo ``settle``."""
    check_there(cell)
    world: Root = cell._world
    if cell._id and world._known is not None:
        world._known.pop(cell._id, None)
    cell._id = 0
    cell._settled = False
    if cell._plan.parts:
        for each in cell._plan.fields:
            field: FieldPlan = each
            if field.code == PART and cell._parts[field.part] is not None:
                unsettle(cell._parts[field.part])
            elif field.code == ITEMS:
                for item in cell._parts[field.part]:
                    unsettle(item)
    return 0


@cython.ccall
def things_by_id(world: Root) -> dict[int, Any]:
    """All items of the world, by id."""
    # A load changes too many items to follow: the table is made again when it is next needed.
    if world._known is None:
        world._known = {}
        collect(world, world._known)
    return world._known  # type: ignore[no-any-return]  # mypy sees kernels untyped


@cython.cfunc
@cython.exceptval(-1, check=False)
def collect(cell: Cell, known: dict[int, Any]) -> cython.int:
    """Add the items inside of a cell to a table by id."""
    check_there(cell)
    if cell._id:
        known[cell._id] = cell
    if cell._plan.parts:
        for each in cell._plan.fields:
            field: FieldPlan = each
            if field.code == PART and cell._parts[field.part] is not None:
                collect(cell._parts[field.part], known)
            elif field.code == ITEMS:
                for item in cell._parts[field.part]:
                    collect(item, known)
    return 0


# The attributes of things: descriptors that read, write and check one field each.
#
# Arguments from Python code are annotated as Any: Cython would check or convert another type first, and the checks here
# could not say what is wrong.

# retick: floats -- they are kept as their bits; only exact operations are done with them


# Called by this name, as the lists of a world check what is written to them.


@cython.cclass
class FieldAttribute(FieldPlan):
    """Reads and writes one declared field as an attribute."""

    def __get__(self, thing: Any, owner: Any) -> Any:
        if thing is None:
            return self
        cell: Cell = thing
        code: cython.int = self.code
        if code <= LINK:
            if self.slot + self.optional >= cell._slots:
                raise AttributeError(f"this {type(thing).__name__} has no {self.where}")
            if code == DOUBLE and not self.optional:
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

    @cython.cfunc
    def read(self, cell: Cell) -> Any:
        """The value of a scalar."""
        code: cython.int = self.code
        if code == TRUTH:
            return cell._row[self.slot] != 0
        if code == MEMBER:
            return self.kind.members[cell._row[self.slot]]
        if cython.compiled:
            if code == DOUBLE:
                return cython.cast(cython.p_double, cell._row)[self.slot]
            return cython.cast(cython.p_ulonglong, cell._row)[self.slot]
        return cell._row[self.slot]

    @cython.cfunc
    def linked(self, cell: Cell) -> Any:
        """The item that a reference names; None if there is none, or if the item has left its list."""
        number = cell._row[self.slot]
        if not number or cell._world is None:
            return None
        return things_by_id(cell._world).get(number)

    @cython.cfunc
    def held(self, cell: Cell) -> Any:
        """The part of a cell that holds this field."""
        if cell._parts is None or self.part >= len(cell._parts):
            raise AttributeError(f"this {type(cell).__name__} has no {self.where}")
        part = cell._parts[self.part]
        if cell._open < 0 and part is not None:
            # Vectors change in place and do not know their owner: a read-only world hands out copies.
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
            is_real = code == DOUBLE and type(value) is float and value == value
            is_number = code == NUMBER and type(value) is int and self.least <= value <= self.greatest
            if (is_real or is_number) and not self.optional:
                cell._row[self.slot] = value
                return
        else:
            number: cython.longlong
            real: cython.double
            overflow: cython.int = 0
            if not self.optional:
                # The common cases, without a Python comparison; everything else is checked below.
                if code == DOUBLE:
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

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def write(self, cell: Cell, value: Any) -> cython.int:
        """Check and write a scalar."""
        if value is None and self.optional:
            # None is stored as zero: equal states have equal rows.
            cell._row[self.slot] = 0
            cell._row[self.slot + 1] = 0
            return 0
        raw = self.kind.raw(self.kind.checked(value, self.where))
        if cython.compiled:
            if self.code == DOUBLE:
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

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def link(self, cell: Cell, value: Any) -> cython.int:
        """Write a reference: its target must be an item of a list of the same world."""
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

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def replace(self, cell: Cell, value: Any) -> cython.int:
        """Write a part: a thing, the contents of a list, or a cache."""
        before = self.held(cell)
        if self.code == CACHE:
            cell._parts[self.part] = value  # a cache is not state: rebuild makes it after a load
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

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def assign(self, cell: Cell, before: Any, value: Any) -> cython.int:
        """Write a vector, a rectangle or a text as a new object, so that no other field changes with it."""
        if before is value:
            return 0  # as after self.pos += step, which has changed it in place
        if value is None and self.optional:
            cell._parts[self.part] = None
        elif self.code == SHAPE and type(value) is type(before):
            cell._parts[self.part] = copied(value)
        else:
            cell._parts[self.part] = self.kind.checked(value, self.where)
        return 0


# The lists of a world: Python lists with a maximum length, whose items are checked.
#
# Both kinds of list read like ordinary lists. Every change is checked first, and is made as a whole or not at all. A
# thing is in a list once. Writing an item to one index while it is at another swaps the two, so that the usual ways to
# swap, to shuffle and to remove by moving the last item work.


# Called by these names: from list.pop(...) Cython would make a method call, and so call our own pop.
_DELETE, _INDEX, _POP, _SET = list.__delitem__, list.index, list.pop, list.__setitem__
_REMOVE, _REVERSE, _SORT = list.remove, list.reverse, list.sort


@cython.cclass
class BoundedList(list):  # type: ignore[type-arg]  # a C class cannot inherit from list[Any]
    """A list that holds at most as many items as its field declares."""

    if not cython.compiled:
        __slots__ = ("_field", "_holder")

    _field: FieldPlan
    _holder: Cell

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def become(self, items: list[Any]) -> cython.int:
        """Replace all contents after checking them."""
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def check_changes(self) -> cython.int:
        """Refuse a change to a list of a read-only world."""
        return check_open(self._holder, self._field)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def check_room(self, count: cython.Py_ssize_t) -> cython.int:
        """Refuse ``count`` items if the field declares fewer."""
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
        # A copy is a plain list: it belongs to no world.
        return list, (list(self),)


@cython.cclass
class ThingList(BoundedList):
    """A list of things; each has an id while it is in a list of a world."""

    def __init__(self, field: Any, holder: Any) -> None:
        self._field = field
        self._holder = holder

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def check_item(self, item: Any) -> cython.int:
        """Refuse an item that may not enter."""
        field: FieldPlan = self._field
        if type(item) is not field.plan.kind:
            raise UsageError(f"{field.where} holds {field.plan.name}, not {item!r}")
        holder: Cell = self._holder
        return check_free(item, holder._world, field.where)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
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
        """The values of one field, one per item in list order."""
        return [getattr(item, name) for item in self]


@cython.cclass
class ValueList(BoundedList):
    """A list of numbers, bools, enum members, vectors or rectangles."""

    def __init__(self, field: Any, holder: Any) -> None:
        self._field = field
        self._holder = holder
        _SET(self, slice(None), [self.checked(value) for value in field.default])

    @cython.cfunc
    def checked(self, value: Any) -> Any:
        """``value`` as the list stores it."""
        field: FieldPlan = self._field
        return field.kind.checked(value, f"{field.where}[]")

    @cython.cfunc
    @cython.exceptval(-1, check=False)
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


# How the fields of a thing are packed: runs of scalars, and one step for every other field.
#
# A run is several fields in a row that are always there, packed together. Each slot of a run has a form: its size in
# bytes, and marks. docs/formats/world.md describes the bytes.

if not cython.compiled:
    # The form of a slot: its size in the lowest four bits, and these.
    SIGNED = 16  # C constant
    IS_REAL = 32  # C constant
    BOUNDED = 64  # C constant


@cython.cclass
class Step:
    """A run of scalars (``field`` is None), or one other field, with the form of its scalar if it has one."""

    field: Any  # readonly
    first: cython.Py_ssize_t  # readonly
    count: cython.Py_ssize_t  # readonly
    size: cython.Py_ssize_t  # readonly
    forms: bytes
    least: bytes
    greatest: bytes
    kinds: tuple[Any, ...]  # readonly
    names: tuple[Any, ...]  # readonly
    packed: Any
    is_checked: cython.bint

    def __init__(self, field: Any, first: Any, kinds: Sequence[Any], names: Sequence[str]) -> None:
        self.field = field
        self.first = first
        self.kinds = tuple(kinds)
        self.names = tuple(names)
        self.count = len(self.kinds)
        self.packed = struct.Struct("<" + "".join(kind.code for kind in kinds))
        self.size = self.packed.size
        self.forms = bytes(_form(kind) for kind in kinds)
        # Values that fill their width need no bounds: theirs are never read.
        bounds = [(kind.least, kind.greatest) if _form(kind) & BOUNDED else (0, 0) for kind in self.kinds]
        self.least = array("q", [least for least, _ in bounds]).tobytes()
        self.greatest = array("q", [greatest for _, greatest in bounds]).tobytes()
        self.is_checked = any(form & (BOUNDED | IS_REAL) for form in self.forms)


def _form(kind: Any) -> int:
    form: int = kind.size
    if kind.is_real:
        form |= IS_REAL
    elif kind.least < 0:
        form |= SIGNED
    elif kind.greatest - kind.least != (1 << (8 * kind.size)) - 1:
        form |= BOUNDED
    return form
