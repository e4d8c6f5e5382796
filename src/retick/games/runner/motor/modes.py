"""What each mode of movement does (a compiled kernel): to the velocity before the move, and which mode comes after.

``b`` is the runner's row and ``t`` the row of tuning; rows.py says where each number is.
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

__all__ = ["accelerate", "next_mode"]


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
    """Velocity in the air: a little steering, and gravity."""
    _approach(b, b[r.WISH_X] * t[r.SPEED], b[r.WISH_Z] * t[r.SPEED], t[r.AIR_GAIN])
    b[r.VY] = b[r.VY] - t[r.FALL]


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _run_wall(b: cython.p_double, t: cython.p_double, intent: cython.bint, jump: cython.bint) -> cython.int:
    """Velocity in a wall run. Returns whether the run ends here, whatever the move brings, and how."""
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
    """The velocity of this tick, by the active mode. Returns whether a wall run ends here, and how."""
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
    """Go on in the same mode or enter another; ``ticks``: what is left of the wall run, or of its cooldown."""
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
