"""The common case, whole entities at a time (a compiled kernel).

Most schemas have only fields of fixed width, and most packets nothing wrong with them. These functions read
and write such entities quickly, and *stop before* whatever is unusual: a value out of range, an id out of order,
a missing bit, a varint. The encoder's or the decoder's own code then does that entity, with every check in its place
and the right error. So nothing here decides what is an error, and leaving these functions out changes only the speed.

Every entity starts on a byte boundary, which makes each of them a piece of its own.
"""

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.snapshot.kernels.columns import Columns
    from cython.cimports.retick.snapshot.kernels.packer import Packer
    from cython.cimports.retick.snapshot.kernels.reader import Reader
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
    from cython.cimports.retick.snapshot.kernels.target import Target
    from cython.cimports.retick.wire.words import load_be64, load_le32, store_be64
else:
    from retick.snapshot.kernels.columns import Columns, as_signed
    from retick.snapshot.kernels.packer import Packer
    from retick.snapshot.kernels.reader import Reader
    from retick.snapshot.kernels.table import FieldTable
    from retick.snapshot.kernels.target import Target
    from retick.wire.words import load_be64, load_le32, store_be64

__all__ = ["put_entity", "read_created", "read_updated"]


def put_entity(
    table: FieldTable,
    current: Columns,
    entity: cython.uint,
    rows: cython.p_longlong,
    rows_at: cython.Py_ssize_t,
    masks: cython.p_ulonglong,
    masks_at: cython.Py_ssize_t,
    creating: cython.bint,
    packer: Packer,
) -> cython.bint:
    """Write one created or masked-updated entity; False, and the packer unmoved, if it is not of the common case.

    A component is written when it has a row and, unless creating, a mask that is not 0.
    """
    components: cython.int = table.component_count
    buf: cython.p_uchar = packer.buf
    at: cython.Py_ssize_t = packer.at
    widths: cython.p_int = table.bits
    flips: cython.p_ulonglong = table.flip
    spans: cython.p_ulonglong = table.span
    lows: cython.p_longlong = table.low
    columns: cython.pointer(cython.p_longlong) = current.columns  # type: ignore[valid-type]  # a C type
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
                return False
            value ^= flips[field]
            bits = widths[field]
            field += 1
    store_be64(buf, at, word)
    packer.at = at + ((fill + 7) >> 3)
    return True


