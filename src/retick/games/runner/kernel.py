"""The runner's step (a compiled kernel): velocity by mode, then the move through the boxes, then the next mode.

A runner is a row of doubles, and so is the tuning; rows.py says where each number is. The parts below compute the
heading, the modes and the collisions of a step.

The bits are the same everywhere: every operation is +, -, *, / or sqrt in binary64, each correctly rounded by IEEE 754,
none fused with the next, and none from the C library's sine and its like. Position and velocity are rounded to binary32
at the end of the step. So equal rows and equal commands give equal rows, compiled or not, on every machine.
"""

from typing import Any

from retick.errors import UsageError
from retick.games.runner.commands import RunnerCommand
from retick.games.runner.state import RunnerState

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.float import PyFloat_AsDouble
    from cython.cimports.cpython.tuple import PyTuple_GET_ITEM
    from cython.cimports.libc.math import sqrt
    from cython.cimports.retick.games.runner import rows as r
    from cython.cimports.retick.games.runner.rows import BOXES_SIZE, MAX_BOXES, ROW_SIZE, TUNING_SIZE
else:
    from math import sqrt
    from struct import Struct

    from retick.games.runner import rows as r

# The direction in which a player wants to go (a compiled kernel): the axes of a command, turned by the yaw.
#
# Sine and cosine are computed here, because the C library's may differ in the last bit between machines. Each is its
# Taylor series on [-pi/4, pi/4], up to the term that no longer changes a binary64.

# retick: floats -- only correctly rounded operations in a fixed order; see docs/reference/runner.md


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
    """Set the row's wish: the axes, shortened to at most unit length, turned by the yaw."""
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


# Moves a runner through boxes (a compiled kernel): one axis after the other, and down to the floor.
#
# A body is a box of 0.7 by 1.1 by 0.7 metres; its lowest point is 0.35 above its position. ``boxes`` holds six numbers
# for each box, ``near`` the offsets of those that this step can reach, ``b`` is the runner's row and ``t`` the row of
# tuning; rows.py says where each number is.

# retick: floats -- sums, differences, products and comparisons only; the caller rounds the result to binary32


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def gather(boxes: cython.p_double, total: cython.int, near: cython.p_int, b: cython.p_double,
            t: cython.p_double) -> cython.int:  # fmt: skip
    """Collect, in order, the boxes that this step can reach; returns how many."""
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

    Only boxes count that overlap the body on both other axes, unless it is already more than 2 mm inside. A hit leaves
    a gap of 1 mm.
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
    """Move along one axis as far as possible; returns whether something was hit."""
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


# What each mode of movement does (a compiled kernel): to the velocity before the move, and which mode follows.
#
# ``b`` is the runner's row and ``t`` the row of tuning; rows.py says where each number is.

