# cython: nonecheck=True
"""Encodes the changes from one set of entities to another as packed bits (a compiled kernel).

docs/formats/world-server.md describes the bits. :mod:`retick.authority.compact` reads them.
"""

from array import array
from typing import Any

from retick.authority.rows import Rows
from retick.snapshot import Snapshot

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython import array as carray
    from cython.cimports.libc.math import sqrt
    from cython.cimports.libc.string import memcmp, memcpy
    from cython.cimports.retick.snapshot.columns import Columns, FieldTable, blank_columns, ints, uchars, uints, ulongs
    from cython.cimports.retick.wire.bits import BitWriter
else:
    from math import sqrt

    from retick.snapshot.columns import Columns, FieldTable, as_signed, blank_columns, ints, uchars, uints, ulongs
    from retick.wire.bits import BitWriter

if not cython.compiled:
    SHORT = 7  # C constant: bits of a value that is always sent as it is
    CLAMPED, WRAPPED = 1, 2  # C constants: how a field is carried on


def carried_on(base: Rows, earlier: Rows, tick: Any, layout: Any) -> Rows:
    """``base`` extrapolated to a later tick: every measure changes on as it did since ``earlier``."""
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
        # The nearest integer, by a division that rounds down whatever the sign.
        twice: cython.longlong = 2 * moved * ahead + apart
        rest: cython.longlong = (twice % (2 * apart) + 2 * apart) % (2 * apart)
        here += (twice - rest) // (2 * apart)
        if smooth[first + field] == WRAPPED:
            here &= 65535
        else:
            here = max(0, min(cython.cast(cython.longlong, spans[first + field]), here))
        right[at + field] = here


def encode_body(base: Rows, rows: Rows, layout: Any) -> bytes:
    """The bits that turn ``base`` into ``rows``."""
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
    """Bits for the destroyed entities; and for each entity of ``rows`` that was created or has changed, its index,
    bits, and whether it is new. The sum is never less than what the body takes."""
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
    """Pairs of indices in both for each changed entity, -1 for one that is gone; and the indices of new ones."""
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
    """Write the fields of an entity that differ from ``before``, whose numbers begin at ``old``."""
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
    """Write a number as itself, or as its difference in a quarter, a half or three quarters of the bits."""
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
                # One one for each shorter form that was too short, then a zero.
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
    """Write a number from 1 on: a zero for each bit after its highest, then itself."""
    bits: cython.int = 0
    while value >> (bits + 1):
        bits += 1
    if bits:
        writer._put(0, bits)
    writer._put(value, bits + 1)


# Selects the entities that one receiver gets, and what it gets of them (a compiled kernel).

# retick: floats -- distances decide who is sent what; no simulation reads them


def priorities(survey: Any, seat: Any, point: Any, full: cython.double, none: cython.double) -> Any:
    """The urgency of each entity to a receiver at a point: 1 up to ``full`` away, 0 from ``none`` on.

    Entities without a place, and the receiver's own, get 1.
    """
    count: cython.Py_ssize_t = len(survey.ids)
    size: cython.Py_ssize_t = len(point)
    own: cython.int = seat
    index: cython.Py_ssize_t
    axis: cython.Py_ssize_t
    sum_of_squares: cython.double
    away: cython.double
    made = array("d", bytes(8 * count))
    if cython.compiled:
        given: carray.array = survey.places
        places: cython.p_double = given.data.as_doubles
        owner_array: carray.array = survey.owners
        owners: cython.p_uchar = owner_array.data.as_uchars
        from_array: carray.array = array("d", point)
        start: cython.p_double = from_array.data.as_doubles
        made_array: carray.array = made
        out: cython.p_double = made_array.data.as_doubles
    else:
        places, owners, start, out = survey.places, survey.owners, point, made
    for index in range(count):
        sum_of_squares = 0.0
        for axis in range(size):
            away = places[index * size + axis] - start[axis]
            sum_of_squares += away * away
        if owners[index] == own or sum_of_squares != sum_of_squares:
            out[index] = 1.0
        else:
            away = sqrt(sum_of_squares)
            out[index] = 1.0 if away <= full else (0.0 if away >= none else (none - away) / (none - full))
    return made


