"""Arrays as C pointers: where the items of a Python array lie (a compiled kernel).

Uncompiled, each function returns the array itself. Whoever keeps a pointer must keep the array alive, too.
"""

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython import array as carray

__all__ = ["doubles", "ints", "kept", "longs", "uchars", "uints", "ulongs"]


def kept(owners: list[Any], code: str, values: Any) -> Any:
    """An array of these values that lives as long as ``owners``."""
    made = array(code, values)
    owners.append(made)
    return made


# One function for each C type: a function returns one type only.


def uchars(space: Any) -> cython.p_uchar:
    """Of an ``array("B")``."""
    if cython.compiled:
        held: carray.array = space
        return held.data.as_uchars
    return space


def ints(space: Any) -> cython.p_int:
    """Of an ``array("i")``."""
    if cython.compiled:
        held: carray.array = space
        return held.data.as_ints
    return space


def uints(space: Any) -> cython.p_uint:
    """Of an ``array("I")``."""
    if cython.compiled:
        held: carray.array = space
        return held.data.as_uints
    return space


def longs(space: Any) -> cython.p_longlong:
    """Of an ``array("q")``."""
    if cython.compiled:
        held: carray.array = space
        return held.data.as_longlongs
    return space


def ulongs(space: Any) -> cython.p_ulonglong:
    """Of an ``array("Q")``."""
    if cython.compiled:
        held: carray.array = space
        return held.data.as_ulonglongs
    return space


def doubles(space: Any) -> cython.p_double:
    """Of an ``array("d")``."""
    if cython.compiled:
        held: carray.array = space
        return held.data.as_doubles
    return space
