"""The fighter's step over a row of slots (a compiled kernel): phases B to G, in this order. Phase A, the frame counter,
is with the loops.

Slots: frame, eleven of player 1, eleven of player 2, generator. ``at`` is the first slot of a player; names in
capitals are offsets from it, or constants. Integers wrap at 32 bits where the reference's do; from an initial state
only the frame counter gets there. Cython reads decorators literally, so each function repeats the same four.

One text, two loops. A match by itself is fast because it skips what would change nothing: a processor guesses that
well. Thousands of matches side by side are fast when there is nothing to guess. So a phase has no branches: a condition
is 0 or 1, ``condition - 1`` is a mask that keeps a value where the condition is false, ``-condition`` one that keeps it
where it is true. Idle and the ground are 0, and need no second half. Only :func:`_tick` and :func:`_move` skip.
"""

from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.sim.fixed import i32
    from cython.cimports.retick.sim.flat import FlatSimulation

else:
    from retick.games.fighter.rules import (
        ATTACK_ACTIVE_FRAMES,
        ATTACK_COOLDOWN_FRAMES,
        ATTACK_DAMAGE,
        GRAVITY,
        GROUND_Y,
        HITBOX_HEIGHT,
        HITBOX_WIDTH,
        HITSTUN_FRAMES,
        JUMP_VELOCITY,
        MAX_X,
        MIN_X,
        MOVE_SPEED,
        PLAYER_HEIGHT,
        PLAYER_WIDTH,
    )
    from retick.sim.fixed import i32
    from retick.sim.flat import FlatSimulation

    Cell = Any
    Row = Any
    FIRST, SECOND, LAST, SLOTS, PLAYER_SLOTS, LANES = 1, 12, 23, 24, 11, 64
    X, Y, VY, FACING, STATE, HITSTUN, HP, COOLDOWN, ACTIVE, HAS_HIT = 0, 1, 3, 4, 5, 6, 7, 8, 9, 10
    IDLE, RUN, JUMP, ATTACK, STUNNED = 0, 1, 2, 3, 4
    LEFT_BUTTON, RIGHT_BUTTON, JUMP_BUTTON, ATTACK_BUTTON = 1, 2, 4, 8

