# cython: nonecheck=True
"""What makes one set of entities into another, as packed bits (a compiled kernel).

docs/formats/world-server.md describes the bits. :mod:`retick.authority.world.bodies` reads them.
"""

from array import array
from typing import Any

from retick.authority.world.rows import Rows

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython import array as carray
    from cython.cimports.libc.string import memcmp
    from cython.cimports.retick.wire.bits import BitWriter
else:
    from retick.wire.bits import BitWriter

    SHORT = 7  # bits of a value that is always sent as it is
    CLAMPED, WRAPPED = 1, 2  # how a field is carried on

__all__ = ["carried_on", "costs_of", "encode_body"]


def carried_on(base: Rows, earlier: Rows, tick: Any, layout: Any) -> Rows:
    """``base`` as it would be at a later tick if every measure changed on as it did since ``earlier``."""
    old: cython.Py_ssize_t = 0
    new: cython.Py_ssize_t
    olds: cython.Py_ssize_t = len(earlier.ids)
    ahead: cython.longlong = tick - base.tick
    apart: cython.longlong = base.tick - earlier.tick
    values = array("Q", base.values)
    if cython.compiled:
        old_array: carray.array = earlier.ids
        old_ids: cython.p_uint = old_array.data.as_uints
        new_array: carray.array = base.ids
        new_ids: cython.p_uint = new_array.data.as_uints
    else:
        old_ids, new_ids = earlier.ids, base.ids
    for new in range(len(base.ids)):
        while old < olds and old_ids[old] < new_ids[new]:
            old += 1
        if old < olds and old_ids[old] == new_ids[new] and earlier.kinds[old] == base.kinds[new]:
            _carry(values, base.starts[new], earlier.values, earlier.starts[old], layout, base.kinds[new], ahead, apart)
    return Rows(tick, base.ids, base.kinds, base.starts, values)


@cython.cfunc
def _carry(
    values: Any,
    at: cython.Py_ssize_t,
    before: Any,
    old: cython.Py_ssize_t,
    layout: Any,
    kind: cython.Py_ssize_t,
    ahead: cython.longlong,
    apart: cython.longlong,
) -> cython.void:
    first: cython.Py_ssize_t = layout.firsts[kind]
    size: cython.Py_ssize_t = layout.widths[kind]
    field: cython.Py_ssize_t
    if cython.compiled:
        left_array: carray.array = before
        left: cython.p_ulonglong = left_array.data.as_ulonglongs
        right_array: carray.array = values
        right: cython.p_ulonglong = right_array.data.as_ulonglongs
        span_array: carray.array = layout.spans
        spans: cython.p_ulonglong = span_array.data.as_ulonglongs
        smooth_array: carray.array = layout.smooth
        smooth: cython.p_uchar = smooth_array.data.as_uchars
    else:
        left, right, spans, smooth = before, values, layout.spans, layout.smooth
    for field in range(size):
        if smooth[first + field] == 0 or left[old + field] == right[at + field]:
            continue
        here: cython.longlong = right[at + field]
        moved: cython.longlong = here - cython.cast(cython.longlong, left[old + field])
        if smooth[first + field] == WRAPPED:
            moved = ((moved + 32768) & 65535) - 32768
        # The nearest whole number, by a division that rounds down whatever the sign.
        twice: cython.longlong = 2 * moved * ahead + apart
        rest: cython.longlong = (twice % (2 * apart) + 2 * apart) % (2 * apart)
        here += (twice - rest) // (2 * apart)
        if smooth[first + field] == WRAPPED:
            here &= 65535
        else:
            here = max(0, min(cython.cast(cython.longlong, spans[first + field]), here))
        right[at + field] = here


def encode_body(base: Rows, rows: Rows, layout: Any) -> bytes:
    """The bits that make ``rows`` of ``base``."""
    touched, created = _differences(base, rows)
    writer = BitWriter()
    _put_gamma(writer, len(touched) + 1)
    before: cython.Py_ssize_t = -1
    for old, new in touched:
        _put_gamma(writer, old - before)
        before = old
        writer._put(new < 0, 1)
        if new >= 0:
            _put_changed(writer, base, old, rows, new, layout)
    start: cython.longlong = base.values[0] if len(base.values) else 1  # the id that the next item got
    known = [new for new in created if rows.ids[new] < start]
    for news, first in ((known, 0), (created[len(known) :], start)):
        _put_gamma(writer, len(news) + 1)
        last: cython.longlong = first - 1
        for new in news:
            entity: cython.longlong = rows.ids[new]
            _put_gamma(writer, entity - last)
            last = entity
            _put_created(writer, rows, new, layout)
    return writer.to_bytes()


def costs_of(base: Rows, rows: Rows, layout: Any) -> tuple[int, list[tuple[int, int, bool]]]:
    """Bits for the destroyed entities; and for each entity of ``rows`` that was created or has changed its index, bits,
    and whether it is new. The sum is never less than what the body takes."""
    touched, created = _differences(base, rows)
    gap: cython.Py_ssize_t = 2 * len(base.ids).bit_length() + 2
    writer = BitWriter()
    found: list[tuple[int, int, bool]] = []
    # The three counts, and padding.
    destroyed: cython.Py_ssize_t = 2 * (len(touched) + 1).bit_length() + 4 * (len(created) + 1).bit_length() + 8
    start: cython.Py_ssize_t
    for old, new in touched:
        if new < 0:
            destroyed += gap
            continue
        start = writer.bit_count
        _put_changed(writer, base, old, rows, new, layout)
        found.append((new, writer.bit_count - start + gap, False))
    for new in created:
        start = writer.bit_count
        _put_gamma(writer, rows.ids[new] + 1)
        _put_created(writer, rows, new, layout)
        found.append((new, writer.bit_count - start, True))
    return destroyed, found


