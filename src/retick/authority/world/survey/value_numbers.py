# cython: nonecheck=True
"""Lists of values and texts to the numbers that are sent (a compiled kernel).

As in ``cell_numbers``, what the numbers were made of is kept. Scalars and texts cannot change themselves, so it is
enough that the same objects are there; vectors and rectangles can, and of them the bits of their floats are kept.
"""
# retick: floats -- values are rounded for sending; no simulation reads them back on a server

from array import array
from typing import Any

from retick.errors import UsageError

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython import array as carray
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING
    from cython.cimports.cpython.sequence import PySequence_Fast_ITEMS
    from cython.cimports.libc.string import memcmp, memset
    from cython.cimports.retick.authority.world.survey.cell_numbers import (
        NOTHING,
        OP_WIDTH,
        bits_of,
        shape_number,
        shape_real,
    )
    from cython.cimports.retick.authority.world.survey.census import reached
    from cython.cimports.retick.sim.shapes.shape import Shape
    from cython.cimports.retick.sim.world.cells import Cell
else:
    from retick.authority.world.survey.cell_numbers import NOTHING, OP_WIDTH, shape_number, shape_real
    from retick.authority.world.survey.census import reached
    from retick.sim.shapes.shape import Shape
    from retick.sim.world.cells import Cell

__all__ = ["kept_of_texts", "kept_of_values", "read_texts", "read_values"]


