# cython: nonecheck=True
"""A world to rows of whole numbers (a compiled kernel). docs/formats/world-server.md describes the numbers."""
# retick: floats -- values are rounded for sending; no simulation reads them back on a server

import struct
from array import array
from collections.abc import Sequence
from typing import Any

from retick.authority.world.rows import Census, Survey
from retick.errors import UsageError

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython import array as carray
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING
    from cython.cimports.libc.string import memcpy
    from cython.cimports.retick.authority.world.census import collected, reached, still_holds, taken
    from cython.cimports.retick.authority.world.rounding import stepped, turned
    from cython.cimports.retick.sim.shapes.shape import Shape
    from cython.cimports.retick.sim.world.cells import Cell, Root
else:
    from retick.authority.world.census import collected, reached, still_holds, taken
    from retick.authority.world.rounding import stepped, turned
    from retick.sim.shapes.shape import Shape
    from retick.sim.world.cells import Cell, Root

    # How a field is read, and how many numbers say so: as in layout.py.
    PLAIN, REAL_STEPS, WHOLE_STEPS, WIDE_STEPS, REAL_TURN, REAL_BITS, HAS_PART = range(7)
    SHAPE_STEPS, SHAPE_BITS, SHAPE_WHOLE = range(7, 10)
    OP_WIDTH = 6

__all__ = ["survey"]

_DOUBLE, _BITS = struct.Struct("<d"), struct.Struct("<Q")
_NAN = float("nan")
_ALL_BITS = (1 << 64) - 1


def survey(
    components: Any,
    where: Any,
    axes: Any,
    world: Any,
    tick: Any,
    seats: Sequence[Any],
    first_seat: Any,
    last: Census | None = None,
) -> Survey:
    """All entities of a world at a tick.

    ``where``: for each component, the slots that say where a thing is, or a function that does, or None; ``axes``: how
    many numbers that is. ``seats``: for each player, the input of the last tick, or None if nobody is connected.
    ``last``: the census of an earlier survey, which serves again while no entity comes or goes.
    """
    root: Root = world
    if root._next > first_seat:
        raise UsageError(f"{type(world).__name__} has given out all ids that a server can send, 1 to {first_seat - 1}")
    found = collected(components, world)
    census = last if last is not None and still_holds(last, found) else taken(components, found, first_seat, len(seats))
    count: cython.Py_ssize_t = len(census.ids)
    starts = census.starts
    owners = array("B", b"\xff" * count)
    values = array("Q", bytes(8 * starts[count]))
    places = array("d", [_NAN]) * (count * axes)
    index: cython.Py_ssize_t
    for kind in range(len(found)):
        component = components[kind]
        items = found[kind][0]
        if items:
            begins, indexes = census.begins[kind], census.indexes[kind]
            _read_component(component, items, begins, values)
            _read_owners(component.player_slot, items, indexes, owners)
            _read_places(where[kind], axes, items, indexes, places)
            if component.has_holder:
                for begin, holder in zip(begins, found[kind][1], strict=True):
                    values[begin] = holder
    values[0] = root._next  # the world's entity is the first
    for index in range(len(seats)):
        given = seats[index]
        begin = starts[count - len(seats) + index]
        owners[count - len(seats) + index] = index
        values[begin] = given is not None
        values[begin + 1] = given or 0
    made = Survey(tick, census.ids, census.kinds, starts, values)
    made.census = census
    made.cells = census.cells
    made.owners = owners
    made.holders = census.holders
    made.places = places
    return made


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
            within = items[index] if not path else reached(items[index], path)
            if within is not None:
                _read_cell(within, ops, reals, count, out, begins[index])
    for plan in component.values:
        for index in range(len(items)):
            within = reached(items[index], plan.path)
            if within is not None:
                _read_values(plan, within, values, begins[index])
    for plan in component.texts:
        for index in range(len(items)):
            within = reached(items[index], plan.path)
            if within is not None:
                _read_text(within, plan.part, values, begins[index] + plan.out)
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
        if op >= SHAPE_STEPS:
            held = cell._parts[slot >> 2]
            if held is not None:
                out[at] = _shape_number(held, slot & 3, op, low, span, reals[2 * index], reals[2 * index + 1])
        elif op == HAS_PART:
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


