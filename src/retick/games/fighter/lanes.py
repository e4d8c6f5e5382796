"""The fighter's step for eight matches at once, without a branch (a compiled kernel).

Theory of operation. A step of one match is a chain of short decisions, and a processor spends most of its time on those
that it guessed wrong. Here every decision is a mask, 0 or -1, and every value is chosen by it; so the same few hundred
instructions run for each frame, and the C compiler makes each of them work on several matches: one match is a lane.

The rules are those of ``kernel``, phase by phase. Lanes have 16 bits, so this is only for states that follow from an
initial one: no number in them leaves -10,000 to 30,000. A test holds the two equal.
"""

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.games.fighter.kernel import (
        ATTACK,
        ATTACK_ACTIVE_FRAMES,
        ATTACK_BUTTON,
        ATTACK_COOLDOWN_FRAMES,
        ATTACK_DAMAGE,
        GRAVITY,
        HITBOX_HEIGHT,
        HITBOX_WIDTH,
        HITSTUN_FRAMES,
        IDLE,
        JUMP,
        JUMP_BUTTON,
        JUMP_VELOCITY,
        LEFT_BUTTON,
        MAX_X,
        MOVE_SPEED,
        PLAYER_HEIGHT,
        PLAYER_WIDTH,
        RIGHT_BUTTON,
        RUN,
        SLOTS,
        STUNNED,
    )  # fmt: skip
else:
    from retick.games.fighter.rules import (
        ATTACK_ACTIVE_FRAMES,
        ATTACK_COOLDOWN_FRAMES,
        ATTACK_DAMAGE,
        GRAVITY,
        HITBOX_HEIGHT,
        HITBOX_WIDTH,
        HITSTUN_FRAMES,
        JUMP_VELOCITY,
        MAX_X,
        MOVE_SPEED,
        PLAYER_HEIGHT,
        PLAYER_WIDTH,
    )

    SLOTS, WIDTH = 24, 8
    IDLE, RUN, JUMP, ATTACK, STUNNED = 0, 1, 2, 3, 4
    LEFT_BUTTON, RIGHT_BUTTON, JUMP_BUTTON, ATTACK_BUTTON = 1, 2, 4, 8

