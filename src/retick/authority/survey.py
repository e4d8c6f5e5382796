# cython: nonecheck=True
"""Surveys a declared world: all its things as rows of integers, kept from one survey to the next.

Contents: floats as integers; the entities of a world; fields of cells; lists of values and texts; knowledge carried
over; the survey.
"""

import math
import struct
from array import array
from collections.abc import Sequence
from typing import Any

from retick.authority.rows import Census, Survey
from retick.errors import UsageError

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython import array as carray
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING
    from cython.cimports.cpython.object import PyObject
    from cython.cimports.cpython.sequence import PySequence_Fast_ITEMS
    from cython.cimports.libc.math import floor, rint
    from cython.cimports.libc.string import memcmp, memcpy, memset
    from cython.cimports.retick.sim.shapes import Shape
    from cython.cimports.retick.sim.world.storage import Cell, Root
    from cython.cimports.retick.snapshot.columns import ints, longs, uchars, uints, ulongs
else:
    from retick.sim.shapes import Shape
    from retick.sim.world.storage import Cell, Root
    from retick.snapshot.columns import ints, longs, uchars, uints, ulongs

# Floats as integers: converts them to the numbers that are sent.

# retick: floats -- values are rounded for sending; no simulation reads them back on a server


TURN = cython.declare(cython.double, 2 * math.pi)


@cython.cfunc
@cython.exceptval(check=False)
def stepped(value: cython.double, low: cython.double, step: cython.double, span: cython.longlong) -> cython.longlong:
    """The steps from ``low`` to a value, rounded to the nearest (halves to the even one), from 0 to ``span``."""
    steps: cython.double = (value - low) / step
    if not steps > 0:
        return 0
    if steps >= span:
        return span
    if cython.compiled:
        return cython.cast(cython.longlong, rint(steps))
    return round(steps)


@cython.cfunc
@cython.exceptval(check=False)
def turned(value: cython.double) -> cython.longlong:
    """An angle as 65536ths of a turn, 0 to 65535."""
    turns: cython.double = value / TURN
    if turns - turns != 0:
        return 0  # infinite
    if cython.compiled:
        return cython.cast(cython.longlong, rint((turns - floor(turns)) * 65536)) & 65535
    return round((turns - math.floor(turns)) * 65536) & 65535


def steps_of(value: Any, low: Any, step: Any, span: Any) -> int:
    """``stepped`` for Python code."""
    return stepped(value, low, step, span)


def turn_of(value: Any) -> int:
    """``turned`` for Python code."""
    return turned(value)


# The entities of a world, in the order of their ids.
#
# A census is repeated only if the things in the world's lists, or their ids, have changed. In many games that happens
# at nearly every snapshot, as shots come and go: so it takes only a few passes over arrays.


# An array of zeros is one of these times its length.
_BYTE, _INT, _UINT, _LONG, _ULONG = [array(code, [0]) for code in "BiIqQ"]
_ONE = array("q", [1])


@cython.cfunc
def collected(components: Any, world: Any) -> list[Any]:
    """For each component but the seats': its items, how many of them each holder has, and their ids."""
    kind: cython.Py_ssize_t
    found: list[Any] = [([world], _ONE, _LONG)]
    for kind in range(1, len(components) - 1):
        component = components[kind]
        holders: list = found[component.parent][0]  # type: ignore[type-arg]  # a C type has no arguments
        sizes = _LONG * len(holders)
        items = _items_of(holders, component.path, component.part, sizes)
        found.append((items, sizes, _ids_of(items, component)))
    return found


@cython.cfunc
def _items_of(holders: list, path: tuple, part: cython.Py_ssize_t, sizes: Any) -> list:  # type: ignore[type-arg]  # as above
    """The items in the holders' lists, one list after another."""
    counts: cython.p_longlong = longs(sizes)
    items: list = []  # type: ignore[type-arg]  # as above
    index: cython.Py_ssize_t
    for index in range(len(holders)):
        inside = _list_of(holders[index], path, part)
        counts[index] = len(inside)
        if inside:
            items += inside[:]  # of a plain list, Python copies the pointers
    return items


