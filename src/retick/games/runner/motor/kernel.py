"""The runner's step (a compiled kernel): velocity by mode, then the move through the boxes, then the next mode.

A runner is a row of doubles, and so is the tuning; rows.py says where each number is. heading.py, modes.py and
collision.py are the three parts of a step.

The same bits everywhere: every operation is +, -, *, / or sqrt in binary64, each correctly rounded by IEEE 754, none
fused with the next, and none from the C library's sine and its like. Position and velocity are rounded to binary32 at
the end of the step. So equal rows and equal commands give equal rows, compiled or not, on every machine.
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
    from cython.cimports.retick.games.runner.motor import rows as r
    from cython.cimports.retick.games.runner.motor.collision import gather, has_support, move
    from cython.cimports.retick.games.runner.motor.heading import set_wish
    from cython.cimports.retick.games.runner.motor.modes import accelerate, next_mode
else:
    from struct import Struct

    from retick.games.runner.motor import rows as r
    from retick.games.runner.motor.collision import gather, has_support, move
    from retick.games.runner.motor.heading import set_wish
    from retick.games.runner.motor.modes import accelerate, next_mode
    from retick.games.runner.motor.rows import MAX_BOXES, ROW_SIZE  # sizes of C arrays must be plain names

    _SIX = Struct("<6f")

__all__ = ["MotorKernel"]

_new = tuple.__new__


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
    if type(command) is not Command:
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

    if not cython.compiled:
        _tuning: Any
        _boxes: Any
        _box_count: int

    def __init__(self, tuning: Any, boxes: Any) -> None:
        """``tuning`` in the order of the tuning row; ``boxes`` six numbers each."""
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
        if type(state) is not RunnerState or type(command) is not Command:
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
