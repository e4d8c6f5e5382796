"""Entity state as columns: ids, and one 64-bit integer column for each field (a compiled kernel).

Contents: arrays as C pointers; a schema as flat arrays; the columns; columns from other columns; columns over a user's
buffers; columns from plain mappings; columns from objects; bound columns.

A component's columns have one row for each entity that has the component, in the order of the ids, so that an entity
costs memory only for its own components. If every entity has it, row and entity index are the same. Unsigned 64-bit
fields are stored in their column as the signed number with the same bits.

The decoder makes *owned* columns: one block for all, which nothing outside can change. A user's columns are read in
place, through buffers that are held as long as the object lives.
"""

from array import array
from collections.abc import Callable
from typing import Any, NamedTuple

from retick.errors import UsageError

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython import array as carray
    from cython.cimports.cpython.buffer import Py_buffer
    from cython.cimports.cpython.float import PyFloat_AS_DOUBLE, PyFloat_Check
    from cython.cimports.cpython.long import PyLong_AsLongLongAndOverflow, PyLong_CheckExact
    from cython.cimports.cpython.memoryview import PyMemoryView_FromObject, PyMemoryView_GET_BUFFER
    from cython.cimports.cpython.number import PyNumber_Index
    from cython.cimports.libc.math import rint
    from cython.cimports.libc.string import memcpy, memmove
    from cython.cimports.retick.snapshot.layout import FIXED_WIDTH
else:
    from retick.snapshot.layout import FIXED_WIDTH

# Arrays as C pointers: the address of a Python array's items.
#
# Uncompiled, each function returns the array itself. Code that keeps a pointer must keep the array alive, too.


@cython.cfunc
def kept(owners: list[Any], code: str, values: Any) -> Any:
    """An array of these values that lives as long as ``owners``."""
    made = array(code, values)
    owners.append(made)
    return made


# One function for each C type, because a function returns only one type.


@cython.cfunc
def uchars(space: Any) -> cython.p_uchar:
    """The items of an ``array("B")``."""
    if cython.compiled:
        held: carray.array = space
        return held.data.as_uchars
    return space


@cython.cfunc
def ints(space: Any) -> cython.p_int:
    """The items of an ``array("i")``."""
    if cython.compiled:
        held: carray.array = space
        return held.data.as_ints
    return space


@cython.cfunc
def uints(space: Any) -> cython.p_uint:
    """The items of an ``array("I")``."""
    if cython.compiled:
        held: carray.array = space
        return held.data.as_uints
    return space


@cython.cfunc
def longs(space: Any) -> cython.p_longlong:
    """The items of an ``array("q")``."""
    if cython.compiled:
        held: carray.array = space
        return held.data.as_longlongs
    return space


@cython.cfunc
def ulongs(space: Any) -> cython.p_ulonglong:
    """The items of an ``array("Q")``."""
    if cython.compiled:
        held: carray.array = space
        return held.data.as_ulonglongs
    return space


@cython.cfunc
def doubles(space: Any) -> cython.p_double:
    """The items of an ``array("d")``."""
    if cython.compiled:
        held: carray.array = space
        return held.data.as_doubles
    return space


# A schema as flat arrays of numbers, the form in which the kernels read it.
#
# Fields are numbered through all components. Every field that is not a varint is coded the same way, so that the inner
# loops have no branch by kind::
#
#     u = value - low        must be <= span, as unsigned 64-bit numbers
#     wire = u ^ flip        flip is the sign bit of a signed field, which makes it two's complement; else 0
#
# A mask of a component's fields lies in words of up to 64 fields; in each word the first field is the highest bit, as
# on the wire.

# A varint may need 7 bits of padding before its five bytes.
_WORST_VARINT_BITS = 47


class FieldRow(NamedTuple):
    """One field, as the table takes it."""

    coding: int
    """FIXED_WIDTH, VARUINT or VARSINT."""
    bits: int
    """Bits on the wire; 0 for varints."""
    lowest: int
    highest: int
    flip: int
    """The bits in which ``value - lowest`` differs from what is on the wire."""
    wraps: bool
    """Whether the column holds unsigned 64-bit numbers as the signed ones with the same bits."""
    threshold: int
    """A delta carries only larger differences; 0 sends every difference."""
    bools: bool = False
    """Whether a value may be given as True or False."""
    unsigned: bool = False
    """Whether a column may be given as unsigned integers."""