def _differences(base: Rows, rows: Rows) -> tuple[list[Any], list[Any]]:
    """Pairs of indices in both for each entity that has changed, -1 for one that is gone; and indices of new ones."""
    touched: list[Any] = []
    created: list[Any] = []
    old: cython.Py_ssize_t = 0
    new: cython.Py_ssize_t = 0
    olds: cython.Py_ssize_t = len(base.ids)
    news: cython.Py_ssize_t = len(rows.ids)
    if cython.compiled:
        old_array: carray.array = base.ids
        old_ids: cython.p_uint = old_array.data.as_uints
        new_array: carray.array = rows.ids
        new_ids: cython.p_uint = new_array.data.as_uints
    else:
        old_ids, new_ids = base.ids, rows.ids
    while old < olds or new < news:
        if new == news or (old < olds and old_ids[old] < new_ids[new]):
            touched.append((old, -1))
            old += 1
        elif old == olds or new_ids[new] < old_ids[old]:
            created.append(new)
            new += 1
        else:
            if base.kinds[old] != rows.kinds[new]:
                touched.append((old, -1))
                created.append(new)
            elif not _is_same(base, old, rows, new):
                touched.append((old, new))
            old += 1
            new += 1
    return touched, created


@cython.cfunc
def _is_same(base: Any, old: cython.Py_ssize_t, rows: Any, new: cython.Py_ssize_t) -> cython.bint:
    a: cython.Py_ssize_t = base.starts[old]
    b: cython.Py_ssize_t = rows.starts[new]
    size: cython.Py_ssize_t = rows.starts[new + 1] - b
    if cython.compiled:
        left: carray.array = base.values
        right: carray.array = rows.values
        return memcmp(left.data.as_ulonglongs + a, right.data.as_ulonglongs + b, 8 * size) == 0
    return base.values[a : a + size] == rows.values[b : b + size]  # type: ignore[no-any-return]  # rows are untyped here


@cython.cfunc
def _put_changed(
    writer: BitWriter, base: Any, old: cython.Py_ssize_t, rows: Any, new: cython.Py_ssize_t, layout: Any
) -> cython.void:
    begin: cython.Py_ssize_t = base.starts[old]
    _put_changes(writer, base.values, begin, rows, new, layout, False)


@cython.cfunc
def _put_created(writer: BitWriter, rows: Any, new: cython.Py_ssize_t, layout: Any) -> cython.void:
    kind: cython.int = rows.kinds[new]
    bits: cython.int = layout.component_bits
    first: cython.Py_ssize_t = layout.firsts[kind]
    if bits:
        writer._put(kind, bits)
    _put_changes(writer, layout.defaults, first, rows, new, layout, True)


@cython.cfunc
def _put_changes(
    writer: BitWriter,
    before: Any,
    old: cython.Py_ssize_t,
    rows: Any,
    index: cython.Py_ssize_t,
    layout: Any,
    is_new: cython.bint,
) -> cython.void:
    """The fields of an entity that differ from ``before``, whose numbers begin at ``old``."""
    kind: cython.int = rows.kinds[index]
    new: cython.Py_ssize_t = rows.starts[index]
    size: cython.Py_ssize_t = layout.widths[kind]
    first: cython.Py_ssize_t = layout.firsts[kind]
    count: cython.Py_ssize_t = 0
    field: cython.Py_ssize_t
    last: cython.Py_ssize_t = -1
    if cython.compiled:
        left_array: carray.array = before
        left: cython.p_ulonglong = left_array.data.as_ulonglongs
        right_array: carray.array = rows.values
        right: cython.p_ulonglong = right_array.data.as_ulonglongs
        bits_array: carray.array = layout.bits
        bits: cython.p_int = bits_array.data.as_ints
    else:
        left, right, bits = before, rows.values, layout.bits
    for field in range(size):
        count += left[old + field] != right[new + field]
    _put_gamma(writer, count + is_new)
    for field in range(size):
        if left[old + field] != right[new + field]:
            _put_gamma(writer, field - last)
            last = field
            _put_value(writer, right[new + field], left[old + field], bits[first + field])


@cython.cfunc
def _put_value(writer: BitWriter, value: cython.ulonglong, before: cython.ulonglong, bits: cython.int) -> cython.void:
    """A number as itself, or as its difference in a quarter, a half or three quarters of the bits."""
    part: cython.int
    width: cython.int
    away: cython.longlong
    if bits > SHORT:
        if cython.compiled:
            away = cython.cast(cython.longlong, (value - before) << (64 - bits)) >> (64 - bits)
        else:
            away = (value - before) & ((1 << bits) - 1)
            away -= (away >> (bits - 1)) << bits
        for part in range(1, 4):
            width = part * bits // 4
            edge: cython.longlong = away >> (width - 1)
            if edge == 0 or edge == -1:
                # As many ones as shorter forms were too short, and a zero.
                writer._put((1 << part) - 2, part)
                if cython.compiled:
                    writer._put(
                        cython.cast(cython.ulonglong, away) & ((cython.cast(cython.ulonglong, 1) << width) - 1), width
                    )
                else:
                    writer._put(away & ((1 << width) - 1), width)
                return
        writer._put(7, 3)
    writer._put(value, bits)


@cython.cfunc
def _put_gamma(writer: BitWriter, value: cython.longlong) -> cython.void:
    """A number from 1 on: a zero for each bit after its highest, then itself."""
    bits: cython.int = 0
    while value >> (bits + 1):
        bits += 1
    if bits:
        writer._put(0, bits)
    writer._put(value, bits + 1)
