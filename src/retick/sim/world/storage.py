# cython: nonecheck=True
"""The things of a world: objects with typed fields over a row of slots (a compiled kernel).

Contents: plans and cells; where things are; the attributes of things; the lists of a world; how the fields of a thing
are packed.

Theory of operation. A class of things has one :class:`ThingPlan`. Each of its objects is a :class:`Cell`: a row of
64-bit slots for its numbers, and a list of parts for everything else (a thing inside it, a list, a vector, a cache).
Compiled, a row is C memory, and saving copies it; uncompiled it is a Python list of ints and floats.

Rows and parts are the state. Beside them stands a *box* for each field: a place of ``__slots__`` with the field's value
as a Python object, from which Python reads it without calling us. Only ``Cell.__setattr__`` and a load write a
field, and they write both. Here no field is read from a box, so what else writes one is not state. A field whose
value is made when it is read (a reference; a vector, which a read-only world copies) has a descriptor instead.

A cell is *settled* when it is in the world: in a list of it, or a field of something settled. List items get their
ids from the world when they settle. A cell is in one place only: its owner is the list or the cell that holds it.

A world can be shut: from then on only a load changes it. Every write compares its slot with the number of slots
that may be written, all or -1. So a write costs the same whether or not worlds can be shut.
"""

import struct
import sys
from array import array
from collections.abc import Sequence
from typing import Any

from retick.errors import UsageError
from retick.sim.contract import RUNNING
from retick.sim.fields import wrong_names
from retick.sim.world.advice import advice_on_value

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.long import PyLong_AsLongLongAndOverflow
    from cython.cimports.cpython.mem import PyMem_Calloc, PyMem_Free
    from cython.cimports.cpython.unicode import PyUnicode_Check
    from cython.cimports.libc.string import memcpy
    from cython.cimports.retick.sim.shapes import copied
    from cython.cimports.retick.sim.world.storage import (  # C that Python cannot say: see the .pxd
        delete_plainly,
        in_place,
        is_interned,
        place_of,
        put_in_place,
        set_plainly,
    )
else:
    from retick.sim.shapes import copied

if not cython.compiled:
    # What a field holds. Up to MEMBER these are scalars; that one is whatever its kind makes of a number.
    NUMBER, WIDE, TRUTH, DOUBLE, MEMBER, LINK, PART, ITEMS, VALUES, CACHE, SHAPE, TEXT = range(12)  # C constants
    LAST_ID = 0xFFFFFFFF  # C constant

# A float holds every integer up to here.
LARGEST_EXACT = cython.declare(cython.longlong, 1 << 53)
IS_COMPILED = bool(cython.compiled)
"""Whether rows are C memory."""


# Plans and cells: what is derived from a declaration, and the objects themselves.


_NO_PARTS: list[Any] = []
"""The parts of all things that have only scalars."""


