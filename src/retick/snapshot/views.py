"""A user's buffer, or list, as a view of the integers that a column holds; each error names column and entity.

The fast way for buffers of the usual types is ``sources.buffers``. This is the whole rule, and the only way uncompiled.
"""

from array import array
from collections.abc import Callable
from operator import index
from sys import byteorder
from typing import Any, Literal, NamedTuple

from retick.errors import UsageError

__all__ = ["COLUMN", "FLAGS", "IDS", "UNSIGNED", "ItemKind", "exact_view", "integer_view"]


class ItemKind(NamedTuple):
    """The items of one sort of buffer."""

    code: Literal["I", "q", "B"]
    """In which they are read."""
    size: int
    """Bytes."""
    taken: str
    """Formats that are read without a copy, if their items have the right size."""
    lowest: int
    highest: int


IDS = ItemKind("I", 4, "IL", 0, (1 << 32) - 1)
FLAGS = ItemKind("B", 1, "Bb?", 0, 1)
COLUMN = ItemKind("q", 8, "ql", -(1 << 63), (1 << 63) - 1)
UNSIGNED = ItemKind("q", 8, "qlQL", -(1 << 63), (1 << 64) - 1)
"""A column of an unsigned field: numbers above 2**63 - 1 lie in it as the signed ones with the same bits."""

_INTEGERS = "bBhHiIlLqQnN?"
_NATIVE = ("@", "=", "<" if byteorder == "little" else ">")
"""Prefixes of a format that change nothing; ctypes always writes one."""
_PREFIXES = ("@", "=", "<", ">", "!")

EntityOf = Callable[[int], int]
"""The id of the entity in a row."""


def integer_view(buffer: Any, kind: ItemKind, what: str, entity_of: EntityOf | None = None) -> memoryview:
    """A contiguous view of the wanted item type; of a converted copy where the buffer is of another."""
    try:
        view = memoryview(buffer)
    except TypeError:
        return memoryview(_converted(buffer, kind, what, entity_of))
    if _reads_as(view, kind):
        return _cast(view, kind)
    if view.ndim != 1:
        raise UsageError(f"{what} must have one dimension, not {view.ndim}")
    if len(view) and _letter(view.format) not in _INTEGERS:
        raise UsageError(f"{what} must hold integers, not items of format {view.format!r}: quantise floats first")
    return memoryview(_converted(_listed(buffer, view), kind, what, entity_of))


def exact_view(buffer: Any, kind: ItemKind, what: str) -> memoryview:
    """The same without a conversion: a buffer of another item type is refused."""
    try:
        view = memoryview(buffer)
    except TypeError:
        raise UsageError(f"{what} must be a buffer to be bound, not a {type(buffer).__name__}") from None
    if not _reads_as(view, kind):
        raise UsageError(
            f"{what} must be contiguous integers of {kind.size} bytes to be bound, not items of format "
            f"{view.format!r} with shape {view.shape} and strides {view.strides}"
        )
    return _cast(view, kind)


def _letter(form: str) -> str:
    return form[1:] if form[:1] in _PREFIXES else form


def _reads_as(view: memoryview, kind: ItemKind) -> bool:
    form = view.format[1:] if view.format[0] in _NATIVE else view.format
    same_kind = len(form) == 1 and form in kind.taken and view.itemsize == kind.size
    return same_kind and view.contiguous and view.ndim == 1


def _cast(view: memoryview, kind: ItemKind) -> memoryview:
    return view.cast("B").cast(kind.code) if view.format != kind.code else view


def _listed(buffer: Any, view: memoryview) -> Any:
    """The items; of a format that a memoryview cannot read, such as the other byte order, as the owner gives them."""
    try:
        return view.tolist()
    except NotImplementedError:
        return buffer.tolist() if hasattr(buffer, "tolist") else buffer


def _converted(values: Any, kind: ItemKind, what: str, entity_of: EntityOf | None) -> "array[int]":
    """64-bit numbers of unsigned fields become the signed ones with the same bits."""
    made = array(kind.code)
    try:
        given = list(values)
    except TypeError:
        raise UsageError(f"{what} must be a buffer or a list of integers, not {values!r}") from None
    for row, value in enumerate(given):
        try:
            number = index(value)
        except TypeError:
            raise UsageError(f"{what}, {_where(row, entity_of)}: {value!r} is not an integer") from None
        if not kind.lowest <= number <= kind.highest:
            raise UsageError(f"{what}, {_where(row, entity_of)}: {number} is not from {kind.lowest} to {kind.highest}")
        made.append(number - (1 << 64) if kind is UNSIGNED and number > COLUMN.highest else number)
    return made


def _where(row: int, entity_of: EntityOf | None) -> str:
    if entity_of is None:
        return f"index {row}"
    try:
        return f"entity {entity_of(row)}"
    except IndexError:
        return f"row {row}"