@cython.cfunc
def _list_of(holder: Any, path: tuple, part: cython.Py_ssize_t) -> Any:  # type: ignore[type-arg]  # as above
    """A list of a holder; an empty one if the part that should contain it is missing."""
    within = reached(holder, path)
    if within is None:
        return ()
    cell: Cell = within
    return cell._parts[part]


@cython.cfunc
def _ids_of(items: list, component: Any) -> Any:  # type: ignore[type-arg]  # as above
    """The ids of items.

    Refuses what only Python code past the methods of lists can put there: slots are read unchecked.
    """
    plan = component.kind._declared
    ids = _LONG * len(items)
    out: cython.p_longlong = longs(ids)
    index: cython.Py_ssize_t
    for index in range(len(items)):
        cell: Cell = items[index]
        if cell._plan is not plan or cell._id == 0:
            raise UsageError(f"{component.name} was changed without its own methods")
        out[index] = cell._id
    return ids


@cython.cfunc
def reached(cell: Cell, path: tuple) -> Any:  # type: ignore[type-arg]  # as above
    """The part at the end of a path; None if there is none."""
    here: Cell = cell
    for part in path:
        inside = here._parts[part]
        if inside is None:
            return None
        here = inside
    return here


@cython.cfunc
@cython.exceptval(-1, check=False)
def still_holds(census: Census, components: Any) -> cython.bint:
    """Whether the same things are at the same places of the world's lists, with the ids that they had.

    Then nothing was put there past the methods of lists either. Holders come before what they hold.
    """
    kind: cython.Py_ssize_t
    for kind in range(1, len(components) - 1):
        component = components[kind]
        items, sizes, ids = census.found[kind]
        if not _is_as_before(component, census.found[component.parent][0], items, sizes, ids):
            return False
    return True


@cython.cfunc
def _is_as_before(component: Any, holders: list, items: list, sizes: Any, known: Any) -> cython.bint:  # type: ignore[type-arg]  # as above
    """Whether the holders' lists of one component have these items, so many each, with the known ids."""
    part: cython.Py_ssize_t = component.part
    path: tuple = component.path  # type: ignore[type-arg]  # as above
    counts: cython.p_longlong = longs(sizes)
    ids: cython.p_longlong = longs(known)
    at: cython.Py_ssize_t = 0
    holder: cython.Py_ssize_t
    index: cython.Py_ssize_t
    if cython.compiled:
        before: cython.pointer(cython.pointer(PyObject)) = PySequence_Fast_ITEMS(items)
    for holder in range(len(holders)):
        inside = _list_of(holders[holder], path, part)
        count: cython.Py_ssize_t = len(inside)
        if count != counts[holder]:
            return False
        if cython.compiled:
            if count and memcmp(PySequence_Fast_ITEMS(inside), before + at, count * cython.sizeof(before[0])):
                return False
            for index in range(at, at + count):
                if cython.cast(Cell, before[index])._id != ids[index]:
                    return False
        else:
            for index in range(count):
                if inside[index] is not items[at + index] or items[at + index]._id != ids[at + index]:
                    return False
        at += count
    return True


@cython.cfunc
def taken(widths: Any, found: list[Any], first_seat: Any, seats: Any) -> Census:
    """The entities in order; ``widths``: how many numbers the entities of each component have."""
    every: list[Any] = [items for items, _, _ in found] + [[None] * seats]
    begins: list[Any] = [_LONG * len(items) for items in every]
    indexes: list[Any] = [_LONG * len(items) for items in every]
    ordered = _ordered(found, first_seat, seats)
    count: cython.Py_ssize_t = len(ordered)
    made = Census(
        _UINT * count, _BYTE * count, _INT * (count + 1), [None] * count, _INT * count, begins, indexes, found
    )
    keys: cython.p_ulonglong = ulongs(ordered)
    ids: cython.p_uint = uints(made.ids)
    kinds: cython.p_uchar = uchars(made.kinds)
    starts: cython.p_int = ints(made.starts)
    within: cython.p_int = ints(made.within)
    cells: list = made.cells  # type: ignore[type-arg]  # as above
    sizes: cython.p_int = ints(widths)
    at: cython.Py_ssize_t = 0
    kind: cython.Py_ssize_t = 0
    items: list = every[0]  # type: ignore[type-arg]  # as above
    begin_of: cython.p_longlong = longs(begins[0])
    index_of: cython.p_longlong = longs(indexes[0])
    index: cython.Py_ssize_t
    for index in range(count):
        now: cython.Py_ssize_t = (keys[index] >> 24) & 0xFF
        place: cython.Py_ssize_t = keys[index] & 0xFFFFFF
        if now != kind:
            kind = now
            items, begin_of, index_of = every[kind], longs(begins[kind]), longs(indexes[kind])
        ids[index] = keys[index] >> 32
        kinds[index] = kind
        starts[index] = at
        within[index] = place
        begin_of[place] = at
        index_of[place] = index
        cells[index] = items[place]
        at += sizes[kind]
    starts[count] = at
    return made


