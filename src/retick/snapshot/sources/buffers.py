"""Columns over a user's buffers (a compiled kernel).

A buffer of the right item type is read where it lies. Other native integers, and items that do not lie side by side,
are widened into a new column. Everything else is left to the caller: see the package.
"""

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython import array as carray
    from cython.cimports.cpython.buffer import Py_buffer
    from cython.cimports.cpython.memoryview import PyMemoryView_FromObject, PyMemoryView_GET_BUFFER
    from cython.cimports.libc.string import memmove
    from cython.cimports.retick.snapshot.kernels.columns import UNCHECKED, Columns, blank_columns
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
else:
    from retick.snapshot.kernels.columns import UNCHECKED, Columns, blank_columns
    from retick.snapshot.kernels.table import FieldTable

__all__ = ["columns_of_buffers"]

_SIGNED = array("q")
_IDS = array("I")
_BYTES = array("B")


def columns_of_buffers(cls: Any, table: FieldTable, tick: Any, ids: Any, columns: Any, present: Any) -> Any:
    """The snapshot over these buffers, or None; ``columns`` and ``present`` by component id, as users give them."""
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
        """A copy of presence, since rows are counted once and must stay what it says."""
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
        """The letter of a native integer type, of a buffer with one dimension; else 0."""
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
        """Every item as a 64-bit number; False if one does not fit a signed one, and the field does not wrap."""
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
        """Presence copied and counted into ``made``; None if it is not all 0 and 1."""
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