@cython.cclass
class FieldPlan:
    """Where one declared field is stored, and what it may hold."""

    owner: Any  # readonly
    name: Any  # readonly
    code: cython.int  # readonly
    scalar: cython.int
    slot: cython.Py_ssize_t  # readonly
    part: cython.Py_ssize_t  # readonly
    optional: cython.bint  # readonly
    is_plain: cython.bint
    least: cython.longlong
    greatest: cython.longlong
    kind: Any  # readonly
    members: Any
    plan: Any  # readonly
    target: Any
    numbers: cython.Py_ssize_t
    most: cython.Py_ssize_t  # readonly
    default: Any  # readonly
    make_list: Any
    box: Any  # readonly
    place: cython.Py_ssize_t

    def __init__(
        self,
        owner: Any,
        name: Any,
        code: Any,
        *,
        scalar: Any = None,
        slot: Any = -1,
        part: Any = -1,
        optional: Any = False,
        kind: Any = None,
        plan: Any = None,
        target: Any = None,
        numbers: Any = 1,
        most: Any = 0,
        default: Any = None,
        make_list: Any = None,
        box: Any = None,
    ) -> None:
        self.owner = owner
        self.name = sys.intern(name)
        self.code = code
        self.scalar = code if scalar is None else scalar
        self.slot = slot
        self.part = part
        self.optional = optional
        self.is_plain = code <= MEMBER and not optional
        self.kind = kind
        self.plan = plan
        self.target = target
        self.numbers = numbers
        self.most = most
        self.default = default
        self.make_list = make_list
        self.box = box
        if cython.compiled:
            self.place = -1 if box is None else place_of(box)
        self.least = self.greatest = 0
        if self.scalar <= MEMBER and self.scalar != WIDE:
            self.least, self.greatest = kind.least, kind.greatest
        self.members = (kind.members or None) if self.scalar == MEMBER else None

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

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def show(self, cell: Any, value: Any) -> cython.int:
        """Put the value that Python reads into the box."""
        if cython.compiled:
            if self.place >= 0:
                put_in_place(cell, self.place, value)
        elif self.box is not None:
            self.box.__set__(cell, value)
        return 0

    @cython.cfunc
    def value(self, cell: Any) -> Any:
        """The value of a scalar, made from the row."""
        here: Cell = cell
        if self.optional and not here._row[self.slot + 1]:
            return None
        return self.made(here._row[self.slot])

    @cython.cfunc
    def made(self, word: cython.longlong) -> Any:
        """The value that a slot, or a word of a copy, stands for."""
        scalar: cython.int = self.scalar
        if scalar == NUMBER:
            return word
        if scalar == TRUTH:
            return word != 0
        if scalar == MEMBER:
            return self.kind.value(word) if self.members is None else self.members[word]
        if cython.compiled:
            if scalar == DOUBLE:
                return cython.cast(cython.p_double, cython.address(word))[0]
            return cython.cast(cython.ulonglong, word)
        return word

    @cython.cfunc
    @cython.exceptval(-1)
    def word(self, value: Any) -> cython.longlong:
        """The word of a value of a list, which may have got past the methods of the list."""
        if not cython.compiled:
            return self.kind.raw(self.kind.checked(value, self.where))  # type: ignore[no-any-return]  # a number
        real: cython.double
        number: cython.longlong = 0
        if self.scalar == DOUBLE:
            real = value
            if real != real:
                raise self.kind.refusal(value, self.where)
            number = cython.cast(cython.p_longlong, cython.address(real))[0]
        elif self.scalar == WIDE:
            number = cython.cast(cython.longlong, cython.cast(cython.ulonglong, value))
        else:
            number = self.kind.raw(value) if self.scalar == MEMBER else value
            if not self.least <= number <= self.greatest:
                raise self.kind.refusal(value, self.where)
        return number