@cython.cfunc
def _shape_real(shape: Shape, axis: cython.Py_ssize_t) -> cython.double:
    """The x, y, width or height of a shape."""
    if axis < 2:
        return shape._y if axis else shape._x
    return shape._h if axis == 3 else shape._w


@cython.cfunc
def _shape_number(
    shape: Shape,
    axis: cython.Py_ssize_t,
    op: cython.longlong,
    low: cython.longlong,
    span: cython.longlong,
    least: cython.double,
    step: cython.double,
) -> cython.ulonglong:
    """What is sent for one number of a shape."""
    value: cython.double = _shape_real(shape, axis)
    if op == SHAPE_STEPS:
        return stepped(value, least, step, span)
    if cython.compiled:
        bits: cython.ulonglong = 0
        if op == SHAPE_WHOLE:
            return cython.cast(cython.longlong, value) - low
        memcpy(cython.address(bits), cython.address(value), 8)
        return bits
    if op == SHAPE_WHOLE:
        return int(value) - low
    return _BITS.unpack(_DOUBLE.pack(value))[0]  # type: ignore[no-any-return]  # eight bytes are one number


@cython.cfunc
def _read_values(plan: Any, holder: Cell, values: Any, begin: cython.Py_ssize_t) -> Any:
    at: cython.Py_ssize_t = begin + plan.out
    held = holder._parts[plan.part]
    if len(held) > plan.most:
        raise UsageError(f"{plan.name} was changed past its own methods")
    values[at] = len(held)
    at += 1
    if plan.each is not None:
        _read_scalars(plan.each, held, values, at)
        return None
    axis: cython.Py_ssize_t
    count: cython.Py_ssize_t = len(plan.shape.ops) // OP_WIDTH
    if cython.compiled:
        packed: carray.array = plan.shape.ops
        ops: cython.p_longlong = packed.data.as_longlongs
        scales: carray.array = plan.shape.reals
        reals: cython.p_double = scales.data.as_doubles
        numbers: carray.array = values
        out: cython.p_ulonglong = numbers.data.as_ulonglongs
    else:
        ops, reals, out = plan.shape.ops, plan.shape.reals, values
    for value in held:
        for axis in range(count):
            out[at] = _shape_number(
                value,
                axis,
                ops[OP_WIDTH * axis],
                ops[OP_WIDTH * axis + 4],
                ops[OP_WIDTH * axis + 5],
                reals[2 * axis],
                reals[2 * axis + 1],
            )
            at += 1
    return None


@cython.cfunc
def _read_scalars(each: Any, held: Any, values: Any, at: cython.Py_ssize_t) -> Any:
    if each.is_plain:
        low = each.low
        for value in held:
            values[at] = value - low
            at += 1
    else:
        number_of = each.number_of
        for value in held:
            values[at] = number_of(value)
            at += 1
    return None


@cython.cfunc
def _read_text(holder: Cell, part: cython.Py_ssize_t, values: Any, at: cython.Py_ssize_t) -> Any:
    """Write the length of a text, and its bytes, eight in a number."""
    text = holder._parts[part]
    if text is None:
        return None
    data: bytes = text.encode()
    size: cython.Py_ssize_t = len(data)
    index: cython.Py_ssize_t
    values[at] = size
    if cython.compiled:
        given: cython.p_uchar = cython.cast(cython.p_uchar, PyBytes_AS_STRING(data))
        numbers: carray.array = values
        out: cython.p_ulonglong = numbers.data.as_ulonglongs + at + 1
        for index in range(size):
            out[index >> 3] |= cython.cast(cython.ulonglong, given[index]) << (8 * (index & 7))
    else:
        for index in range(0, size, 8):
            values[at + 1 + index // 8] = int.from_bytes(data[index : index + 8], "little")
    return None


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
                places[at] = _real(cell, slot) if slot >= 0 else _shape_place(cell, -1 - slot)
        else:
            for at, number in enumerate(where(each), index * axes):
                places[at] = number


@cython.cfunc
def _shape_place(cell: Cell, code: cython.Py_ssize_t) -> cython.double:
    """One number of where a shape is: that of a vector, or of the middle of a rectangle."""
    axis: cython.Py_ssize_t = code & 1
    shape: Shape = cell._parts[code >> 2]
    start: cython.double = _shape_real(shape, axis)
    return start + _shape_real(shape, axis + 2) / 2 if code & 2 else start