def watched(survey: Any, seat: Any, urgent: Any, hidden: bytes, visible: Any) -> tuple[Any, set[int]]:
    """The indices of the entities that a receiver gets, and the ids of those that are things.

    ``urgent``: from :func:`priorities`, or None; ``hidden``: for each component, whether only the holder's owner sees
    it; ``visible(player, thing)``, or None if all are visible. An item is seen only with its holder, and holders have
    lower ids. Of the seats, which come last, a receiver gets its own and those that own a thing it sees.
    """
    count: cython.Py_ssize_t = len(survey.ids)
    seats: cython.int = len(hidden) - 1
    own: cython.int = seat
    index: cython.Py_ssize_t
    kind: cython.int
    picked = array("i")
    seen: set[int] = set()
    owning: set[int] = {seat}
    theirs: dict[int, int] = {}
    cells: list[Any] = survey.cells
    if cython.compiled:
        id_array: carray.array = survey.ids
        ids: cython.p_uint = id_array.data.as_uints
        kind_array: carray.array = survey.kinds
        kinds: cython.p_uchar = kind_array.data.as_uchars
        owner_array: carray.array = survey.owners
        owners: cython.p_uchar = owner_array.data.as_uchars
        holder_array: carray.array = survey.holders
        holders: cython.p_uint = holder_array.data.as_uints
    else:
        ids, kinds, owners, holders = survey.ids, survey.kinds, survey.owners, survey.holders
    for index in range(count):
        kind = kinds[index]
        if kind == 0 or (kind == seats and owners[index] in owning):
            picked.append(index)
            continue
        if kind == seats or (urgent is not None and not urgent[index] > 0.0):
            continue
        if holders[index] and holders[index] not in seen:
            continue
        if hidden[kind] and theirs.get(holders[index]) != own:
            continue
        if visible is not None and not visible(seat, cells[index]):
            continue
        picked.append(index)
        seen.add(ids[index])
        owning.add(owners[index])
        theirs[ids[index]] = owners[index]
    return picked, seen


def restricted(survey: Any, seat: Any, picked: Any, seen: set[int], layout: Any) -> Rows:
    """The rows of the picked entities, reduced to what one receiver may know.

    Fields for the owner only have their defaults for everybody else, and references to unseen things are none.
    """
    count: cython.Py_ssize_t = len(picked)
    own: cython.int = seat
    index: cython.Py_ssize_t
    source: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    begin: cython.Py_ssize_t
    size: cython.Py_ssize_t
    widths = layout.widths
    ids = array("I", bytes(4 * count))
    kinds = array("B", bytes(count))
    starts = array("i", bytes(4 * (count + 1)))
    total: cython.Py_ssize_t = 0
    for index in range(count):
        total += widths[survey.kinds[picked[index]]]
    values = array("Q", bytes(8 * total))
    whole = survey.values
    components: list[Any] = layout.components
    for index in range(count):
        source = picked[index]
        kind: cython.int = survey.kinds[source]
        component = components[kind]
        begin = survey.starts[source]
        size = widths[kind]
        ids[index] = survey.ids[source]
        kinds[index] = kind
        starts[index] = at
        if cython.compiled:
            numbers: carray.array = whole
            made: carray.array = values
            memcpy(made.data.as_ulonglongs + at, numbers.data.as_ulonglongs + begin, 8 * size)
        else:
            values[at : at + size] = whole[begin : begin + size]
        if component.secrets and survey.owners[source] != own:
            first: cython.Py_ssize_t = layout.firsts[kind]
            for out in component.secrets:
                values[at + out] = layout.defaults[first + out]
        for out in component.links:
            if values[at + out] not in seen:
                values[at + out] = 0
        at += size
    starts[count] = at
    return Rows(survey.tick, ids, kinds, starts, values)


# Converts rows of a world to the columns of compact snapshots, and back (a compiled kernel).
#
# Theory of operation. Compact snapshots have the compactly coded fields of the tables, one column each. Columns are
# numbered through all components: those of component c go from ``begins[c]`` to ``begins[c + 1]``. ``offsets`` has for
# each column its place in the row of an entity. ``members`` has for each component that of the compact schema, or -1 if
# it has no such field. :mod:`retick.authority.compact` makes them.

_ALL_BITS = (1 << 64) - 1