# retick: floats -- only correctly rounded operations in a fixed order; see docs/reference/runner.md


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _approach(b: cython.p_double, to_x: cython.double, to_z: cython.double, gain: cython.double) -> cython.void:
    """Move the horizontal velocity straight towards a target, by at most ``gain``."""
    dx: cython.double = to_x - b[r.VX]
    dz: cython.double = to_z - b[r.VZ]
    distance: cython.double = sqrt(dx * dx + dz * dz)
    if distance <= gain or distance < 1e-6:
        b[r.VX] = to_x
        b[r.VZ] = to_z
    else:
        b[r.VX] = b[r.VX] + dx / distance * gain
        b[r.VZ] = b[r.VZ] + dz / distance * gain


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _fly(b: cython.p_double, t: cython.p_double) -> cython.void:
    """Set the velocity in the air: a little steering, and gravity."""
    _approach(b, b[r.WISH_X] * t[r.SPEED], b[r.WISH_Z] * t[r.SPEED], t[r.AIR_GAIN])
    b[r.VY] = b[r.VY] - t[r.FALL]


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _run_wall(b: cython.p_double, t: cython.p_double, intent: cython.bint, jump: cython.bint) -> cython.int:
    """Set the velocity in a wall run; returns whether the run ends here, whatever the move brings, and how."""
    nx: cython.double = b[r.NX]
    nz: cython.double = b[r.NZ]
    square: cython.double = nx * nx + nz * nz
    part: cython.double
    wish_x: cython.double
    wish_z: cython.double
    if square < 1e-6 or not intent:
        _fly(b, t)
        return r.LEAVE
    square = sqrt(square)
    nx = nx / square
    nz = nz / square
    part = b[r.VX] * nx + b[r.VZ] * nz
    b[r.VX] = b[r.VX] - part * nx
    b[r.VZ] = b[r.VZ] - part * nz
    if jump:
        b[r.VX] = b[r.VX] + nx * t[r.WALL_JUMP_AWAY]
        b[r.VY] = b[r.VY] + t[r.WALL_JUMP_UP]
        b[r.VZ] = b[r.VZ] + nz * t[r.WALL_JUMP_AWAY]
        return r.LEAP
    part = b[r.WISH_X] * nx + b[r.WISH_Z] * nz
    wish_x = b[r.WISH_X] - part * nx
    wish_z = b[r.WISH_Z] - part * nz
    square = wish_x * wish_x + wish_z * wish_z
    if square < 1e-6:
        _approach(b, 0.0, 0.0, t[r.GROUND_GAIN])
    else:
        square = sqrt(square)
        _approach(b, wish_x / square * t[r.SPEED], wish_z / square * t[r.SPEED], t[r.GROUND_GAIN])
    # Last, so that the move touches the wall: 2 m/s into it.
    b[r.VX] = b[r.VX] - nx * 2.0
    b[r.VZ] = b[r.VZ] - nz * 2.0
    b[r.VY] = b[r.VY] - t[r.WALL_FALL]
    return r.STAY


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def accelerate(b: cython.p_double, t: cython.p_double, active: cython.int, intent: cython.bint,
               jump: cython.bint) -> cython.int:  # fmt: skip
    """Set the velocity of this tick by the active mode; returns whether a wall run ends here, and how."""
    if active == r.ON_WALL:
        return _run_wall(b, t, intent, jump)
    if active == r.IN_AIR:
        _fly(b, t)
    else:
        _approach(b, b[r.WISH_X] * t[r.SPEED], b[r.WISH_Z] * t[r.SPEED], t[r.GROUND_GAIN])
        b[r.VY] = t[r.JUMP_SPEED] if jump else t[r.STICK_DOWN]
    return r.STAY


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _enter(b: cython.p_double, mode: cython.int, ticks: cython.double) -> cython.void:
    """Stay in the same mode or enter another; ``ticks`` is what is left of the wall run, or of its cooldown."""
    if b[r.MODE] == mode:
        if b[r.MODE_TICKS] < r.LARGEST_TICKS:
            b[r.MODE_TICKS] = b[r.MODE_TICKS] + 1.0
    else:
        b[r.MODE] = mode
        b[r.MODE_TICKS] = 0.0
    b[r.WALL_TICKS] = ticks
    b[r.SLIDE_TICKS] = 0.0
    if mode != r.ON_WALL:
        b[r.NX] = 0.0
        b[r.NY] = 0.0
        b[r.NZ] = 0.0


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def next_mode(b: cython.p_double, t: cython.p_double, active: cython.int, intent: cython.bint,
              ending: cython.int) -> cython.void:  # fmt: skip
    """Set the mode after the move: floor first, then a forced end, then whether a wall run goes on or begins."""
    ticks: cython.double = b[r.WALL_TICKS] if t[r.WALL_MAX_TICKS] > 0.0 else 0.0
    # Of two walls touched, the one whose normal is nearer to the stored one; x before z.
    along_x: cython.double = b[r.HIT_X] * b[r.NX]
    along_z: cython.double = b[r.HIT_Z] * b[r.NZ]
    takes_z: cython.bint = b[r.HIT_Z] != 0.0 and (b[r.HIT_X] == 0.0 or along_z > along_x)
    touches: cython.bint = b[r.HIT_X] != 0.0 or b[r.HIT_Z] != 0.0
    if active == r.IN_AIR and ticks > 0.0:
        ticks = ticks - 1.0
    if b[r.GROUNDED] != 0.0:
        _enter(b, r.ON_GROUND, 0.0)
    elif ending != r.STAY:
        _enter(b, r.IN_AIR, r.REATTACH_TICKS if ending == r.LEAP else 0.0)
    elif active == r.ON_WALL and (not touches or (along_z if takes_z else along_x) < 0.5):
        _enter(b, r.IN_AIR, 0.0)
    elif active == r.ON_WALL and ticks <= 1.0:
        _enter(b, r.IN_AIR, r.REATTACH_TICKS)
    elif active == r.ON_WALL or (
        active == r.IN_AIR and ticks <= 0.0 and touches and intent and t[r.WALL_MAX_TICKS] > 0.0
    ):
        _enter(b, r.ON_WALL, ticks - 1.0 if active == r.ON_WALL else t[r.WALL_MAX_TICKS])
        b[r.NX] = 0.0 if takes_z else b[r.HIT_X]
        b[r.NY] = 0.0
        b[r.NZ] = b[r.HIT_Z] if takes_z else 0.0
    else:
        _enter(b, r.IN_AIR, ticks)


