"""The runner's step (a compiled kernel): velocity by mode, then the move through the boxes, then the next mode.

A runner is a row of doubles, the fields of RunnerState in their order, then four of the step's own: the wish, and
the wall contacts as signs. Names in capitals are offsets into that row or into the row of tuning.

Bits. Every operation is +, -, *, / or sqrt in binary64, each correctly rounded by IEEE 754, none contracted with
its neighbour, and none from the C library's transcendental functions: sine and cosine are summed here. Position
and velocity are rounded to binary32 at the end of the step. So equal rows and equal commands give equal rows,
compiled or not, whatever the machine.
"""

# retick: floats -- only correctly rounded operations, results rounded to binary32 each step; see docs/games/runner.md

from typing import Any

from retick.errors import UsageError
from retick.games.runner.motor.commands import Command
from retick.games.runner.motor.state import RunnerState

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.float import PyFloat_AsDouble
    from cython.cimports.cpython.tuple import PyTuple_GET_ITEM
    from cython.cimports.libc.math import sqrt
    from cython.cimports.retick.games.runner.motor.collision import gather, has_support, move
else:
    from math import sqrt
    from struct import Struct

    from retick.games.runner.motor.collision import gather, has_support, move
    from retick.games.runner.motor.rows import (
        AIR_GAIN,
        FALL,
        GROUND_GAIN,
        GROUNDED,
        HIT_X,
        HIT_Z,
        JUMP_SPEED,
        MODE,
        MODE_TICKS,
        NX,
        NY,
        NZ,
        PITCH,
        ROW_SIZE,
        SLIDE_TICKS,
        SNAP,
        SPEED,
        STATE_SIZE,
        STICK_DOWN,
        TUNING_SIZE,
        VX,
        VY,
        VZ,
        WALL_FALL,
        WALL_JUMP_AWAY,
        WALL_JUMP_UP,
        WALL_MAX_TICKS,
        WALL_TICKS,
        WISH_X,
        WISH_Z,
        YAW,
        X,
        Y,
        Z,
    )

    ON_GROUND, IN_AIR, ON_WALL, LAST_MODE = 0, 1, 2, 4
    STAY, LEAVE, LEAP = 0, 1, 2
    REATTACH_TICKS, LARGEST_TICKS, MAX_BOXES = 8, 255, 256
    _SIX = Struct("<6f")

__all__ = ["MotorKernel"]