@cython.cclass
class FieldTable:
    """The kernels' form of a schema, made once."""

    schema: Any  # public: that it was made from
    component_count: cython.int  # readonly
    field_count: cython.int  # readonly
    word_count: cython.int  # readonly: mask words of all components
    widest: cython.int  # readonly: fields of the component with the most
    entity_worst_bytes: cython.Py_ssize_t  # readonly: most bytes that one entity can take, in any section
    all_plain: cython.bint  # readonly: entities can go the fast way
    all_components: cython.ulonglong  # then: a full component mask
    entity_plain_bytes: cython.Py_ssize_t  # then: the same, padded
    entity_plain_bits: cython.Py_ssize_t  # then: one entity with everything
    entity_least_bits: cython.int  # readonly: fewest bits that one entity takes in a create section
    # by field
    coding: cython.p_int  # FIXED_WIDTH, VARUINT or VARSINT
    bits: cython.p_int  # 0 for varints
    low: cython.p_longlong
    span: cython.p_ulonglong
    flip: cython.p_ulonglong
    threshold: cython.p_longlong  # 0 sends every difference
    wraps: cython.p_int  # unsigned values lie in the column as signed ones
    bools: cython.p_int  # a value may be True or False
    unsigned: cython.p_int  # a column may be given as unsigned integers
    # by component
    component_id: cython.p_int
    first: cython.p_int  # number of its first field
    fields: cython.p_int
    first_word: cython.p_int
    words: cython.p_int
    plain: cython.p_int  # every field has 1 to 57 bits
    value_bits: cython.p_longlong  # all fields that are not varints
    least_bits: cython.p_longlong  # field mask and values at their shortest
    index_bits: cython.p_int  # of a field's index in a packed entry
    has_threshold: cython.p_int
    # where things lie in a created entity with every component, from its first byte, if all_plain
    mask_byte: cython.p_int  # by component: the byte in which its field mask starts
    mask_shift: cython.p_int  # and how far to shift the eight bytes from there to the right
    field_byte: cython.p_int  # by field
    field_shift: cython.p_int
    field_mask: cython.p_ulonglong
    # by mask word
    mask_width: cython.p_int  # fields in it
    full_mask: cython.p_ulonglong
    _owners: list[Any]  # keep the arrays alive

    def __init__(self, components: Any) -> None:
        """Takes pairs of a component id and its FieldRows."""
        groups = [group for _id, group in components]
        fields = [field for group in groups for field in group]
        counts = [len(group) for group in groups]
        words = [(count + 63) // 64 for count in counts]
        varints = [sum(field.coding != FIXED_WIDTH for field in group) for group in groups]
        value_bits = [sum(field.bits for field in group) for group in groups]
        fixed_bits = [count + bits for count, bits in zip(counts, value_bits, strict=True)]
        worst = [bits + _WORST_VARINT_BITS * n for bits, n in zip(fixed_bits, varints, strict=True)]
        self.component_count = len(groups)
        self.field_count = len(fields)
        self.word_count = sum(words)
        self.widest = max(counts, default=0)
        self.entity_least_bits = 32 + len(groups)
        self._owners = []
        self.coding = self._ints([field.coding for field in fields])
        self.bits = self._ints([field.bits for field in fields])
        self.low = self._longs([field.lowest for field in fields])
        self.span = self._unsigned([field.highest - field.lowest for field in fields])
        self.flip = self._unsigned([field.flip for field in fields])
        self.threshold = self._longs([field.threshold for field in fields])
        self.wraps = self._ints([field.wraps for field in fields])
        self.bools = self._ints([field.bools for field in fields])
        self.unsigned = self._ints([field.unsigned for field in fields])
        self.component_id = self._ints([identity for identity, _group in components])
        self.first = self._ints(_offsets(counts))
        self.fields = self._ints(counts)
        self.first_word = self._ints(_offsets(words))
        self.words = self._ints(words)
        # A field of at most 57 bits lies within the eight bytes from its first, whatever bit it starts at.
        plain = [all(1 <= field.bits <= 57 for field in group) for group in groups]
        self.plain = self._ints(plain)
        # The same holds for masks, so that whole entities can take the fast path.
        self.all_plain = 1 <= len(groups) <= 57 and all(plain) and all(1 <= count <= 57 for count in counts)
        self.all_components = (1 << len(groups)) - 1 if self.all_plain else 0
        self.entity_plain_bits = 32 + len(groups) + sum(counts) + sum(value_bits)
        self.entity_plain_bytes = (self.entity_plain_bits + 7) // 8
        self.value_bits = self._longs(value_bits)
        self.least_bits = self._longs([bits + 8 * n for bits, n in zip(fixed_bits, varints, strict=True)])
        index_bits = [max(0, count - 1).bit_length() for count in counts]
        self.index_bits = self._ints(index_bits)
        self.has_threshold = self._ints([any(field.threshold for field in group) for group in groups])
        self._place_fields(groups)
        widths = [min(64, count - start) for count in counts for start in range(0, count, 64)]
        self.mask_width = self._ints(widths)
        self.full_mask = self._unsigned([(1 << width) - 1 for width in widths])
        # A masked entity, or each component of it as a packed entry with three varints before it.
        masked = 4 + (len(groups) + sum(worst) + 7) // 8
        packed = sum(15 + (w + n * i + 7) // 8 for w, n, i in zip(worst, counts, index_bits, strict=True))
        self.entity_worst_bytes = max(masked, packed) + 16

    def _place_fields(self, groups: Any) -> None:
        """Compute where masks and fields are in a created entity with every component: always at the same bit."""
        position = 32 + len(groups)
        mask_places = []
        field_places = []
        for group in groups:
            mask_places.append((position, len(group)))
            position += len(group)
            for field in group:
                field_places.append((position, field.bits))
                position += field.bits
        plain = self.all_plain
        self.mask_byte = self._ints([at >> 3 for at, _ in mask_places])
        self.mask_shift = self._ints([64 - (at & 7) - bits if plain else 0 for at, bits in mask_places])
        self.field_byte = self._ints([at >> 3 for at, _ in field_places])
        self.field_shift = self._ints([64 - (at & 7) - bits if plain else 0 for at, bits in field_places])
        self.field_mask = self._unsigned([(1 << bits) - 1 for _, bits in field_places])

    @cython.cfunc
    def _ints(self, values: Any) -> cython.p_int:
        return ints(kept(self._owners, "i", values))

    @cython.cfunc
    def _longs(self, values: Any) -> cython.p_longlong:
        return longs(kept(self._owners, "q", values))

    @cython.cfunc
    def _unsigned(self, values: Any) -> cython.p_ulonglong:
        return ulongs(kept(self._owners, "Q", values))


def _offsets(counts: Any) -> Any:
    starts = []
    total = 0
    for count in counts:
        starts.append(total)
        total += count
    return starts


if cython.compiled:
    from cython.cimports.cpython import array as carray
    from cython.cimports.cpython.memoryview import PyMemoryView_GET_BUFFER
    from cython.cimports.cpython.object import PyObject, PyTypeObject
    from cython.cimports.libc.stdlib import calloc, free
    from cython.cimports.libc.string import memcpy

else:
    UNCHECKED = 0  # C constant: the ids may change under us: look each time
    ASCENDING = 1  # C constant
    UNSORTED = 2  # C constant


# The columns: what every snapshot consists of.

_SIGNED = array("q")
_IDS = array("I")
_BYTES = array("B")


@cython.cclass
class Columns:
    """The storage of :class:`retick.snapshot.Snapshot`."""

    if not cython.compiled:
        __slots__ = (
            "_ids_owner",
            "_owners",
            "_present_owner",
            "columns",
            "count",
            "keys",
            "noted",
            "order",
            "owned",
            "present",
            "room",
            "rows",
            "table",
            "tick",
        )

    tick: Any  # readonly
    count: cython.Py_ssize_t  # readonly: entities
    owned: cython.bint  # readonly: nobody else can change the content
    table: FieldTable  # readonly
    order: cython.int
    noted: cython.bint  # presence is being written down
    keys: cython.p_uint
    columns: cython.pp_longlong  # by field: one value a row
    present: cython.pp_uchar  # by component: one byte an entity, or NULL when every entity has it
    rows: cython.p_Py_ssize_t  # by component: how many entities have it
    room: cython.p_Py_ssize_t  # by component: rows that fit the columns
    _ids_owner: Any
    _present_owner: Any
    _owners: Any

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.columns)

    @cython.cfunc
    def start(self, table: FieldTable, tick: Any) -> cython.void:
        fields: cython.Py_ssize_t = table.field_count
        components: cython.Py_ssize_t = table.component_count
        self.table = table
        self.tick = tick
        self.count = 0
        self.owned = True
        self.noted = False
        self.order = ASCENDING
        self._present_owner = None
        if cython.compiled:
            # One block: pointers of columns, pointers of presence, rows, room.
            block: cython.pointer(cython.p_longlong) = cython.cast(
                cython.pointer(cython.p_longlong), calloc(fields + 3 * components + 1, 8)
            )
            self.columns = block
            self.present = cython.cast(cython.pointer(cython.p_uchar), block + fields)
            self.rows = cython.cast(cython.pointer(cython.Py_ssize_t), block + fields + components)
            self.room = self.rows + components
        else:
            self.keys = self._ids_owner = array("I")
            self.columns = [None] * fields
            self.present = [None] * components
            self.rows = [0] * components
            self.room = [0] * components

    @cython.cfunc
    def allocate(self, entities: cython.Py_ssize_t, room: cython.p_Py_ssize_t) -> cython.void:
        """Allocate owned space for so many ids and rows; if ``entities`` is 0, the ids stay as they are."""
        table: FieldTable = self.table
        total: cython.Py_ssize_t = 0
        at: cython.Py_ssize_t = 0
        component: cython.int
        field: cython.int
        for component in range(table.component_count):
            self.room[component] = room[component]
            total += room[component] * table.fields[component]
        if entities > 0:
            if cython.compiled:
                ids: carray.array = carray.clone(_IDS, entities, False)
                self.keys = ids.data.as_uints
            else:
                ids = array("I", bytes(4 * entities))
                self.keys = ids
            self._ids_owner = ids
        if cython.compiled:
            block: carray.array = carray.clone(_SIGNED, total, False)
            start: cython.p_longlong = block.data.as_longlongs
        else:
            block = array("q", bytes(8 * total))
            view = memoryview(block)
        self._owners = block
        for component in range(table.component_count):
            for field in range(table.first[component], table.first[component] + table.fields[component]):
                if cython.compiled:
                    self.columns[field] = start + at
                else:
                    self.columns[field] = view[at : at + room[component]]
                at += room[component]

    @cython.cfunc
    def grow(self, component: cython.int) -> cython.void:
        """Double the room of one component, keeping its content."""
        old: Columns = blank_columns(Columns, self.table, 0)
        every: cython.int
        field: cython.int
        old._owners = self._owners
        for field in range(self.table.field_count):
            old.columns[field] = self.columns[field]
        for every in range(self.table.component_count):
            old.room[every] = self.room[every]
        old.room[component] = 2 * old.room[component] + 16
        self.allocate(0, old.room)
        for every in range(self.table.component_count):
            if self.rows[every] == 0:
                continue  # such a column may have no memory yet, and C forbids to copy even nothing from there
            for field in range(self.table.first[every], self.table.first[every] + self.table.fields[every]):
                if cython.compiled:
                    memcpy(self.columns[field], old.columns[field], 8 * self.rows[every])
                else:
                    self.columns[field][: self.rows[every]] = old.columns[field][: self.rows[every]]

    @cython.cfunc
    def note_absent(self, entities: cython.Py_ssize_t) -> cython.void:
        """Note the first entity that lacks some component: from here on presence is recorded, all ones so far."""
        components: cython.Py_ssize_t = self.table.component_count
        component: cython.int
        if cython.compiled:
            block: carray.array = carray.clone(_BYTES, components * entities, False)
            at: cython.Py_ssize_t
            for at in range(components * entities):
                block.data.as_uchars[at] = 1
            for component in range(components):
                self.present[component] = block.data.as_uchars + component * entities
        else:
            block = array("B", b"\x01" * (components * entities))
            view = memoryview(block)
            for component in range(components):
                self.present[component] = view[component * entities : (component + 1) * entities]
        self._present_owner = block
        self.noted = True

    @cython.cfunc
    def finish(self, count: cython.Py_ssize_t) -> cython.void:
        """Finish after ``count`` entities: a component that every one has needs no presence."""
        component: cython.int
        self.count = count
        for component in range(self.table.component_count):
            if self.rows[component] == count:
                if cython.compiled:
                    self.present[component] = cython.NULL
                else:
                    self.present[component] = None

    @cython.cfunc
    def first_disorder(self) -> cython.Py_ssize_t:
        """The index of the first id that is not above the one before it; 0 if all ascend."""
        index: cython.Py_ssize_t
        if self.order == ASCENDING:
            return 0
        for index in range(1, self.count):
            if self.keys[index] <= self.keys[index - 1]:
                return index
        if self.owned:
            self.order = ASCENDING
        return 0

    def _take_over(self, table: FieldTable, tick: Any, ids: Any, columns: Any, present: Any, owned: bool) -> None:
        """Take over valid memoryviews: ids as ``I``, columns as ``q``, presence as ``B`` or None."""
        index: cython.Py_ssize_t
        component: cython.int
        self.start(table, tick)
        self.count = len(ids)
        self.owned = owned
        self.order = UNCHECKED
        self._ids_owner = ids
        self._owners = columns
        self._present_owner = present
        for component in range(table.component_count):
            flags = present[component]
            self.rows[component] = self.count if flags is None else sum(flags)
            self.room[component] = self.rows[component]
        if cython.compiled:
            self.keys = cython.cast(cython.p_uint, PyMemoryView_GET_BUFFER(ids).buf)
            for index in range(table.field_count):
                self.columns[index] = cython.cast(cython.p_longlong, PyMemoryView_GET_BUFFER(columns[index]).buf)
            for component in range(table.component_count):
                flags = present[component]
                if flags is not None:
                    self.present[component] = cython.cast(cython.p_uchar, PyMemoryView_GET_BUFFER(flags).buf)
        else:
            self.keys = ids
            self.columns = list(columns)
            self.present = list(present)

    def id_list(self) -> list[int]:
        return [self.keys[index] for index in range(self.count)]

    def has(self, entity: cython.Py_ssize_t, component: cython.int) -> bool:
        """Whether the entity at this index has the component at this index."""
        self._check(component, self.table.component_count, "component")
        self._check(entity, self.count, "entity")
        return self.has_one(entity, component)

    @cython.cfunc
    @cython.exceptval(check=False)
    def has_one(self, entity: cython.Py_ssize_t, component: cython.int) -> cython.bint:
        if cython.compiled:
            return self.present[component] == cython.NULL or self.present[component][entity] != 0
        flags = self.present[component]
        return flags is None or flags[entity] != 0

    def _check(self, index: cython.Py_ssize_t, count: cython.Py_ssize_t, what: str) -> None:
        if not 0 <= index < count:
            raise UsageError(f"{what} {index} is not one of {count}")

    def row_count(self, component: cython.int) -> int:
        """How many entities have the component at this index."""
        self._check(component, self.table.component_count, "component")
        return self.rows[component]  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def value(self, field: cython.int, row: cython.Py_ssize_t) -> int:
        """One value, unsigned if the field is; rows count only the entities that have the field's component."""
        component: cython.int = 0
        self._check(field, self.table.field_count, "field")
        while field >= self.table.first[component] + self.table.fields[component]:
            component += 1
        self._check(row, self.rows[component], "row")
        raw: cython.longlong = self.columns[field][row]
        if raw < 0 and self.table.wraps[field]:
            return int(raw) + 18446744073709551616
        return raw

    def _column_view(self, field: cython.int, component: cython.int) -> Any:
        """A read-only view of one column, without a copy; both indices must be valid."""
        rows: cython.Py_ssize_t = self.rows[component]
        if cython.compiled:
            if rows == 0:
                return memoryview(array("q")).toreadonly()
            if isinstance(self._owners, array):
                block: carray.array = self._owners
                at: cython.Py_ssize_t = self.columns[field] - block.data.as_longlongs
                return memoryview(block)[at : at + rows].toreadonly()
            view = self._owners[field][:rows].toreadonly()
            return view if view.format == "q" else view.cast("B").cast("q")
        return memoryview(self.columns[field])[:rows].toreadonly() if rows else memoryview(array("q")).toreadonly()


@cython.cfunc
def checked_columns(value: Any, table: FieldTable) -> Columns:
    """Return a user's snapshot, if it is one and has this schema; else raise a UsageError."""
    if not isinstance(value, Columns):
        raise UsageError(f"a codec takes a Snapshot, not a {type(value).__name__}")
    columns: Columns = value
    if columns.table is None:
        raise UsageError("a codec takes a Snapshot that was made, not a blank one")
    if columns.table is not table and columns.table.schema != table.schema:
        raise UsageError("the snapshot has another schema than the codec")
    return columns


@cython.cfunc
def blank_columns(cls: Any, table: FieldTable, tick: Any) -> Columns:
    if cython.compiled:
        # The type's own allocator: a subclass may be Python code, and calling it would run its __init__.
        nothing: tuple = ()
        made: Columns = cython.cast(cython.pointer(PyTypeObject), cls).tp_new(
            cls, cython.cast(cython.pointer(PyObject), nothing), cython.cast(cython.pointer(PyObject), 0)
        )
    else:
        made: Columns = cls.__new__(cls)
    made.start(table, tick)
    return made


def as_signed(value: Any) -> Any:
    """Convert a value to what a column holds, for uncompiled kernels: C keeps the bits of an unsigned number."""
    return value - 18446744073709551616 if value > 9223372036854775807 else value


# Columns from other columns: a copy, and a choice of entities from two.


@cython.cfunc
def copy_columns(cls: Any, source: Columns, tick: Any) -> Columns:
    """Copy the entities into owned columns; ids and presence are shared if nobody can change them."""
    table: FieldTable = source.table
    made: Columns = blank_columns(cls, table, tick)
    component: cython.int
    field: cython.int
    rows: cython.Py_ssize_t
    made.allocate(0 if source.owned else source.count, source.rows)
    made.count = source.count
    made.order = source.order
    for component in range(table.component_count):
        rows = source.rows[component]
        made.rows[component] = rows
        made.present[component] = source.present[component]
        if rows == 0:
            continue  # no memory to copy from
        for field in range(table.first[component], table.first[component] + table.fields[component]):
            if cython.compiled:
                memcpy(made.columns[field], source.columns[field], 8 * rows)
            else:
                made.columns[field][:rows] = source.columns[field][:rows]
    if source.owned:
        made.keys = source.keys
        made._ids_owner = source._ids_owner
        made._present_owner = source._present_owner
    else:
        _copy_shape(made, source)
    return made


@cython.cfunc
def _copy_shape(made: Columns, source: Columns) -> cython.void:
    index: cython.Py_ssize_t
    component: cython.int
    for index in range(source.count):
        made.keys[index] = source.keys[index]
    made.note_absent(source.count)
    for component in range(source.table.component_count):
        for index in range(source.count):
            made.present[component][index] = source.has_one(index, component)
    made.finish(source.count)


def duplicate(cls: Any, source: Columns, tick: Any) -> Any:
    """Copy the entities into owned columns."""
    return copy_columns(cls, source, tick)


def select(cls: Any, source: Columns, wanted: Any) -> Any:
    """The entities whose ids are in the set ``wanted``, if they exist; ``source`` itself if it is owned and all are
    wanted."""
    index: cython.Py_ssize_t
    count: cython.Py_ssize_t = 0
    picked = array("q", bytes(8 * source.count))
    places: cython.p_longlong = longs(picked)
    for index in range(source.count):
        if source.keys[index] in wanted:
            places[count] = index
            count += 1
    if count == source.count and source.owned:
        return source
    del picked[count:]
    return gather_columns(cls, source, source, picked, source.tick)


def gather(cls: Any, left: Columns, right: Columns, sources: Any, tick: Any) -> Any:
    """New columns, entity by entity: index i of ``left`` if ``sources`` says i, of ``right`` if it says ~i."""
    return gather_columns(cls, left, right, sources, tick)


@cython.cfunc
def gather_columns(cls: Any, left: Columns, right: Columns, sources: Any, tick: Any) -> Columns:
    """New columns, entity by entity: index i of ``left`` if ``sources`` says i, of ``right`` if it says ~i."""
    table: FieldTable = left.table
    made: Columns = blank_columns(cls, table, tick)
    count: cython.Py_ssize_t = len(sources)
    component: cython.int
    index: cython.Py_ssize_t
    if cython.compiled:
        picked: carray.array = sources
        pick: cython.p_longlong = picked.data.as_longlongs
        taken: carray.array = carray.clone(_SIGNED, count, False)
        take: cython.p_longlong = taken.data.as_longlongs
        for component in range(table.component_count):
            made.room[component] = min(count, left.rows[component] + right.rows[component])
    else:
        pick = sources
        take = [0] * count
        made.room = [min(count, left.rows[c] + right.rows[c]) for c in range(table.component_count)]
    made.allocate(count, made.room)
    made.order = UNCHECKED
    made.note_absent(count)
    for index in range(count):
        if pick[index] >= 0:
            made.keys[index] = left.keys[pick[index]]
        else:
            made.keys[index] = right.keys[~pick[index]]
    for component in range(table.component_count):
        _gather_component(made, left, right, component, pick, take, count)
    made.finish(count)
    return made


@cython.cfunc
def _gather_component(
    made: Columns,
    left: Columns,
    right: Columns,
    component: cython.int,
    pick: cython.p_longlong,
    take: cython.p_longlong,
    count: cython.Py_ssize_t,
) -> cython.void:
    table: FieldTable = made.table
    rows: cython.Py_ssize_t = 0
    index: cython.Py_ssize_t
    row: cython.Py_ssize_t
    field: cython.int
    into: cython.p_longlong
    one: cython.p_longlong
    other: cython.p_longlong
    left_rank = _ranks(left, component)
    right_rank = _ranks(right, component)
    for index in range(count):
        row = pick[index]
        if row >= 0:
            if left_rank is not None:
                row = left_rank[row]
                if row < 0:
                    made.present[component][index] = 0
                    continue
        elif right_rank is not None:
            row = right_rank[~row]
            if row < 0:
                made.present[component][index] = 0
                continue
            row = ~row
        take[rows] = row
        rows += 1
    made.rows[component] = rows
    for field in range(table.first[component], table.first[component] + table.fields[component]):
        into, one, other = made.columns[field], left.columns[field], right.columns[field]
        for index in range(rows):
            row = take[index]
            into[index] = one[row] if row >= 0 else other[~row]


@cython.cfunc
def _ranks(source: Columns, component: cython.int) -> Any:
    """The row of each entity, -1 for those without the component; None if rows equal entity indices."""
    index: cython.Py_ssize_t
    row: cython.Py_ssize_t = 0
    if source.rows[component] == source.count:
        return None
    ranks = []
    for index in range(source.count):
        if source.has_one(index, component):
            ranks.append(row)
            row += 1
        else:
            ranks.append(-1)
    return ranks


# Columns over a user's buffers.
#
# A buffer of the right item type is read in place. Other native integers, and items that are not adjacent, are widened
# into a new column. Everything else is left to the caller: see the package.


def columns_of_buffers(cls: Any, table: FieldTable, tick: Any, ids: Any, columns: Any, present: Any) -> Any:
    """The snapshot over these buffers, or None; ``columns`` and ``present`` are by component id, as users give them."""
    if cython.compiled:
        made: Columns
        component: cython.int
        field: cython.int
        at: cython.int
        rows: cython.Py_ssize_t
        if type(columns) is not dict or len(columns) != table.component_count:
            return None
        if present is not None and type(present) is not dict:
            return None
        try:
            made = blank_columns(cls, table, tick)
            made.owned = False
            made.order = UNCHECKED
            if not _take_ids(made, ids):
                return None
            owners: list = [None] * table.field_count
            flags_of: list = [None] * table.component_count
            named: cython.Py_ssize_t = 0
            for component in range(table.component_count):
                identity = table.component_id[component]
                flags = None if present is None else present.get(identity)
                rows = made.count
                if flags is not None:
                    named += 1
                    flags = _flags(made, component, flags)
                    if flags is None:
                        return None
                    flags_of[component] = flags
                    rows = made.rows[component]
                made.rows[component] = made.room[component] = rows
                given = columns.get(identity)
                if given is None:
                    return None
                buffers: tuple = tuple(given)
                if len(buffers) != table.fields[component]:
                    return None
                for at in range(table.fields[component]):
                    field = table.first[component] + at
                    owner = _take_column(made, field, rows, buffers[at])
                    if owner is None:
                        return None
                    owners[field] = owner
            if present is not None and named != len(present):
                return None
        except (TypeError, ValueError, BufferError):
            return None
        made._owners = owners
        made._present_owner = flags_of
        return made
    return None


if cython.compiled:

    @cython.cfunc
    def _take_ids(made: Columns, ids: Any) -> cython.bint:
        view: object = PyMemoryView_FromObject(ids)
        found: cython.pointer(Py_buffer) = PyMemoryView_GET_BUFFER(view)
        kind: cython.char = _kind(found)
        count: cython.Py_ssize_t
        if kind == 0:
            return False
        count = found.shape[0]
        made.count = count
        if (kind == b"I" or kind == b"L") and found.itemsize == 4 and found.strides[0] == 4:
            made.keys = cython.cast(cython.p_uint, found.buf)
            made._ids_owner = view
            return True
        wide: carray.array = carray.clone(_SIGNED, count, False)
        if not _widen(found, kind, wide.data.as_longlongs, False):
            return False
        narrow: carray.array = carray.clone(_IDS, count, False)
        index: cython.Py_ssize_t
        for index in range(count):
            if not 0 <= wide.data.as_longlongs[index] <= 0xFFFFFFFF:
                return False
            narrow.data.as_uints[index] = cython.cast(cython.uint, wide.data.as_longlongs[index])
        made.keys = narrow.data.as_uints
        made._ids_owner = memoryview(narrow)
        return True

    @cython.cfunc
    def _flags(made: Columns, component: cython.int, flags: Any) -> Any:
        """Copy presence, since rows are counted once and it must not change afterwards."""
        view: object = PyMemoryView_FromObject(flags)
        found: cython.pointer(Py_buffer) = PyMemoryView_GET_BUFFER(view)
        kind: cython.char = _kind(found)
        if kind == 0 or found.itemsize != 1 or found.shape[0] != made.count:
            return None
        return _counted(made, component, cython.cast(cython.p_uchar, found.buf), found.strides[0])

    @cython.cfunc
    def _take_column(made: Columns, field: cython.int, rows: cython.Py_ssize_t, buffer: Any) -> Any:
        view: object = PyMemoryView_FromObject(buffer)
        found: cython.pointer(Py_buffer) = PyMemoryView_GET_BUFFER(view)
        kind: cython.char = _kind(found)
        unsigned: cython.bint = made.table.unsigned[field] != 0
        if kind == 0 or found.shape[0] != rows:
            return None
        if found.itemsize == 8 and found.strides[0] == 8 and (kind == b"q" or kind == b"l" or unsigned):
            made.columns[field] = cython.cast(cython.p_longlong, found.buf)
            return view
        wide: carray.array = carray.clone(_SIGNED, rows, False)
        if not _widen(found, kind, wide.data.as_longlongs, unsigned):
            return None
        made.columns[field] = wide.data.as_longlongs
        return memoryview(wide)

    @cython.cfunc
    @cython.exceptval(check=False)
    def _kind(found: cython.pointer(Py_buffer)) -> cython.char:  # type: ignore[valid-type]  # a C type
        """The letter of a buffer's native integer type, if it has one dimension; else 0."""
        form: cython.p_char = found.format
        if found.ndim != 1 or form == cython.NULL:
            return 0
        if form[0] == b"@" or form[0] == b"=":
            form += 1
        if form[0] == 0 or form[1] != 0:
            return 0
        if form[0] in (b"q", b"l", b"Q", b"L", b"i", b"I", b"h", b"H", b"b", b"B", b"?"):
            return form[0]
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def _widen(
        found: cython.pointer(Py_buffer),  # type: ignore[valid-type]  # a C type
        kind: cython.char,
        into: cython.p_longlong,
        unsigned: cython.bint,
    ) -> cython.bint:
        """Convert every item to a 64-bit number; False if one does not fit a signed one and the field does not wrap."""
        count: cython.Py_ssize_t = found.shape[0]
        stride: cython.Py_ssize_t = found.strides[0]
        at: cython.p_char = cython.cast(cython.p_char, found.buf)
        signed: cython.bint = kind in (b"q", b"l", b"i", b"h", b"b")
        size: cython.Py_ssize_t = found.itemsize
        index: cython.Py_ssize_t
        small: cython.short = 0
        middle: cython.int = 0
        usmall: cython.ushort = 0
        umiddle: cython.uint = 0
        for index in range(count):
            # Items of a structured array need not be aligned.
            if size == 8:
                memmove(into + index, at, 8)
                if not signed and not unsigned and into[index] < 0:
                    return False
            elif size == 4 and signed:
                memmove(cython.address(middle), at, 4)
                into[index] = middle
            elif size == 4:
                memmove(cython.address(umiddle), at, 4)
                into[index] = umiddle
            elif size == 2 and signed:
                memmove(cython.address(small), at, 2)
                into[index] = small
            elif size == 2:
                memmove(cython.address(usmall), at, 2)
                into[index] = usmall
            elif signed:
                into[index] = cython.cast(cython.schar, at[0])
            else:
                into[index] = cython.cast(cython.uchar, at[0])
            at += stride
        return True

    @cython.cfunc
    def _counted(made: Columns, component: cython.int, flags: cython.p_uchar, stride: cython.Py_ssize_t) -> Any:
        """Copy and count presence into ``made``; None if it is not all 0 and 1."""
        index: cython.Py_ssize_t
        rows: cython.Py_ssize_t = 0
        kept: carray.array = carray.clone(_BYTES, made.count, False)
        for index in range(made.count):
            if flags[index * stride] > 1:
                return None
            kept.data.as_uchars[index] = flags[index * stride]
            rows += kept.data.as_uchars[index]
        made.present[component] = kept.data.as_uchars
        made.rows[component] = rows
        return kept


# Columns from plain mappings of numbers.


def columns_of_items(cls: Any, table: FieldTable, tick: Any, items: list) -> Any:  # type: ignore[type-arg]  # a C type
    """The snapshot of pairs of entity id and dict of component id to values; None if the caller must look at it."""
    if cython.compiled:
        made: Columns = blank_columns(cls, table, tick)
        components: cython.int = table.component_count
        component: cython.int
        at: cython.int
        found: cython.int
        entity: cython.longlong
        overflow: cython.int = 0
        index: cython.Py_ssize_t
        count: cython.Py_ssize_t = len(items)
        identities: list = [table.component_id[component] for component in range(components)]
        for component in range(components):
            made.room[component] = count
        made.allocate(count, made.room)
        made.order = UNCHECKED
        try:
            for index in range(count):
                identity, given = items[index]
                if not PyLong_CheckExact(identity) or type(given) is not dict:
                    return None
                entity = PyLong_AsLongLongAndOverflow(identity, cython.address(overflow))
                if overflow or not 0 <= entity <= 0xFFFFFFFF:
                    return None
                made.keys[index] = cython.cast(cython.uint, entity)
                held: dict = given
                found = 0
                for component in range(components):
                    values = held.get(identities[component])
                    if values is None:
                        if not made.noted:
                            made.note_absent(count)
                        made.present[component][index] = 0
                        continue
                    found += 1
                    row: tuple = values if type(values) is tuple else tuple(values)
                    if len(row) != table.fields[component]:
                        return None
                    for at in range(table.fields[component]):
                        if not put_value(made, table.first[component] + at, made.rows[component], row[at]):
                            return None
                    made.rows[component] += 1
                if found != len(held):
                    return None
        except (TypeError, ValueError):
            return None
        made.finish(count)
        return made
    return None


@cython.cfunc
@cython.exceptval(-1, check=False)
def put_value(made: Columns, field: cython.int, row: cython.Py_ssize_t, value: Any) -> cython.bint:
    """Write one number into its column; False if the column cannot hold it."""
    if cython.compiled:
        table: FieldTable = made.table
        overflow: cython.int = 0
        number: cython.longlong
        if value is True or value is False:
            if not table.bools[field]:
                return False
            made.columns[field][row] = value is True
            return True
        whole = value if PyLong_CheckExact(value) else PyNumber_Index(value)
        number = PyLong_AsLongLongAndOverflow(whole, cython.address(overflow))
        if overflow:
            if overflow < 0 or not table.wraps[field] or whole > 18446744073709551615:
                return False
            made.columns[field][row] = whole - 18446744073709551616
            return True
        if number < 0 and table.wraps[field]:
            return False  # it would read as a large number
        made.columns[field][row] = number
        return True
    return False


# Columns from objects of declared components.
#
# A plan says for one class which attribute goes to which column and how it is quantised: by the rule of
# ``Fixed.quantise``.


@cython.final
@cython.cclass
class ObjectPlan:
    """How objects of one class become rows."""

    component: cython.int  # its index in the schema
    names: tuple[Any, ...]  # of the attributes, in schema order
    scales: cython.p_double  # by field; 0 where values are integers as they are
    lowest: cython.p_double  # q, exact as a double
    highest: cython.p_double
    _owners: list[Any]  # keep the arrays alive

    def __init__(self, component: int, names: tuple[str, ...], fixed: list[tuple[int, int, int]]) -> None:
        """``fixed``: scale, lowest and highest q of each field, with scale 0 if values are already integers."""
        self.component = component
        self.names = names
        self._owners = [array("d", numbers) for numbers in zip(*fixed, strict=True)] or [array("d")] * 3
        self.scales = doubles(self._owners[0])
        self.lowest = doubles(self._owners[1])
        self.highest = doubles(self._owners[2])


def columns_of_objects(
    cls: Any,
    table: FieldTable,
    tick: Any,
    items: list,  # type: ignore[type-arg]  # a C type
    plans: dict,  # type: ignore[type-arg]  # a C type
    plan_for: Callable[[type], ObjectPlan | None],
) -> Any:
    """The snapshot of pairs of an entity id and its objects; None if the caller must look at it.

    ``plan_for`` makes the plan of a class that is not in ``plans``, or returns None.
    """
    if cython.compiled:
        made: Columns = blank_columns(cls, table, tick)
        components: cython.int = table.component_count
        component: cython.int
        found: cython.int
        entity: cython.longlong
        overflow: cython.int = 0
        index: cython.Py_ssize_t
        count: cython.Py_ssize_t = len(items)
        plan: ObjectPlan
        seen: carray.array = carray.clone(_SIGNED, components + 1, False)
        for component in range(components):
            made.room[component] = count
            seen.data.as_longlongs[component] = -1
        made.allocate(count, made.room)
        made.order = UNCHECKED
        for index in range(count):
            identity, held = items[index]
            if not PyLong_CheckExact(identity):
                return None
            entity = PyLong_AsLongLongAndOverflow(identity, cython.address(overflow))
            if overflow or not 0 <= entity <= 0xFFFFFFFF:
                return None
            made.keys[index] = cython.cast(cython.uint, entity)
            found = 0
            for item in held:
                known = plans.get(type(item))
                if known is None:
                    known = plan_for(type(item))
                    if known is None:
                        return None
                    plans[type(item)] = known
                plan = known
                component = plan.component
                # The last of two objects of one component wins, which is the caller's job.
                if seen.data.as_longlongs[component] == index or not _put_object(made, plan, item):
                    return None
                seen.data.as_longlongs[component] = index
                made.rows[component] += 1
                found += 1
            if found < components:
                if not made.noted:
                    made.note_absent(count)
                for component in range(components):
                    made.present[component][index] = seen.data.as_longlongs[component] == index
        made.finish(count)
        return made
    return None


@cython.cfunc
def _put_object(made: Columns, plan: ObjectPlan, item: Any) -> cython.bint:
    """Write every attribute into its column; False if one is unusual."""
    if cython.compiled:
        field: cython.int = made.table.first[plan.component]
        row: cython.Py_ssize_t = made.rows[plan.component]
        at: cython.Py_ssize_t
        overflow: cython.int = 0
        number: cython.longlong
        scaled: cython.double
        try:
            for at in range(len(plan.names)):
                value = getattr(item, plan.names[at])
                if plan.scales[at] == 0:
                    if not put_value(made, field + at, row, value):
                        return False
                    continue
                if PyFloat_Check(value):
                    scaled = PyFloat_AS_DOUBLE(value) * plan.scales[at]
                elif PyLong_CheckExact(value):
                    number = PyLong_AsLongLongAndOverflow(value, cython.address(overflow))
                    # Beyond it the product may not be exact.
                    if overflow or not -2097152 <= number <= 2097152:
                        return False
                    scaled = cython.cast(cython.double, number) * plan.scales[at]
                else:
                    return False
                if scaled >= plan.highest[at]:
                    scaled = plan.highest[at]
                elif scaled <= plan.lowest[at]:
                    scaled = plan.lowest[at]
                elif scaled != scaled:
                    return False
                made.columns[field + at][row] = cython.cast(cython.longlong, rint(scaled))
        except (AttributeError, TypeError, ValueError):
            return False
        return True
    return False


# Bound columns: snapshots are taken out of columns that were bound once, and written back.
#
# Columns are bound as a template: a ``Columns`` over all of the user's rows, whose buffers were checked when they were
# bound. Each tick only pointers and rows are taken or written.


@cython.cfunc
@cython.inline
def _has_flags(columns: Columns, component: cython.int) -> cython.bint:
    if cython.compiled:
        return columns.present[component] != cython.NULL
    return columns.present[component] is not None


def bound_snapshot(cls: Any, template: Columns, tick: Any, count: cython.Py_ssize_t) -> Any:
    """The first ``count`` entities, with presence copied; or a component id if one of its flags is not 0 or 1."""
    table: FieldTable = template.table
    made: Columns = blank_columns(cls, table, tick)
    component: cython.int
    field: cython.int
    index: cython.Py_ssize_t
    flagged: cython.bint = False
    made.owned = False
    made.order = UNCHECKED
    made.count = count
    made.keys = template.keys
    made._ids_owner = template._ids_owner
    made._owners = template._owners
    for field in range(table.field_count):
        made.columns[field] = template.columns[field]
    for component in range(table.component_count):
        made.rows[component] = made.room[component] = count
        flagged = flagged or _has_flags(template, component)
    if not flagged:
        return made
    made.note_absent(count)
    for component in range(table.component_count):
        if not _has_flags(template, component):
            continue
        made.rows[component] = 0
        for index in range(count):
            if template.present[component][index] > 1:
                return table.component_id[component]
            made.present[component][index] = template.present[component][index]
            made.rows[component] += template.present[component][index]
    made.finish(count)
    return made


def lacking(template: Columns, source: Columns) -> Any:
    """The first component id that an entity of ``source`` lacks although no presence is bound; else None."""
    component: cython.int
    for component in range(source.table.component_count):
        if source.rows[component] != source.count and not _has_flags(template, component):
            return source.table.component_id[component]
    return None


def write_rows(template: Columns, source: Columns) -> None:
    """Write ids, values and presence of ``source`` into the bound buffers, which must be large enough and writable."""
    table: FieldTable = source.table
    component: cython.int
    field: cython.int
    index: cython.Py_ssize_t
    count: cython.Py_ssize_t = source.count
    rows: cython.Py_ssize_t
    if count == 0:
        return
    if cython.compiled:
        memmove(template.keys, source.keys, 4 * count)
    else:
        template.keys[:count] = source.keys[:count]
    for component in range(table.component_count):
        rows = source.rows[component]
        if _has_flags(template, component):
            for index in range(count):
                template.present[component][index] = source.has_one(index, component)
        if rows == 0:
            continue  # such a column may have no memory
        for field in range(table.first[component], table.first[component] + table.fields[component]):
            if cython.compiled:
                memmove(template.columns[field], source.columns[field], 8 * rows)
            else:
                template.columns[field][:rows] = source.columns[field][:rows]