def columns_of(rows: Rows, tick: Any, tables: Any) -> Any:
    """The snapshot of the compact fields of some rows, at a tick."""
    table: FieldTable = tables.table
    made: Columns = blank_columns(Snapshot, table, tick)
    count: cython.Py_ssize_t = len(rows.ids)
    index: cython.Py_ssize_t
    to: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t
    row: cython.Py_ssize_t
    column: cython.Py_ssize_t
    component: cython.int
    ids: cython.p_uint = uints(rows.ids)
    kinds: cython.p_uchar = uchars(rows.kinds)
    starts: cython.p_int = ints(rows.starts)
    values: cython.p_ulonglong = ulongs(rows.values)
    members: cython.p_int = ints(tables.members)
    begins: cython.p_int = ints(tables.begins)
    offsets: cython.p_int = ints(tables.offsets)
    for index in range(count):
        component = members[kinds[index]]
        if component >= 0:
            made.room[component] += 1
            to += 1
    made.allocate(to, made.room)
    made.note_absent(to)
    if cython.compiled:
        for component in range(table.component_count):
            for index in range(to):
                made.present[component][index] = 0
    else:
        for flags in made.present:
            flags[:] = bytes(to)
    to = 0
    for index in range(count):
        component = members[kinds[index]]
        if component < 0:
            continue
        made.keys[to] = ids[index]
        made.present[component][to] = 1
        row = made.rows[component]
        made.rows[component] = row + 1
        at = starts[index]
        for column in range(begins[kinds[index]], begins[kinds[index] + 1]):
            if cython.compiled:
                made.columns[column][row] = cython.cast(cython.longlong, values[at + offsets[column]])
            else:
                made.columns[column][row] = as_signed(values[at + offsets[column]])
        to += 1
    made.finish(to)
    return made


def rows_of(columns: Columns, middle: Rows, tick: Any, tables: Any) -> Rows:
    """The rows of a snapshot with the entities of ``middle``, which provides all other fields."""
    index: cython.Py_ssize_t
    at: cython.Py_ssize_t
    row: cython.Py_ssize_t
    column: cython.Py_ssize_t
    component: cython.int
    values = array("Q", middle.values)
    passed = array("i", bytes(4 * len(tables.members)))  # rows of each component that are done
    kinds: cython.p_uchar = uchars(middle.kinds)
    starts: cython.p_int = ints(middle.starts)
    numbers: cython.p_ulonglong = ulongs(values)
    members: cython.p_int = ints(tables.members)
    begins: cython.p_int = ints(tables.begins)
    offsets: cython.p_int = ints(tables.offsets)
    done: cython.p_int = ints(passed)
    for index in range(len(middle.ids)):
        component = members[kinds[index]]
        if component < 0:
            continue
        row = done[component]
        done[component] = row + 1
        at = starts[index]
        for column in range(begins[kinds[index]], begins[kinds[index] + 1]):
            if cython.compiled:
                numbers[at + offsets[column]] = cython.cast(cython.ulonglong, columns.columns[column][row])
            else:
                numbers[at + offsets[column]] = columns.columns[column][row] & _ALL_BITS
    return Rows(tick, middle.ids, middle.kinds, middle.starts, values)


def middle_of(base: Rows, rows: Rows, tables: Any) -> Rows:
    """``rows`` with the compact fields of ``base``, and those of new entities at their defaults.

    The structure of a compact snapshot turns ``base`` into this; the rest of the snapshot turns it into ``rows``.
    """
    old: cython.Py_ssize_t = 0
    olds: cython.Py_ssize_t = len(base.ids)
    new: cython.Py_ssize_t
    at: cython.Py_ssize_t
    before: cython.Py_ssize_t
    column: cython.Py_ssize_t
    is_old: cython.bint
    values = array("Q", rows.values)
    old_ids: cython.p_uint = uints(base.ids)
    new_ids: cython.p_uint = uints(rows.ids)
    old_kinds: cython.p_uchar = uchars(base.kinds)
    new_kinds: cython.p_uchar = uchars(rows.kinds)
    old_starts: cython.p_int = ints(base.starts)
    new_starts: cython.p_int = ints(rows.starts)
    old_values: cython.p_ulonglong = ulongs(base.values)
    numbers: cython.p_ulonglong = ulongs(values)
    defaults: cython.p_ulonglong = ulongs(tables.defaults)
    begins: cython.p_int = ints(tables.begins)
    offsets: cython.p_int = ints(tables.offsets)
    for new in range(len(rows.ids)):
        while old < olds and old_ids[old] < new_ids[new]:
            old += 1
        is_old = old < olds and old_ids[old] == new_ids[new] and old_kinds[old] == new_kinds[new]
        before = old_starts[old] if is_old else 0
        at = new_starts[new]
        for column in range(begins[new_kinds[new]], begins[new_kinds[new] + 1]):
            numbers[at + offsets[column]] = old_values[before + offsets[column]] if is_old else defaults[column]
    return Rows(base.tick, rows.ids, rows.kinds, rows.starts, values)