if cython.compiled:

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def address_of(value: Any) -> cython.Py_ssize_t:
        """The address of an object."""
        return cython.cast(cython.Py_ssize_t, cython.cast(cython.p_void, value))


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
    scalars: tuple[Any, ...]
    others: tuple[Any, ...]
    by_name: dict[Any, Any]  # readonly
    names: tuple[Any, ...]  # readonly
    needed: tuple[Any, ...]
    owns_writes: cython.bint
    usual_words: cython.Py_ssize_t
    table: cython.p_longlong
    mask: cython.Py_ssize_t

    def __init__(self, kind: Any, fields: Any, runs: Any, slots: Any, parts: Any, blank: Any, needed: Any) -> None:
        """``blank`` is the row that a new object starts with: 8 packed bytes per slot; uncompiled, a list.

        ``needed`` are the names of fields without which no object is made.
        """
        self.kind = kind
        self.name = kind.__name__
        self.fields = tuple(fields)
        self.runs = tuple(runs)
        self.slots = slots
        self.parts = parts
        self.blank = blank
        self.has_links = any(field.code == LINK or (field.plan and field.plan.has_links) for field in fields)
        self.scalars = tuple(field for field in fields if field.code <= MEMBER)
        self.others = tuple(field for field in fields if field.code > LINK)
        self.by_name = {field.name: field for field in fields}
        self.names = tuple(self.by_name)
        self.needed = tuple(needed)
        self.owns_writes = True
        self.usual_words = 0
        self.make_table()

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def make_table(self) -> cython.int:
        """Index the fields by the addresses of their names: Python has one object for all equal names in code."""
        if cython.compiled:
            size: cython.Py_ssize_t = 8
            while size < 3 * len(self.by_name):
                size *= 2
            PyMem_Free(self.table)
            self.table = cython.cast(cython.p_longlong, PyMem_Calloc(2 * size, 8))
            if self.table == cython.NULL:
                raise MemoryError
            self.mask = size - 1
            for name, field in self.by_name.items():
                at: cython.Py_ssize_t = (address_of(name) >> 4) & self.mask
                while self.table[2 * at] != 0:
                    at = (at + 1) & self.mask
                self.table[2 * at] = address_of(name)
                self.table[2 * at + 1] = address_of(field)
        return 0

    @cython.cfunc
    @cython.inline
    def found(self, name: Any) -> Any:
        """The field of this name; None if there is none."""
        if cython.compiled:
            key: cython.Py_ssize_t = address_of(name)
            at: cython.Py_ssize_t = (key >> 4) & self.mask
            while self.table[2 * at] != 0:
                if self.table[2 * at] == key:
                    return cython.cast(object, cython.cast(cython.p_void, self.table[2 * at + 1]))
                at = (at + 1) & self.mask
            if PyUnicode_Check(name) and is_interned(name):
                return None
        return self.by_name.get(name)

    def forget(self, name: Any) -> None:
        """Leave a name to the class: somebody has put another attribute there."""
        if self.by_name.pop(name, None) is not None:
            self.make_table()

    def leave_writes(self) -> None:
        """Let the class write its fields when an object is made: it has a ``__setattr__`` of its own."""
        self.owns_writes = False

    def __dealloc__(self) -> None:
        if cython.compiled:
            PyMem_Free(self.table)


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

    def __init__(self, *given: Any, **values: Any) -> None:
        begin_with(self, given, values)

    def __setattr__(self, name: Any, value: Any) -> None:
        if not cython.compiled:
            field = type(self)._declared.by_name.get(name)  # type: ignore[attr-defined]  # of every class of things
            if field is None:
                set_undeclared(self, name, value)
            else:
                write(self, field, value)
        else:
            check_there(self)
            found: Any = self._plan.found(name)
            if found is None:
                set_undeclared(self, name, value)
            else:
                write(self, cython.cast(FieldPlan, found), value)

    def __delattr__(self, name: Any) -> None:
        field: Any = None if self._plan is None else self._plan.by_name.get(name)
        if field is not None:
            raise AttributeError(f"{field.where} cannot be deleted: it is declared")
        if cython.compiled:
            delete_plainly(self, name)
        else:
            object.__delattr__(self, name)

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

    def __init__(self, *given: Any, **values: Any) -> None:
        """A world takes no values: ``start`` gives them to it."""

    @property
    def next_id(self) -> int:
        """The id that the next item gets."""
        return self._next