__all__ = ["FighterKernel", "play_columns", "play_narrow"]


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _recover(s: Row, at: cython.int) -> cython.void:
    """Phase B, second half: when hitstun ends the fighter becomes Idle, in every state."""
    counts: Cell = s[at + HITSTUN] > 0
    ends: Cell
    s[at + HITSTUN] -= counts
    ends = counts & (s[at + HITSTUN] == 0)
    s[at + STATE] &= ends - 1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _start_attack(s: Row, at: cython.int, buttons: Cell) -> cython.void:
    """Phase C."""
    starts: Cell = (buttons >> 3) & (s[at + STATE] != STUNNED) & (s[at + COOLDOWN] <= 0)
    keep: Cell = starts - 1
    s[at + STATE] = (s[at + STATE] & keep) | (ATTACK & ~keep)
    s[at + ACTIVE] = (s[at + ACTIVE] & keep) | (ATTACK_ACTIVE_FRAMES & ~keep)
    s[at + COOLDOWN] = (s[at + COOLDOWN] & keep) | (ATTACK_COOLDOWN_FRAMES & ~keep)
    s[at + HAS_HIT] &= keep


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _walk(s: Row, at: cython.int, buttons: Cell) -> cython.void:
    """Phase D, first third: Right wins over Left."""
    state: Cell = s[at + STATE]
    free: Cell = state != STUNNED
    right: Cell = (buttons >> 1) & free
    left: Cell = buttons & free & ~right
    moves: Cell = right | left
    walks: Cell = free & (state != JUMP) & (state != ATTACK) & (moves | (state == RUN))
    s[at + X] = i32(s[at + X] + MOVE_SPEED * (right - left))
    s[at + FACING] = (s[at + FACING] & (moves - 1)) | (right - left)
    s[at + STATE] = (state & (walks - 1)) | (walks & moves)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _jump(s: Row, at: cython.int, buttons: Cell) -> cython.void:
    """Phase D, second third."""
    state: Cell = s[at + STATE]
    jumps: Cell = (buttons >> 2) & (state != STUNNED) & (s[at + Y] == GROUND_Y) & (state != JUMP)
    s[at + VY] = (s[at + VY] & (jumps - 1)) | (JUMP_VELOCITY & -jumps)
    s[at + STATE] = (state & (jumps - 1)) | (JUMP & -jumps)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _stay_inside(s: Row, at: cython.int) -> cython.void:
    """Phase D, last third."""
    free: Cell = s[at + STATE] != STUNNED
    x: Cell = s[at + X]
    x = x if x > MIN_X else MIN_X
    x = x if x < MAX_X - PLAYER_WIDTH else MAX_X - PLAYER_WIDTH
    s[at + X] = (s[at + X] & (free - 1)) | (x & -free)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _fall(s: Row, at: cython.int) -> cython.void:
    """Phase E, in every state: gravity, and the ground, where a standing fighter stays."""
    vy: Cell = i32(s[at + VY] + GRAVITY)
    y: Cell = i32(s[at + Y] + vy)
    lands: Cell = y <= GROUND_Y
    s[at + Y] = y & (lands - 1)
    s[at + VY] = vy & (lands - 1)
    s[at + STATE] &= (lands & (s[at + STATE] == JUMP)) - 1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _count_down(s: Row, at: cython.int) -> cython.void:
    """Phase F: an open attack window counts down even if the fighter no longer attacks."""
    counts: Cell = s[at + ACTIVE] > 0
    ends: Cell
    s[at + ACTIVE] -= counts
    ends = counts & (s[at + ACTIVE] == 0) & (s[at + STATE] == ATTACK)
    s[at + STATE] &= ends - 1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _can_hit(s: Row, attacker: cython.int, defender: cython.int) -> Cell:
    """Phase G: whether an open attack window overlaps the other's box. Touching edges do not overlap."""
    ahead: Cell = s[attacker + FACING] > 0
    left: Cell = i32(s[attacker + X] + (PLAYER_WIDTH & -ahead) - (HITBOX_WIDTH & (ahead - 1)))
    right: Cell = i32(left + HITBOX_WIDTH)
    top: Cell = i32(s[attacker + Y] + HITBOX_HEIGHT)
    other_right: Cell = i32(s[defender + X] + PLAYER_WIDTH)
    other_top: Cell = i32(s[defender + Y] + PLAYER_HEIGHT)
    hits: Cell = (
        (s[attacker + ACTIVE] > 0)
        & (s[attacker + HAS_HIT] == 0)
        & (left < other_right)
        & (s[defender + X] < right)
        & (s[attacker + Y] < other_top)
        & (s[defender + Y] < top)
    )
    return hits


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _apply_hit(s: Row, attacker: cython.int, defender: cython.int, hits: Cell) -> cython.void:
    """Phase G: damage and hitstun."""
    hp: Cell = i32(s[defender + HP] - ATTACK_DAMAGE)
    keep: Cell = hits - 1
    hp = hp if hp > 0 else 0
    s[defender + HP] = (s[defender + HP] & keep) | (hp & ~keep)
    s[defender + HITSTUN] = (s[defender + HITSTUN] & keep) | (HITSTUN_FRAMES & ~keep)
    s[defender + STATE] = (s[defender + STATE] & keep) | (STUNNED & ~keep)
    s[attacker + HAS_HIT] |= hits


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _move(s: Row, at: cython.int, buttons: Cell, all_phases: cython.bint) -> cython.void:
    """Phase D, skipped in hitstun together with the clamp."""
    if not all_phases and s[at + STATE] == STUNNED:
        return
    if all_phases or buttons & (LEFT_BUTTON | RIGHT_BUTTON) or s[at + STATE] == RUN:
        _walk(s, at, buttons)
    if all_phases or buttons & JUMP_BUTTON:
        _jump(s, at, buttons)
    if all_phases or s[at + X] < MIN_X or s[at + X] > MAX_X - PLAYER_WIDTH:
        _stay_inside(s, at)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _tick(s: Row, first: Cell, second: Cell, all_phases: cython.bint) -> cython.void:
    """One frame, in place; ``first`` and ``second`` are the players' buttons.

    A phase that would change nothing is skipped, unless ``all_phases``: then there is no branch at all, and the C
    compiler can play several matches in one register.
    """
    first_hits: Cell
    second_hits: Cell
    s[FIRST + COOLDOWN] -= s[FIRST + COOLDOWN] > 0
    s[SECOND + COOLDOWN] -= s[SECOND + COOLDOWN] > 0
    if all_phases or s[FIRST + HITSTUN] > 0:
        _recover(s, FIRST)
    if all_phases or s[SECOND + HITSTUN] > 0:
        _recover(s, SECOND)
    if all_phases or first & ATTACK_BUTTON:
        _start_attack(s, FIRST, first)
    if all_phases or second & ATTACK_BUTTON:
        _start_attack(s, SECOND, second)
    _move(s, FIRST, first, all_phases)
    _move(s, SECOND, second, all_phases)
    # Compiled, falling takes less time than the question whether somebody stands.
    if cython.compiled or s[FIRST + Y] or s[FIRST + VY] or s[FIRST + STATE] == JUMP:
        _fall(s, FIRST)
    if cython.compiled or s[SECOND + Y] or s[SECOND + VY] or s[SECOND + STATE] == JUMP:
        _fall(s, SECOND)
    if all_phases or s[FIRST + ACTIVE] > 0:
        _count_down(s, FIRST)
    if all_phases or s[SECOND + ACTIVE] > 0:
        _count_down(s, SECOND)
    if all_phases or s[FIRST + ACTIVE] > 0 or s[SECOND + ACTIVE] > 0:
        # Both are judged before either is applied, so that neither player goes first.
        first_hits = _can_hit(s, FIRST, SECOND)
        second_hits = _can_hit(s, SECOND, FIRST)
        if all_phases or first_hits:
            _apply_hit(s, FIRST, SECOND, first_hits)
        if all_phases or second_hits:
            _apply_hit(s, SECOND, FIRST, second_hits)