@cython.cfunc
def _ordered(found: list, first_seat: cython.ulonglong, seats: cython.Py_ssize_t) -> Any:  # type: ignore[type-arg]  # as above
    """A sort key for each entity, by ascending id: id (32 bits), component (8), index in the component (24)."""
    things: cython.Py_ssize_t = sum([len(items) for items, _, _ in found])
    at: cython.Py_ssize_t = 0
    kind: cython.ulonglong = 0
    index: cython.Py_ssize_t
    keys = _ULONG * (things + seats)
    out: cython.p_ulonglong = ulongs(keys)
    for _, _, known in found:
        ids: cython.p_longlong = longs(known)
        for index in range(len(known)):
            out[at] = (ids[index] << 32) | (kind << 24) | index
            at += 1
        kind += 1
    for index in range(seats):
        out[at + index] = ((first_seat + index) << 32) | (kind << 24) | index
    return _sorted(keys, things)


@cython.cfunc
def _sorted(keys: Any, count: cython.Py_ssize_t) -> Any:
    """Sort the first ``count`` keys in ascending order.

    Items of one list mostly ascend already. So this finds ascending runs, and merges two of them until one is left.
    """
    if not cython.compiled:
        return array("Q", sorted(keys[:count])) + keys[count:]
    other = keys[:]
    while True:
        given: cython.p_ulonglong = ulongs(keys)
        made: cython.p_ulonglong = ulongs(other)
        begin: cython.Py_ssize_t = 0
        while begin < count:
            middle: cython.Py_ssize_t = _end_of_run(given, begin, count)
            if middle - begin == count:
                return keys
            end: cython.Py_ssize_t = _end_of_run(given, middle, count)
            _merge(given, begin, middle, end, made)
            begin = end
        keys, other = other, keys


