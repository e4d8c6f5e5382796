"""The common case, whole entities at a time (a compiled kernel).

Most schemas have only fields of fixed width, and most packets nothing wrong with them. These functions do such
entities with everything in registers, and *stop before* whatever is unusual: a value out of range, an id out of order,
a missing bit, a varint. The encoder's and the decoder's own code then does that entity, with every check in its place
and the right error. So nothing here decides what is an error, and leaving these functions out changes only the speed.

Every entity starts on a byte boundary, which makes each of them a piece of its own.
"""

from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.retick.snapshot.columns import Columns
    from cython.cimports.retick.snapshot.table import FieldTable
    from cython.cimports.retick.wire.words import load_be64, store_be64
else:
    from retick.snapshot.columns import Columns
    from retick.snapshot.table import FieldTable
    from retick.wire.words import load_be64, store_be64

    POSITION, CURSOR, PREVIOUS = 0, 1, 2

__all__ = ["put_entity", "take_created", "take_updated"]


def put_entity(
    table: FieldTable,
    current: Columns,
    entity: cython.uint,
    rows: cython.p_longlong,
    rows_at: cython.Py_ssize_t,
    masks: cython.p_ulonglong,
    masks_at: cython.Py_ssize_t,
    creating: cython.bint,
    buf: cython.p_uchar,
    at: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Write one created or masked-updated entity at byte ``at``; the byte after it, or -1 if it is not for us.

    A component is written when it has a row and, unless creating, a mask that is not 0.
    """
    components: cython.int = table.component_count
    widths: cython.p_int = table.bits
    flips: cython.p_ulonglong = table.flip
    spans: cython.p_ulonglong = table.span
    lows: cython.p_longlong = table.low
    columns: cython.pointer(cython.p_longlong) = current.columns  # type: ignore[valid-type]
    every: cython.ulonglong = 18446744073709551615
    one: cython.ulonglong = 1
    word: cython.ulonglong = 0
    mask: cython.ulonglong
    value: cython.ulonglong
    fill: cython.int = components
    component: cython.int
    field: cython.int
    bit: cython.int
    bits: cython.int
    free: cython.int
    row: cython.Py_ssize_t
    buf[at] = entity & 255
    buf[at + 1] = (entity >> 8) & 255
    buf[at + 2] = (entity >> 16) & 255
    buf[at + 3] = entity >> 24
    at += 4
    for component in range(components):
        if rows[rows_at + component] >= 0 and (creating or masks[masks_at + component] != 0):
            word |= one << (63 - component)
    for component in range(components):
        mask = masks[masks_at + component]
        row = rows[rows_at + component]
        if row < 0 or (mask == 0 and not creating):
            continue
        bits = table.fields[component]
        value = mask
        field = table.first[component]
        bit = bits
        while True:
            # First the mask itself, then the value of each field in it.
            free = 64 - fill
            if bits < free:
                word |= value << (free - bits)
                fill += bits
            else:
                fill = bits - free
                store_be64(buf, at, word | (value >> fill))
                at += 8
                word = (value << (64 - fill)) & every if fill else 0
            bit -= 1
            while bit >= 0 and not (mask >> bit) & 1:
                bit -= 1
                field += 1
            if bit < 0:
                break
            value = (columns[field][row] - lows[field]) & every
            if value > spans[field]:
                return -1
            value ^= flips[field]
            bits = widths[field]
            field += 1
    store_be64(buf, at, word)
    return at + ((fill + 7) >> 3)


def take_created(
    table: FieldTable,
    made: Columns,
    buf: cython.p_uchar,
    state: cython.p_longlong,
    end: cython.Py_ssize_t,
    strict: cython.bint,
    index: cython.Py_ssize_t,
    count: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Read created entities from ``index`` on; the index of the first that is not for us, or ``count``.

    ``state`` holds the bit position and the previous id, before and after.
    """
    components: cython.int = table.component_count
    pos: cython.Py_ssize_t = state[POSITION]
    previous: cython.longlong = state[PREVIOUS]
    entity: cython.longlong
    component: cython.int
    mask_at: cython.Py_ssize_t
    last: cython.Py_ssize_t = end - table.entity_plain_bits
    every: cython.ulonglong = 18446744073709551615
    while index < count:
        if pos & 7:
            if strict and buf[pos >> 3] & (255 >> (pos & 7)):
                break
            pos += 8 - (pos & 7)
        if pos > last:
            break
        entity = _id_at(buf, pos >> 3)
        if entity <= previous:
            break
        mask_at = pos + 32
        if ((load_be64(buf, mask_at >> 3) >> (64 - components)) & every) != table.all_components:
            break
        mask_at += components
        for component in range(components):
            mask_at = _take_plain(table, made, component, made.rows[component], buf, mask_at)
            if mask_at < 0:
                break
        if mask_at < 0:
            break
        for component in range(components):
            made.rows[component] += 1
            if made.noted:
                made.present[component][index] = 1
        made.keys[index] = entity
        previous = entity
        pos = mask_at
        index += 1
    state[POSITION] = pos
    state[PREVIOUS] = previous
    return index


def take_updated(
    table: FieldTable,
    target: Columns,
    buf: cython.p_uchar,
    state: cython.p_longlong,
    end: cython.Py_ssize_t,
    strict: cython.bint,
    count: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Read masked updates into a target whose every entity has every component; how many were read of ``count``.

    ``state`` holds the bit position, the cursor into the target's ids and the previous id, before and after.
    """
    components: cython.int = table.component_count
    pos: cython.Py_ssize_t = state[POSITION]
    cursor: cython.Py_ssize_t = state[CURSOR]
    previous: cython.longlong = state[PREVIOUS]
    entity: cython.longlong
    done: cython.Py_ssize_t = 0
    component: cython.int
    at: cython.Py_ssize_t
    touched: cython.ulonglong
    last: cython.Py_ssize_t = end - table.entity_plain_bits
    while done < count:
        if pos & 7:
            if strict and buf[pos >> 3] & (255 >> (pos & 7)):
                break
            pos += 8 - (pos & 7)
        if pos > last:
            break
        entity = _id_at(buf, pos >> 3)
        if entity <= previous:
            break
        while cursor < target.count and target.keys[cursor] < entity:
            cursor += 1
        if cursor == target.count or target.keys[cursor] != entity:
            break
        at = pos + 32
        touched = load_be64(buf, at >> 3)
        at += components
        for component in range(components):
            if (touched >> (63 - component)) & 1:
                at = _take_masked(table, target, component, cursor, buf, at)
                if at < 0:
                    break
        if at < 0:
            break
        previous = entity
        pos = at
        done += 1
    state[POSITION] = pos
    state[CURSOR] = cursor
    state[PREVIOUS] = previous
    return done


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _id_at(buf: cython.p_uchar, at: cython.Py_ssize_t) -> cython.longlong:
    high: cython.longlong = buf[at + 3]
    low: cython.longlong = buf[at] | (buf[at + 1] << 8) | (buf[at + 2] << 16)
    return low | (high << 24)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _take_plain(
    table: FieldTable,
    made: Columns,
    component: cython.int,
    row: cython.Py_ssize_t,
    buf: cython.p_uchar,
    pos: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """A full field mask and every value, the bits being there; the position after them, or -1."""
    widths: cython.p_int = table.bits
    flips: cython.p_ulonglong = table.flip
    spans: cython.p_ulonglong = table.span
    lows: cython.p_longlong = table.low
    columns: cython.pointer(cython.p_longlong) = made.columns  # type: ignore[valid-type]
    every: cython.ulonglong = 18446744073709551615
    word: cython.ulonglong
    field: cython.int
    bits: cython.int = table.fields[component]
    word = ((load_be64(buf, pos >> 3) << (pos & 7)) & every) >> (64 - bits)
    if word != table.full_mask[component] or row >= made.room[component]:
        return -1
    pos += bits
    for field in range(table.first[component], table.first[component] + table.fields[component]):
        bits = widths[field]
        word = (((load_be64(buf, pos >> 3) << (pos & 7)) & every) >> (64 - bits)) ^ flips[field]
        if word > spans[field]:
            return -1
        pos += bits
        if cython.compiled:
            columns[field][row] = word + lows[field]
        else:
            columns[field][row] = _signed(word + lows[field])
    return pos


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _take_masked(
    table: FieldTable,
    target: Columns,
    component: cython.int,
    row: cython.Py_ssize_t,
    buf: cython.p_uchar,
    pos: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """A field mask that is not empty and its values, the bits being there; the position after them, or -1."""
    widths: cython.p_int = table.bits
    flips: cython.p_ulonglong = table.flip
    spans: cython.p_ulonglong = table.span
    lows: cython.p_longlong = table.low
    columns: cython.pointer(cython.p_longlong) = target.columns  # type: ignore[valid-type]
    every: cython.ulonglong = 18446744073709551615
    mask: cython.ulonglong
    word: cython.ulonglong
    field: cython.int = table.first[component]
    bits: cython.int = table.fields[component]
    bit: cython.int
    mask = ((load_be64(buf, pos >> 3) << (pos & 7)) & every) >> (64 - bits)
    if mask == 0:
        return -1
    pos += bits
    for bit in range(bits - 1, -1, -1):
        if (mask >> bit) & 1:
            bits = widths[field]
            word = (((load_be64(buf, pos >> 3) << (pos & 7)) & every) >> (64 - bits)) ^ flips[field]
            if word > spans[field]:
                return -1
            pos += bits
            if cython.compiled:
                columns[field][row] = word + lows[field]
            else:
                columns[field][row] = _signed(word + lows[field])
        field += 1
    return pos


@cython.cfunc
def _signed(value: Any) -> Any:
    """As a column holds it: unsigned 64-bit numbers as the signed ones with the same bits."""
    return value - 18446744073709551616 if value > 9223372036854775807 else value
