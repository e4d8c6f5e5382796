"""Scramble's step over a row of slots (a compiled kernel): phases A to E, in this order.

Slots: frame, coin x, coin y, generator, then eight of each player. ``at`` is the first slot of a player; names in
capitals are offsets from it, or constants. Integers wrap at 32 bits; from an initial state only the frame counter gets
there. Cython reads decorators literally, so each function repeats the same four.
"""

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.sim.flat import FlatSimulation, i32
else:
    from retick.games.scramble.rules import (  # C constants
        COIN_MARGIN,
        COIN_POINTS,
        COIN_RANGE,
        COOLDOWN_FRAMES,
        DASH_FRAMES,
        DASH_SPEED,
        FAR_WALL,
        NEAR_WALL,
        REACH,
        RUN_SPEED,
        SCATTER,
        SIZE,
        STUN_FRAMES,
    )
    from retick.sim.fixed import i32
    from retick.sim.flat import FlatSimulation

    COIN_X, COIN_Y, RNG, FIRST, EACH = 1, 2, 3, 4, 8  # C constants
    X, Y, VX, VY, STUN, DASH, COOLDOWN, SCORE = 0, 1, 2, 3, 4, 5, 6, 7  # C constants
    LEFT_BUTTON, RIGHT_BUTTON, UP_BUTTON, DOWN_BUTTON, DASH_BUTTON = 1, 2, 4, 8, 16  # C constants


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _draw(s: cython.p_longlong, limit: cython.longlong) -> cython.longlong:
    """Draw the next number of the state's generator, from 0 to ``limit - 1``."""
    mask: cython.longlong = 4294967295
    value: cython.longlong = s[RNG]
    value ^= (value << 13) & mask
    value ^= value >> 17
    value ^= (value << 5) & mask
    s[RNG] = value
    return (value * limit) >> 32


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _control(s: cython.p_longlong, at: cython.int, buttons: cython.int) -> cython.void:
    """Phase B: counters count down, then buttons set the velocity; a stunned body only slows down."""
    right: cython.longlong = (buttons & RIGHT_BUTTON != 0) - (buttons & LEFT_BUTTON != 0)
    down: cython.longlong = (buttons & DOWN_BUTTON != 0) - (buttons & UP_BUTTON != 0)
    if s[at + COOLDOWN] > 0:
        s[at + COOLDOWN] -= 1
    if s[at + DASH] > 0:
        s[at + DASH] -= 1
    if s[at + STUN] > 0:
        s[at + STUN] -= 1
        # A shift rounds down for either sign, in C as in Python.
        s[at + VX] -= s[at + VX] >> 3
        s[at + VY] -= s[at + VY] >> 3
    elif buttons & DASH_BUTTON and s[at + COOLDOWN] == 0 and (right != 0 or down != 0):
        s[at + DASH] = DASH_FRAMES
        s[at + COOLDOWN] = COOLDOWN_FRAMES
        s[at + VX] = right * DASH_SPEED
        s[at + VY] = down * DASH_SPEED
    elif s[at + DASH] == 0:
        s[at + VX] = right * RUN_SPEED
        s[at + VY] = down * RUN_SPEED


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _clamp(s: cython.p_longlong, at: cython.int) -> cython.void:
    if s[at] < NEAR_WALL:
        s[at] = NEAR_WALL
    elif s[at] > FAR_WALL:
        s[at] = FAR_WALL


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _move(s: cython.p_longlong, at: cython.int) -> cython.void:
    """Phase C: a wall stops a body, and throws a stunned one back."""
    axis: cython.int
    for axis in range(2):
        s[at + axis] += s[at + VX + axis]
        if s[at + axis] < NEAR_WALL or s[at + axis] > FAR_WALL:
            _clamp(s, at + axis)
            s[at + VX + axis] = i32(-s[at + VX + axis]) if s[at + STUN] > 0 else 0


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _shove(
    s: cython.p_longlong, one: cython.int, other: cython.int, vx: cython.longlong, vy: cython.longlong
) -> cython.void:
    """Let ``one``, dashing with this velocity, hit ``other``: the other flies away, and ``one`` scores a point."""
    s[other + STUN] = STUN_FRAMES
    s[other + DASH] = 0
    s[other + VX] = i32(vx + (vx >> 1) + _draw(s, 2 * SCATTER + 1) - SCATTER)
    s[other + VY] = i32(vy + (vy >> 1) + _draw(s, 2 * SCATTER + 1) - SCATTER)
    s[one + SCORE] = i32(s[one + SCORE] + 1)
    if s[other + SCORE] > 0:
        s[other + SCORE] -= 1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _halt(s: cython.p_longlong, one: cython.int, other: cython.int) -> cython.void:
    """End a dash that has hit."""
    vx: cython.longlong = s[one + VX]
    vy: cython.longlong = s[one + VY]
    s[one + DASH] = 0
    s[one + VX] = 0
    s[one + VY] = 0
    _shove(s, one, other, vx, vy)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _separate(
    s: cython.p_longlong, one: cython.int, other: cython.int, axis: cython.int, depth: cython.longlong
) -> cython.void:
    """Push two bodies apart along an axis, each by half of their overlap."""
    half: cython.longlong = (depth + 1) >> 1
    if s[other + axis] < s[one + axis]:
        half = -half
    s[one + axis] -= half
    s[other + axis] += half
    _clamp(s, one + axis)
    _clamp(s, other + axis)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _touch(s: cython.p_longlong, one: cython.int, other: cython.int) -> cython.void:
    """Phase D, for one pair: push overlapping bodies apart; one that dashes shoves the other."""
    dx: cython.longlong = s[other + X] - s[one + X]
    dy: cython.longlong = s[other + Y] - s[one + Y]
    vx: cython.longlong = s[one + VX]
    vy: cython.longlong = s[one + VY]
    # Both are judged before either is applied, so that neither goes first.
    one_dashes: cython.bint = s[one + DASH] > 0 and s[other + STUN] == 0
    other_dashes: cython.bint = s[other + DASH] > 0 and s[one + STUN] == 0
    if dx < 0:
        dx = -dx
    if dy < 0:
        dy = -dy
    if dx >= SIZE or dy >= SIZE:
        return
    if dx > dy:
        _separate(s, one, other, X, SIZE - dx)
    else:
        _separate(s, one, other, Y, SIZE - dy)
    if other_dashes:
        if not one_dashes:
            _halt(s, other, one)
        else:
            _shove(s, other, one, s[other + VX], s[other + VY])
    if one_dashes:
        if not other_dashes:
            _halt(s, one, other)
        else:
            _shove(s, one, other, vx, vy)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _collect_coin(s: cython.p_longlong, players: cython.int) -> cython.void:
    """Phase E: give the coin to the nearest body within reach, the lower seat of two; then draw the next coin."""
    best: cython.longlong = REACH
    nearest: cython.int = -1
    at: cython.int
    player: cython.int
    dx: cython.longlong
    dy: cython.longlong
    for player in range(players):
        at = FIRST + EACH * player
        dx = s[at + X] - s[COIN_X]
        dy = s[at + Y] - s[COIN_Y]
        if dx < 0:
            dx = -dx
        if dy < 0:
            dy = -dy
        if dx < dy:
            dx = dy
        if dx < best:
            best = dx
            nearest = at
    if nearest >= 0:
        s[nearest + SCORE] = i32(s[nearest + SCORE] + COIN_POINTS)
        s[COIN_X] = COIN_MARGIN + _draw(s, COIN_RANGE)
        s[COIN_Y] = COIN_MARGIN + _draw(s, COIN_RANGE)


@cython.cclass
class ScrambleKernel(FlatSimulation):
    """The compiled half of :class:`retick.games.scramble.Scramble`."""

    @cython.cfunc
    @cython.exceptval(check=False)
    @cython.nogil
    def advance_slots(self, slots: cython.p_longlong, inputs: cython.p_ulonglong) -> cython.void:
        limit: cython.longlong = 4294967295
        one: cython.int
        other: cython.int
        slots[0] = (slots[0] + 1) & limit
        for one in range(self.num_players):
            _control(slots, FIRST + EACH * one, inputs[one] & 31)
        for one in range(self.num_players):
            _move(slots, FIRST + EACH * one)
        for one in range(self.num_players):
            for other in range(one + 1, self.num_players):
                _touch(slots, FIRST + EACH * one, FIRST + EACH * other)
        _collect_coin(slots, self.num_players)