def kept_of_values(plan: Any, count: Any) -> Any:
    """What ``read_values`` keeps of so many lists before it has read them: the scalars of each, or the bits of all."""
    if plan.each is not None:
        return [[]] * count
    return array("q", [NOTHING]) * (count * plan.most * (len(plan.shape.part_ops) // OP_WIDTH))


def kept_of_texts(count: Any) -> Any:
    """What ``read_texts`` keeps of so many texts before it has read them."""
    return [None] * count


def read_values(plan: Any, items: list, begins: Any, kept: Any, values: Any) -> cython.int:  # type: ignore[type-arg]  # a C type has no arguments
    """Write the lengths and the numbers of a list of values of all items; ``kept``: from :func:`kept_of_values`."""
    index: cython.Py_ssize_t
    if plan.each is None:
        return _read_shapes(plan, items, begins, kept, values)
    for index in range(len(items)):
        held = _held(plan, items[index])
        if not _are_same(held, kept[index]):
            # A copy, as what makes the numbers may be Python code.
            kept[index] = _read_scalars(plan.each, held[:], kept[index], values, begins[index] + plan.out)
    return 0


@cython.cfunc
def _held(plan: Any, item: Any) -> Any:
    """The list of an item; an empty one if the part that it would be in is not there."""
    within = reached(item, plan.path)
    if within is None:
        return []
    cell: Cell = within
    held = cell._parts[plan.part]
    if len(held) > plan.most:
        raise UsageError(f"{plan.name} was changed past its own methods")
    return held


@cython.cfunc
def _are_same(held: Any, before: list) -> cython.bint:  # type: ignore[type-arg]  # as above
    """Whether a list has the very objects that it had before."""
    count: cython.Py_ssize_t = len(before)
    if len(held) != count:
        return False
    if cython.compiled:
        now = PySequence_Fast_ITEMS(held)
        return count == 0 or memcmp(now, PySequence_Fast_ITEMS(before), count * cython.sizeof(now[0])) == 0
    return list(map(id, held)) == list(map(id, before))


@cython.cfunc
def _read_scalars(each: Any, now: list, before: list, values: Any, at: cython.Py_ssize_t) -> list:  # type: ignore[type-arg]  # as above
    """Write the length and the numbers that have changed; returns what is kept."""
    is_plain: cython.bint = each.is_plain
    low, number_of = each.low, each.number_of
    index: cython.Py_ssize_t
    if cython.compiled:
        there = PySequence_Fast_ITEMS(now)
        known = PySequence_Fast_ITEMS(before)
    else:
        there, known = now, before
    for index in range(len(now)):
        if index >= len(before) or there[index] is not known[index]:
            value = now[index]
            values[at + 1 + index] = value - low if is_plain else number_of(value)
    for index in range(len(now), len(before)):
        values[at + 1 + index] = 0
    values[at] = len(now)
    return now


@cython.cfunc
def _read_shapes(plan: Any, items: list, begins: Any, kept: Any, values: Any) -> cython.int:  # type: ignore[type-arg]  # as above
    """``read_values`` of vectors and rectangles."""
    axes: cython.Py_ssize_t = len(plan.shape.part_ops) // OP_WIDTH
    most: cython.Py_ssize_t = plan.most
    index: cython.Py_ssize_t
    if cython.compiled:
        op_array: carray.array = plan.shape.part_ops
        ops: cython.p_longlong = op_array.data.as_longlongs
        real_array: carray.array = plan.shape.part_reals
        reals: cython.p_double = real_array.data.as_doubles
        kept_array: carray.array = kept
        known: cython.p_longlong = kept_array.data.as_longlongs
        value_array: carray.array = values
        out: cython.p_ulonglong = value_array.data.as_ulonglongs
    else:
        ops, reals, known, out = plan.shape.part_ops, plan.shape.part_reals, None, values
    for index in range(len(items)):
        _read_list(_held(plan, items[index]), ops, reals, axes, out, begins[index] + plan.out, known)
        if cython.compiled:
            known += most * axes
    return 0


@cython.cfunc
def _read_list(
    held: Any,
    ops: cython.p_longlong,
    reals: cython.p_double,
    axes: cython.Py_ssize_t,
    out: cython.p_ulonglong,
    at: cython.Py_ssize_t,
    known: cython.p_longlong,
) -> cython.int:
    """Write the length of a list of shapes, and the numbers that have changed."""
    axis: cython.Py_ssize_t
    index: cython.Py_ssize_t = 0
    before: cython.Py_ssize_t = axes * out[at]
    out[at] = len(held)
    at += 1
    for value in held:
        shape: Shape = value
        for axis in range(axes):
            real: cython.double = shape_real(shape, axis)
            if not cython.compiled or known[index] != bits_of(real):
                out[at + index] = shape_number(
                    real,
                    ops[OP_WIDTH * axis],
                    ops[OP_WIDTH * axis + 4],
                    ops[OP_WIDTH * axis + 5],
                    reals[2 * axis],
                    reals[2 * axis + 1],
                )
                if cython.compiled:
                    known[index] = bits_of(real)
            index += 1
    while index < before:
        out[at + index] = 0
        if cython.compiled:
            known[index] = NOTHING
        index += 1
    return 0


def read_texts(plan: Any, items: list, begins: Any, kept: list, values: Any) -> cython.int:  # type: ignore[type-arg]  # a C type has no arguments
    """Write the lengths and the bytes of a text of all items; ``kept``: from :func:`kept_of_texts`."""
    path: tuple = plan.path  # type: ignore[type-arg]  # as above
    part: cython.Py_ssize_t = plan.part
    index: cython.Py_ssize_t
    for index in range(len(items)):
        within = items[index] if not path else reached(items[index], path)
        text = None
        if within is not None:
            cell: Cell = cython.cast(Cell, within) if cython.compiled else within
            text = cell._parts[part]
        if text is not kept[index]:
            _write_text(text, values, begins[index] + plan.out)
            kept[index] = text
    return 0


@cython.cfunc
def _write_text(text: Any, values: Any, at: cython.Py_ssize_t) -> cython.int:
    """Write the length of a text, and its bytes, eight in a number; all are 0 for none."""
    data: bytes = b"" if text is None else text.encode()
    size: cython.Py_ssize_t = len(data)
    words: cython.Py_ssize_t = (max(size, values[at]) + 7) // 8
    index: cython.Py_ssize_t
    values[at] = size
    if cython.compiled:
        given: cython.p_uchar = cython.cast(cython.p_uchar, PyBytes_AS_STRING(data))
        value_array: carray.array = values
        out: cython.p_ulonglong = value_array.data.as_ulonglongs + at + 1
        memset(out, 0, 8 * words)
        for index in range(size):
            out[index >> 3] |= cython.cast(cython.ulonglong, given[index]) << (8 * (index & 7))
    else:
        for index in range(words):
            values[at + 1 + index] = int.from_bytes(data[8 * index : 8 * index + 8], "little")
    return 0
