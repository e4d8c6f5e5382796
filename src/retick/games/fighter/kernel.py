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

    Row = cython.fused_type(cython.p_int, cython.p_longlong)
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

    Row = Any
    FIRST, SECOND, LAST, SLOTS, PLAYER_SLOTS, LANES = 1, 12, 23, 24, 11, 64
    CELLS, ENOUGH, BLOCK, PRESSED = 1536, 32, 32, 2048
    X, Y, VY, FACING, STATE, HITSTUN, HP, COOLDOWN, ACTIVE, HAS_HIT = 0, 1, 3, 4, 5, 6, 7, 8, 9, 10
    IDLE, RUN, JUMP, ATTACK, STUNNED = 0, 1, 2, 3, 4
    LEFT_BUTTON, RIGHT_BUTTON, JUMP_BUTTON, ATTACK_BUTTON = 1, 2, 4, 8

__all__ = ["FighterKernel", "play_columns"]


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _recover(s: Row, at: cython.int) -> cython.void:
    """Phase B, second half: when hitstun ends the fighter becomes Idle, in every state."""
    counts: cython.int = s[at + HITSTUN] > 0
    ends: cython.int
    s[at + HITSTUN] -= counts
    ends = counts & (s[at + HITSTUN] == 0)
    s[at + STATE] &= ends - 1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _start_attack(s: Row, at: cython.int, buttons: cython.int) -> cython.void:
    """Phase C."""
    starts: cython.int = (buttons >> 3) & (s[at + STATE] != STUNNED) & (s[at + COOLDOWN] <= 0)
    keep: cython.int = starts - 1
    s[at + STATE] = (s[at + STATE] & keep) | (ATTACK & ~keep)
    s[at + ACTIVE] = (s[at + ACTIVE] & keep) | (ATTACK_ACTIVE_FRAMES & ~keep)
    s[at + COOLDOWN] = (s[at + COOLDOWN] & keep) | (ATTACK_COOLDOWN_FRAMES & ~keep)
    s[at + HAS_HIT] &= keep


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _walk(s: Row, at: cython.int, buttons: cython.int) -> cython.void:
    """Phase D, first third: Right wins over Left."""
    state: cython.int = s[at + STATE]
    free: cython.int = state != STUNNED
    right: cython.int = (buttons >> 1) & free
    left: cython.int = buttons & free & ~right
    moves: cython.int = right | left
    walks: cython.int = free & (state != JUMP) & (state != ATTACK) & (moves | (state == RUN))
    s[at + X] = i32(s[at + X] + MOVE_SPEED * (right - left))
    s[at + FACING] = (s[at + FACING] & (moves - 1)) | (right - left)
    s[at + STATE] = (state & (walks - 1)) | (walks & moves)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _jump(s: Row, at: cython.int, buttons: cython.int) -> cython.void:
    """Phase D, second third."""
    state: cython.int = s[at + STATE]
    jumps: cython.int = (buttons >> 2) & (state != STUNNED) & (s[at + Y] == GROUND_Y) & (state != JUMP)
    s[at + VY] = (s[at + VY] & (jumps - 1)) | (JUMP_VELOCITY & -jumps)
    s[at + STATE] = (state & (jumps - 1)) | (JUMP & -jumps)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _stay_inside(s: Row, at: cython.int) -> cython.void:
    """Phase D, last third."""
    free: cython.int = s[at + STATE] != STUNNED
    x: cython.int = s[at + X]
    x = x if x > MIN_X else MIN_X
    x = x if x < MAX_X - PLAYER_WIDTH else MAX_X - PLAYER_WIDTH
    s[at + X] = (s[at + X] & (free - 1)) | (x & -free)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _fall(s: Row, at: cython.int) -> cython.void:
    """Phase E, in every state: gravity, and the ground, where a standing fighter stays."""
    vy: cython.int = i32(s[at + VY] + GRAVITY)
    y: cython.int = i32(s[at + Y] + vy)
    lands: cython.int = y <= GROUND_Y
    s[at + Y] = y & (lands - 1)
    s[at + VY] = vy & (lands - 1)
    s[at + STATE] &= (lands & (s[at + STATE] == JUMP)) - 1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _count_down(s: Row, at: cython.int) -> cython.void:
    """Phase F: an open attack window counts down even if the fighter no longer attacks."""
    counts: cython.int = s[at + ACTIVE] > 0
    ends: cython.int
    s[at + ACTIVE] -= counts
    ends = counts & (s[at + ACTIVE] == 0) & (s[at + STATE] == ATTACK)
    s[at + STATE] &= ends - 1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _can_hit(s: Row, attacker: cython.int, defender: cython.int) -> cython.int:
    """Phase G: whether an open attack window overlaps the other's box. Touching edges do not overlap."""
    ahead: cython.int = s[attacker + FACING] > 0
    left: cython.int = i32(s[attacker + X] + (PLAYER_WIDTH & -ahead) - (HITBOX_WIDTH & (ahead - 1)))
    hits: cython.int = (
        (s[attacker + ACTIVE] > 0)
        & (s[attacker + HAS_HIT] == 0)
        & (left < i32(s[defender + X] + PLAYER_WIDTH))
        & (s[defender + X] < i32(left + HITBOX_WIDTH))
        & (s[attacker + Y] < i32(s[defender + Y] + PLAYER_HEIGHT))
        & (s[defender + Y] < i32(s[attacker + Y] + HITBOX_HEIGHT))
    )
    return hits


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _apply_hit(s: Row, attacker: cython.int, defender: cython.int, hits: cython.int) -> cython.void:
    """Phase G: damage and hitstun."""
    hp: cython.int = i32(s[defender + HP] - ATTACK_DAMAGE)
    keep: cython.int = hits - 1
    hp = hp if hp > 0 else 0
    s[defender + HP] = (s[defender + HP] & keep) | (hp & ~keep)
    s[defender + HITSTUN] = (s[defender + HITSTUN] & keep) | (HITSTUN_FRAMES & ~keep)
    s[defender + STATE] = (s[defender + STATE] & keep) | (STUNNED & ~keep)
    s[attacker + HAS_HIT] |= hits


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _move(s: Row, at: cython.int, buttons: cython.int, all_phases: cython.bint) -> cython.void:
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
def _tick(s: Row, first: cython.int, second: cython.int, all_phases: cython.bint) -> cython.void:
    """One frame, in place; ``first`` and ``second`` are the players' buttons.

    A phase that would change nothing is skipped, unless ``all_phases``: then there is no branch at all, and the C
    compiler can play several matches in one register.
    """
    first_hits: cython.int
    second_hits: cython.int
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

    def run_many_slots(
        self,
        rows: cython.p_longlong,
        octets: cython.p_uchar,
        starts: cython.p_longlong,
        counts: cython.p_longlong,
        matches: cython.Py_ssize_t,
    ) -> cython.void:
        # As a match ends, the next takes its lane. When less than half of the lanes are left, they end one by one.
        # Uncompiled all do: side by side nothing is gained there.
        lanes: cython.Py_ssize_t = 0
        left: cython.Py_ssize_t
        lane: cython.Py_ssize_t
        match: cython.Py_ssize_t = 0
        if cython.compiled:
            playing = cython.declare(cython.Py_ssize_t[LANES])
            while True:
                while lanes < LANES and match < matches:
                    playing[lanes] = match
                    lanes += 1
                    match += 1
                if lanes < ENOUGH:
                    break
                _play_together(rows, octets, starts, counts, playing, lanes)
                left = 0
                for lane in range(lanes):
                    if counts[playing[lane]]:
                        playing[left] = playing[lane]
                        left += 1
                lanes = left
            for lane in range(lanes):
                match = playing[lane]
                self.run_slots(rows + match * SLOTS, octets + starts[match], counts[match])
        else:
            FlatSimulation.run_many_slots(self, rows, octets, starts, counts, matches)


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _play_together(
    rows: cython.p_longlong,
    octets: cython.p_uchar,
    starts: cython.p_longlong,
    counts: cython.p_longlong,
    playing: cython.pointer(cython.Py_ssize_t),  # type: ignore[valid-type]  # a C type
    lanes: cython.Py_ssize_t,
) -> cython.void:
    """Play some matches up to the end of the shortest, and move their starts and counts on."""
    lane: cython.Py_ssize_t
    index: cython.Py_ssize_t
    frame: cython.Py_ssize_t
    match: cython.Py_ssize_t
    at: cython.Py_ssize_t
    block: cython.longlong
    played: cython.longlong = 0
    limit: cython.longlong = 4294967295
    span: cython.longlong = counts[playing[0]]
    if cython.compiled:
        cells = cython.declare(cython.int[CELLS])
        buttons = cython.declare(cython.int[PRESSED])
        first = cython.declare(cython.int[LANES])
        second = cython.declare(cython.int[LANES])
    else:
        cells, buttons, first, second = [0] * CELLS, [0] * PRESSED, [0] * LANES, [0] * LANES
    for index in range(CELLS):
        cells[index] = 0
    for index in range(PRESSED):
        buttons[index] = 0
    for lane in range(lanes):
        match = playing[lane]
        span = span if span < counts[match] else counts[match]
        for index in range(LAST):
            cells[index * LANES + lane] = i32(rows[match * SLOTS + index])
    while played < span:
        # Some frames of one match, then of the next: so many places, read in turns, would leave the cache each time.
        block = span - played if span - played < BLOCK else BLOCK
        for lane in range(lanes):
            at = starts[playing[lane]] + 4 * played
            for frame in range(block):
                buttons[frame * LANES + lane] = octets[at + 4 * frame] | octets[at + 4 * frame + 2] << 8
        for frame in range(block):
            for lane in range(LANES):
                first[lane] = buttons[frame * LANES + lane] & 255
                second[lane] = buttons[frame * LANES + lane] >> 8
            play_columns(cells, 0, first, second, lanes)
        played += block
    for lane in range(lanes):
        match = playing[lane]
        starts[match] += 4 * span
        counts[match] -= span
        for index in range(LAST):
            rows[match * SLOTS + index] = cells[index * LANES + lane]
        rows[match * SLOTS] &= limit


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
    index: cython.Py_ssize_t
    if cython.compiled:
        cells_of_one = cython.declare(cython.int[SLOTS])
    else:
        cells_of_one = [0] * SLOTS
    row: cython.p_int = cells_of_one
    for lane in range(LANES if cython.compiled else count):
        for index in range(PLAYER_SLOTS):
            row[FIRST + index] = cells[base + (FIRST + index) * LANES + lane]
        for index in range(PLAYER_SLOTS):
            row[SECOND + index] = cells[base + (SECOND + index) * LANES + lane]
        _tick(row, first[lane], second[lane], cython.compiled)
        for index in range(PLAYER_SLOTS):
            cells[base + (FIRST + index) * LANES + lane] = row[FIRST + index]
        for index in range(PLAYER_SLOTS):
            cells[base + (SECOND + index) * LANES + lane] = row[SECOND + index]
        cells[base + lane] = i32(cells[base + lane] + 1)
