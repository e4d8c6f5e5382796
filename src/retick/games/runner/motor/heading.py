"""The direction in which a player wants to go (a compiled kernel): the axes of a command, turned by the yaw.

Sine and cosine are computed here, because the C library's may differ in the last bit between machines. Each is its
Taylor series on [-pi/4, pi/4], up to the term that no longer changes a binary64.
"""

# retick: floats -- only correctly rounded operations in a fixed order; see docs/games/runner.md

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.libc.math import sqrt
    from cython.cimports.retick.games.runner.motor import rows as r
else:
    from math import sqrt

    from retick.games.runner.motor import rows as r

__all__ = ["set_wish"]


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _series(s: cython.double, a: cython.double, b: cython.double, c: cython.double, d: cython.double,
            e: cython.double, f: cython.double, g: cython.double, h: cython.double) -> cython.double:  # fmt: skip
    """Eight terms of alternating sign, highest power first."""
    return ((((((a * s - b) * s + c) * s - d) * s + e) * s - f) * s + g) * s - h


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _sine(turn: cython.double) -> cython.double:
    s: cython.double = turn * turn
    return turn + turn * s * _series(
        s, 1.0 / 355687428096000.0, 1.0 / 1307674368000.0, 1.0 / 6227020800.0, 1.0 / 39916800.0,
        1.0 / 362880.0, 1.0 / 5040.0, 1.0 / 120.0, 1.0 / 6.0,
    )  # fmt: skip


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _cosine(turn: cython.double) -> cython.double:
    s: cython.double = turn * turn
    return 1.0 + s * _series(
        s, 1.0 / 20922789888000.0, 1.0 / 87178291200.0, 1.0 / 479001600.0, 1.0 / 3628800.0,
        1.0 / 40320.0, 1.0 / 720.0, 1.0 / 24.0, 1.0 / 2.0,
    )  # fmt: skip


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def set_wish(b: cython.p_double, move_x: cython.double, move_y: cython.double) -> cython.void:
    """Set the row's wish: the axes, shortened to unit length if they are longer, turned by the yaw."""
    yaw: cython.double = b[r.YAW]
    quarter: cython.double = 0.0
    square: cython.double = move_x * move_x + move_y * move_y
    length: cython.double
    sine: cython.double
    cosine: cython.double
    if square > 1.000001:
        length = sqrt(square)
        move_x = move_x / length
        move_y = move_y / length
    # Taking whole quarter turns off leaves at most an eighth of a turn. Pi/2 is subtracted in two parts, so that
    # the rest keeps its precision.
    if yaw > 2.356194490192345:
        quarter = 2.0
    elif yaw > 0.7853981633974483:
        quarter = 1.0
    elif yaw < -2.356194490192345:
        quarter = -2.0
    elif yaw < -0.7853981633974483:
        quarter = -1.0
    yaw = (yaw - quarter * 1.5707963267948966) - quarter * 6.123233995736766e-17
    sine = _sine(yaw)
    cosine = _cosine(yaw)
    if quarter == 1.0:
        sine, cosine = cosine, -sine
    elif quarter == -1.0:
        sine, cosine = -cosine, sine
    elif quarter != 0.0:
        sine, cosine = -sine, -cosine
    b[r.WISH_X] = move_x * cosine - move_y * sine
    b[r.WISH_Z] = -move_x * sine - move_y * cosine
