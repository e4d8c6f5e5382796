"""Entity state as columns: ids, and one 64-bit integer column for each field (a compiled kernel).

A component's columns have one row for each entity that has the component, in the order of the ids, so that an entity
costs memory only for what it has. Where every entity has it, row and entity index are the same number. Unsigned
64-bit fields lie in their column as the signed number with the same bits.

What the decoder makes is *owned*: one block for all columns, that nothing outside can change. What a user brings is
read where it lies, through buffers held for as long as the object lives.
"""

from array import array
from typing import Any

from retick.errors import UsageError

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython import array as carray
    from cython.cimports.cpython.memoryview import PyMemoryView_GET_BUFFER
    from cython.cimports.cpython.object import PyObject, PyTypeObject
    from cython.cimports.libc.stdlib import calloc, free
    from cython.cimports.libc.string import memcpy
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
else:
    from retick.snapshot.kernels.table import FieldTable

    UNCHECKED, ASCENDING, UNSORTED = 0, 1, 2

__all__ = ["Columns", "as_signed", "blank_columns", "checked_columns"]

_SIGNED = array("q")
_IDS = array("I")
_BYTES = array("B")


@cython.cclass
class Columns:
    """The storage of :class:`retick.snapshot.Snapshot`; see the .pxd for what each member holds."""

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
        tick: Any
        count: int
        owned: bool
        table: FieldTable
        order: int
        noted: bool
        keys: Any
        columns: Any
        present: Any
        rows: Any
        room: Any
        _ids_owner: Any
        _present_owner: Any
        _owners: Any

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.columns)

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

    def allocate(self, entities: cython.Py_ssize_t, room: cython.pointer(cython.Py_ssize_t)) -> cython.void:  # type: ignore[valid-type]  # a C type
        """Owned space for so many ids and rows; without ``entities`` the ids stay what they are."""
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

    def grow(self, component: cython.int) -> cython.void:
        """Double the room of one component, and keep what was there."""
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

    def note_absent(self, entities: cython.Py_ssize_t) -> cython.void:
        """The first entity without some component: from here on presence is written down, all ones so far."""
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

    def finish(self, count: cython.Py_ssize_t) -> cython.void:
        """All ``count`` entities are in: a component that every one has needs no presence."""
        component: cython.int
        self.count = count
        for component in range(self.table.component_count):
            if self.rows[component] == count:
                if cython.compiled:
                    self.present[component] = cython.NULL
                else:
                    self.present[component] = None

    def first_disorder(self) -> cython.Py_ssize_t:
        """Index of the first id that is not above the one before it; 0 when all ascend."""
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
        """Take over memoryviews: ids as ``I``, columns as ``q``, presence as ``B`` or None; all are right for it."""
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
        """One value, unsigned where the field is; a row counts the entities that have the field's component."""
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
        """A read-only view of one column, without a copy; both indices are right."""
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


def checked_columns(value: Any, table: FieldTable) -> Columns:
    """What a user gave as a snapshot, if it is one and of this schema."""
    if not isinstance(value, Columns):
        raise UsageError(f"a codec takes a Snapshot, not a {type(value).__name__}")
    columns: Columns = value
    if columns.table is None:
        raise UsageError("a codec takes a Snapshot that was made, not a blank one")
    if columns.table is not table and columns.table.schema != table.schema:
        raise UsageError("the snapshot has another schema than the codec")
    return columns


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
    """A value as a column holds it, for uncompiled kernels: C stores the bits of an unsigned number as they are."""
    return value - 18446744073709551616 if value > 9223372036854775807 else value
