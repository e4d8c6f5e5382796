"""The fighter's step over a row of slots (a compiled kernel): phases B to G, in this order. Phase A, the frame counter,
is with the loops.

Slots: frame, eleven of player 1, eleven of player 2, generator. ``at`` is the first slot of a player; names in
capitals are offsets from it, or constants. Integers wrap at 32 bits where the reference's do; from an initial state
only the frame counter gets there. Cython reads decorators literally, so each function repeats the same four.

One text, two loops. A match by itself is fast if it skips what would change nothing: a processor predicts that well.
Thousands of matches side by side are fast if there is nothing to predict. So a phase has no branches: a condition is 0
or 1, ``condition - 1`` is a mask that keeps a value where the condition is false, ``-condition`` one that keeps it
where it is true. Idle and the ground are 0, and need no second half. Only :func:`_tick` and :func:`_move` skip.
"""

from array import array
from typing import Any

from retick.errors import UsageError

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.sim.flat import FlatSimulation, i32
else:
    from retick.games.fighter.rules import (  # C constants
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

if not cython.compiled:
    Cell = Any
    Row = Any
    FIRST, SECOND, LAST, SLOTS, PLAYER_SLOTS, LANES = 1, 12, 23, 24, 11, 64  # C constants
    X, Y, VY, FACING, STATE, HITSTUN, HP, COOLDOWN, ACTIVE, HAS_HIT = 0, 1, 3, 4, 5, 6, 7, 8, 9, 10  # C constants
    IDLE, RUN, JUMP, ATTACK, STUNNED = 0, 1, 2, 3, 4  # C constants
    LEFT_BUTTON, RIGHT_BUTTON, JUMP_BUTTON, ATTACK_BUTTON = 1, 2, 4, 8  # C constants


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _recover(s: Row, at: cython.int) -> cython.void:
    """Phase B, second half: a fighter whose hitstun ends becomes Idle, in every state."""
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
    """Phase C: start an attack."""
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
    """Phase D, second third: jump."""
    state: Cell = s[at + STATE]
    jumps: Cell = (buttons >> 2) & (state != STUNNED) & (s[at + Y] == GROUND_Y) & (state != JUMP)
    s[at + VY] = (s[at + VY] & (jumps - 1)) | (JUMP_VELOCITY & -jumps)
    s[at + STATE] = (state & (jumps - 1)) | (JUMP & -jumps)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _stay_inside(s: Row, at: cython.int) -> cython.void:
    """Phase D, last third: stay inside the arena."""
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
    """Advance one frame, in place; ``first`` and ``second`` are the players' buttons.

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

    @cython.cfunc
    @cython.exceptval(check=False)
    @cython.nogil
    def advance_slots(self, slots: cython.p_longlong, inputs: cython.p_ulonglong) -> cython.void:
        limit: cython.longlong = 4294967295
        slots[0] = (slots[0] + 1) & limit
        _tick(slots, inputs[0] & 15, inputs[1] & 15, False)

    @cython.cfunc
    @cython.exceptval(check=False)
    @cython.nogil
    def run_slots(
        self, slots: cython.p_longlong, frames: cython.p_const_uchar, count: cython.Py_ssize_t
    ) -> cython.void:
        # The rules read only the low byte of an input. The loop works on a copy, which the C compiler can keep in
        # registers since nothing else points to it.
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
    """Advance by one frame the match with a cell in each column, 64 apart, from ``at`` on; ``row`` is scratch space."""
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
    """Advance ``count`` matches, 64 at most, by one frame: 24 columns of 64 cells from ``base`` on.

    Compiled, the cells after them are played too: the compiler runs a loop of fixed length without branches on several
    matches in one register. The distance of two columns is fixed as well, so that it knows them to be apart.
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
    """Play some frames of 64 matches, in columns of 16 bits; in a number of buttons, the first player's are lowest."""
    lane: cython.Py_ssize_t
    frame: cython.Py_ssize_t
    if cython.compiled:
        row = cython.declare(cython.short[SLOTS])
    else:
        row = [0] * SLOTS
    for frame in range(frames):
        for lane in range(LANES):
            _play_lane(cells, lane, row, buttons[frame * LANES + lane] & 255, buttons[frame * LANES + lane] >> 8)


# Runs many matches of the fighter side by side (a compiled kernel), for verifying them by the thousand.
#
# Theory of operation. The rules need no more than 16 bits for a match that began where matches begin, so one AVX2
# register holds a value of sixteen matches. Up to 64 matches are played at a time; as one ends, the next takes its
# lane. Matches that do not fit, and the last few, run one by one. Uncompiled all do: side by side would not be faster.

if not cython.compiled:
    CELLS, ENOUGH, BLOCK, PRESSED = 1536, 24, 32, 2048  # C constants
    LEAST_NARROW, MOST_NARROW = -1000, 20000  # C constants


@cython.cclass
class FighterLanes(FighterKernel):
    """The fighter with a loop over many matches at a time."""

    @cython.cfunc
    @cython.exceptval(check=False)
    @cython.nogil
    def run_many_slots(
        self,
        rows: cython.p_longlong,
        octets: cython.p_const_uchar,
        starts: cython.p_longlong,
        counts: cython.p_longlong,
        matches: cython.Py_ssize_t,
    ) -> cython.void:
        lanes: cython.Py_ssize_t = 0
        left: cython.Py_ssize_t
        lane: cython.Py_ssize_t
        match: cython.Py_ssize_t = 0
        if cython.compiled:
            playing = cython.declare(cython.Py_ssize_t[LANES])
            while True:
                while lanes < LANES and match < matches:
                    if _is_narrow(rows + match * SLOTS):
                        playing[lanes] = match
                        lanes += 1
                    else:
                        self.run_slots(rows + match * SLOTS, octets + starts[match], counts[match])
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
def _is_narrow(row: cython.p_longlong) -> cython.bint:
    """Whether nothing that follows from a state exceeds 16 bits: no place, no speed, and no sum with a size.

    Places are clamped or stay; a fall from the highest place, thrown up from there, has 1,700 at most; counts go down.
    """
    index: cython.int
    if row[FIRST + VY] > JUMP_VELOCITY or row[SECOND + VY] > JUMP_VELOCITY:
        return False
    for index in range(FIRST, LAST):  # noqa: SIM110 - a C loop; all() would make objects
        if row[index] < LEAST_NARROW or row[index] > MOST_NARROW:
            return False
    return True


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _play_together(
    rows: cython.p_longlong,
    octets: cython.p_const_uchar,
    starts: cython.p_longlong,
    counts: cython.p_longlong,
    playing: cython.pointer(cython.Py_ssize_t),  # type: ignore[valid-type]  # a C type
    lanes: cython.Py_ssize_t,
) -> cython.void:
    """Play some matches until the shortest ends, and advance their starts and counts."""
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
        cells = cython.declare(cython.short[CELLS])
        buttons = cython.declare(cython.ushort[PRESSED])
    else:
        cells, buttons = [0] * CELLS, [0] * PRESSED
    for index in range(CELLS):
        cells[index] = 0
    for index in range(PRESSED):
        buttons[index] = 0
    for lane in range(lanes):
        match = playing[lane]
        span = span if span < counts[match] else counts[match]
        for index in range(FIRST, LAST):
            cells[index * LANES + lane] = rows[match * SLOTS + index]
    while played < span:
        # Some frames of one match, then of the next: reading so many places in turns would miss the cache each time.
        block = span - played if span - played < BLOCK else BLOCK
        for lane in range(lanes):
            at = starts[playing[lane]] + 4 * played
            for frame in range(block):
                buttons[frame * LANES + lane] = octets[at + 4 * frame] | octets[at + 4 * frame + 2] << 8
        play_narrow(cells, buttons, block)
        played += block
    for lane in range(lanes):
        match = playing[lane]
        starts[match] += 4 * span
        counts[match] -= span
        rows[match * SLOTS] = (rows[match * SLOTS] + span) & limit
        for index in range(FIRST, LAST):
            rows[match * SLOTS + index] = cells[index * LANES + lane]


# Many matches of the fighter at once, in arrays (a compiled kernel), for training loops.
#
# Knows the rules only through ``play_columns``. What a player sees, what a frame is worth and when a match is over are
# decided here; docs/guides/agents.md has the tables.

# retick: floats -- what players see and what a frame is worth; nothing of it goes back into a state


if not cython.compiled:
    SIGHTS, SEEN_CELLS, WIN_POINTS = 10, 1280, 100  # C constants


SCALES = (1.0 / 32768, 1.0 / 4096, 1.0 / 512, 1.0, 1.0 / 8, 1.0 / 32, 1.0 / 128, 1.0 / 32, 1.0 / 8, 1.0)
"""The factors that scale a player's fields, all but ``vx``, to observations from -1 to 1. Powers of two, so that both
forms round alike."""


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _points(was: cython.int, is_now: cython.int, other_was: cython.int, other_now: cython.int) -> cython.int:
    """The reward of a frame for a player, from both players' hp before and after: see :func:`points`."""
    fell: cython.int = (was > 0) & (is_now <= 0)
    other_fell: cython.int = (other_was > 0) & (other_now <= 0)
    return i32(other_was - other_now - was + is_now + WIN_POINTS * (other_fell - fell))


def points(was: Any, is_now: Any, other_was: Any, other_now: Any) -> int:
    """The reward of a frame for a player: the hp that the other lost, less its own, plus 100 for bringing it to 0."""
    return _points(was, is_now, other_was, other_now)


def _flat(name: Any, buffer: Any, form: Any, count: Any, *, written: Any = False) -> Any:
    try:
        view = memoryview(buffer)
    except TypeError:
        raise UsageError(f"{name} must be an array, not {type(buffer).__name__}") from None
    if view.format != form or view.ndim != 1 or not view.c_contiguous or len(view) != count:
        raise UsageError(f"{name} must be {count} values of type {form!r} in a row")
    if written and view.readonly:
        raise UsageError(f"{name} cannot be written to")
    return view


def _row(slots: Any) -> Any:
    """The slots of a state as signed 32-bit integers; in a state, the frame and the generator are unsigned."""
    row = [i32(slot) for slot in slots]
    if len(row) != SLOTS:
        raise UsageError(f"a state of the fighter has {SLOTS} slots, not {len(row)}")
    return row


@cython.cclass
class FighterBatch:
    """Many matches at once. It has no threads; calls for different shares of the matches may run in parallel.

    Theory of operation. Matches are kept in blocks of 64; a block has one column for each slot of a state, so that the
    C compiler plays several matches in one register. Every frame writes its rewards, whether it was the last one, and
    observations if asked for, into the arrays given here.
    """

    matches: cython.Py_ssize_t  # readonly
    blocks: cython.Py_ssize_t  # readonly
    _cells: cython.p_int
    _initial: cython.p_int
    _scales: cython.p_float
    _rewards: cython.p_float
    _terminated: cython.p_uchar
    _truncated: cython.p_uchar
    _observations: cython.p_float
    _held: Any
    _sees: cython.bint

    def __init__(
        self, matches: Any, initial: Any, rewards: Any, terminated: Any, truncated: Any, observations: Any
    ) -> None:
        """``initial`` holds the slots of a state at frame 0; the arrays are flat, by match and then by player."""
        if not isinstance(matches, int) or matches < 1:
            raise UsageError(f"matches must be an integer of 1 or more, not {matches!r}")
        self.matches = matches
        self.blocks = (matches + LANES - 1) // LANES
        cells = memoryview(array("i", bytes(4 * SLOTS * LANES * self.blocks)))
        first = memoryview(array("i", _row(initial)))
        paid = _flat("rewards", rewards, "f", 2 * matches, written=True)
        over = _flat("terminated", terminated, "B", matches, written=True)
        cut = _flat("truncated", truncated, "B", matches, written=True)
        seen = observations
        if seen is not None:
            seen = _flat("observations", observations, "f", 4 * SIGHTS * matches, written=True)
        scales = memoryview(array("f", SCALES))
        self._sees = seen is not None
        self._held = (cells, first, scales, paid, over, cut, seen)
        if cython.compiled:
            ints: cython.int[::1] = cells
            self._cells = cython.address(ints[0])
            ints = first
            self._initial = cython.address(ints[0])
            floats: cython.float[::1] = scales
            self._scales = cython.address(floats[0])
            floats = paid
            self._rewards = cython.address(floats[0])
            octets: cython.uchar[::1] = over
            self._terminated = cython.address(octets[0])
            octets = cut
            self._truncated = cython.address(octets[0])
            if seen is not None:
                floats = seen
                self._observations = cython.address(floats[0])
        else:
            self._cells, self._initial, self._scales = cells, first, scales
            self._rewards, self._terminated, self._truncated, self._observations = paid, over, cut, seen

    def slots(self, match: Any) -> Any:
        """The slots of a match, as a state has them."""
        base: cython.Py_ssize_t = self._base(match)
        row = []
        index: cython.Py_ssize_t
        for index in range(SLOTS):
            row.append(self._cells[base + index * LANES])
        return [row[0] & 0xFFFFFFFF, *row[1:LAST], row[LAST] & 0xFFFFFFFF]

    def set_slots(self, match: Any, slots: Any) -> None:
        """Set all slots of a match."""
        base: cython.Py_ssize_t = self._base(match)
        index: cython.Py_ssize_t
        row = _row(slots)
        for index in range(SLOTS):
            self._cells[base + index * LANES] = row[index]

    def _base(self, match: Any) -> Any:
        if not isinstance(match, int) or not 0 <= match < self.matches:
            raise UsageError(f"match must be from 0 to {self.matches - 1}, not {match!r}")
        return match // LANES * (SLOTS * LANES) + match % LANES

    def restart(self, seeds: Any, chosen: Any) -> None:
        """Restart each match whose ``chosen`` is not 0, from its seed."""
        given = _flat("seeds", seeds, "I", self.matches)
        marked = _flat("chosen", chosen, "B", self.matches)
        match: cython.Py_ssize_t
        if cython.compiled:
            numbers: cython.const[cython.uint][::1] = given
            marks: cython.const[cython.uchar][::1] = marked
        else:
            numbers, marks = given, marked
        for match in range(self.matches):
            if marks[match] and not numbers[match]:
                raise UsageError(f"the seed of match {match} must be from 1 to 4294967295, not 0")
        for match in range(self.matches):
            if marks[match]:
                self.begin(match, numbers[match])

    def advance(self, actions: Any, part: Any, parts: Any, most_frames: Any, restarts: Any) -> None:
        """Advance the ``part``-th of ``parts`` equal shares of the matches by one frame, with two buttons per match.

        A match ends when a player has no hp left, or at frame ``most_frames``; then it goes on all the same, or with
        ``restarts`` begins again from the next seed of its generator.
        """
        buttons = _flat("actions", actions, "H", 2 * self.matches)
        if not 0 <= part < parts:
            raise UsageError(f"part must be from 0 to {parts - 1}, not {part}")
        block: cython.Py_ssize_t
        start: cython.Py_ssize_t = self.blocks * part // parts
        stop: cython.Py_ssize_t = self.blocks * (part + 1) // parts
        limit: cython.uint = most_frames
        again: cython.bint = restarts
        if cython.compiled:
            pressed: cython.const[cython.ushort][::1] = buttons
            with cython.nogil:
                for block in range(start, stop):
                    self.play_block(cython.address(pressed[0]), block, limit, again)
        else:
            for block in range(start, stop):
                self.play_block(buttons, block, limit, again)

    def observe(self) -> None:
        """Write the observations of all players, without a frame."""
        if not self._sees:
            raise UsageError("there is no array for observations")
        block: cython.Py_ssize_t
        for block in range(self.blocks):
            self.observe_block(block)

    @cython.cfunc
    @cython.exceptval(check=False)
    @cython.nogil
    def play_block(
        self, actions: cython.p_const_ushort, block: cython.Py_ssize_t, limit: cython.uint, restarts: cython.bint
    ) -> cython.void:
        cells: cython.p_int = self._cells
        base: cython.Py_ssize_t = block * (SLOTS * LANES)
        match: cython.Py_ssize_t = block * LANES
        count: cython.Py_ssize_t = self.matches - match
        lane: cython.Py_ssize_t
        now: cython.int
        other_now: cython.int
        worth: cython.int
        any_ended: cython.int = 0
        mask: cython.uint = 4294967295
        rewards: cython.p_float = self._rewards
        terminated: cython.p_uchar = self._terminated
        truncated: cython.p_uchar = self._truncated
        if cython.compiled:
            own = cython.declare(cython.int[LANES])
            others = cython.declare(cython.int[LANES])
            hp = cython.declare(cython.int[LANES])
            other_hp = cython.declare(cython.int[LANES])
            worths = cython.declare(cython.int[LANES])
            over = cython.declare(cython.uchar[LANES])
            cut = cython.declare(cython.uchar[LANES])
        else:
            own, others, hp, other_hp, worths, over, cut = ([0] * LANES for _ in range(7))
        if count > LANES:
            count = LANES
        for lane in range(count, LANES):
            own[lane] = others[lane] = 0
        for lane in range(count):
            own[lane] = actions[2 * (match + lane)]
            others[lane] = actions[2 * (match + lane) + 1]
        for lane in range(LANES):
            hp[lane] = cells[base + (FIRST + HP) * LANES + lane]
            other_hp[lane] = cells[base + (SECOND + HP) * LANES + lane]
        play_columns(cells, base, own, others, count)
        # First into rows of fixed length that nothing else points to: such loops run in registers.
        for lane in range(LANES):
            now = cells[base + (FIRST + HP) * LANES + lane]
            other_now = cells[base + (SECOND + HP) * LANES + lane]
            worths[lane] = _points(hp[lane], now, other_hp[lane], other_now)
            over[lane] = (now <= 0) | (other_now <= 0)
        for lane in range(LANES):
            cut[lane] = (over[lane] == 0) & ((cells[base + lane] & mask) >= limit)
        for lane in range(count):
            worth = worths[lane]
            rewards[2 * (match + lane)] = 0.01 * worth
            rewards[2 * (match + lane) + 1] = 0.01 * -worth
        for lane in range(count):
            terminated[match + lane] = over[lane]
            any_ended |= over[lane] | cut[lane]
        for lane in range(count):
            truncated[match + lane] = cut[lane]
        if restarts and any_ended:
            self.restart_ended(block, count)
        if self._sees:
            self.observe_block(block)

    @cython.cfunc
    @cython.exceptval(check=False)
    @cython.nogil
    def restart_ended(self, block: cython.Py_ssize_t, count: cython.Py_ssize_t) -> cython.void:
        match: cython.Py_ssize_t
        mask: cython.uint = 4294967295
        seed: cython.uint
        for match in range(block * LANES, block * LANES + count):
            if self._terminated[match] or self._truncated[match]:
                seed = self._cells[block * (SLOTS * LANES) + LAST * LANES + match % LANES] & mask
                # XorShift32: the next number of the match's generator, which no rule has drawn from.
                seed ^= (seed << 13) & mask
                seed ^= seed >> 17
                seed ^= (seed << 5) & mask
                self.begin(match, seed)

    @cython.cfunc
    @cython.exceptval(check=False)
    @cython.nogil
    def begin(self, match: cython.Py_ssize_t, seed: cython.uint) -> cython.void:
        base: cython.Py_ssize_t = match // LANES * (SLOTS * LANES) + match % LANES
        index: cython.Py_ssize_t
        for index in range(LAST):
            self._cells[base + index * LANES] = self._initial[index]
        self._cells[base + LAST * LANES] = i32(seed)

    @cython.cfunc
    @cython.exceptval(check=False)
    @cython.nogil
    def observe_block(self, block: cython.Py_ssize_t) -> cython.void:
        # Columns are scaled first, as one loop over registers, and then turned into rows.
        cells: cython.p_int = self._cells
        base: cython.Py_ssize_t = block * (SLOTS * LANES)
        match: cython.Py_ssize_t = block * LANES
        count: cython.Py_ssize_t = self.matches - match
        lane: cython.Py_ssize_t
        index: cython.Py_ssize_t
        slot: cython.Py_ssize_t
        at: cython.Py_ssize_t
        if cython.compiled:
            scale = cython.declare(cython.float)
            scaled = cython.declare(cython.float[SEEN_CELLS])
        else:
            scaled = [0.0] * SEEN_CELLS
        if count > LANES:
            count = LANES
        for index in range(SIGHTS):
            slot = index if index < 2 else index + 1
            scale = self._scales[index]
            for lane in range(LANES):
                scaled[index * LANES + lane] = cells[base + (FIRST + slot) * LANES + lane] * scale
                scaled[(SIGHTS + index) * LANES + lane] = cells[base + (SECOND + slot) * LANES + lane] * scale
        seen: cython.p_float = self._observations
        for lane in range(count):
            at = 4 * SIGHTS * (match + lane)
            for index in range(2 * SIGHTS):
                seen[at + index] = scaled[index * LANES + lane]
            at += 2 * SIGHTS
            for index in range(SIGHTS):
                seen[at + index] = scaled[(SIGHTS + index) * LANES + lane]
                seen[at + SIGHTS + index] = scaled[index * LANES + lane]