# retick: floats -- only correctly rounded operations, results rounded to binary32 each step: docs/reference/runner.md


if not cython.compiled:
    _SIX = Struct("<6f")


_new = tuple.__new__


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _round(b: cython.p_double) -> cython.void:
    """Round position and velocity to binary32, keeping them finite."""
    index: cython.int
    largest: cython.double = 3.4028234663852886e38
    for index in range(6):
        if b[index] > largest:
            b[index] = largest
        elif b[index] < -largest:
            b[index] = -largest
        elif cython.compiled:
            b[index] = cython.cast(cython.float, b[index])
    if not cython.compiled:
        b[0:6] = _SIX.unpack(_SIX.pack(*b[0:6]))


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _step(boxes: cython.p_double, total: cython.int, near: cython.p_int, b: cython.p_double, t: cython.p_double,
          move_x: cython.double, move_y: cython.double, jump: cython.bint) -> cython.void:  # fmt: skip
    was_grounded: cython.bint = b[r.GROUNDED] != 0.0
    intent: cython.bint = move_x * move_x + move_y * move_y >= 0.01 and move_y > 0.01
    active: cython.int = r.ON_GROUND if was_grounded else r.IN_AIR
    ending: cython.int
    snap: cython.double = 0.0
    count: cython.int
    # Ground and air follow the floor; so do the modes that exist on the wire only, and wall-running when it is off.
    if b[r.MODE] == r.ON_WALL and t[r.WALL_MAX_TICKS] > 0.0:
        active = r.ON_WALL
    set_wish(b, move_x, move_y)
    ending = accelerate(b, t, active, intent, jump)
    count = gather(boxes, total, near, b, t)
    if was_grounded and not jump and b[r.VY] <= 0.0 and t[r.SNAP] > 0.0 and has_support(boxes, near, count, b, t):
        snap = t[r.SNAP]
    move(boxes, near, count, b, t, snap)
    _round(b)
    next_mode(b, t, active, intent, ending)


@cython.cfunc
@cython.inline
@cython.exceptval(-1.0, check=True)
def _number(row: Any, index: cython.int) -> cython.double:
    """A field of a named tuple, by its index: attributes of Python objects would cost more than the whole step."""
    if cython.compiled:
        return PyFloat_AsDouble(cython.cast(object, PyTuple_GET_ITEM(row, index)))
    return row[index] * 1.0  # type: ignore[no-any-return]  # mypy sees kernels untyped