if not cython.compiled:
    _PLAN: Any = vars(Cell)["_plan"]  # the first attribute of a new cell: the others are written with its help


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
    if cython.compiled:
        cell._plan = plan
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
        # retick: allow global-state -- it writes the cell; the member is as it was
        _PLAN.__set__(cell, plan)
        cell._row = list(plan.blank)
        cell._id = 0
        cell._settled = False
        cell._owner = None
        cell._world = None
    cell._slots = cell._open = plan.slots
    cell._parts = [None] * plan.parts if plan.parts else _NO_PARTS
    for each in plan.scalars:
        field: FieldPlan = each
        field.show(cell, field.default)
    for each in plan.others:
        field = each
        value: Any = None
        if field.code == PART and not field.optional:
            value = new_cell(field.plan.kind)
            enter(value, cell, cell)
        elif field.code == ITEMS or field.code == VALUES:
            value = field.make_list(field, cell)
        elif field.code == SHAPE and field.default is not None:
            value = copied(field.default)
        elif field.code in (CACHE, TEXT):
            value = field.default
        put_part(cell, field, value)
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
def put_part(cell: Cell, field: FieldPlan, value: Any) -> cython.int:
    """Store what is no scalar."""
    cell._parts[field.part] = value
    return field.show(cell, value)


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
    for each in cell._plan.others:
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
        note_id(world, cell)
    if cell._plan.parts:
        for each in cell._plan.others:
            field: FieldPlan = each
            if field.code == PART and cell._parts[field.part] is not None:
                settle(cell._parts[field.part], world, False)
            elif field.code == ITEMS:
                for item in cell._parts[field.part]:
                    settle(item, world, True)
    return 0


@cython.cfunc
@cython.exceptval(-1, check=False)
def note_id(world: Root, item: Cell) -> cython.int:
    """Enter an item in the table of ids, if there is one."""
    if world._known is not None:
        world._known[item._id] = item
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
    # A load can give an id to another thing before this one leaves.
    if cell._id and world._known is not None and world._known.get(cell._id) is cell:
        del world._known[cell._id]
    cell._id = 0
    cell._settled = False
    if cell._plan.parts:
        for each in cell._plan.others:
            field: FieldPlan = each
            if field.code == PART and cell._parts[field.part] is not None:
                unsettle(cell._parts[field.part])
            elif field.code == ITEMS:
                for item in cell._parts[field.part]:
                    unsettle(item)
    return 0


@cython.ccall
def call_game(world: Root, call: Any, argument: Any) -> Any:
    """Call a method of the game, with this world as the one that ``retick.sim.random`` draws from."""
    before = RUNNING.set(world)
    try:
        call(argument)
    finally:
        RUNNING.reset(before)


@cython.ccall
def cues_of(world: Root, call: Any, argument: Any) -> tuple[Any, ...]:
    """Call a method of the game; returns its cues."""
    cues: list[Any] = []
    world._cues = cues
    try:
        call_game(world, call, argument)
        return tuple(cues) if cues else ()
    finally:
        world._cues = None


@cython.ccall
def things_by_id(world: Root) -> dict[int, Any]:
    """All items of the world, by id."""
    # Most worlds have no references, and need no table.
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
        for each in cell._plan.others:
            field: FieldPlan = each
            if field.code == PART and cell._parts[field.part] is not None:
                collect(cell._parts[field.part], known)
            elif field.code == ITEMS:
                for item in cell._parts[field.part]:
                    collect(item, known)
    return 0


# The attributes of things: how one field is checked and written, and how those are read that have no box.
#
# Arguments from Python code are annotated as Any: Cython would check or convert another type first, and the checks here
# could not say what is wrong.

# retick: floats -- they are kept as their bits; only exact operations are done with them


@cython.cfunc
@cython.exceptval(-1, check=False)
def begin_with(cell: Cell, given: tuple[Any, ...], values: dict[str, Any]) -> cython.int:
    """Write the values that a new thing is made with; those in ``given`` are in the order of declaration."""
    plan: ThingPlan = cell._plan
    check_there(cell)
    if given:
        values = named_values(plan, given, values)
    for name in plan.needed:
        if name not in values:
            raise wrong_values(plan, values)
    for name, value in values.items():
        field: Any = plan.found(name)
        if field is not None and plan.owns_writes:
            write(cell, field, value)
        elif name in plan.names:
            setattr(cell, name, value)
        else:
            raise wrong_values(plan, values)
    return 0