@cython.cfunc
@cython.exceptval(check=False)
def _end_of_run(keys: cython.p_ulonglong, begin: cython.Py_ssize_t, count: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The end of the ascending run that begins here."""
    if begin == count:
        return count
    begin += 1
    while begin < count and keys[begin - 1] < keys[begin]:
        begin += 1
    return begin


@cython.cfunc
@cython.exceptval(check=False)
def _merge(
    keys: cython.p_ulonglong,
    first: cython.Py_ssize_t,
    middle: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    out: cython.p_ulonglong,
) -> cython.void:
    """Merge two runs, the second of which begins where the first ends."""
    second: cython.Py_ssize_t = middle
    at: cython.Py_ssize_t
    for at in range(first, end):
        if second == end or (first < middle and keys[first] < keys[second]):
            out[at] = keys[first]
            first += 1
        else:
            out[at] = keys[second]
            second += 1


# Fields of cells, converted to the numbers that are sent; docs/formats/world-server.md has them.
#
# Most fields have not changed since the last survey, and a comparison is cheaper than a division. So the 64 bits that
# each number was made of are kept, and a number is made again only if they have changed. Nothing has to report a
# change: a comparison sees every write, even by a load or in place of a vector. Uncompiled, all numbers are made again.

# retick: floats -- values are rounded for sending; no simulation reads them back on a server


if not cython.compiled:
    # How a field is read, and how many numbers say so: as in layout.py.
    PLAIN, REAL_STEPS, WHOLE_STEPS, WIDE_STEPS, REAL_TURN, REAL_BITS, HAS_PART = range(7)  # C constants
    SHAPE_STEPS, SHAPE_BITS, SHAPE_WHOLE = range(7, 10)  # C constants
    OP_WIDTH = 6  # C constant
    NOTHING = -1  # C constant: the bits of a NaN, which no shape holds


_DOUBLE, _BITS = struct.Struct("<d"), struct.Struct("<Q")
_ALL_BITS = (1 << 64) - 1


@cython.cfunc
def kept_of_block(block: Any, count: Any) -> Any:
    """What ``read_block`` keeps for ``count`` cells before it has read them.

    For each: 1 if there is a cell, its row, and the bits of the float of each field in its parts.
    """
    return array("q", [NOTHING]) * (count * (1 + block.slots + len(block.part_ops) // OP_WIDTH))


@cython.cfunc
@cython.exceptval(-1, check=False)
def read_block(block: Any, items: list, begins: Any, kept: Any, values: Any) -> cython.int:  # type: ignore[type-arg]  # a C type has no arguments
    """Write the numbers of a block's fields for all items; ``kept`` comes from :func:`kept_of_block`."""
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
    """The number that is sent for a slot."""
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


@cython.cfunc
@cython.exceptval(-1.0, check=True)
def shape_real(shape: Shape, axis: cython.Py_ssize_t) -> cython.double:
    """The x, y, width or height of a shape."""
    if axis < 2:
        return shape._y if axis else shape._x
    return shape._h if axis == 3 else shape._w


@cython.cfunc
@cython.exceptval(check=False)
def bits_of(value: cython.double) -> cython.longlong:
    """The 64 bits of a float: they can differ where floats are equal, as for the two zeros."""
    if cython.compiled:
        bits: cython.longlong = 0
        memcpy(cython.address(bits), cython.address(value), 8)
        return bits
    return _BITS.unpack(_DOUBLE.pack(value))[0]  # type: ignore[no-any-return]  # eight bytes are one number


@cython.cfunc
@cython.exceptval(check=False)
def shape_number(
    value: cython.double,
    op: cython.longlong,
    low: cython.longlong,
    span: cython.longlong,
    least: cython.double,
    step: cython.double,
) -> cython.ulonglong:
    """The number that is sent for one number of a shape."""
    if op == SHAPE_STEPS:
        return stepped(value, least, step, span)
    if op == SHAPE_BITS:
        return bits_of(value)
    if cython.compiled:
        return cython.cast(cython.longlong, value) - low
    return int(value) - low


# Lists of values and texts, converted to the numbers that are sent.
#
# As for cells, what the numbers were made of is kept. Scalars and texts are immutable, so it is enough to compare
# objects; vectors and rectangles can change, so the bits of their floats are kept.

# retick: floats -- values are rounded for sending; no simulation reads them back on a server


@cython.cfunc
def kept_of_values(plan: Any, count: Any) -> Any:
    """What ``read_values`` keeps for ``count`` lists before it has read them: their scalars, or the bits of all."""
    if plan.each is not None:
        return [[]] * count
    return array("q", [NOTHING]) * (count * plan.most * (len(plan.shape.part_ops) // OP_WIDTH))


@cython.cfunc
def kept_of_texts(count: Any) -> Any:
    """What ``read_texts`` keeps for ``count`` texts before it has read them."""
    return [None] * count


@cython.cfunc
@cython.exceptval(-1, check=False)
def read_values(plan: Any, items: list, begins: Any, kept: Any, values: Any) -> cython.int:  # type: ignore[type-arg]  # a C type has no arguments
    """Write the length and the numbers of a list of values for all items; ``kept``: from :func:`kept_of_values`."""
    index: cython.Py_ssize_t
    if plan.each is None:
        return _read_shapes(plan, items, begins, kept, values)
    for index in range(len(items)):
        held = _held(plan, items[index])
        if not _are_same(held, kept[index]):
            # A copy, because Python code may run while the numbers are made.
            kept[index] = _read_scalars(plan.each, held[:], kept[index], values, begins[index] + plan.out)
    return 0


@cython.cfunc
def _held(plan: Any, item: Any) -> Any:
    """The list of an item; an empty one if the part that should contain it is missing."""
    within = reached(item, plan.path)
    if within is None:
        return []
    cell: Cell = within
    held = cell._parts[plan.part]
    if len(held) > plan.most:
        raise UsageError(f"{plan.name} was changed without its own methods")
    return held


@cython.cfunc
def _are_same(held: Any, before: list) -> cython.bint:  # type: ignore[type-arg]  # as above
    """Whether a list has exactly the objects that it had before."""
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
    """``read_values`` for vectors and rectangles."""
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


@cython.cfunc
@cython.exceptval(-1, check=False)
def read_texts(plan: Any, items: list, begins: Any, kept: list, values: Any) -> cython.int:  # type: ignore[type-arg]  # a C type has no arguments
    """Write the length and the bytes of a text for all items; ``kept`` comes from :func:`kept_of_texts`."""
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
    """Write the length of a text, and its bytes, eight per number; all are 0 for none."""
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


# Knowledge carried over: what is known of remaining things, to the next survey, when others come or go.
#
# The numbers of a thing stay together with what they were made of. So they are right for whichever thing gets them:
# whatever has changed is read again. Matching by id only makes that rare.

_NEW = array("q", [-1])


@cython.cfunc
@cython.exceptval(-1, check=False)
def carry_over(last: Survey, made: Survey) -> cython.int:
    """Give a survey that has not been read everything that the last one knows of its entities."""
    kind: cython.Py_ssize_t
    group: cython.Py_ssize_t
    index: cython.Py_ssize_t
    sources: list[Any] = [_NEW * len(begins) for begins in made.census.begins]
    _carry_numbers(last, made, sources)
    for kind in range(len(sources)):
        if len(sources[kind]):
            for group in range(3):  # blocks, lists, texts
                before, after = last.kept[kind][group], made.kept[kind][group]
                for index in range(len(after)):
                    _carry_kept(before[index], after[index], sources[kind])
    return 0


@cython.cfunc
def _carry_numbers(last: Survey, made: Survey, sources: list) -> cython.int:  # type: ignore[type-arg]  # a C type has no arguments
    """Copy the numbers of the entities that both have.

    ``sources`` gets, for each entity of each component, its index in that component of the last survey.
    """
    old_ids: cython.p_uint = uints(last.ids)
    new_ids: cython.p_uint = uints(made.ids)
    old_kinds: cython.p_uchar = uchars(last.kinds)
    new_kinds: cython.p_uchar = uchars(made.kinds)
    old_starts: cython.p_int = ints(last.starts)
    new_starts: cython.p_int = ints(made.starts)
    old_within: cython.p_int = ints(last.census.within)
    new_within: cython.p_int = ints(made.census.within)
    old_values: cython.p_ulonglong = ulongs(last.values)
    new_values: cython.p_ulonglong = ulongs(made.values)
    olds: cython.Py_ssize_t = len(last.ids)
    old: cython.Py_ssize_t = 0
    new: cython.Py_ssize_t
    kind: cython.int = 0
    source_of: cython.p_longlong = longs(sources[0])
    for new in range(len(made.ids)):
        while old < olds and old_ids[old] < new_ids[new]:
            old += 1
        if old < olds and old_ids[old] == new_ids[new] and old_kinds[old] == new_kinds[new]:
            if cython.compiled:
                size: cython.Py_ssize_t = new_starts[new + 1] - new_starts[new]
                memcpy(new_values + new_starts[new], old_values + old_starts[old], 8 * size)
            else:
                new_values[new_starts[new] : new_starts[new + 1]] = old_values[old_starts[old] : old_starts[old + 1]]
            if kind != new_kinds[new]:
                kind = new_kinds[new]
                source_of = longs(sources[kind])
            source_of[new_within[new]] = old_within[old]
            old += 1
    return 0


@cython.cfunc
def _carry_kept(before: Any, after: Any, sources: Any) -> cython.int:
    """Copy what the numbers were made of: one object per entity of a component, or several numbers."""
    count: cython.Py_ssize_t = len(sources)
    size: cython.Py_ssize_t = len(after) // count
    of: cython.p_longlong = longs(sources)
    index: cython.Py_ssize_t
    if isinstance(after, list):
        old_objects: list = before  # type: ignore[type-arg]  # as above
        new_objects: list = after  # type: ignore[type-arg]  # as above
        for index in range(count):
            if of[index] >= 0:
                new_objects[index] = old_objects[of[index]]
        return 0
    known: cython.p_longlong = longs(before)
    out: cython.p_longlong = longs(after)
    for index in range(count):
        if of[index] >= 0:
            if cython.compiled:
                memcpy(out + index * size, known + of[index] * size, 8 * size)
            else:
                out[index * size : (index + 1) * size] = known[of[index] * size : (of[index] + 1) * size]
    return 0


# The survey: a world as rows of integers. docs/formats/world-server.md describes the numbers.
#
# A survey is kept from one snapshot to the next and changed in place. When entities come or go, a new one takes over
# what the last one knows of those that stay.

# retick: floats -- places decide who is sent what; no simulation reads them


# Multiplied by a length, these make arrays that say that nothing is there.
_ZERO, _WORLD, _NOBODY, _NOWHERE = array("Q", [0]), array("I", [0]), array("B", [255]), array("d", [float("nan")])


def survey(
    layout: Any,
    where: Any,
    axes: Any,
    world: Any,
    tick: Any,
    seats: Sequence[Any],
    first_seat: Any,
    last: Survey | None = None,
) -> Survey:
    """All entities of a world at a tick.

    ``where``: for each component, the slots of a thing's position, or a function that gives it, or None; ``axes``: how
    many numbers a position has. ``seats``: for each player, the input of the last tick, or None if nobody is
    connected. ``last``: an earlier survey of this world that did not fail, updated in place if no entity came or went.
    """
    root: Root = world
    components: list[Any] = layout.components
    if root._next > first_seat:
        raise UsageError(f"{type(world).__name__} has given out all ids that a server can send, 1 to {first_seat - 1}")
    if last is not None and still_holds(last.census, components):
        made = last
    else:
        census = taken(layout.widths, collected(components, world), first_seat, len(seats))
        made = _unread(components, census, axes)
        if last is not None:
            carry_over(last, made)
        _write_holders(components, made)
    made.tick = tick
    census, values = made.census, made.values
    kind: cython.Py_ssize_t
    for kind in range(len(census.found)):
        items: list = census.found[kind][0]  # type: ignore[type-arg]  # a C type has no arguments
        if items:
            component = components[kind]
            _read_component(component, items, census.begins[kind], made.kept[kind], values)
            if component.player_slot >= 0:
                _read_owners(component.player_slot, items, census.indexes[kind], made.owners)
            if isinstance(where[kind], tuple):
                _read_places(where[kind], axes, items, census.indexes[kind], made.places)
            elif where[kind] is not None:
                _ask_places(where[kind], axes, items, census.indexes[kind], made.places)
    values[0] = root._next  # the world's entity is the first
    _read_seats(seats, made.seats, values, census.starts[len(census.ids) - len(seats)])
    return made


def _unread(components: Any, census: Census, axes: Any) -> Survey:
    """A survey with what follows from the census alone; all numbers are 0, as if nothing were there."""
    count: cython.Py_ssize_t = len(census.ids)
    seats: cython.Py_ssize_t = len(census.begins[len(census.found)])
    kind: cython.Py_ssize_t
    index: cython.Py_ssize_t
    made = Survey(0, census.ids, census.kinds, census.starts, _ZERO * census.starts[count])
    made.census = census
    made.cells = census.cells
    made.holders = _WORLD * count
    made.owners = _NOBODY * count
    owners: cython.p_uchar = uchars(made.owners)
    for index in range(seats):
        owners[count - seats + index] = index
    made.places = _NOWHERE * (count * axes)
    made.kept = []
    for kind in range(len(census.found)):
        component = components[kind]
        things: cython.Py_ssize_t = len(census.begins[kind])
        blocks = [kept_of_block(block, things) for block in component.blocks]
        lists = [kept_of_values(plan, things) for plan in component.values]
        made.kept.append((blocks, lists, [kept_of_texts(things) for _ in component.texts]))
    made.seats = [None] * seats
    made.kept.append(([], [], [made.seats]))
    return made


def _write_holders(components: Any, made: Survey) -> None:
    """Write the holders of things in lists of things: the holder's id is the first number of each thing."""
    census = made.census
    kind: cython.Py_ssize_t
    for kind in range(len(census.found)):
        if components[kind].has_holder:
            ids = census.found[components[kind].parent][2]
            _write_ids(ids, census.found[kind][1], census.indexes[kind], made.holders, census.begins[kind], made.values)


@cython.cfunc
def _write_ids(known: Any, sizes: Any, indexes: Any, holders: Any, begins: Any, values: Any) -> cython.int:
    """Write the ids of holders, each for as many things as it has."""
    ids: cython.p_longlong = longs(known)
    counts: cython.p_longlong = longs(sizes)
    index_of: cython.p_longlong = longs(indexes)
    begin_of: cython.p_longlong = longs(begins)
    out: cython.p_uint = uints(holders)
    numbers: cython.p_ulonglong = ulongs(values)
    at: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t = 0
    holder: cython.Py_ssize_t
    for holder in range(len(sizes)):
        end += counts[holder]
        while at < end:
            out[index_of[at]] = ids[holder]
            numbers[begin_of[at]] = ids[holder]
            at += 1
    return 0


@cython.cfunc
def _read_component(component: Any, items: list, begins: Any, kept: Any, values: Any) -> cython.int:  # type: ignore[type-arg]  # a C type has no arguments
    blocks, lists, texts = kept
    index: cython.Py_ssize_t
    for index in range(len(blocks)):
        read_block(component.blocks[index], items, begins, blocks[index], values)
    for index in range(len(lists)):
        read_values(component.values[index], items, begins, lists[index], values)
    for index in range(len(texts)):
        read_texts(component.texts[index], items, begins, texts[index], values)
    return 0


@cython.cfunc
def _read_owners(slot: cython.Py_ssize_t, items: list, indexes: Any, owners: Any) -> cython.int:  # type: ignore[type-arg]  # as above
    index: cython.Py_ssize_t
    if cython.compiled:
        index_array: carray.array = indexes
        order: cython.p_longlong = index_array.data.as_longlongs
        owner_array: carray.array = owners
        out: cython.p_uchar = owner_array.data.as_uchars
        for index in range(len(items)):
            out[order[index]] = cython.cast(Cell, items[index])._row[slot]
    else:
        for index in range(len(items)):
            owners[indexes[index]] = items[index]._row[slot]
    return 0


@cython.cfunc
def _read_places(where: tuple, axes: cython.Py_ssize_t, items: list, indexes: Any, places: Any) -> cython.int:  # type: ignore[type-arg]  # as above
    axis: cython.Py_ssize_t
    index: cython.Py_ssize_t
    if cython.compiled:
        index_array: carray.array = indexes
        order: cython.p_longlong = index_array.data.as_longlongs
        place_array: carray.array = places
        out: cython.p_double = place_array.data.as_doubles
    else:
        order, out = indexes, places
    for axis in range(axes):
        slot: cython.Py_ssize_t = where[axis]
        for index in range(len(items)):
            cell: Cell = cython.cast(Cell, items[index]) if cython.compiled else items[index]
            if slot < 0:
                out[order[index] * axes + axis] = _shape_place(cell, -1 - slot)
            elif cython.compiled:
                out[order[index] * axes + axis] = cython.cast(cython.p_double, cell._row)[slot]
            else:
                out[order[index] * axes + axis] = cell._row[slot]
    return 0


@cython.cfunc
def _shape_place(cell: Cell, code: cython.Py_ssize_t) -> cython.double:
    """One number of a shape's position: a vector's, or that of the middle of a rectangle."""
    axis: cython.Py_ssize_t = code & 1
    held = cell._parts[code >> 2]
    shape: Shape = cython.cast(Shape, held) if cython.compiled else held
    start: cython.double = shape_real(shape, axis)
    return start + shape_real(shape, axis + 2) / 2 if code & 2 else start


def _ask_places(where: Any, axes: Any, items: Any, indexes: Any, places: Any) -> None:
    for each, index in zip(items, indexes, strict=True):
        for at, number in enumerate(where(each), index * axes):
            places[at] = number


@cython.cfunc
def _read_seats(seats: Any, kept: list, values: Any, begin: cython.Py_ssize_t) -> cython.int:  # type: ignore[type-arg]  # as above
    """Write whether players are connected, and their inputs."""
    index: cython.Py_ssize_t
    for index in range(len(kept)):
        given = seats[index]
        if given is not kept[index]:
            values[begin + 2 * index] = given is not None
            values[begin + 2 * index + 1] = given or 0
            kept[index] = given
    return 0
