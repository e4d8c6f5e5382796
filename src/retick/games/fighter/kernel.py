"""The fighter's step over a row of slots (a compiled kernel): phases A to G, in this order.

Slots: frame, eleven of player 1, eleven of player 2, generator. ``at`` is the first slot of a player; names in
capitals are offsets from it, or constants. Integers wrap at 32 bits where the reference's do; from an initial state
only the frame counter gets there. Cython reads decorators literally, so each function repeats the same four.
"""

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.games.fighter.lanes import WIDTH, run_lanes
    from cython.cimports.retick.sim.fixed import i32
    from cython.cimports.retick.sim.flat import FlatSimulation
else:
    from retick.games.fighter.lanes import WIDTH, run_lanes
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

    FIRST, SECOND, SLOTS = 1, 12, 24
    X, Y, VY, FACING, STATE, HITSTUN, HP, COOLDOWN, ACTIVE, HAS_HIT = 0, 1, 3, 4, 5, 6, 7, 8, 9, 10
    IDLE, RUN, JUMP, ATTACK, STUNNED = 0, 1, 2, 3, 4
    LEFT_BUTTON, RIGHT_BUTTON, JUMP_BUTTON, ATTACK_BUTTON = 1, 2, 4, 8

__all__ = ["FighterKernel"]


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _recover(s: cython.p_longlong, at: cython.int) -> cython.void:
    """Phase B, second half: when hitstun ends the fighter becomes Idle, in every state."""
    s[at + HITSTUN] -= 1
    if s[at + HITSTUN] == 0:
        s[at + STATE] = IDLE


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _start_attack(s: cython.p_longlong, at: cython.int) -> cython.void:
    """Phase C, for a player who presses Attack."""
    if s[at + STATE] != STUNNED and s[at + COOLDOWN] <= 0:
        s[at + STATE] = ATTACK
        s[at + ACTIVE] = ATTACK_ACTIVE_FRAMES
        s[at + COOLDOWN] = ATTACK_COOLDOWN_FRAMES
        s[at + HAS_HIT] = 0


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _move(s: cython.p_longlong, at: cython.int, buttons: cython.int) -> cython.void:
    """Phase D, skipped in hitstun together with the clamp. Right wins over Left."""
    state: cython.longlong = s[at + STATE]
    x: cython.longlong
    if state == STUNNED:
        return
    x = s[at + X]
    if buttons & (LEFT_BUTTON | RIGHT_BUTTON):
        if buttons & RIGHT_BUTTON:
            x = i32(x + MOVE_SPEED)
            s[at + FACING] = 1
        else:
            x = i32(x - MOVE_SPEED)
            s[at + FACING] = -1
        if state != JUMP and state != ATTACK:
            state = RUN
    elif state == RUN:
        state = IDLE
    if buttons & JUMP_BUTTON and s[at + Y] == GROUND_Y and state != JUMP:
        s[at + VY] = JUMP_VELOCITY
        state = JUMP
    if x < MIN_X:
        x = MIN_X
    elif x > MAX_X - PLAYER_WIDTH:
        x = MAX_X - PLAYER_WIDTH
    s[at + X] = x
    s[at + STATE] = state


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _fall(s: cython.p_longlong, at: cython.int) -> cython.void:
    """Phase E, in every state: gravity, and the ground, where a standing fighter stays."""
    vy: cython.longlong = i32(s[at + VY] + GRAVITY)
    y: cython.longlong = i32(s[at + Y] + vy)
    if y <= GROUND_Y:
        y = GROUND_Y
        vy = 0
        if s[at + STATE] == JUMP:
            s[at + STATE] = IDLE
    s[at + Y] = y
    s[at + VY] = vy


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _count_down(s: cython.p_longlong, at: cython.int) -> cython.void:
    """Phase F: an open attack window counts down even if the fighter no longer attacks."""
    s[at + ACTIVE] -= 1
    if s[at + ACTIVE] == 0 and s[at + STATE] == ATTACK:
        s[at + STATE] = IDLE


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _can_hit(s: cython.p_longlong, attacker: cython.int, defender: cython.int) -> cython.bint:
    """Phase G: whether an open attack window overlaps the other's box. Touching edges do not overlap."""
    left: cython.longlong
    top: cython.longlong
    if s[attacker + ACTIVE] <= 0 or s[attacker + HAS_HIT] != 0:
        return False
    if s[attacker + FACING] > 0:
        left = i32(s[attacker + X] + PLAYER_WIDTH)
    else:
        left = i32(s[attacker + X] - HITBOX_WIDTH)
    top = i32(s[attacker + Y] + HITBOX_HEIGHT)
    return (
        left < i32(s[defender + X] + PLAYER_WIDTH)
        and s[defender + X] < i32(left + HITBOX_WIDTH)
        and s[attacker + Y] < i32(s[defender + Y] + PLAYER_HEIGHT)
        and s[defender + Y] < top
    )


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _apply_hit(s: cython.p_longlong, attacker: cython.int, defender: cython.int) -> cython.void:
    """Phase G: damage and hitstun."""
    hp: cython.longlong = i32(s[defender + HP] - ATTACK_DAMAGE)
    s[defender + HP] = hp if hp > 0 else 0
    s[defender + HITSTUN] = HITSTUN_FRAMES
    s[defender + STATE] = STUNNED
    s[attacker + HAS_HIT] = 1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _tick(s: cython.p_longlong, first: cython.int, second: cython.int) -> cython.void:
    """One frame, in place; ``first`` and ``second`` are the players' buttons.

    Rare cases are checked here and done in functions: uncompiled, a call costs more than most phases.
    """
    first_hits: cython.bint
    second_hits: cython.bint
    limit: cython.longlong = 4294967295
    s[0] = (s[0] + 1) & limit
    if s[FIRST + COOLDOWN] > 0:
        s[FIRST + COOLDOWN] -= 1
    if s[SECOND + COOLDOWN] > 0:
        s[SECOND + COOLDOWN] -= 1
    if s[FIRST + HITSTUN] > 0:
        _recover(s, FIRST)
    if s[SECOND + HITSTUN] > 0:
        _recover(s, SECOND)
    if first & ATTACK_BUTTON:
        _start_attack(s, FIRST)
    if second & ATTACK_BUTTON:
        _start_attack(s, SECOND)
    _move(s, FIRST, first)
    _move(s, SECOND, second)
    _fall(s, FIRST)
    _fall(s, SECOND)
    if s[FIRST + ACTIVE] > 0:
        _count_down(s, FIRST)
    if s[SECOND + ACTIVE] > 0:
        _count_down(s, SECOND)
    if s[FIRST + ACTIVE] > 0 or s[SECOND + ACTIVE] > 0:
        # Both are judged before either is applied, so that neither player goes first.
        first_hits = _can_hit(s, FIRST, SECOND)
        second_hits = _can_hit(s, SECOND, FIRST)
        if first_hits:
            _apply_hit(s, FIRST, SECOND)
        if second_hits:
            _apply_hit(s, SECOND, FIRST)


