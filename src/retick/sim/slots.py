"""Records as rows of integer slots: the immutable states of :mod:`retick.sim.record` (a compiled kernel).

A row has one 64-bit slot for each declared field. Compiled, the row is the content of one ``bytes`` object, so that
saving a state is a memory copy; uncompiled it is a tuple. A field narrower than 64 bits is sign- or zero-extended in
its slot; an unsigned 64-bit field is stored as the signed number with the same bits.
"""

from array import array
from typing import Any, NoReturn

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
    from cython.cimports.cpython.object import PyObject, PyTypeObject

__all__ = ["FlatRecord", "PartField", "SlotField", "fill_record", "make_record", "slots_checksum"]


@cython.cclass
class FlatRecord:
    """An immutable row of slots; :class:`retick.sim.record.Record` gives its slots their names."""

    if not cython.compiled:
        __slots__ = ("_data",)
        _data: Any

    def _slots(self) -> tuple[int, ...]:
        """Every slot, as signed 64-bit integers."""
        if cython.compiled:
            row: cython.p_longlong = cython.cast(cython.p_longlong, PyBytes_AS_STRING(self._data))
            return tuple([row[index] for index in range(len(self._data) // 8)])
        return self._data  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        mine: FlatRecord = self
        theirs: FlatRecord = other
        return mine._data == theirs._data  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def __hash__(self) -> int:
        return hash(self._data)

    def __copy__(self) -> "FlatRecord":
        return self

    def __deepcopy__(self, _memo: object) -> "FlatRecord":
        return self


@cython.cfunc
def blank_record(cls: Any) -> Any:
    """A record of class ``cls`` without a row; for kernels."""
    # The type's own allocator: a record class is Python code, and calling it would run its __init__.
    if cython.compiled:
        nothing: tuple = ()
        return cython.cast(cython.pointer(PyTypeObject), cls).tp_new(
            cls,
            cython.cast(cython.pointer(PyObject), nothing),
            cython.cast(cython.pointer(PyObject), 0),
        )
    return cls.__new__(cls)


def fill_record(record: Any, slots: Any) -> None:
    """Give a blank record its row; AttributeError if it has one, since a record never changes."""
    target: FlatRecord = record
    if getattr(record, "_data", None) is not None:
        raise AttributeError(f"{type(record).__name__} is immutable: use replace()")
    if cython.compiled:
        target._data = array("q", slots).tobytes()
    else:
        target._data = tuple(slots)


def make_record(cls: Any, slots: Any) -> Any:
    """A record of class ``cls`` over ``slots``, which must fit it: nothing is checked here."""
    record = blank_record(cls)
    fill_record(record, slots)
    return record


@cython.cclass
class SlotField:
    """Reads one slot of a record as an attribute; ``kind`` is that of a float, a bool or an enum."""

    if not cython.compiled:
        index: int
        unsigned64: bool
        is_real: bool
        kind: Any

    def __init__(self, index: int, unsigned64: bool, kind: Any = None) -> None:
        self.index = index
        self.unsigned64 = unsigned64
        self.kind = kind
        self.is_real = kind is not None and kind.is_real

    def __get__(self, record: Any, owner: Any) -> Any:
        if record is None:
            return self
        row: FlatRecord = record
        value: cython.longlong
        if cython.compiled:
            if row._data is None or not 0 <= self.index < PyBytes_GET_SIZE(row._data) // 8:
                raise AttributeError("this record was never given its values, or is of another class")
            if self.is_real:
                return cython.cast(cython.p_double, PyBytes_AS_STRING(row._data))[self.index]
            value = cython.cast(cython.p_longlong, PyBytes_AS_STRING(row._data))[self.index]
            if self.unsigned64:
                return cython.cast(cython.ulonglong, value)
        else:
            value = row._data[self.index]
            if self.unsigned64 and value < 0:
                return value + 18446744073709551616
        if self.kind is not None:
            return self.kind.value(self.kind.from_slot(value))
        return value

    def __set__(self, record: Any, value: Any) -> NoReturn:
        raise AttributeError(f"{type(record).__name__} is immutable: use replace()")


@cython.cclass
class PartField:
    """Reads a record inside another as an attribute: a copy of its slots."""

    if not cython.compiled:
        kind: Any
        index: int
        size: int

    def __init__(self, kind: Any, index: int, size: int) -> None:
        self.kind = kind
        self.index = index
        self.size = size

    def __get__(self, record: Any, owner: Any) -> Any:
        if record is None:
            return self
        whole: FlatRecord = record
        part: FlatRecord = blank_record(self.kind)
        if cython.compiled:
            if whole._data is None or not 0 <= self.index <= PyBytes_GET_SIZE(whole._data) // 8 - self.size:
                raise AttributeError("this record was never given its values, or is of another class")
            part._data = PyBytes_FromStringAndSize(PyBytes_AS_STRING(whole._data) + self.index * 8, self.size * 8)
        else:
            part._data = whole._data[self.index : self.index + self.size]
        return part

    def __set__(self, record: Any, value: Any) -> NoReturn:
        raise AttributeError(f"{type(record).__name__} is immutable: use replace()")


def slots_checksum(slots: Any, wide: Any) -> int:
    """FNV-1a over a row of slots, one round each; slots marked in ``wide`` add one for their upper half."""
    digest: cython.ulonglong = 2166136261
    mask: cython.ulonglong = 4294967295
    value: cython.longlong
    index: cython.Py_ssize_t = 0
    for slot in slots:
        value = slot
        digest = ((digest ^ (value & mask)) * 16777619) & mask
        if wide[index]:
            digest = ((digest ^ ((value >> 32) & mask)) * 16777619) & mask
        index += 1
    return digest