__all__ = ["run_lanes"]


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _pick(mask: cython.short, chosen: cython.short, other: cython.short) -> cython.short:
    """``chosen`` where the mask is -1, ``other`` where it is 0."""
    return (chosen & mask) | (other & ~mask)


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def run_lanes(
    rows: cython.p_longlong,
    octets: cython.p_uchar,
    starts: cython.p_longlong,
    first: cython.Py_ssize_t,
    count: cython.Py_ssize_t,
) -> cython.void:
    """Advance the rows of the eight matches from ``first`` on by ``count`` frames, whose inputs begin at ``starts``.

    The left players are lanes 0 to 7, and the right players, in the same order, lanes 8 to 15.
    """
    limit: cython.longlong = 4294967295
    lane: cython.int
    other: cython.int
    match: cython.Py_ssize_t
    frame: cython.Py_ssize_t
    later: cython.Py_ssize_t
    ahead: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    now: cython.Py_ssize_t
    buttons: cython.short
    at: cython.short
    mask: cython.short
    can: cython.short
    right: cython.short
    moving: cython.short
    reach: cython.short
    left: cython.short
    if cython.compiled:
        pressed = cython.declare(cython.short[512])
        x = cython.declare(cython.short[16])
        y = cython.declare(cython.short[16])
        vy = cython.declare(cython.short[16])
        facing = cython.declare(cython.short[16])
        state = cython.declare(cython.short[16])
        stun = cython.declare(cython.short[16])
        hp = cython.declare(cython.short[16])
        cooldown = cython.declare(cython.short[16])
        active = cython.declare(cython.short[16])
        has_hit = cython.declare(cython.short[16])
        hits = cython.declare(cython.short[16])
    else:
        x, y, vy, facing, state, stun, hp, cooldown, active, has_hit, hits = ([0] * 16 for _ in range(11))
        pressed = [0] * 512
    for lane in range(2 * WIDTH):
        match = (first + lane % WIDTH) * SLOTS + (1 if lane < WIDTH else 12)
        x[lane] = rows[match]
        y[lane] = rows[match + 1]
        vy[lane] = rows[match + 3]
        facing[lane] = rows[match + 4]
        state[lane] = rows[match + 5]
        stun[lane] = rows[match + 6]
        hp[lane] = rows[match + 7]
        cooldown[lane] = rows[match + 8]
        active[lane] = rows[match + 9]
        has_hit[lane] = rows[match + 10]
    for frame in range(count):
        # Some frames ahead: what was stored byte by byte a moment ago cannot be loaded as a whole.
        if frame % 32 == 0:
            ahead = count - frame if count - frame < 32 else 32
            for lane in range(WIDTH):
                begin = starts[first + lane] + 4 * frame
                for later in range(ahead):
                    pressed[later * 16 + lane] = octets[begin + 4 * later]
                    pressed[later * 16 + lane + WIDTH] = octets[begin + 4 * later + 2]
        now = (frame % 32) * 16
        for lane in range(2 * WIDTH):
            buttons = pressed[now + lane]
            at = state[lane]
            # B: cooldown, and hitstun, after which the fighter is Idle, which is 0
            cooldown[lane] += -(cooldown[lane] > 0)
            mask = -(stun[lane] > 0)
            stun[lane] += mask
            at &= ~(mask & -(stun[lane] == 0))
            # C: an attack begins
            mask = -((buttons & ATTACK_BUTTON) != 0) & -(at != STUNNED) & -(cooldown[lane] <= 0)
            at = _pick(mask, ATTACK, at)
            active[lane] = _pick(mask, ATTACK_ACTIVE_FRAMES, active[lane])
            cooldown[lane] = _pick(mask, ATTACK_COOLDOWN_FRAMES, cooldown[lane])
            has_hit[lane] &= ~mask
            # D: a step, which Right decides, and a jump; the left wall is at 0
            can = -(at != STUNNED)
            right = -((buttons & RIGHT_BUTTON) != 0)
            moving = can & -((buttons & (LEFT_BUTTON | RIGHT_BUTTON)) != 0)
            x[lane] += moving & _pick(right, MOVE_SPEED, -MOVE_SPEED)
            facing[lane] = _pick(moving, _pick(right, 1, -1), facing[lane])
            mask = can & ~moving & -(at == RUN)
            at = _pick(moving & -(at != JUMP) & -(at != ATTACK), RUN, at) & ~mask
            mask = can & -((buttons & JUMP_BUTTON) != 0) & -(y[lane] == 0) & -(at != JUMP)
            vy[lane] = _pick(mask, JUMP_VELOCITY, vy[lane])
            at = _pick(mask, JUMP, at)
            x[lane] &= ~-(x[lane] < 0)
            x[lane] = _pick(-(x[lane] > MAX_X - PLAYER_WIDTH), MAX_X - PLAYER_WIDTH, x[lane])
            # E: gravity, and the ground at 0
            vy[lane] += GRAVITY
            y[lane] += vy[lane]
            mask = -(y[lane] <= 0)
            y[lane] &= ~mask
            vy[lane] &= ~mask
            at &= ~(mask & -(at == JUMP))
            # F: an open attack window
            mask = -(active[lane] > 0)
            active[lane] += mask
            state[lane] = at & ~(mask & -(active[lane] == 0) & -(at == ATTACK))
        # G: both are judged before either is applied
        for lane in range(WIDTH):
            other = lane + WIDTH
            left = _pick(-(facing[lane] > 0), x[lane] + PLAYER_WIDTH, x[lane] - HITBOX_WIDTH)
            reach = -(left < x[other] + PLAYER_WIDTH) & -(x[other] < left + HITBOX_WIDTH)
            reach &= -(y[lane] < y[other] + PLAYER_HEIGHT) & -(y[other] < y[lane] + HITBOX_HEIGHT)
            hits[lane] = reach & -(active[lane] > 0) & -(has_hit[lane] == 0)
            left = _pick(-(facing[other] > 0), x[other] + PLAYER_WIDTH, x[other] - HITBOX_WIDTH)
            reach = -(left < x[lane] + PLAYER_WIDTH) & -(x[lane] < left + HITBOX_WIDTH)
            reach &= -(y[other] < y[lane] + PLAYER_HEIGHT) & -(y[lane] < y[other] + HITBOX_HEIGHT)
            hits[other] = reach & -(active[other] > 0) & -(has_hit[other] == 0)
        for lane in range(2 * WIDTH):
            has_hit[lane] |= hits[lane] & 1
        for lane in range(WIDTH):
            other = lane + WIDTH
            mask = hits[lane]
            hp[other] -= ATTACK_DAMAGE & mask
            hp[other] &= ~-(hp[other] < 0)
            stun[other] = _pick(mask, HITSTUN_FRAMES, stun[other])
            state[other] = _pick(mask, STUNNED, state[other])
            mask = hits[other]
            hp[lane] -= ATTACK_DAMAGE & mask
            hp[lane] &= ~-(hp[lane] < 0)
            stun[lane] = _pick(mask, HITSTUN_FRAMES, stun[lane])
            state[lane] = _pick(mask, STUNNED, state[lane])
    for lane in range(2 * WIDTH):
        match = (first + lane % WIDTH) * SLOTS + (1 if lane < WIDTH else 12)
        rows[match] = x[lane]
        rows[match + 1] = y[lane]
        rows[match + 3] = vy[lane]
        rows[match + 4] = facing[lane]
        rows[match + 5] = state[lane]
        rows[match + 6] = stun[lane]
        rows[match + 7] = hp[lane]
        rows[match + 8] = cooldown[lane]
        rows[match + 9] = active[lane]
        rows[match + 10] = has_hit[lane]
    for lane in range(WIDTH):
        rows[(first + lane) * SLOTS] = (rows[(first + lane) * SLOTS] + count) & limit