@cython.cclass
class FighterKernel(FlatSimulation):
    """The compiled half of :class:`retick.games.fighter.Fighter`."""

    def advance_slots(self, slots: cython.p_longlong, inputs: cython.p_ulonglong) -> cython.void:
        _tick(slots, inputs[0] & 15, inputs[1] & 15)

    def run_slots(self, slots: cython.p_longlong, frames: cython.p_uchar, count: cython.Py_ssize_t) -> cython.void:
        # Only the low byte of an input holds buttons that the rules read. The loop works on a copy, which the C
        # compiler can keep in registers since nothing else points to it.
        frame: cython.Py_ssize_t
        index: cython.int
        if cython.compiled:
            row = cython.declare(cython.longlong[SLOTS])
        else:
            row = [0] * SLOTS
        for index in range(SLOTS):
            row[index] = slots[index]
        for frame in range(count):
            _tick(row, frames[4 * frame], frames[4 * frame + 2])
        for index in range(SLOTS):
            slots[index] = row[index]

    def run_many_slots(
        self,
        rows: cython.p_longlong,
        octets: cython.p_uchar,
        starts: cython.p_longlong,
        counts: cython.p_longlong,
        matches: cython.Py_ssize_t,
    ) -> cython.void:
        # Eight at a time for as many frames as all of them have; what is left of each, alone.
        first: cython.Py_ssize_t = 0
        at: cython.Py_ssize_t
        shared: cython.longlong
        while first + WIDTH <= matches:
            shared = counts[first]
            for at in range(first, first + WIDTH):
                if counts[at] < shared:
                    shared = counts[at]
            run_lanes(rows, octets, starts, first, shared)
            for at in range(first, first + WIDTH):
                starts[at] += 4 * shared
                counts[at] -= shared
            first += WIDTH
        FlatSimulation.run_many_slots(self, rows, octets, starts, counts, matches)