@cython.cfunc
def named_values(plan: ThingPlan, given: tuple[Any, ...], values: dict[str, Any]) -> Any:
    """All values by field name."""
    if len(given) > len(plan.names):
        raise UsageError(f"{plan.name} takes at most {len(plan.names)} values, not {len(given)}")
    named = dict(zip(plan.names, given, strict=False))
    for name in named:
        if name in values:
            raise UsageError(f"{plan.name}: {name} is given twice")
    return named | values


@cython.cfunc
def wrong_values(plan: ThingPlan, values: dict[str, Any]) -> Any:
    """The error for values of which some are missing or unknown."""
    missing = [name for name in plan.needed if name not in values]
    return wrong_names(plan.name, missing, sorted(values.keys() - set(plan.names)))


@cython.cfunc
@cython.exceptval(-1, check=False)
def write(cell: Cell, field: FieldPlan, value: Any) -> cython.int:
    """Check one value, and write it to the field and its box."""
    code: cython.int = field.code
    if cell._open < 0 and code != CACHE:
        check_open(cell, field)
    if not cython.compiled:
        is_real = code == DOUBLE and type(value) is float and value == value
        is_number = code == NUMBER and type(value) is int and field.least <= value <= field.greatest
        if (is_real or is_number) and field.is_plain:
            cell._row[field.slot] = value
            field.box.__set__(cell, value)
            return 0
    elif field.is_plain:
        # The common cases, without a Python comparison; everything else is checked below.
        number: cython.longlong
        real: cython.double
        overflow: cython.int = 0
        if code == DOUBLE:
            if type(value) is float:
                real = value
                if real == real:
                    cython.cast(cython.p_double, cell._row)[field.slot] = real
                    put_in_place(cell, field.place, value)
                    return 0
            elif type(value) is int:
                number = PyLong_AsLongLongAndOverflow(value, cython.address(overflow))
                if overflow == 0 and -LARGEST_EXACT <= number <= LARGEST_EXACT:
                    real = number
                    cython.cast(cython.p_double, cell._row)[field.slot] = real
                    put_in_place(cell, field.place, real)
                    return 0
        elif code == NUMBER and type(value) is int:
            number = PyLong_AsLongLongAndOverflow(value, cython.address(overflow))
            if overflow == 0 and field.least <= number <= field.greatest:
                cell._row[field.slot] = number
                put_in_place(cell, field.place, value)
                return 0
        elif code == TRUTH and (value is True or value is False):
            cell._row[field.slot] = value is True
            put_in_place(cell, field.place, value)
            return 0
    if code <= MEMBER:
        return write_scalar(cell, field, value)
    if code == LINK:
        return link(cell, field, value)
    return replace(cell, field, value)


@cython.cfunc
@cython.exceptval(-1, check=False)
def write_scalar(cell: Cell, field: FieldPlan, value: Any) -> cython.int:
    """Check and write any scalar."""
    if value is None and field.optional:
        # None is stored as zero: equal states have equal rows.
        cell._row[field.slot] = 0
        cell._row[field.slot + 1] = 0
        return field.show(cell, None)
    stored = field.kind.checked(value, field.where)
    put_raw(cell, field, field.kind.raw(stored))
    if field.optional:
        cell._row[field.slot + 1] = 1
    return field.show(cell, stored)


@cython.cfunc
@cython.exceptval(-1, check=False)
def put_raw(cell: Cell, field: FieldPlan, raw: Any) -> cython.int:
    """Write the number that stands for a checked value."""
    if cython.compiled:
        if field.code == DOUBLE:
            cython.cast(cython.p_double, cell._row)[field.slot] = raw
        elif field.code == WIDE:
            cython.cast(cython.p_ulonglong, cell._row)[field.slot] = raw
        else:
            cell._row[field.slot] = raw
    else:
        cell._row[field.slot] = raw
    return 0


