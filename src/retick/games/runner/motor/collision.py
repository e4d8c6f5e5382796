"""The move of a runner through boxes (a compiled kernel): one axis after the other, and down to the floor.

A body is a box of 0.7 by 1.1 by 0.7 metres; its lowest point is 0.35 above its position. ``boxes`` holds six numbers
for each box, ``near`` the offsets of those that this step can reach, ``b`` is the runner's row and ``t`` the row of
tuning; rows.py says where each number is.
"""

# retick: floats -- sums, differences, products and comparisons only; the caller rounds the result to binary32

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.games.runner.motor import rows as r
else:
    from retick.games.runner.motor import rows as r

__all__ = ["gather", "has_support", "move"]


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def gather(boxes: cython.p_double, total: cython.int, near: cython.p_int, b: cython.p_double,
            t: cython.p_double) -> cython.int:  # fmt: skip
    """Collect, in their order, the boxes that this step can reach. Returns how many."""
    dx: cython.double = b[r.VX] * t[r.DT]
    dy: cython.double = b[r.VY] * t[r.DT]
    dz: cython.double = b[r.VZ] * t[r.DT]
    low_x: cython.double = b[r.X] - 0.36 + (dx if dx < 0.0 else 0.0)
    high_x: cython.double = b[r.X] + 0.36 + (dx if dx > 0.0 else 0.0)
    low_y: cython.double = b[r.Y] + 0.29 - t[r.SNAP] + (dy if dy < 0.0 else 0.0)
    high_y: cython.double = b[r.Y] + 1.46 + (dy if dy > 0.0 else 0.0)
    low_z: cython.double = b[r.Z] - 0.36 + (dz if dz < 0.0 else 0.0)
    high_z: cython.double = b[r.Z] + 0.36 + (dz if dz > 0.0 else 0.0)
    count: cython.int = 0
    at: cython.int
    for at in range(0, 6 * total, 6):
        if (
            boxes[at] < high_x
            and boxes[at + 3] > low_x
            and boxes[at + 2] < high_z
            and boxes[at + 5] > low_z
            and boxes[at + 1] < high_y
            and boxes[at + 4] > low_y
        ):
            near[count] = at
            count += 1
    return count


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _sweep(boxes: cython.p_double, near: cython.p_int, count: cython.int, b: cython.p_double, axis: cython.int,
           delta: cython.double) -> cython.double:  # fmt: skip
    """The distance that the body can move along one axis, at most that of ``delta``; less means a hit.

    Only boxes count that overlap the body on both other axes, and that it is not already more than 2 mm inside of. A
    hit leaves a gap of 1 mm.
    """
    reach: cython.double = delta if delta > 0.0 else -delta
    one: cython.int = 1 if axis == 0 else 0
    two: cython.int = 1 if axis == 2 else 2
    low_one: cython.double = b[one] + (0.35 if one == 1 else -0.35)
    high_one: cython.double = b[one] + (1.45 if one == 1 else 0.35)
    low_two: cython.double = b[two] + (0.35 if two == 1 else -0.35)
    high_two: cython.double = b[two] + (1.45 if two == 1 else 0.35)
    low: cython.double = b[axis] + (0.35 if axis == 1 else -0.35)
    high: cython.double = b[axis] + (1.45 if axis == 1 else 0.35)
    gap: cython.double
    at: cython.int
    index: cython.int
    for index in range(count):
        at = near[index]
        if (
            low_one < boxes[at + 3 + one]
            and high_one > boxes[at + one]
            and low_two < boxes[at + 3 + two]
            and high_two > boxes[at + two]
        ):
            if delta > 0.0:
                gap = boxes[at + axis] - high
            else:
                gap = low - boxes[at + 3 + axis]
            if gap >= -0.002 and gap - 0.001 < reach:
                reach = gap - 0.001 if gap > 0.001 else 0.0
    return reach


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def has_support(boxes: cython.p_double, near: cython.p_int, count: cython.int, b: cython.p_double,
                 t: cython.p_double) -> cython.bint:  # fmt: skip
    """Whether there is a floor or a box just below the place to which this tick's horizontal motion leads."""
    x: cython.double = b[r.X]
    z: cython.double = b[r.Z]
    depth: cython.double = t[r.SNAP] + 0.05
    found: cython.bint
    b[r.X] = x + b[r.VX] * t[r.DT]
    b[r.Z] = z + b[r.VZ] * t[r.DT]
    found = b[r.Y] + 0.35 - t[r.FLOOR] <= depth + 1e-9 or _sweep(boxes, near, count, b, 1, -depth) < depth
    b[r.X] = x
    b[r.Z] = z
    return found


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _go(boxes: cython.p_double, near: cython.p_int, count: cython.int, b: cython.p_double, t: cython.p_double,
        axis: cython.int, delta: cython.double) -> cython.bint:  # fmt: skip
    """Move along one axis as far as possible; True when something was hit."""
    reach: cython.double = _sweep(boxes, near, count, b, axis, delta)
    hit: cython.bint = reach < (delta if delta > 0.0 else -delta)
    if axis == 1 and delta < 0.0 and b[r.Y] + 0.35 - t[r.FLOOR] <= reach + 1e-9:
        b[r.Y] = t[r.FLOOR] - 0.35
        return True
    b[axis] = b[axis] + (reach if delta > 0.0 else -reach)
    return hit


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def move(boxes: cython.p_double, near: cython.p_int, count: cython.int, b: cython.p_double, t: cython.p_double,
          snap: cython.double) -> cython.void:  # fmt: skip
    """Move along X, then Z, then Y. A hit stops that axis; a hit below means standing."""
    delta: cython.double = b[r.VX] * t[r.DT]
    b[r.GROUNDED] = 0.0
    b[r.HIT_X] = 0.0
    b[r.HIT_Z] = 0.0
    if delta != 0.0 and _go(boxes, near, count, b, t, 0, delta):
        b[r.HIT_X] = -1.0 if delta > 0.0 else 1.0
        b[r.VX] = 0.0
    delta = b[r.VZ] * t[r.DT]
    if delta != 0.0 and _go(boxes, near, count, b, t, 2, delta):
        b[r.HIT_Z] = -1.0 if delta > 0.0 else 1.0
        b[r.VZ] = 0.0
    delta = b[r.VY] * t[r.DT]
    if delta != 0.0 and _go(boxes, near, count, b, t, 1, delta):
        b[r.GROUNDED] = 1.0 if delta < 0.0 else 0.0
        b[r.VY] = 0.0
    if b[r.GROUNDED] == 0.0 and snap > 0.0 and b[r.VY] <= 0.0:
        delta = b[r.Y]
        if _go(boxes, near, count, b, t, 1, -snap):
            b[r.GROUNDED] = 1.0
            b[r.VY] = 0.0
        else:
            b[r.Y] = delta
