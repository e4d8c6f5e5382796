"""Floats to the whole numbers that are sent (a compiled kernel)."""
# retick: floats -- values are rounded for sending; no simulation reads them back on a server

import math
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.libc.math import floor, rint

__all__ = ["steps_of", "turn_of"]

TURN = 2 * math.pi


def stepped(value: cython.double, low: cython.double, step: cython.double, span: cython.longlong) -> cython.longlong:
    """Steps from ``low`` to a value, rounded to the nearest (halves to the even one), from 0 to ``span``."""
    steps: cython.double = (value - low) / step
    if not steps > 0:
        return 0
    if steps >= span:
        return span
    if cython.compiled:
        return cython.cast(cython.longlong, rint(steps))
    return round(steps)


def turned(value: cython.double) -> cython.longlong:
    """An angle as 65536ths of a turn, 0 to 65535."""
    turns: cython.double = value / TURN
    if turns - turns != 0:
        return 0  # infinite
    if cython.compiled:
        return cython.cast(cython.longlong, rint((turns - floor(turns)) * 65536)) & 65535
    return round((turns - math.floor(turns)) * 65536) & 65535


def steps_of(value: Any, low: Any, step: Any, span: Any) -> int:
    """As ``stepped``, for Python code."""
    return stepped(value, low, step, span)


def turn_of(value: Any) -> int:
    """As ``turned``, for Python code."""
    return turned(value)