@cython.cfunc
@cython.exceptval(-1, check=False)
def link(cell: Cell, field: FieldPlan, value: Any) -> cython.int:
    """Write a reference: its target must be an item of a list of the same world."""
    if value is None:
        cell._row[field.slot] = 0
        return 0
    wanted = field.target_kind()
    if type(value) is not wanted:
        raise UsageError(f"{field.where}: {value!r} is not a {wanted.__name__}")
    other: Cell = value
    if not other._id:
        raise UsageError(f"{field.where}: this {wanted.__name__} is in no list of the world: append it first")
    if cell._world is None:
        cell._world = other._world
    elif cell._world is not other._world:
        raise UsageError(f"{field.where}: this {wanted.__name__} is in another world")
    cell._row[field.slot] = other._id
    return 0


@cython.cfunc
@cython.exceptval(-1, check=False)
def replace(cell: Cell, field: FieldPlan, value: Any) -> cython.int:
    """Write a part: a thing, the contents of a list, a vector, a text or a cache."""
    if field.code == CACHE:
        return put_part(cell, field, value)  # a cache is not state: rebuild makes it after a load
    before = cell._parts[field.part]
    if field.code in (SHAPE, TEXT):
        return assign(cell, field, before, value)
    if field.code != PART:
        before[:] = value
        return 0
    if before is value:
        return 0
    if value is not None or not field.optional:
        if type(value) is not field.plan.kind:
            raise UsageError(f"{field.where}: {value!r} is not a {field.plan.name}")
        check_free(value, cell._world, field.where)
    if before is not None:
        leave(before)
    put_part(cell, field, value)
    if value is not None:
        enter(value, cell, cell)
    return 0


@cython.cfunc
@cython.exceptval(-1, check=False)
def assign(cell: Cell, field: FieldPlan, before: Any, value: Any) -> cython.int:
    """Write a vector, a rectangle or a text as a new object, so that no other field changes with it."""
    if before is value:
        return 0  # as after self.pos += step, which has changed it in place
    if value is None and field.optional:
        return put_part(cell, field, None)
    if field.code == SHAPE and type(value) is type(before):
        return put_part(cell, field, copied(value))
    return put_part(cell, field, field.kind.checked(value, field.where))


@cython.cfunc
@cython.exceptval(-1, check=False)
def set_undeclared(cell: Cell, name: Any, value: Any) -> cython.int:
    """Write an attribute that is no field, such as a property; refuse one that the class does not have."""
    if name == "__class__":
        raise TypeError(f"a {type(cell).__name__} stays one: make a new thing of the other class")
    try:
        if cython.compiled:
            set_plainly(cell, name, value)
        else:
            object.__setattr__(cell, name, value)
    except AttributeError:
        held = getattr(type(cell), name, None)
        if isinstance(held, (int, float, str)):
            raise AttributeError(
                f"{type(cell).__name__}.{name} is read-only, as it is an attribute of the class: "
                f"to make it a field, write {name}: {type(held).__name__} = {held!r}"
            ) from None
        if hasattr(type(cell), name):
            raise
        raise AttributeError(f"{type(cell).__name__}.{name} is not declared{advice_on_value(value)}") from None
    return 0