@cython.cclass
class FighterKernel(FlatSimulation):
    """The compiled half of :class:`retick.games.fighter.Fighter`."""

    def advance_slots(self, slots: cython.p_longlong, inputs: cython.p_ulonglong) -> cython.void:
        limit: cython.longlong = 4294967295
        slots[0] = (slots[0] + 1) & limit
        _tick(slots, inputs[0] & 15, inputs[1] & 15, False)

    def run_slots(self, slots: cython.p_longlong, frames: cython.p_uchar, count: cython.Py_ssize_t) -> cython.void:
        # Only the low byte of an input holds buttons that the rules read. The loop works on a copy, which the C
        # compiler can keep in registers since nothing else points to it.
        frame: cython.Py_ssize_t
        index: cython.int
        limit: cython.longlong = 4294967295
        if cython.compiled:
            copied = cython.declare(cython.int[SLOTS])
        else:
            copied = [0] * SLOTS
        row: cython.p_int = copied
        for index in range(FIRST, LAST):
            row[index] = slots[index]
        for frame in range(count):
            _tick(row, frames[4 * frame], frames[4 * frame + 2], False)
        for index in range(FIRST, LAST):
            slots[index] = row[index]
        slots[0] = (slots[0] + count) & limit


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _play_lane(cells: Row, at: cython.Py_ssize_t, row: Row, first: Cell, second: Cell) -> cython.void:
    """One frame of the match that has a cell in each column, 64 apart from ``at`` on; ``row`` is room for its slots."""
    index: cython.Py_ssize_t
    for index in range(PLAYER_SLOTS):
        row[FIRST + index] = cells[at + (FIRST + index) * LANES]
    for index in range(PLAYER_SLOTS):
        row[SECOND + index] = cells[at + (SECOND + index) * LANES]
    _tick(row, first, second, cython.compiled)
    for index in range(PLAYER_SLOTS):
        cells[at + (FIRST + index) * LANES] = row[FIRST + index]
    for index in range(PLAYER_SLOTS):
        cells[at + (SECOND + index) * LANES] = row[SECOND + index]


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def play_columns(
    cells: cython.p_int, base: cython.Py_ssize_t, first: cython.p_int, second: cython.p_int, count: cython.Py_ssize_t
) -> cython.void:
    """One frame of ``count`` matches: 64 at most, in 24 columns of 64 cells from ``base`` on.

    Compiled, the cells after them are played too: a loop of fixed length without a branch in it is one over registers
    of several matches. The distance of two columns is fixed as well, so that the compiler knows them to be apart.
    """
    lane: cython.Py_ssize_t
    if cython.compiled:
        row = cython.declare(cython.int[SLOTS])
    else:
        row = [0] * SLOTS
    for lane in range(LANES if cython.compiled else count):
        _play_lane(cells, base + lane, row, first[lane], second[lane])
        cells[base + lane] = i32(cells[base + lane] + 1)


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def play_narrow(cells: cython.p_short, buttons: cython.p_ushort, frames: cython.Py_ssize_t) -> cython.void:
    """Some frames of 64 matches, in columns of 16 bits; in a number of buttons, the first player's are below."""
    lane: cython.Py_ssize_t
    frame: cython.Py_ssize_t
    if cython.compiled:
        row = cython.declare(cython.short[SLOTS])
    else:
        row = [0] * SLOTS
    for frame in range(frames):
        for lane in range(LANES):
            _play_lane(cells, lane, row, buttons[frame * LANES + lane] & 255, buttons[frame * LANES + lane] >> 8)