_new = tuple.__new__


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _sine(r: cython.double) -> cython.double:
    """The sine's series on [-pi/4, pi/4], up to the term that binary64 no longer sees."""
    s: cython.double = r * r
    tail: cython.double = 1.0 / 355687428096000.0
    tail = tail * s - 1.0 / 1307674368000.0
    tail = tail * s + 1.0 / 6227020800.0
    tail = tail * s - 1.0 / 39916800.0
    tail = tail * s + 1.0 / 362880.0
    tail = tail * s - 1.0 / 5040.0
    tail = tail * s + 1.0 / 120.0
    tail = tail * s - 1.0 / 6.0
    return r + r * s * tail


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _cosine(r: cython.double) -> cython.double:
    s: cython.double = r * r
    tail: cython.double = 1.0 / 20922789888000.0
    tail = tail * s - 1.0 / 87178291200.0
    tail = tail * s + 1.0 / 479001600.0
    tail = tail * s - 1.0 / 3628800.0
    tail = tail * s + 1.0 / 40320.0
    tail = tail * s - 1.0 / 720.0
    tail = tail * s + 1.0 / 24.0
    tail = tail * s - 1.0 / 2.0
    return 1.0 + s * tail


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _set_wish(b: cython.p_double, move_x: cython.double, move_y: cython.double) -> cython.void:
    """The wished direction in the world: the axes, of at most unit length, turned by the yaw."""
    yaw: cython.double = b[YAW]
    quarter: cython.double = 0.0
    square: cython.double = move_x * move_x + move_y * move_y
    length: cython.double
    sine: cython.double
    cosine: cython.double
    if square > 1.000001:
        length = sqrt(square)
        move_x = move_x / length
        move_y = move_y / length
    # Quarter turns off the yaw leave at most an eighth of a turn; pi/2 in two parts keeps the rest exact.
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
    b[WISH_X] = move_x * cosine - move_y * sine
    b[WISH_Z] = -move_x * sine - move_y * cosine


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _approach(b: cython.p_double, to_x: cython.double, to_z: cython.double, gain: cython.double) -> cython.void:
    """The horizontal velocity, straight towards a target by at most ``gain``, and onto it when that is closer."""
    dx: cython.double = to_x - b[VX]
    dz: cython.double = to_z - b[VZ]
    distance: cython.double = sqrt(dx * dx + dz * dz)
    if distance <= gain or distance < 1e-6:
        b[VX] = to_x
        b[VZ] = to_z
    else:
        b[VX] = b[VX] + dx / distance * gain
        b[VZ] = b[VZ] + dz / distance * gain


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _fly(b: cython.p_double, t: cython.p_double) -> cython.void:
    _approach(b, b[WISH_X] * t[SPEED], b[WISH_Z] * t[SPEED], t[AIR_GAIN])
    b[VY] = b[VY] - t[FALL]


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _run_wall(b: cython.p_double, t: cython.p_double, intent: cython.bint, jump: cython.bint) -> cython.int:
    """Velocity on a wall; tells whether the run ends here whatever the move brings, and how."""
    nx: cython.double = b[NX]
    nz: cython.double = b[NZ]
    square: cython.double = nx * nx + nz * nz
    part: cython.double
    wish_x: cython.double
    wish_z: cython.double
    if square < 1e-6 or not intent:
        _fly(b, t)
        return LEAVE
    square = sqrt(square)
    nx = nx / square
    nz = nz / square
    part = b[VX] * nx + b[VZ] * nz
    b[VX] = b[VX] - part * nx
    b[VZ] = b[VZ] - part * nz
    if jump:
        b[VX] = b[VX] + nx * t[WALL_JUMP_AWAY]
        b[VY] = b[VY] + t[WALL_JUMP_UP]
        b[VZ] = b[VZ] + nz * t[WALL_JUMP_AWAY]
        return LEAP
    part = b[WISH_X] * nx + b[WISH_Z] * nz
    wish_x = b[WISH_X] - part * nx
    wish_z = b[WISH_Z] - part * nz
    square = wish_x * wish_x + wish_z * wish_z
    if square < 1e-6:
        _approach(b, 0.0, 0.0, t[GROUND_GAIN])
    else:
        square = sqrt(square)
        _approach(b, wish_x / square * t[SPEED], wish_z / square * t[SPEED], t[GROUND_GAIN])
    # Last of all, so that the next move touches the wall: 2 m/s into it.
    b[VX] = b[VX] - nx * 2.0
    b[VZ] = b[VZ] - nz * 2.0
    b[VY] = b[VY] - t[WALL_FALL]
    return STAY


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _enter(b: cython.p_double, mode: cython.int, ticks: cython.double) -> cython.void:
    """Count on in the same mode or start a new one; ``ticks`` is the wall-run timer or cooldown that goes with it."""
    if b[MODE] == mode:
        if b[MODE_TICKS] < LARGEST_TICKS:
            b[MODE_TICKS] = b[MODE_TICKS] + 1.0
    else:
        b[MODE] = mode
        b[MODE_TICKS] = 0.0
    b[WALL_TICKS] = ticks
    b[SLIDE_TICKS] = 0.0
    if mode != ON_WALL:
        b[NX] = 0.0
        b[NY] = 0.0
        b[NZ] = 0.0


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _resolve(b: cython.p_double, t: cython.p_double, active: cython.int, intent: cython.bint,
             ending: cython.int) -> cython.void:  # fmt: skip
    """The mode after the move: floor first, then a forced end, then whether a wall run goes on or begins."""
    ticks: cython.double = b[WALL_TICKS] if t[WALL_MAX_TICKS] > 0.0 else 0.0
    # Of two walls touched, the one that faces more like the stored normal; x comes first.
    along_x: cython.double = b[HIT_X] * b[NX]
    along_z: cython.double = b[HIT_Z] * b[NZ]
    takes_z: cython.bint = b[HIT_Z] != 0.0 and (b[HIT_X] == 0.0 or along_z > along_x)
    touches: cython.bint = b[HIT_X] != 0.0 or b[HIT_Z] != 0.0
    if active == IN_AIR and ticks > 0.0:
        ticks = ticks - 1.0
    if b[GROUNDED] != 0.0:
        _enter(b, ON_GROUND, 0.0)
    elif ending != STAY:
        _enter(b, IN_AIR, REATTACH_TICKS if ending == LEAP else 0.0)
    elif active == ON_WALL and (not touches or (along_z if takes_z else along_x) < 0.5):
        _enter(b, IN_AIR, 0.0)
    elif active == ON_WALL and ticks <= 1.0:
        _enter(b, IN_AIR, REATTACH_TICKS)
    elif active == ON_WALL or (active == IN_AIR and ticks <= 0.0 and touches and intent and t[WALL_MAX_TICKS] > 0.0):
        _enter(b, ON_WALL, ticks - 1.0 if active == ON_WALL else t[WALL_MAX_TICKS])
        b[NX] = 0.0 if takes_z else b[HIT_X]
        b[NY] = 0.0
        b[NZ] = b[HIT_Z] if takes_z else 0.0
    else:
        _enter(b, IN_AIR, ticks)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _round(b: cython.p_double) -> cython.void:
    """Position and velocity to binary32, finite as they were."""
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
    was_grounded: cython.bint = b[GROUNDED] != 0.0
    intent: cython.bint = move_x * move_x + move_y * move_y >= 0.01 and move_y > 0.01
    active: cython.int = ON_GROUND if was_grounded else IN_AIR
    ending: cython.int = STAY
    snap: cython.double = 0.0
    count: cython.int
    # Ground and air follow the floor; so do the modes that exist on the wire only, and wall-running when it is off.
    if b[MODE] == ON_WALL and t[WALL_MAX_TICKS] > 0.0:
        active = ON_WALL
    _set_wish(b, move_x, move_y)
    if active == ON_WALL:
        ending = _run_wall(b, t, intent, jump)
    elif active == IN_AIR:
        _fly(b, t)
    else:
        _approach(b, b[WISH_X] * t[SPEED], b[WISH_Z] * t[SPEED], t[GROUND_GAIN])
        b[VY] = t[JUMP_SPEED] if jump else t[STICK_DOWN]
    count = gather(boxes, total, near, b, t)
    if was_grounded and not jump and b[VY] <= 0.0 and t[SNAP] > 0.0 and has_support(boxes, near, count, b, t):
        snap = t[SNAP]
    move(boxes, near, count, b, t, snap)
    _round(b)
    _resolve(b, t, active, intent, ending)


