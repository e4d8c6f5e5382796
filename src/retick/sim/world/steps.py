"""How the fields of a thing are packed: runs of scalars, and one step for each other field (a compiled kernel).

A run is some fields that follow one another and are always there, so that they are packed at once. Each slot of a run
has a form: its size in bytes, and marks. docs/formats/world.md describes the bytes.
"""

import struct
from array import array
from collections.abc import Sequence
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if not cython.compiled:
    # The form of a slot: its size in the lowest four bits, and these.
    SIGNED = 16
    IS_REAL = 32
    BOUNDED = 64

__all__ = ["Step"]


@cython.cclass
class Step:
    """A run of scalars (``field`` is None), or one other field with the form of its scalar if it has one."""

    if not cython.compiled:
        field: Any
        first: int
        count: int
        size: int
        forms: bytes
        least: Any
        greatest: Any
        kinds: tuple[Any, ...]
        names: tuple[Any, ...]
        packed: Any
        is_checked: bool

    def __init__(self, field: Any, first: Any, kinds: Sequence[Any], names: Sequence[str]) -> None:
        self.field = field
        self.first = first
        self.kinds = tuple(kinds)
        self.names = tuple(names)
        self.count = len(self.kinds)
        self.packed = struct.Struct("<" + "".join(kind.code for kind in kinds))
        self.size = self.packed.size
        self.forms = bytes(_form(kind) for kind in kinds)
        # The bounds of what is bounded by its width are never looked at.
        bounds = [(kind.least, kind.greatest) if _form(kind) & BOUNDED else (0, 0) for kind in self.kinds]
        self.least = array("q", [least for least, _ in bounds]).tobytes()
        self.greatest = array("q", [greatest for _, greatest in bounds]).tobytes()
        self.is_checked = any(form & (BOUNDED | IS_REAL) for form in self.forms)


def _form(kind: Any) -> int:
    form: int = kind.size
    if kind.is_real:
        form |= IS_REAL
    elif kind.least < 0:
        form |= SIGNED
    elif kind.greatest - kind.least != (1 << (8 * kind.size)) - 1:
        form |= BOUNDED
    return form
