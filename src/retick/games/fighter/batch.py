"""Many matches of the fighter at once, in arrays (a compiled kernel): what loops that learn are made of.

Knows the rules only through :func:`retick.games.fighter.kernel.play_columns`. What a player sees, what a frame is worth
and when a match is over are decided here; docs/agents.md has the tables.
"""

# retick: floats -- what players see and what a frame is worth; nothing of it goes back into a state

from array import array
from typing import Any

from retick.errors import UsageError

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.games.fighter.kernel import FIRST, HP, LANES, LAST, SECOND, SLOTS, play_columns
    from cython.cimports.retick.sim.fixed import i32
else:
    from retick.games.fighter.kernel import FIRST, HP, LANES, LAST, SECOND, SLOTS, play_columns
    from retick.sim.fixed import i32

    SIGHTS, SEEN_CELLS, WIN_POINTS = 10, 1280, 100

__all__ = ["SCALES", "FighterBatch", "points"]

SCALES = (1.0 / 32768, 1.0 / 4096, 1.0 / 512, 1.0, 1.0 / 8, 1.0 / 32, 1.0 / 128, 1.0 / 32, 1.0 / 8, 1.0)
"""What the fields of a player are multiplied with, all but ``vx``, to be seen as numbers from -1 to 1. Powers of two:
both forms round in the same place."""


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _points(was: cython.int, is_now: cython.int, other_was: cython.int, other_now: cython.int) -> cython.int:
    """What a frame is worth to a player, from both players' hp before and after: see :func:`points`."""
    fell: cython.int = (was > 0) & (is_now <= 0)
    other_fell: cython.int = (other_was > 0) & (other_now <= 0)
    return i32(other_was - other_now - was + is_now + WIN_POINTS * (other_fell - fell))


def points(was: Any, is_now: Any, other_was: Any, other_now: Any) -> int:
    """What a frame is worth to a player: the hp that the other lost, less its own, and 100 for bringing it to 0."""
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
    """The slots of a state as signed integers of 32 bits: the frame and the generator are unsigned."""
    row = [i32(slot) for slot in slots]
    if len(row) != SLOTS:
        raise UsageError(f"a state of the fighter has {SLOTS} slots, not {len(row)}")
    return row


@cython.cclass
class FighterBatch:
    """Many matches at once. It has no threads; calls for different shares of the matches may run at the same time.

    Theory of operation. Matches are kept in blocks of 64; a block has one column for each slot of a state, so that the
    C compiler plays several matches in one register. Every frame writes what it is worth and whether it was the last
    one, and what the players see if that was asked for, into the arrays given here.
    """

    if not cython.compiled:
        matches: int
        blocks: int
        _cells: Any
        _initial: Any
        _scales: Any
        _rewards: Any
        _terminated: Any
        _truncated: Any
        _observations: Any
        _held: Any
        _sees: bool

    def __init__(
        self, matches: Any, initial: Any, rewards: Any, terminated: Any, truncated: Any, observations: Any
    ) -> None:
        """``initial`` are the slots of a state at frame 0; the arrays are flat, match by match and player by player."""
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
        """Put a match into a state: all slots of it."""
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
        """Begin anew each match that is chosen (not 0), with its seed."""
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
        """One frame of the ``part``-th of ``parts`` equal shares of the matches, with two buttons of each match.

        A match ends when a player has no hp left, or at frame ``most_frames``; it goes on all the same, or begins anew
        with the next seed of its generator if ``restarts``.
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
        """Write what all players see, without a frame."""
        if not self._sees:
            raise UsageError("there is no array for observations")
        block: cython.Py_ssize_t
        for block in range(self.blocks):
            self.observe_block(block)

    def play_block(
        self, actions: cython.p_ushort, block: cython.Py_ssize_t, limit: cython.uint, restarts: cython.bint
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
        # First into rows of fixed length that nothing else points to: loops over registers again.
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

    def begin(self, match: cython.Py_ssize_t, seed: cython.uint) -> cython.void:
        base: cython.Py_ssize_t = match // LANES * (SLOTS * LANES) + match % LANES
        index: cython.Py_ssize_t
        for index in range(LAST):
            self._cells[base + index * LANES] = self._initial[index]
        self._cells[base + LAST * LANES] = i32(seed)

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
