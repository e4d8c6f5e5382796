# cython: nonecheck=True
"""Where things are: in a list of the world, in a field of another thing, or nowhere (a compiled kernel).

A thing enters one place at a time. What enters the world is settled, with all that is in it, and items of lists get
their ids then.
"""

from typing import Any

from retick.errors import UsageError

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.mem import PyMem_Calloc, PyMem_Free
    from cython.cimports.libc.string import memcpy
    from cython.cimports.retick.sim.shapes.shape import copied
    from cython.cimports.retick.sim.world.cells import (
        CACHE,
        ITEMS,
        LAST_ID,
        PART,
        SHAPE,
        TEXT,
        VALUES,
        Cell,
        FieldPlan,
        Plan,
        Root,
    )
else:
    from retick.sim.shapes.shape import copied
    from retick.sim.world.cells import CACHE, ITEMS, LAST_ID, PART, SHAPE, TEXT, VALUES, Cell, FieldPlan, Plan, Root

__all__ = ["check_free", "check_open", "enter", "leave", "new_cell", "settle", "shut", "things_by_id"]


def new_cell(cls: Any) -> Any:
    """A new object of a class of things, with every field at its default."""
    plan: Plan = cls._declared
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


def check_open(cell: Cell, field: FieldPlan) -> cython.int:
    """Refuse to change a thing of a world that is shut."""
    if cell._open < 0:
        raise UsageError(f"{field.where} cannot be written: this world is read-only")
    return 0


def shut(cell: Cell) -> cython.int:
    """Make a world, or a thing with all that is in it, read-only: from then on only a load changes it."""
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


def check_there(cell: Cell) -> cython.int:
    """Refuse what Python code can only get past the methods of things and lists: None, and objects without a plan."""
    if cell is None or cell._plan is None:
        raise UsageError("a list or a thing was changed past its own methods")
    return 0


def check_free(cell: Cell, world: Any, where: Any) -> cython.int:
    """Refuse a thing that is somewhere already, or whose references are to things of another world."""
    check_there(cell)
    if cell._owner is not None or isinstance(cell, Root):
        raise UsageError(
            f"{where}: this {type(cell).__name__} is in another place already: take it out there first, "
            f"or declare this field as Ref[{type(cell).__name__}] if it only refers to it"
        )
    if cell._world is not None and world is not None and cell._world is not world:
        raise UsageError(f"{where}: this {type(cell).__name__} belongs to another world")
    return 0


def enter(cell: Cell, owner: Any, holder: Cell) -> cython.int:
    """Put a free thing into ``owner``, which is ``holder`` or a list of it; in a world it is settled."""
    cell._owner = owner
    if holder._settled:
        try:
            settle(cell, holder._world, owner is not holder)
        except UsageError:
            leave(cell)
            raise
    return 0


def settle(cell: Cell, world: Root, is_item: cython.bint) -> cython.int:
    """Make a thing and all that is in it a part of the world; items get their ids, outer ones first."""
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


def leave(cell: Cell) -> cython.int:
    """Take a thing out of its place. What it refers to can still be read."""
    check_there(cell)
    cell._owner = None
    if cell._settled:
        unsettle(cell)
    return 0


def unsettle(cell: Cell) -> cython.int:
    """The opposite of ``settle``."""
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


def things_by_id(world: Root) -> dict[int, Any]:
    """All items of the world by their ids."""
    # Loading changes too many at once to follow: the table is then made again when it is asked for.
    if world._known is None:
        world._known = {}
        collect(world, world._known)
    return world._known  # type: ignore[no-any-return]  # mypy sees kernels untyped


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