def _refuse(state: Any, command: Any) -> None:
    """Raise the error for arguments that are known to be wrong."""
    if type(state) is not RunnerState:
        raise UsageError(f"the motor steps a RunnerState, not a {type(state).__name__}")
    if type(command) is not RunnerCommand:
        raise UsageError(f"the motor takes a Command, not a {type(command).__name__}")
    if not 0 <= state.mode <= r.LAST_MODE:
        raise UsageError(f"mode must be from 0 to {r.LAST_MODE}, not {state.mode}")
    raise UsageError(
        "the motor takes sanitised commands, "
        f"not axes {command.move_x}, {command.move_y}, buttons {command.buttons}, look {command.yaw}, {command.pitch}"
    )


@cython.cclass
class MotorKernel:
    """The compiled half of :class:`retick.games.runner.RunnerMotor`."""

    _box_count: cython.int
    if cython.compiled:
        _tuning: cython.double[TUNING_SIZE]
        _boxes: cython.double[BOXES_SIZE]
    else:
        _tuning: Any
        _boxes: Any

    def __init__(self, tuning: Any, boxes: Any) -> None:
        """``tuning`` is in the order of the tuning row; ``boxes`` has six numbers per box."""
        if len(tuning) != r.TUNING_SIZE or len(boxes) > 6 * r.MAX_BOXES:
            raise UsageError(f"{len(tuning)} numbers of tuning and {len(boxes)} of boxes do not make a motor")
        index: cython.int
        if not cython.compiled:
            self._tuning, self._boxes = [0.0] * r.TUNING_SIZE, [0.0] * len(boxes)
        for index in range(r.TUNING_SIZE):
            self._tuning[index] = tuning[index]
        self._box_count = len(boxes) // 6
        for index in range(6 * self._box_count):
            self._boxes[index] = boxes[index]

    def step(self, state: Any, command: Any) -> Any:
        """The state one tick later, looking where the command looks; the command must be sanitised."""
        if type(state) is not RunnerState or type(command) is not RunnerCommand:
            _refuse(state, command)
        index: cython.int
        if cython.compiled:
            b = cython.declare(cython.double[ROW_SIZE])
            near = cython.declare(cython.int[MAX_BOXES])
            for index in range(r.STATE_SIZE):
                b[index] = _number(state, index)
        else:
            b = [value * 1.0 for value in state] + [0.0] * (r.ROW_SIZE - r.STATE_SIZE)
            near = [0] * self._box_count
        move_x: cython.double = _number(command, 4)
        move_y: cython.double = _number(command, 5)
        yaw: cython.double = _number(command, 7)
        pitch: cython.double = _number(command, 8)
        buttons: cython.double = _number(command, 6)
        if not (
            0.0 <= b[r.MODE] <= r.LAST_MODE
            and 0.0 <= buttons <= 7.0
            and -1.0 <= move_x <= 1.0
            and -1.0 <= move_y <= 1.0
            and -3.15 <= yaw <= 3.15
            and -3.15 <= pitch <= 3.15
        ):
            _refuse(state, command)
        b[r.YAW] = yaw
        b[r.PITCH] = pitch
        _step(self._boxes, self._box_count, near, b, self._tuning, move_x, move_y, buttons % 2.0 == 1.0)
        return _state_of(b)


@cython.cfunc
@cython.inline
def _state_of(b: cython.p_double) -> Any:
    if cython.compiled:
        mode: cython.int = cython.cast(cython.int, b[r.MODE])
        mode_ticks: cython.int = cython.cast(cython.int, b[r.MODE_TICKS])
        wall_ticks: cython.int = cython.cast(cython.int, b[r.WALL_TICKS])
        return _new(
            RunnerState,
            (
                b[r.X], b[r.Y], b[r.Z], b[r.VX], b[r.VY], b[r.VZ], b[r.YAW], b[r.PITCH], b[r.GROUNDED] != 0.0,
                mode, mode_ticks, b[r.NX], b[r.NY], b[r.NZ], wall_ticks, 0,
            ),
        )  # fmt: skip
    modes = b[r.GROUNDED] != 0.0, int(b[r.MODE]), int(b[r.MODE_TICKS])
    return _new(RunnerState, (*b[:8], *modes, *b[r.NX : r.WALL_TICKS], int(b[r.WALL_TICKS]), 0))
