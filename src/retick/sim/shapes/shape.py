"""What vectors and rectangles are made of: up to four floats that change in place (a compiled kernel)."""
# retick: floats -- they are kept as their bits; only exact operations are done with them

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

from typing import Any

from retick.sim.maths.arguments import as_float

if cython.compiled:
    from cython.cimports.cpython.object import PyObject, PyTypeObject

__all__ = ["Shape", "blank", "copied", "number_of"]


@cython.cclass
class Shape:
    """Four floats, none a NaN. A vector uses the first two; a rectangle of integers holds whole numbers."""

    if not cython.compiled:
        __slots__ = ("_h", "_w", "_x", "_y")
        _x: float
        _y: float
        _w: float
        _h: float


def blank(cls: Any) -> Any:
    """A new shape of a class, all zero."""
    if cython.compiled:
        # As cls.__new__(cls), without the search for it: C memory starts as zeros. The arguments are never NULL: what
        # Cython makes may look at them.
        nothing: tuple[()] = ()
        return cython.cast(cython.pointer(PyTypeObject), cls).tp_new(
            cls, cython.cast(cython.pointer(PyObject), nothing), cython.NULL
        )
    made: Shape = cls.__new__(cls)
    made._x = made._y = made._w = made._h = 0.0
    return made


def copied(shape: Shape) -> Shape:
    """A new shape of the same class with the same numbers."""
    made: Shape = blank(type(shape))
    made._x = shape._x
    made._y = shape._y
    made._w = shape._w
    made._h = shape._h
    return made


def number_of(value: Any) -> cython.double:
    """A float or an int as a float; a TypeError for what is neither."""
    if isinstance(value, (int, float)):
        return float(value)
    return as_float(value, "a shape")