@cython.cclass
class FieldAttribute(FieldPlan):
    """A field whose value is made when it is read: a reference, or vectors, which a read-only world copies."""

    def __get__(self, thing: Any, owner: Any) -> Any:
        if thing is None:
            return self
        cell: Cell = thing
        if self.code == LINK:
            if self.slot >= cell._slots:
                raise AttributeError(f"this {type(thing).__name__} has no {self.where}")
            return self.linked(cell)
        if cell._parts is None or self.part >= len(cell._parts):
            raise AttributeError(f"this {type(cell).__name__} has no {self.where}")
        part = cell._parts[self.part]
        # Vectors change in place and do not know their owner: a read-only world hands out copies.
        return part if cell._open >= 0 or part is None else self.copy_of(cell, part)

    def __set__(self, thing: Any, value: Any) -> None:
        cell: Cell = thing
        if cell._plan is None or cell._plan.by_name.get(self.name) is not self:
            raise AttributeError(f"this {type(thing).__name__} has no {self.where}")
        write(cell, self, value)

    def __delete__(self, thing: Any) -> None:
        raise AttributeError(f"{self.where} cannot be deleted: it is declared")

    @cython.cfunc
    def linked(self, cell: Cell) -> Any:
        """The item that a reference names; None if there is none, or if the item has left its list."""
        number: cython.longlong = cell._row[self.slot]
        if not number or cell._world is None:
            return None
        if cython.compiled:
            # The box has the target that was found last. As long as that has this id, it is the one.
            last: Any = in_place(cell, self.place)
            if isinstance(last, Cell) and last is not None:
                target: Cell = last
                if target._id == number and target._world is cell._world:
                    return last
            found: Any = things_by_id(cell._world).get(number)
            put_in_place(cell, self.place, found)
            return found
        return things_by_id(cell._world).get(number)

    @cython.cfunc
    def copy_of(self, cell: Cell, part: Any) -> Any:
        """The vector, or the list of vectors, of a read-only world."""
        if self.code == SHAPE:
            return copied(part)
        copies = self.make_list(self, cell)
        _SET(copies, slice(None), [copied(each) for each in part])
        return copies


# The lists of a world: Python lists with a maximum length, whose items are checked.
#
# Both kinds of list read like ordinary lists. Every change is checked first, and is made as a whole or not at all. A
# thing is in a list once. Writing an item to one index while it is at another swaps the two, so that the usual ways to
# swap, to shuffle and to remove by moving the last item work.


# Called by these names: from list.pop(...) Cython would make a method call, and so call our own pop.
_DELETE, _INDEX, _POP, _SET = list.__delitem__, list.index, list.pop, list.__setitem__
_REMOVE, _REVERSE = list.remove, list.reverse


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
        # Python empties a list while it sorts it, and a key may read a reference, which looks for its target there.
        before = list(self)
        after = sorted(before, key=key, reverse=reverse)
        if len(self) != len(before) or any(one is not other for one, other in zip(self, before, strict=True)):
            raise ValueError("list modified during sort")
        _SET(self, slice(None), after)

    def reverse(self) -> None:
        self.check_changes()
        _REVERSE(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        # A copy is a plain list: it belongs to no world.
        return list, (list(self),)


@cython.cfunc
def identity(item: Any) -> Any:
    """What stands for an item in a set, for as long as the item lives; only whether it is there is asked."""
    # retick: allow identity -- nothing depends on its value or its order
    return id(item)


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
        if self.keep_some(items):
            return 0
        staying = set()  # by identity: a game may have made different things equal
        for item in items:
            if isinstance(item, Cell):
                cell: Cell = item
                if identity(item) in staying:
                    raise UsageError(f"{self._field.where}: this {type(item).__name__} would be in the list twice")
                staying.add(identity(item))
                if cell._owner is self:
                    continue
            self.check_item(item)
        for item in self:
            if identity(item) not in staying:
                leave(item)
        _SET(self, slice(None), items)
        for item in items:
            cell = item
            if cell._owner is not self:
                enter(cell, self, self._holder)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def keep_some(self, items: list[Any]) -> cython.int:
        """Replace all contents if ``items`` are some of them in the same order, as after filtering; says whether."""
        before = list(self)
        gone = []
        at: cython.Py_ssize_t = 0
        for item in items:
            while at < len(before) and before[at] is not item:
                gone.append(before[at])
                at += 1
            if at == len(before):
                return 0
            at += 1
        gone += before[at:]
        for each in gone:
            leave(each)
        _SET(self, slice(None), items)
        return 1

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

    @cython.cfunc
    @cython.exceptval(-1)
    def place_of(self, item: Any) -> cython.Py_ssize_t:
        """The index of an item; a game may have made other items equal to it."""
        index: cython.Py_ssize_t = 0
        for each in self:
            if each is item:
                return index
            index += 1
        return _INDEX(self, item)  # it raises, as list.index does

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
                _SET(self, self.place_of(value), before)
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
