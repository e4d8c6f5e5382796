# cython: nonecheck=True
"""Fields of cells to the numbers that are sent (a compiled kernel). docs/formats/world-server.md describes the numbers.

Most fields are as they were at the last survey, and a comparison is cheaper than a division. So the 64 bits that each
number was made of are kept, and a number is made again only if they have changed. Nothing has to tell of a change: a
comparison sees every write, that of a load and that of a vector in place too. Uncompiled, all numbers are made again.
"""
# retick: floats -- values are rounded for sending; no simulation reads them back on a server

import struct
from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython import array as carray
    from cython.cimports.libc.string import memcmp, memcpy, memset
    from cython.cimports.retick.authority.world.rounding import stepped, turned
    from cython.cimports.retick.authority.world.survey.census import reached
    from cython.cimports.retick.sim.shapes.shape import Shape
    from cython.cimports.retick.sim.world.cells import Cell
else:
    from retick.authority.world.rounding import stepped, turned
    from retick.authority.world.survey.census import reached
    from retick.sim.shapes.shape import Shape
    from retick.sim.world.cells import Cell

    # How a field is read, and how many numbers say so: as in layout.py.
    PLAIN, REAL_STEPS, WHOLE_STEPS, WIDE_STEPS, REAL_TURN, REAL_BITS, HAS_PART = range(7)
    SHAPE_STEPS, SHAPE_BITS, SHAPE_WHOLE = range(7, 10)
    OP_WIDTH = 6
    NOTHING = -1  # the bits of a NaN, which no shape holds

__all__ = ["bits_of", "kept_of_block", "read_block", "shape_number", "shape_real"]

_DOUBLE, _BITS = struct.Struct("<d"), struct.Struct("<Q")
_ALL_BITS = (1 << 64) - 1