def read_created(
    table: FieldTable, made: Columns, reader: Reader, index: cython.Py_ssize_t, count: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Read created entities from ``index`` on; the index of the first that is not of the common case, or ``count``.

    Entities with every component all have the same size and layout. So first their ids and masks are looked at, then
    one column after the other is filled.
    """
    buf: cython.p_uchar = reader.buf
    pos: cython.Py_ssize_t = reader.pos
    component: cython.int
    at: cython.Py_ssize_t
    good: cython.Py_ssize_t
    if pos & 7:
        if reader.strict and buf[pos >> 3] & (255 >> (pos & 7)):
            return index
        pos += 8 - (pos & 7)
    good = (reader.end - pos) // (8 * table.entity_plain_bytes)
    if count - index < good:
        good = count - index
    for component in range(table.component_count):
        if made.room[component] - made.rows[component] < good:
            good = made.room[component] - made.rows[component]
    good = _alike(table, made, buf, pos >> 3, reader.strict, index, good, reader.entity)
    for component in range(table.component_count):
        good = _read_columns(table, made, component, buf, pos >> 3, good)
    for component in range(table.component_count):
        made.rows[component] += good
        if made.noted:
            for at in range(index, index + good):
                made.present[component][at] = 1
    if good > 0:
        reader.pos = pos + 8 * table.entity_plain_bytes * good
        reader.entity = made.keys[index + good - 1]
    return index + good


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _alike(
    table: FieldTable,
    made: Columns,
    buf: cython.p_uchar,
    start: cython.Py_ssize_t,
    strict: cython.bint,
    index: cython.Py_ssize_t,
    count: cython.Py_ssize_t,
    previous: cython.longlong,
) -> cython.Py_ssize_t:
    """How many entities from ``start`` on have every component, every field, ids that ascend and clean padding."""
    entity: cython.longlong
    component: cython.int
    number: cython.Py_ssize_t
    full: cython.ulonglong
    size: cython.Py_ssize_t = table.entity_plain_bytes
    padding: cython.int = (1 << (8 * size - table.entity_plain_bits)) - 1 if strict else 0
    for number in range(count):
        entity = load_le32(buf, start)
        if entity <= previous or buf[start + size - 1] & padding:
            return number
        if load_be64(buf, start + 4) >> (64 - table.component_count) != table.all_components:
            return number
        for component in range(table.component_count):
            full = table.full_mask[component]
            if (load_be64(buf, start + table.mask_byte[component]) >> table.mask_shift[component]) & full != full:
                return number
        made.keys[index + number] = entity
        previous = entity
        start += size
    return count


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _read_columns(
    table: FieldTable,
    made: Columns,
    component: cython.int,
    buf: cython.p_uchar,
    start: cython.Py_ssize_t,
    count: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """One component's columns for entities that are alike; how many of them have all its values in range."""
    field: cython.int
    shift: cython.int
    at: cython.Py_ssize_t
    number: cython.Py_ssize_t
    size: cython.Py_ssize_t = table.entity_plain_bytes
    row: cython.Py_ssize_t = made.rows[component]
    value: cython.ulonglong
    mask: cython.ulonglong
    flip: cython.ulonglong
    span: cython.ulonglong
    low: cython.longlong
    column: cython.p_longlong
    for field in range(table.first[component], table.first[component] + table.fields[component]):
        at = start + table.field_byte[field]
        shift = table.field_shift[field]
        mask = table.field_mask[field]
        flip = table.flip[field]
        span = table.span[field]
        low = table.low[field]
        column = made.columns[field]
        for number in range(count):
            value = ((load_be64(buf, at) >> shift) & mask) ^ flip
            if value > span:
                count = number
                break
            if cython.compiled:
                column[row + number] = value + low
            else:
                column[row + number] = as_signed(value + low)
            at += size
    return count


def read_updated(table: FieldTable, target: Target, reader: Reader, count: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Read masked updates into a target whose every entity has every component; how many were read of ``count``."""
    columns: Columns = target.columns
    buf: cython.p_uchar = reader.buf
    strict: cython.bint = reader.strict
    components: cython.int = table.component_count
    pos: cython.Py_ssize_t = reader.pos
    cursor: cython.Py_ssize_t = target.cursor
    previous: cython.longlong = reader.entity
    entity: cython.longlong
    done: cython.Py_ssize_t = 0
    component: cython.int
    at: cython.Py_ssize_t
    touched: cython.ulonglong
    last: cython.Py_ssize_t = reader.end - table.entity_plain_bits
    while done < count:
        if pos & 7:
            if strict and buf[pos >> 3] & (255 >> (pos & 7)):
                break
            pos += 8 - (pos & 7)
        if pos > last:
            break
        entity = load_le32(buf, pos >> 3)
        if entity <= previous:
            break
        while cursor < columns.count and columns.keys[cursor] < entity:
            cursor += 1
        if cursor == columns.count or columns.keys[cursor] != entity:
            break
        at = pos + 32
        touched = load_be64(buf, at >> 3)
        at += components
        for component in range(components):
            if (touched >> (63 - component)) & 1:
                at = _read_masked(table, columns, component, cursor, buf, at)
                if at < 0:
                    break
        if at < 0:
            break
        previous = entity
        pos = at
        done += 1
    reader.pos = pos
    target.cursor = cursor
    reader.entity = previous
    return done


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _read_masked(
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
    columns: cython.pointer(cython.p_longlong) = target.columns  # type: ignore[valid-type]  # a C type
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
                columns[field][row] = as_signed(word + lows[field])
        field += 1
    return pos
