# cython: nonecheck=True
"""A world to rows of whole numbers (a compiled kernel). docs/formats/world-server.md describes the numbers."""
# retick: floats -- values are rounded for sending; no simulation reads them back on a server

import struct
from array import array
from collections.abc import Sequence
from typing import Any

from retick.authority.world.rows import Survey
from retick.errors import UsageError

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython import array as carray
    from cython.cimports.retick.authority.world.rounding import stepped, turned
    from cython.cimports.retick.sim.world.cells import Cell, Root
else:
    from retick.authority.world.rounding import stepped, turned
    from retick.sim.world.cells import Cell, Root

    # How a field is read, and how many numbers say so: as in layout.py.
    PLAIN, REAL_STEPS, WHOLE_STEPS, WIDE_STEPS, REAL_TURN, REAL_BITS, HAS_PART = range(7)
    OP_WIDTH = 6

__all__ = ["survey"]

_DOUBLE, _BITS = struct.Struct("<d"), struct.Struct("<Q")
_NAN = float("nan")
_ALL_BITS = (1 << 64) - 1


def survey(
    components: Any, where: Any, axes: Any, world: Any, tick: Any, seats: Sequence[Any], first_seat: Any
) -> Survey:
    """All entities of a world at a tick.

    ``where``: for each component, the slots that say where a thing is, or a function that does, or None; ``axes``: how
    many numbers that is. ``seats``: for each player, the input of the last tick, or None if nobody is connected.
    """
    root: Root = world
    if root._next > first_seat:
        raise UsageError(f"{type(world).__name__} has given out all ids that a server can send, 1 to {first_seat - 1}")
    found = _collected(components, world)
    order = _ordered(found, first_seat, len(seats))
    count: cython.Py_ssize_t = len(order)
    ids = array("I", bytes(4 * count))
    kinds = array("B", bytes(count))
    starts = array("i", bytes(4 * (count + 1)))
    owners = array("B", b"\xff" * count)
    holders = array("I", bytes(4 * count))
    cells: list[Any] = [None] * count
    begins: list[Any] = [[0] * len(items) for items, _ in found]
    indexes: list[Any] = [[0] * len(items) for items, _ in found]
    widths: list[Any] = [len(component.fields) for component in components]
    at: cython.Py_ssize_t = 0
    index: cython.Py_ssize_t
    for index in range(count):
        key = order[index]
        kind = (key >> 16) & 0xFFFF
        ids[index] = key >> 32
        kinds[index] = kind
        starts[index] = at
        within = key & 0xFFFF
        if kind < len(found):
            begins[kind][within] = at
            indexes[kind][within] = index
            items, of = found[kind]
            cells[index] = items[within]
            holders[index] = of[within]
        at += widths[kind]
    starts[count] = at
    values = array("Q", bytes(8 * at))
    places = array("d", [_NAN]) * (count * axes)
    for kind in range(len(found)):
        component = components[kind]
        items = found[kind][0]
        if items:
            _read_component(component, items, begins[kind], values)
            _read_owners(component.player_slot, items, indexes[kind], owners)
            _read_places(where[kind], axes, items, indexes[kind], places)
            if component.has_holder:
                for begin, holder in zip(begins[kind], found[kind][1], strict=True):
                    values[begin] = holder
    values[0] = root._next  # the world's entity is the first
    for index in range(len(seats)):
        given = seats[index]
        begin = starts[count - len(seats) + index]
        owners[count - len(seats) + index] = index
        values[begin] = given is not None
        values[begin + 1] = given or 0
    made = Survey(tick, ids, kinds, starts, values)
    made.cells = cells
    made.owners = owners
    made.holders = holders
    made.places = places
    return made


def _collected(components: Any, world: Any) -> list[Any]:
    """For each component but that of seats: its items, and the id of the holder of each."""
    found: list[Any] = [([world], [0])]
    for component in components[1:-1]:
        items: list[Any] = []
        of: list[Any] = []
        for each in found[component.parent][0]:
            holder: Cell = each
            within = _reached(holder, component.path)
            if within is not None:
                cell: Cell = within
                inside = cell._parts[component.part]
                items.extend(inside)
                of.extend([holder._id] * len(inside))
        _check_items(items, component)
        found.append((items, of))
    return found


def _check_items(items: list[Any], component: Any) -> None:
    """Refuse what only Python code past the methods of lists can put there: slots are read without looking."""
    plan = component.kind._declared
    for each in items:
        cell: Cell = each
        if cell._plan is not plan or cell._id == 0:
            raise UsageError(f"{component.name} was changed past its own methods")


def _ordered(found: list[Any], first_seat: Any, seats: Any) -> list[Any]:
    """A number for each entity, by ascending id: id, component, index in the component."""
    order: list[Any] = []
    for kind in range(len(found)):
        for index, each in enumerate(found[kind][0]):
            cell: Cell = each
            order.append((int(cell._id) << 32) | (kind << 16) | index)
    order.sort()
    order.extend([((first_seat + seat) << 32) | (len(found) << 16) | seat for seat in range(seats)])
    return order