@cython.cfunc
@cython.inline
@cython.exceptval(-1.0, check=True)
def _number(row: Any, index: cython.int) -> cython.double:
    """A field of a named tuple, by its place: attributes of Python objects are what would cost most here."""
    if cython.compiled:
        return PyFloat_AsDouble(cython.cast(object, PyTuple_GET_ITEM(row, index)))
    return row[index] * 1.0  # type: ignore[no-any-return]  # mypy sees kernels untyped


def _refuse(state: Any, command: Any) -> None:
    """Say what is wrong with arguments that are known to be wrong."""
    if type(state) is not RunnerState:
        raise UsageError(f"the motor steps a RunnerState, not a {type(state).__name__}")
    if type(command) is not Command:
        raise UsageError(f"the motor takes a Command, not a {type(command).__name__}")
    if not 0 <= state.mode <= LAST_MODE:
        raise UsageError(f"mode must be from 0 to {LAST_MODE}, not {state.mode}")
    raise UsageError(
        "the motor takes sanitised commands, "
        f"not axes {command.move_x}, {command.move_y}, buttons {command.buttons}, look {command.yaw}, {command.pitch}"
    )


@cython.cclass
class MotorKernel:
    """The compiled half of :class:`retick.games.runner.RunnerMotor`."""

    if not cython.compiled:
        _tuning: Any
        _boxes: Any
        _box_count: int

    def __init__(self, tuning: Any, boxes: Any) -> None:
        """``tuning`` in the order of the tuning row; ``boxes`` six numbers each."""
        if len(tuning) != TUNING_SIZE or len(boxes) > 6 * MAX_BOXES:
            raise UsageError(f"{len(tuning)} numbers of tuning and {len(boxes)} of boxes do not make a motor")
        index: cython.int
        if not cython.compiled:
            self._tuning, self._boxes = [0.0] * TUNING_SIZE, [0.0] * len(boxes)
        for index in range(TUNING_SIZE):
            self._tuning[index] = tuning[index]
        self._box_count = len(boxes) // 6
        for index in range(6 * self._box_count):
            self._boxes[index] = boxes[index]

    def step(self, state: Any, command: Any) -> Any:
        """The state one tick later, looking where the command looks; the command must be sanitised."""
        if type(state) is not RunnerState or type(command) is not Command:
            _refuse(state, command)
        index: cython.int
        if cython.compiled:
            b = cython.declare(cython.double[ROW_SIZE])
            near = cython.declare(cython.int[MAX_BOXES])
            for index in range(STATE_SIZE):
                b[index] = _number(state, index)
        else:
            b = [value * 1.0 for value in state] + [0.0] * (ROW_SIZE - STATE_SIZE)
            near = [0] * self._box_count
        move_x: cython.double = _number(command, 4)
        move_y: cython.double = _number(command, 5)
        yaw: cython.double = _number(command, 7)
        pitch: cython.double = _number(command, 8)
        buttons: cython.double = _number(command, 6)
        if not (
            0.0 <= b[MODE] <= LAST_MODE
            and 0.0 <= buttons <= 7.0
            and -1.0 <= move_x <= 1.0
            and -1.0 <= move_y <= 1.0
            and -3.15 <= yaw <= 3.15
            and -3.15 <= pitch <= 3.15
        ):
            _refuse(state, command)
        b[YAW] = yaw
        b[PITCH] = pitch
        _step(self._boxes, self._box_count, near, b, self._tuning, move_x, move_y, buttons % 2.0 == 1.0)
        return _state_of(b)


@cython.cfunc
@cython.inline
def _state_of(b: cython.p_double) -> Any:
    if cython.compiled:
        mode: cython.int = cython.cast(cython.int, b[MODE])
        mode_ticks: cython.int = cython.cast(cython.int, b[MODE_TICKS])
        wall_ticks: cython.int = cython.cast(cython.int, b[WALL_TICKS])
        return _new(
            RunnerState,
            (
                b[X], b[Y], b[Z], b[VX], b[VY], b[VZ], b[YAW], b[PITCH], b[GROUNDED] != 0.0,
                mode, mode_ticks, b[NX], b[NY], b[NZ], wall_ticks, 0,
            ),
        )  # fmt: skip
    grounded = b[GROUNDED] != 0.0
    return _new(
        RunnerState, (*b[:8], grounded, int(b[MODE]), int(b[MODE_TICKS]), *b[NX:WALL_TICKS], int(b[WALL_TICKS]), 0)
    )