def kept_of_block(block: Any, count: Any) -> Any:
    """What ``read_block`` keeps of so many cells before it has read them.

    For each: 1 if there is a cell, its row, and the bits of the float of each field in its parts.
    """
    return array("q", [NOTHING]) * (count * (1 + block.slots + len(block.part_ops) // OP_WIDTH))


def read_block(block: Any, items: list, begins: Any, kept: Any, values: Any) -> cython.int:  # type: ignore[type-arg]  # a C type has no arguments
    """Write the numbers of a block's fields for all items; ``kept``: from :func:`kept_of_block`."""
    path: tuple = block.path  # type: ignore[type-arg]  # as above
    slots: cython.Py_ssize_t = block.slots
    count: cython.Py_ssize_t = len(block.ops) // OP_WIDTH
    part_count: cython.Py_ssize_t = len(block.part_ops) // OP_WIDTH
    stride: cython.Py_ssize_t = 1 + slots + part_count
    index: cython.Py_ssize_t
    if cython.compiled:
        op_array: carray.array = block.ops
        ops: cython.p_longlong = op_array.data.as_longlongs
        real_array: carray.array = block.reals
        reals: cython.p_double = real_array.data.as_doubles
        part_op_array: carray.array = block.part_ops
        part_ops: cython.p_longlong = part_op_array.data.as_longlongs
        part_real_array: carray.array = block.part_reals
        part_reals: cython.p_double = part_real_array.data.as_doubles
        begin_array: carray.array = begins
        starts: cython.p_longlong = begin_array.data.as_longlongs
        kept_array: carray.array = kept
        known: cython.p_longlong = kept_array.data.as_longlongs
        value_array: carray.array = values
        out: cython.p_ulonglong = value_array.data.as_ulonglongs
    else:
        ops, reals, part_ops, part_reals = block.ops, block.reals, block.part_ops, block.part_reals
        starts, known, out = begins, None, values
    for index in range(len(items)):
        within = items[index] if not path else reached(items[index], path)
        begin: cython.Py_ssize_t = starts[index]
        if within is None:
            if not cython.compiled or known[0] != NOTHING:
                _clear(ops, count, out, begin)
                _clear(part_ops, part_count, out, begin)
                if cython.compiled:
                    memset(known, 0xFF, 8 * stride)  # NOTHING
        elif cython.compiled:
            cell: Cell = cython.cast(Cell, within)  # or the census would have refused it
            if known[0] == NOTHING or memcmp(cell._row, known + 1, 8 * slots) != 0:
                _read_row(cell._row, ops, reals, count, out, begin, known)
                known[0] = 1
                memcpy(known + 1, cell._row, 8 * slots)
            if part_count:
                _read_parts(cell._parts, part_ops, part_reals, part_count, out, begin, known + 1 + slots)
        else:
            _read_row(within._row, ops, reals, count, out, begin, known)
            _read_parts(within._parts, part_ops, part_reals, part_count, out, begin, known)
        if cython.compiled:
            known += stride
    return 0


@cython.cfunc
@cython.exceptval(check=False)
def _clear(
    ops: cython.p_longlong, count: cython.Py_ssize_t, out: cython.p_ulonglong, begin: cython.Py_ssize_t
) -> cython.void:
    """Write the numbers of fields that are not there."""
    index: cython.Py_ssize_t
    for index in range(count):
        out[begin + ops[OP_WIDTH * index + 3]] = 0


@cython.cfunc
@cython.exceptval(check=False)
def _read_row(
    row: cython.p_longlong,
    ops: cython.p_longlong,
    reals: cython.p_double,
    count: cython.Py_ssize_t,
    out: cython.p_ulonglong,
    begin: cython.Py_ssize_t,
    known: cython.p_longlong,
) -> cython.void:
    """Write the numbers of the fields in a row that have changed, or that have come or gone."""
    index: cython.Py_ssize_t
    for index in range(count):
        slot: cython.Py_ssize_t = ops[OP_WIDTH * index + 1]
        guard: cython.Py_ssize_t = ops[OP_WIDTH * index + 2]
        at: cython.Py_ssize_t = begin + ops[OP_WIDTH * index + 3]
        if (
            cython.compiled
            and known[0] != NOTHING
            and row[slot] == known[1 + slot]
            and (guard < 0 or row[guard] == known[1 + guard])
        ):
            continue
        if guard >= 0 and row[guard] == 0:
            out[at] = 0
        else:
            out[at] = _row_number(
                row,
                slot,
                ops[OP_WIDTH * index],
                ops[OP_WIDTH * index + 4],
                ops[OP_WIDTH * index + 5],
                reals[2 * index],
                reals[2 * index + 1],
            )


@cython.cfunc
@cython.exceptval(check=False)
def _row_number(
    row: cython.p_longlong,
    slot: cython.Py_ssize_t,
    op: cython.longlong,
    low: cython.longlong,
    span: cython.longlong,
    least: cython.double,
    step: cython.double,
) -> cython.ulonglong:
    """What is sent for a slot."""
    if cython.compiled:
        if op == REAL_STEPS:
            return stepped(cython.cast(cython.p_double, row)[slot], least, step, span)
        if op == REAL_TURN:
            return turned(cython.cast(cython.p_double, row)[slot])
        if op == WHOLE_STEPS:
            return stepped(row[slot], least, step, span)
        if op == WIDE_STEPS:
            return stepped(cython.cast(cython.ulonglong, row[slot]), least, step, span)
        return cython.cast(cython.ulonglong, row[slot]) - cython.cast(cython.ulonglong, low)
    if op == REAL_BITS:
        return _BITS.unpack(_DOUBLE.pack(row[slot]))[0]  # type: ignore[no-any-return]  # eight bytes are one number
    if op == REAL_TURN:
        return turned(row[slot])
    if op == PLAIN:
        return (row[slot] - low) & _ALL_BITS  # type: ignore[no-any-return]  # a row holds numbers
    return stepped(row[slot], least, step, span)


@cython.cfunc
def _read_parts(
    parts: list,  # type: ignore[type-arg]  # a C type has no arguments
    ops: cython.p_longlong,
    reals: cython.p_double,
    count: cython.Py_ssize_t,
    out: cython.p_ulonglong,
    begin: cython.Py_ssize_t,
    known: cython.p_longlong,
) -> cython.int:
    """Write whether parts are there, and the numbers of shapes that have changed."""
    index: cython.Py_ssize_t
    for index in range(count):
        op: cython.longlong = ops[OP_WIDTH * index]
        slot: cython.Py_ssize_t = ops[OP_WIDTH * index + 1]
        at: cython.Py_ssize_t = begin + ops[OP_WIDTH * index + 3]
        if op == HAS_PART:
            out[at] = parts[slot] is not None
            continue
        held = parts[slot >> 2]
        if held is None:
            out[at] = 0
            if cython.compiled:
                known[index] = NOTHING
            continue
        value: cython.double = shape_real(cython.cast(Shape, held) if cython.compiled else held, slot & 3)
        if not cython.compiled or known[index] != bits_of(value):
            out[at] = shape_number(
                value, op, ops[OP_WIDTH * index + 4], ops[OP_WIDTH * index + 5], reals[2 * index], reals[2 * index + 1]
            )
            if cython.compiled:
                known[index] = bits_of(value)
    return 0


def shape_real(shape: Shape, axis: cython.Py_ssize_t) -> cython.double:
    """The x, y, width or height of a shape."""
    if axis < 2:
        return shape._y if axis else shape._x
    return shape._h if axis == 3 else shape._w


def bits_of(value: cython.double) -> cython.longlong:
    """The 64 bits of a float: they differ where floats are equal, as the zeros are."""
    if cython.compiled:
        bits: cython.longlong = 0
        memcpy(cython.address(bits), cython.address(value), 8)
        return bits
    return _BITS.unpack(_DOUBLE.pack(value))[0]  # type: ignore[no-any-return]  # eight bytes are one number


def shape_number(
    value: cython.double,
    op: cython.longlong,
    low: cython.longlong,
    span: cython.longlong,
    least: cython.double,
    step: cython.double,
) -> cython.ulonglong:
    """What is sent for one number of a shape."""
    if op == SHAPE_STEPS:
        return stepped(value, least, step, span)
    if op == SHAPE_BITS:
        return bits_of(value)
    if cython.compiled:
        return cython.cast(cython.longlong, value) - low
    return int(value) - low