@cython.cfunc
def _reached(cell: Cell, path: tuple) -> Any:  # type: ignore[type-arg]  # a C type has no arguments
    """The part at the end of a path; None if there is none."""
    here: Cell = cell
    for part in path:
        inside = here._parts[part]
        if inside is None:
            return None
        here = inside
    return here


@cython.cfunc
def _read_component(component: Any, items: list, begins: list, values: Any) -> Any:  # type: ignore[type-arg]  # as above
    index: cython.Py_ssize_t
    for block in component.blocks:
        path: tuple = block.path  # type: ignore[type-arg]  # as above
        count: cython.Py_ssize_t = len(block.ops) // OP_WIDTH
        if cython.compiled:
            packed: carray.array = block.ops
            ops: cython.p_longlong = packed.data.as_longlongs
            scales: carray.array = block.reals
            reals: cython.p_double = scales.data.as_doubles
            numbers: carray.array = values
            out: cython.p_ulonglong = numbers.data.as_ulonglongs
        else:
            ops, reals, out = block.ops, block.reals, values
        for index in range(len(items)):
            within = items[index] if not path else _reached(items[index], path)
            if within is not None:
                _read_cell(within, ops, reals, count, out, begins[index])
    for plan in component.values:
        for index in range(len(items)):
            within = _reached(items[index], plan.path)
            if within is not None:
                _read_values(plan, within, values, begins[index])
    return None


@cython.cfunc
def _read_cell(
    cell: Cell,
    ops: cython.p_longlong,
    reals: cython.p_double,
    count: cython.Py_ssize_t,
    out: cython.p_ulonglong,
    begin: cython.Py_ssize_t,
) -> cython.void:
    """Write the numbers of the fields that are in one cell."""
    index: cython.Py_ssize_t
    for index in range(count):
        op: cython.longlong = ops[OP_WIDTH * index]
        slot: cython.Py_ssize_t = ops[OP_WIDTH * index + 1]
        guard: cython.Py_ssize_t = ops[OP_WIDTH * index + 2]
        at: cython.Py_ssize_t = begin + ops[OP_WIDTH * index + 3]
        low: cython.longlong = ops[OP_WIDTH * index + 4]
        span: cython.longlong = ops[OP_WIDTH * index + 5]
        if guard >= 0 and cell._row[guard] == 0:
            continue
        if op == HAS_PART:
            out[at] = cell._parts[slot] is not None
        elif op == REAL_STEPS:
            out[at] = stepped(_real(cell, slot), reals[2 * index], reals[2 * index + 1], span)
        elif op == REAL_TURN:
            out[at] = turned(_real(cell, slot))
        elif cython.compiled:
            if op == WHOLE_STEPS:
                out[at] = stepped(cell._row[slot], reals[2 * index], reals[2 * index + 1], span)
            elif op == WIDE_STEPS:
                wide: cython.ulonglong = cell._row[slot]
                out[at] = stepped(wide, reals[2 * index], reals[2 * index + 1], span)
            else:
                out[at] = cython.cast(cython.ulonglong, cell._row[slot]) - cython.cast(cython.ulonglong, low)
        elif op == REAL_BITS:
            out[at] = _BITS.unpack(_DOUBLE.pack(cell._row[slot]))[0]
        elif op == PLAIN:
            out[at] = (cell._row[slot] - low) & _ALL_BITS
        else:
            out[at] = stepped(cell._row[slot], reals[2 * index], reals[2 * index + 1], span)


@cython.cfunc
def _real(cell: Cell, slot: cython.Py_ssize_t) -> cython.double:
    if cython.compiled:
        return cython.cast(cython.p_double, cell._row)[slot]
    return cell._row[slot]  # type: ignore[no-any-return]  # mypy sees kernels untyped


def _read_values(plan: Any, holder: Any, values: Any, begin: Any) -> None:
    cell: Cell = holder
    at = begin + plan.out
    held = cell._parts[plan.part]
    values[at] = len(held)
    for index, value in enumerate(held, at + 1):
        values[index] = plan.each.number_of(value)


def _read_owners(slot: Any, items: Any, indexes: Any, owners: Any) -> None:
    if slot < 0:
        return
    for each, index in zip(items, indexes, strict=True):
        cell: Cell = each
        owners[index] = cell._row[slot]


def _read_places(where: Any, axes: Any, items: Any, indexes: Any, places: Any) -> None:
    if where is None:
        return
    for each, index in zip(items, indexes, strict=True):
        cell: Cell = each
        if isinstance(where, tuple):
            for at, slot in enumerate(where, index * axes):
                places[at] = _real(cell, slot)
        else:
            for at, number in enumerate(where(each), index * axes):
                places[at] = number
