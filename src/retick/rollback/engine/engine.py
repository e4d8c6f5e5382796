"""The rollback engine: runs frames on predicted inputs, and resimulates those whose predictions were wrong.

Contents: inputs; local inputs; arriving inputs; states; flat states; the choice of a ring; statistics; the engine; the
sync test.

Theory of operation. The inputs of frame ``f`` lead from the state before ``f`` to the state before ``f + 1``.
``advance`` runs one frame with the local inputs and the known or predicted inputs of the others. ``add_remote_inputs``
only stores inputs and notes the earliest frame that ran with a wrong prediction. The next call that advances, or that
reads the state or the statistics, first resimulates from that frame: once, however many inputs came in between.
Confirmed inputs never change: a batch that contradicts one is refused as a whole.

It has no network and no clock: a session feeds it.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from retick.errors import DeterminismError, HistoryEvicted, InputConflict, ProtocolViolation, UsageError
from retick.rollback.engine.checks import NEWEST_FRAME, check_settings, evicted, local_seats, window_full
from retick.sim.contract import Frame, Input, Player, input_size_of
from retick.sim.fields import field_differences
from retick.sim.flat import FlatSimulation

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.libc.stdlib import calloc, free
    from cython.cimports.libc.string import memcpy
    from cython.cimports.retick.sim.flat import FlatSimulation
else:
    from retick.sim.flat import FlatSimulation

# Inputs: which player pressed what in which frame, confirmed or predicted.
#
# Theory of operation. A ring of rows, one per frame, each with one input per player and a mark whether that input is
# confirmed or a guess. A row carries a tag, the frame that it is for; a row with another frame's tag was never written
# or was overwritten. For each player three frames are kept: ``upto``, the first frame that is not confirmed although
# all before it are; ``newest``, the newest confirmed frame, which may lie beyond a gap; and ``dropped_from``, the frame
# from which the player is dropped and simulated on neutral input.
#
# A guess is always made from the newest confirmed input before its frame. When that input changes, the guesses after it
# are made again: ``dirty`` is the first frame whose guess may be out of date. The section on arriving inputs
# stores those of others.

if cython.compiled:
    from cython.cimports.cpython.long import PyLong_AsLongLongAndOverflow
    from cython.cimports.libc.stdlib import calloc, free
else:
    UNSEEN = 4294967295  # C constant


Predictor = Callable[[int, int, int, int], int]
"""Called with a player, the frame to predict, the newest confirmed input before it and that input's frame (-1, with
input 0, if there is none); returns the prediction. It must be a pure function."""


@cython.cfunc
@cython.exceptval(-1, check=False)
def fits(value: Any, largest: cython.ulonglong) -> cython.bint:
    """Whether ``value`` is an integer from 0 to ``largest``."""
    if not isinstance(value, int):
        return False
    if cython.compiled:
        overflow: cython.int = 0
        number: cython.longlong = PyLong_AsLongLongAndOverflow(value, cython.address(overflow))
        if overflow == 0:
            return number >= 0 and cython.cast(cython.ulonglong, number) <= largest
    return 0 <= value <= largest


@cython.cclass
class InputHistory:
    """The inputs of all players over the last ``capacity`` frames."""

    num_players: cython.int  # readonly
    capacity: cython.longlong  # readonly
    largest_input: cython.ulonglong  # readonly
    predictor: Predictor | None  # readonly
    mask: cython.longlong
    used: cython.p_ulonglong
    confirmed: cython.p_uchar
    local: cython.p_uchar
    tags: cython.p_longlong
    upto: cython.p_longlong
    newest: cython.p_longlong
    dirty: cython.p_longlong
    dropped_from: cython.p_longlong
    start: cython.longlong
    any_dirty: cython.bint
    guessed_from: cython.longlong

    def __init__(
        self,
        num_players: Player,
        local_players: Sequence[Player],
        capacity: Frame,
        input_size: Any,
        start: Frame,
        predictor: Predictor | None,
    ) -> None:
        size: cython.longlong = 1
        while size < capacity:
            size *= 2
        self.num_players = num_players
        self.capacity = size
        self.mask = size - 1
        self.largest_input = (1 << (8 * input_size)) - 1
        self.predictor = predictor
        self.start = start
        self.any_dirty = False
        self.guessed_from = -1
        if cython.compiled:
            self.used = cython.cast(cython.p_ulonglong, calloc(size * num_players, 8))
            self.confirmed = cython.cast(cython.p_uchar, calloc(size * num_players, 1))
            self.local = cython.cast(cython.p_uchar, calloc(num_players, 1))
            self.tags = cython.cast(cython.p_longlong, calloc(size, 8))
            self.upto = cython.cast(cython.p_longlong, calloc(num_players, 8))
            self.newest = cython.cast(cython.p_longlong, calloc(num_players, 8))
            self.dirty = cython.cast(cython.p_longlong, calloc(num_players, 8))
            self.dropped_from = cython.cast(cython.p_longlong, calloc(num_players, 8))
            if not (self.used and self.confirmed and self.local and self.tags and self.upto):
                raise MemoryError
            if not (self.newest and self.dirty and self.dropped_from):
                raise MemoryError
        else:
            self.used = [0] * (size * num_players)
            self.confirmed = [0] * (size * num_players)
            self.local = [0] * num_players
            self.tags = [0] * size
            self.upto = [0] * num_players
            self.newest = [0] * num_players
            self.dirty = [0] * num_players
            self.dropped_from = [0] * num_players
        index: cython.longlong
        for index in range(size):
            self.tags[index] = UNSEEN
        player: cython.int
        for player in range(num_players):
            self.upto[player] = start
            self.newest[player] = -1
            self.dirty[player] = UNSEEN
            self.dropped_from[player] = UNSEEN
            self.local[player] = player in local_players

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.used)
            free(self.confirmed)
            free(self.local)
            free(self.tags)
            free(self.upto)
            free(self.newest)
            free(self.dirty)
            free(self.dropped_from)

    @cython.cfunc
    @cython.exceptval(check=False)
    def holds(self, frame: cython.longlong) -> cython.bint:
        """Whether the ring has the row of ``frame``."""
        return self.tags[frame & self.mask] == frame  # type: ignore[no-any-return]  # mypy sees kernels untyped

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_confirmed(self, player: cython.int, frame: cython.longlong) -> cython.bint:
        at: cython.longlong = frame & self.mask
        return self.tags[at] == frame and self.confirmed[at * self.num_players + player] != 0  # type: ignore[no-any-return]  # mypy sees kernels untyped

    @cython.cfunc
    @cython.exceptval(check=False)
    def mark_dirty(self, player: cython.int, frame: cython.longlong) -> cython.int:
        """Mark guesses from ``frame`` on as out of date."""
        if frame < self.dirty[player]:
            self.dirty[player] = frame
            self.any_dirty = True
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def restore(self, player: cython.int, frame: cython.longlong, end: cython.longlong) -> cython.int:
        """Let a dropped player send inputs again from ``frame`` on; rows up to ``end`` may hold neutral ones for it."""
        at: cython.longlong
        for at in range(frame, end):
            if self.holds(at):
                self.confirmed[(at & self.mask) * self.num_players + player] = 0
        self.dropped_from[player] = UNSEEN
        self.upto[player] = frame
        self.newest[player] = frame - 1
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def row(self, frame: cython.longlong) -> cython.p_ulonglong:
        """The inputs of one frame as they were, or will be, simulated."""
        at: cython.longlong = (frame & self.mask) * self.num_players
        if cython.compiled:
            return self.used + at
        return self.used[at : at + self.num_players]

    @cython.cfunc
    def inputs_at(self, frame: cython.longlong) -> Any:
        at: cython.longlong = (frame & self.mask) * self.num_players
        if cython.compiled:
            if self.num_players == 2:
                return (self.used[at], self.used[at + 1])
            return tuple([self.used[at + player] for player in range(self.num_players)])
        return tuple(self.used[at : at + self.num_players])

    @cython.cfunc
    @cython.exceptval(check=False)
    def confirm(self, player: cython.int, frame: cython.longlong, value: cython.ulonglong) -> cython.int:
        """Confirm an input. Returns 1 if another value was used for this frame before."""
        at: cython.longlong = frame & self.mask
        changed: cython.int = 0
        if self.tags[at] != frame:
            self.open_row(frame)
        cell: cython.longlong = at * self.num_players + player
        if self.used[cell] != value:
            self.used[cell] = value
            changed = 1
        self.confirmed[cell] = 1
        if frame > self.newest[player]:
            self.newest[player] = frame
        if frame == self.upto[player]:
            self.upto[player] = frame + 1
            while self.is_confirmed(player, self.upto[player]):
                self.upto[player] += 1
        return changed

    @cython.cfunc
    @cython.exceptval(18446744073709551615, check=True)
    def predict(self, player: cython.int, frame: cython.longlong) -> cython.ulonglong:
        """A guess from the newest confirmed input before ``frame``; neutral if none is held."""
        base: cython.longlong = self.newest[player]
        bound: cython.longlong
        value: cython.ulonglong = 0
        if base >= frame:
            # The frame lies in a gap: search back, no further than the ring reaches.
            base = frame - 1
            bound = max(self.start - 1, frame - self.capacity)
            while base > bound and not self.is_confirmed(player, base):
                base -= 1
            if base <= bound:
                base = -1
        elif base >= 0 and not self.holds(base):
            base = -1
        if base >= 0:
            value = self.used[(base & self.mask) * self.num_players + player]
        if self.predictor is None:
            return value
        guess = self.predictor(player, frame, value, base)
        if not fits(guess, self.largest_input):
            raise UsageError(
                f"the predictor's guess for player {player} in frame {frame} must be an integer from 0 to "
                f"{self.largest_input}, not {guess!r}"
            )
        return guess

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def fill(self, frame: cython.longlong) -> cython.int:
        """Complete the row of ``frame`` for simulation: neutral for dropped players, guesses for unknown inputs."""
        at: cython.longlong = frame & self.mask
        player: cython.int
        if self.tags[at] != frame:
            self.open_row(frame)
        for player in range(self.num_players):
            if frame >= self.dropped_from[player]:
                self.confirm(player, frame, 0)
            elif not self.confirmed[at * self.num_players + player]:
                self.used[at * self.num_players + player] = self.predict(player, frame)
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def open_row(self, frame: cython.longlong) -> cython.int:
        """Start the row of ``frame``, in place of an older one."""
        at: cython.longlong = frame & self.mask
        player: cython.int
        self.tags[at] = frame
        for player in range(self.num_players):
            self.used[at * self.num_players + player] = 0
            self.confirmed[at * self.num_players + player] = 0
        return 0

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def predict_again(self, oldest: cython.longlong, frame: cython.longlong) -> cython.longlong:
        """Repeat the guesses in the dirty frames; returns the first frame that changed, or -1."""
        player: cython.int
        at: cython.longlong
        value: cython.ulonglong
        if not self.any_dirty:
            return -1
        for player in range(self.num_players):
            index: cython.longlong = self.dirty[player]
            if index < oldest:
                index = oldest
            if self.predictor is None and index < self.upto[player]:
                index = self.upto[player]
            while index < frame:
                at = (index & self.mask) * self.num_players + player
                if not self.confirmed[at]:
                    value = self.predict(player, index)
                    if self.used[at] != value:
                        self.used[at] = value
                        if self.guessed_from < 0 or index < self.guessed_from:
                            self.guessed_from = index
                index += 1
            self.dirty[player] = UNSEEN
        # Only now: if a predictor raises, the next call still reports earlier changes.
        changed: cython.longlong = self.guessed_from
        self.guessed_from = -1
        self.any_dirty = False
        return changed

    @cython.cfunc
    @cython.exceptval(check=False)
    def confirmed_by_all(self) -> cython.longlong:
        """The newest frame confirmed, with all before it, for every player; one below the start if there is none."""
        least: cython.longlong = UNSEEN
        player: cython.int
        for player in range(self.num_players):
            if self.upto[player] < least and self.upto[player] < self.dropped_from[player]:
                least = self.upto[player]
        return least - 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def confirmed_by_others(self) -> cython.longlong:
        """The newest frame confirmed, with all before it, for every player who is not local."""
        least: cython.longlong = UNSEEN
        player: cython.int
        for player in range(self.num_players):
            if self.local[player] or self.upto[player] >= self.dropped_from[player]:
                continue
            if self.upto[player] < least:
                least = self.upto[player]
        return least - 1


# Local inputs: in which frame a press of a local player takes effect.
#
# Theory of operation. A press takes effect ``delay`` frames after it was given. Every frame gets exactly one input for
# each local player, in order, and no stored input ever changes: others may have it already. ``upto`` is the first frame
# without a local input. If the delay grows, the frames in between repeat the last press; if it shrinks, as many presses
# find that their frame already has an input, and are ignored.


@cython.cclass
class LocalInputs:
    """Stores the presses of local players under the frames in which they take effect."""

    players: tuple[int, ...]  # readonly
    delay: cython.longlong
    upto: cython.longlong
    start: cython.longlong
    is_single: cython.bint
    first_player: cython.int
    inputs: InputHistory

    def __init__(self, inputs: InputHistory, players: Any, is_single: Any, start: Frame) -> None:
        """``is_single``: presses are given as one input instead of one per player."""
        self.inputs = inputs
        self.players = players
        self.is_single = is_single
        self.first_player = players[0] if players else 0
        self.delay = 0
        self.start = self.upto = start

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def press(self, pressed: Any, current: cython.longlong) -> cython.int:
        """Store the press of frame ``current``."""
        target: cython.longlong = current + self.delay
        index: cython.int = 0
        if self.is_single:
            self.check(self.first_player, pressed)
        else:
            if not isinstance(pressed, (tuple, list)) or len(pressed) != len(self.players):
                raise UsageError(f"advance takes {len(self.players)} local inputs, not {pressed!r}")
            for value in pressed:
                self.check(self.players[index], value)
                index += 1
        self.hold(target)
        # If the delay shrank, this frame already has its input, and the press is ignored.
        if self.upto == target:
            if self.is_single:
                self.inputs.confirm(self.first_player, target, pressed)
            else:
                for index in range(len(pressed)):
                    self.inputs.confirm(self.players[index], target, pressed[index])
            self.upto += 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def hold(self, target: cython.longlong) -> cython.int:
        """Fill the frames before ``target`` with the last press, as others will have predicted; at the start, 0."""
        at: cython.longlong
        player: cython.int
        held: cython.ulonglong
        while self.upto < target:
            at = ((self.upto - 1) & self.inputs.mask) * self.inputs.num_players
            for player in self.players:
                held = self.inputs.used[at + player] if self.upto > self.start else 0
                self.inputs.confirm(player, self.upto, held)
            self.upto += 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def check(self, player: cython.int, value: Any) -> cython.int:
        if not fits(value, self.inputs.largest_input):
            raise UsageError(
                f"input of player {player} must be an integer from 0 to {self.inputs.largest_input}, not {value!r}"
            )
        return 0


# Arriving inputs: a batch of a remote player is checked as a whole, then stored.
#
# A batch is any sequence of integers, or a *run*: adjacent numbers as a packet had them, which costs no Python object
# each. A run's width was compared with the game's, so that each of its numbers fits.


@cython.cfunc
@cython.exceptval(-1, check=False)
def check_batch(
    inputs: InputHistory,
    player: cython.int,
    first: cython.longlong,
    values: Any,
    current: cython.longlong,
    history: cython.longlong,
) -> cython.int:
    """Raise if any input of a batch must be refused; change nothing. States of ``history`` frames are held."""
    frame: cython.longlong = first
    for value in values:
        if not fits(value, inputs.largest_input):
            raise UsageError(
                f"input of player {player} for frame {frame} must be an integer from 0 to "
                f"{inputs.largest_input}, not {value!r}"
            )
        if not is_passed(inputs, player, frame, value, current, history):
            refuse(inputs, player, frame, value, current, history)
        frame += 1
    return 0


@cython.cfunc
@cython.exceptval(-1, check=False)
def check_run(
    inputs: InputHistory,
    player: cython.int,
    first: cython.longlong,
    values: cython.p_ulonglong,
    at: cython.int,
    count: cython.int,
    current: cython.longlong,
    history: cython.longlong,
) -> cython.int:
    """Raise if any input of a run must be refused; change nothing. The run has ``count`` of ``values`` from ``at``."""
    index: cython.int
    for index in range(count):
        if not is_passed(inputs, player, first + index, values[at + index], current, history):
            refuse(inputs, player, first + index, values[at + index], current, history)
    return 0


@cython.cfunc
@cython.exceptval(check=False)
def is_passed(
    inputs: InputHistory,
    player: cython.int,
    frame: cython.longlong,
    value: cython.ulonglong,
    current: cython.longlong,
    history: cython.longlong,
) -> cython.bint:
    """Whether one input is acceptable."""
    at: cython.longlong = frame & inputs.mask
    if frame >= inputs.dropped_from[player]:
        return True
    if inputs.tags[at] != frame:
        # False if the frame ran on a guess that can no longer be compared, because its row was overwritten.
        return frame < inputs.upto[player] or frame >= current
    at = at * inputs.num_players + player
    if inputs.used[at] == value:
        return True
    return not inputs.confirmed[at] and frame >= max(inputs.start, current - history)


@cython.cfunc
@cython.exceptval(-1, check=False)
def refuse(
    inputs: InputHistory,
    player: cython.int,
    frame: cython.longlong,
    value: cython.ulonglong,
    current: cython.longlong,
    history: cython.longlong,
) -> cython.int:
    """Raise the error that says why an input was refused."""
    if not inputs.holds(frame):
        why = f"player {player} pressed {value}, and what was guessed is forgotten"
    else:
        known: cython.ulonglong = inputs.used[(frame & inputs.mask) * inputs.num_players + player]
        if inputs.is_confirmed(player, frame):
            raise InputConflict(
                f"player {player} sent {value} for frame {frame}, which was confirmed as {known}",
                player=player,
                frame=frame,
                confirmed=known,
                received=value,
            )
        why = f"player {player} pressed {value} and not {known}"
    raise evicted(frame, why, current, history, max(inputs.start, current - history))


@cython.cfunc
@cython.exceptval(check=False)
def learn(
    inputs: InputHistory,
    player: cython.int,
    frame: cython.longlong,
    value: cython.ulonglong,
    current: cython.longlong,
) -> cython.int:
    """Store a checked input: returns 0 if it was not needed, 2 if the frame ran with another value, else 1.

    It is needed if it is not before the start, not of a dropped player and not known.
    """
    if frame < inputs.start or frame >= inputs.dropped_from[player] or inputs.is_confirmed(player, frame):
        return 0
    if frame < current and not inputs.holds(frame):
        return 0
    changed: cython.int = inputs.confirm(player, frame, value)
    if frame + 1 < current:
        inputs.mark_dirty(player, frame + 1)
    return 2 if changed and frame < current else 1


@cython.cfunc
@cython.exceptval(check=False)
def learn_run(
    inputs: InputHistory,
    player: cython.int,
    first: cython.longlong,
    values: cython.p_ulonglong,
    at: cython.int,
    count: cython.int,
    current: cython.longlong,
) -> cython.longlong:
    """Store a checked run; returns the first frame that ran with another value, or -1."""
    wrong: cython.longlong = -1
    index: cython.longlong
    known: cython.longlong = max(min(inputs.upto[player] - first, count), 0)
    for index in range(known, count):
        if learn(inputs, player, first + index, values[at + index], current) == 2 and wrong < 0:
            wrong = first + index
    return wrong


@cython.cfunc
@cython.exceptval(check=False)
def copy_confirmed(
    inputs: InputHistory,
    player: cython.int,
    first: cython.longlong,
    count: cython.int,
    values: cython.p_ulonglong,
    to: cython.int,
) -> cython.longlong:
    """Make a run of confirmed inputs, from ``to`` on; returns the first frame whose input is not held, or -1."""
    index: cython.int
    for index in range(count):
        if not inputs.is_confirmed(player, first + index):
            return first + index
        values[to + index] = inputs.used[((first + index) & inputs.mask) * inputs.num_players + player]
    return -1


# States: those that can be rolled back to, and the loop that runs frames.
#
# Theory of operation. A ring holds the state *before* each of the last frames and the present one. ``simulate`` starts
# from the state before ``first`` and runs up to ``end``, storing the state before each frame on the way: this one loop
# serves an ordinary advance, a rollback and a sync test. There are three rings with the same interface; ``ring_for``
# chooses one for a game:
#
# - ``FlatRing`` for a compiled game of flat integers: no Python object per frame;
# - ``ObjectRing`` for any game: it keeps a reference to each state, and of a declared world few old ones;
# - ``SparseRing`` for a world whose save is expensive: it saves the newest final state and one in eight around it, and
#   runs from the nearest saved one before the requested frame.


@cython.cclass
class StateRing:
    """The engine's interface to its states. The engine itself refuses frames outside of the ring."""

    sim: Any  # readonly
    capacity: cython.longlong  # readonly

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put(self, frame: cython.longlong, state: Any) -> cython.int:
        """Store ``state`` as the one before ``frame``."""
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def simulate(
        self, first: cython.longlong, end: cython.longlong, final: cython.longlong, inputs: InputHistory
    ) -> cython.int:
        """Run frames ``first`` to ``end - 1``; states before frames up to ``final + 1`` will not change again."""
        return 0

    @cython.cfunc
    def state_at(self, frame: cython.longlong, inputs: InputHistory) -> Any:
        """The state before ``frame``."""

    @cython.cfunc
    def checksum_at(self, frame: cython.longlong, inputs: InputHistory) -> Any:
        return self.sim.checksum(self.state_at(frame, inputs))

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def stamp(self, frame: cython.longlong) -> cython.int:
        """Remember the checksum of the state before ``frame``, for ``recheck`` to compare."""
        return 0

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def recheck(self, first: cython.longlong, end: cython.longlong, inputs: InputHistory) -> cython.longlong:
        """Rerun ``first`` to ``end - 1`` beside the ring; returns the first frame with another checksum, or -1."""
        return -1

    @cython.cfunc
    def rechecked_state(self) -> Any:
        """The state at which the last ``recheck`` ended."""


@cython.cclass
class ObjectRing(StateRing):
    """States as Python objects, one reference each.

    The states of a declared world are large. Once they are final, and older than the last ``RECENT``, one in
    ``SPACING`` is kept; another one is remade from that when somebody asks for it.
    """

    RECENT = 16
    SPACING = 16

    step: Any
    checksum_of: Any
    reload: Any
    again: Any
    kept: list[Any]
    sums: list[Any]
    is_thinned: cython.bint
    thinned: cython.longlong

    def __init__(self, sim: Any, capacity: Frame) -> None:
        self.sim = sim
        self.is_thinned = getattr(sim, "remakes_old_states", False) is True
        self.capacity = capacity + ObjectRing.SPACING if self.is_thinned else capacity
        self.step = sim.step
        self.checksum_of = sim.checksum
        self.reload = _reloader(sim)
        self.again = None
        self.kept = [None] * self.capacity
        self.sums = [None] * self.capacity
        self.thinned = 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put(self, frame: cython.longlong, state: Any) -> cython.int:
        if isinstance(self.sim, FlatSimulation):
            self.sim.fields(state)  # refuses the state of another game: better now than in the first step
        self.kept[frame % self.capacity] = state
        self.thinned = frame + 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def simulate(
        self, first: cython.longlong, end: cython.longlong, final: cython.longlong, inputs: InputHistory
    ) -> cython.int:
        frame: cython.longlong
        kept = self.kept
        step = self.step
        state = self.state_at(first, inputs)
        for frame in range(first, end):
            state = step(state, inputs.inputs_at(frame))
            kept[(frame + 1) % self.capacity] = state
        if self.is_thinned:
            self.thin(first, end, min(final, end - ObjectRing.RECENT))
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def thin(self, first: cython.longlong, end: cython.longlong, last: cython.longlong) -> cython.int:
        """Drop states up to frame ``last`` that can be remade, after frames ``first`` to ``end - 1`` were run."""
        frame: cython.longlong = max(min(self.thinned, first + 1), end - self.capacity + 1)
        while frame <= last:
            if frame % ObjectRing.SPACING:
                self.kept[frame % self.capacity] = None
            frame += 1
        self.thinned = frame
        return 0

    @cython.cfunc
    def state_at(self, frame: cython.longlong, inputs: InputHistory) -> Any:
        at: cython.longlong = frame
        state = self.kept[at % self.capacity]
        while state is None and self.is_thinned and at > frame - self.capacity:
            at -= 1
            state = self.kept[at % self.capacity]
        while at < frame:
            state = self.step(state, inputs.inputs_at(at))
            at += 1
        return state

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def stamp(self, frame: cython.longlong) -> cython.int:
        at: cython.longlong = frame % self.capacity
        self.sums[at] = self.checksum_of(self.kept[at])
        return 0

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def recheck(self, first: cython.longlong, end: cython.longlong, inputs: InputHistory) -> cython.longlong:
        frame: cython.longlong
        state = self.reload(self.kept[first % self.capacity])
        self.again = state
        for frame in range(first, end):
            state = self.step(state, inputs.inputs_at(frame))
            self.again = state
            if self.checksum_of(state) != self.sums[(frame + 1) % self.capacity]:
                return frame + 1
        return -1

    @cython.cfunc
    def rechecked_state(self) -> Any:
        return self.again


@cython.cclass
class SparseRing(StateRing):
    """Keeps few saved states: the newest final one, and one in ``SPACING`` as far as history reaches."""

    SPACING = 8

    step: Any
    keep: Any
    is_here: Any
    anchors: dict[int, Any]
    present: Any
    present_frame: cython.longlong
    history: cython.longlong

    def __init__(self, sim: Any, capacity: Frame) -> None:
        self.sim = sim
        self.capacity = capacity
        self.history = capacity - 1
        self.step = getattr(sim, "step_unkept", sim.step)
        self.keep = getattr(sim, "keep", _itself)
        self.is_here = getattr(sim, "has", _always)
        self.anchors = {}
        self.present = None
        self.present_frame = -1

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put(self, frame: cython.longlong, state: Any) -> cython.int:
        self.anchors = {frame: self.keep(state)}
        self.present = state
        self.present_frame = frame
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def simulate(
        self, first: cython.longlong, end: cython.longlong, final: cython.longlong, inputs: InputHistory
    ) -> cython.int:
        frame: cython.longlong
        start, state = self._nearest(first)
        for stale in [anchor for anchor in self.anchors if anchor > start]:
            del self.anchors[stale]
        newest: cython.longlong = max(self.anchors)
        # If the game raises on the way, there is no present state: it is remade from the nearest anchor.
        self.present_frame = -1
        for frame in range(start, end):
            if frame == final + 1 or frame - newest >= SparseRing.SPACING:
                self.anchors[frame] = self.keep(state)
                newest = frame
            state = self.step(state, inputs.inputs_at(frame))
        self.present = state
        self.present_frame = end
        self._forget(end - self.history, min(final + 1, end))
        return 0

    def _nearest(self, frame: Frame) -> tuple[int, Any]:
        """The nearest state at or before ``frame`` that can be stepped from."""
        if frame == self.present_frame and self.is_here(self.present):
            return frame, self.present
        start = max(anchor for anchor in self.anchors if anchor <= frame)
        return start, self.anchors[start]

    def _forget(self, oldest: Frame, final: Frame) -> None:
        """Drop anchors before history, and those that are too close together and that no rollback starts from."""
        base = max((anchor for anchor in self.anchors if anchor <= oldest), default=-1)
        newest_final = max((anchor for anchor in self.anchors if anchor <= final), default=final)
        last = -SparseRing.SPACING
        for anchor in sorted(self.anchors):
            if anchor < base or (base < anchor < newest_final and anchor - last < SparseRing.SPACING):
                del self.anchors[anchor]
            else:
                last = anchor

    @cython.cfunc
    def state_at(self, frame: cython.longlong, inputs: InputHistory) -> Any:
        at: cython.longlong
        start, state = self._nearest(frame)
        if start == frame:
            return state
        # Stepping changes the world: a present state that was not saved would be lost.
        if frame != self.present_frame and self.is_here(self.present):
            self.keep(self.present)
        for at in range(start, frame):
            state = self.step(state, inputs.inputs_at(at))
        if frame == self.present_frame:
            self.present = state
        return self.keep(state)


def _itself(state: Any) -> Any:
    return state


def _always(state: Any) -> bool:
    return state is not None


def _reloader(sim: Any) -> Any:
    """How a sync test restores a state as if from a save: through the world, through bytes, or as it is."""
    if hasattr(sim, "reload"):
        return sim.reload
    if hasattr(sim, "pack_state") and hasattr(sim, "unpack_state"):
        return lambda state: sim.unpack_state(sim.pack_state(state))
    return _itself


# Flat states: those of a flat game, as rows of C integers.
#
# Theory of operation. A :class:`~retick.sim.flat.FlatSimulation` steps a row of 64-bit integers in place. The ring is
# one block of such rows. A frame is a copy of a row and a direct call of the game's step: no Python object is made. The
# sync test steps a row beside the ring, ``scratch``, and compares its checksums with those in ``sums``.

IS_COMPILED = bool(cython.compiled)


@cython.cclass
class FlatRing(StateRing):
    """States as rows of C integers. Uncompiled it does nothing: ``ring_for`` chooses it only in the compiled form."""

    flat: FlatSimulation
    slots: cython.int
    rows: cython.p_longlong
    scratch: cython.p_longlong
    sums: cython.p_uint

    def __init__(self, sim: Any, capacity: Frame) -> None:
        self.sim = sim
        self.capacity = capacity
        if cython.compiled:
            self.flat = sim
            self.slots = self.flat.slot_count
            self.rows = cython.cast(cython.p_longlong, calloc(capacity * self.slots, 8))
            self.scratch = cython.cast(cython.p_longlong, calloc(self.slots, 8))
            self.sums = cython.cast(cython.p_uint, calloc(capacity, 4))
            if not (self.rows and self.scratch and self.sums):
                raise MemoryError

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.rows)
            free(self.scratch)
            free(self.sums)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put(self, frame: cython.longlong, state: Any) -> cython.int:
        if cython.compiled:
            memcpy(self.rows + (frame % self.capacity) * self.slots, self.flat.slots_of(state), self.slots * 8)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def simulate(
        self, first: cython.longlong, end: cython.longlong, final: cython.longlong, inputs: InputHistory
    ) -> cython.int:
        if cython.compiled:
            frame: cython.longlong
            at: cython.longlong = first % self.capacity
            size: cython.size_t = self.slots * 8
            here: cython.p_longlong = self.rows + at * self.slots
            there: cython.p_longlong
            for frame in range(first, end):
                at += 1
                if at == self.capacity:
                    at = 0
                there = self.rows + at * self.slots
                memcpy(there, here, size)
                self.flat.advance_slots(there, inputs.row(frame))
                here = there
        return 0

    @cython.cfunc
    def state_at(self, frame: cython.longlong, inputs: InputHistory) -> Any:
        if cython.compiled:
            return self.flat.state_from(self.rows + (frame % self.capacity) * self.slots)
        return None

    @cython.cfunc
    def checksum_at(self, frame: cython.longlong, inputs: InputHistory) -> Any:
        if cython.compiled:
            return self.flat.checksum_slots(self.rows + (frame % self.capacity) * self.slots)
        return None

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def stamp(self, frame: cython.longlong) -> cython.int:
        if cython.compiled:
            at: cython.longlong = frame % self.capacity
            self.sums[at] = self.flat.checksum_slots(self.rows + at * self.slots)
        return 0

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def recheck(self, first: cython.longlong, end: cython.longlong, inputs: InputHistory) -> cython.longlong:
        if cython.compiled:
            frame: cython.longlong
            at: cython.longlong = first % self.capacity
            memcpy(self.scratch, self.rows + at * self.slots, self.slots * 8)
            for frame in range(first, end):
                self.flat.advance_slots(self.scratch, inputs.row(frame))
                at += 1
                if at == self.capacity:
                    at = 0
                if self.flat.checksum_slots(self.scratch) != self.sums[at]:
                    return frame + 1
        return -1

    @cython.cfunc
    def rechecked_state(self) -> Any:
        if cython.compiled:
            return self.flat.state_from(self.scratch)
        return None


# The choice of a ring: how the states of a game are kept.


def ring_for(sim: Any, capacity: int, sparse: object) -> StateRing:
    """The ring for a game: few saves if ``sparse``; rows of C integers if the game's compiled step is in use."""
    if sparse:
        return SparseRing(sim, capacity)
    if IS_COMPILED and isinstance(sim, FlatSimulation) and _has_its_own_step(sim):
        return FlatRing(sim, capacity)
    return ObjectRing(sim, capacity)


def _has_its_own_step(sim: FlatSimulation) -> bool:
    """Whether nothing in Python replaces the game's compiled step or checksum, in a subclass or an instance."""
    if sim.python_advance is not None:
        return False
    kind, own = type(sim), getattr(sim, "__dict__", {})
    replaced = "step" in own or "checksum" in own
    return kind.step is FlatSimulation.step and kind.checksum is FlatSimulation.checksum and not replaced


# Statistics of an engine.


class EngineStats(NamedTuple):
    """The cost of rolling back so far."""

    rollbacks: int
    """How often frames were resimulated."""
    resimulated_frames: int
    """How many frames were resimulated, by all rollbacks together."""
    deepest_rollback: int
    """The most frames resimulated by one rollback."""


# The engine: advances, takes remote inputs, and resimulates.

NO_INPUTS = InputHistory(1, (), 1, 1, 0, None)
NO_STATES = StateRing()
NO_LOCAL = LocalInputs(NO_INPUTS, (), False, 0)


@cython.cclass
class RollbackEngine:
    """Runs a game for any number of players, any of them local; the module's docstring explains how."""

    sim: Any  # readonly
    history: cython.longlong  # readonly
    local_players: tuple[int, ...]  # readonly
    prediction_window: "int | None"  # readonly
    current: cython.longlong
    start: cython.longlong
    window: cython.longlong
    wrong_from: cython.longlong
    resimulated_from: cython.longlong
    num_players: cython.int
    inputs: InputHistory
    local: LocalInputs
    states: StateRing
    rollbacks: cython.longlong  # readonly
    resimulated: cython.longlong  # readonly
    deepest: cython.longlong

    def __cinit__(self, *_arguments: Any, **_options: Any) -> None:
        # Compiled only: a subclass that never calls __init__ gets errors instead of a crash.
        self.inputs = NO_INPUTS
        self.local = NO_LOCAL
        self.states = NO_STATES

    def __init__(
        self,
        sim: Any,
        state: Any,
        *,
        local_player: Player | None = None,
        local_players: Sequence[Player] | None = None,
        history: Frame = 128,
        prediction_window: Frame | None = None,
        input_delay: Frame = 0,
        predictor: Predictor | None = None,
        sparse_saving: object = False,
        start_frame: Frame = 0,
        inputs_remembered: Frame = 4096,
    ) -> None:
        """An engine at ``start_frame``, holding ``state``.

        ``history`` is how many frames can be resimulated. ``prediction_window`` is how many frames may run before
        everyone's input for them is confirmed: 0 is lockstep, None leaves history as the only bound. ``input_delay`` is
        how many frames after a press a local input takes effect. ``sparse_saving`` saves few states, for worlds whose
        save is expensive. ``inputs_remembered`` is the least number of frames whose inputs are kept; four histories
        always are. Inputs are small: keeping more of them than states tells a late contradiction from an honest
        duplicate for over a minute at 60 Hz.
        """
        check_settings(sim.num_players, history, prediction_window, start_frame, inputs_remembered)
        self.sim = sim
        self.num_players = sim.num_players
        self.history = history
        self.local_players = local_seats(sim.num_players, local_player, local_players)
        self.prediction_window = prediction_window
        self.window = -1 if prediction_window is None else prediction_window
        self.start = self.current = start_frame
        self.wrong_from = self.resimulated_from = -1
        self.rollbacks = self.resimulated = self.deepest = 0
        self.inputs = InputHistory(
            sim.num_players,
            self.local_players,
            max(4 * history, inputs_remembered),
            input_size_of(sim),
            start_frame,
            predictor,
        )
        self.local = LocalInputs(self.inputs, self.local_players, local_players is None, start_frame)
        self.states = ring_for(sim, history + 1, bool(sparse_saving))
        self.states.put(start_frame, state)
        self.set_input_delay(input_delay)

    @property
    def frame(self) -> int:
        """The frame that the next ``advance`` runs; the present state is the one before it."""
        return self.current

    @property
    def confirmed_frame(self) -> int:
        """The newest frame confirmed, with all before it, for every player; -1 if there is none."""
        return self.inputs.confirmed_by_all()

    @property
    def start_frame(self) -> int:
        """The frame that the engine began with."""
        return self.start

    @property
    def final_state_frame(self) -> int:
        """The newest frame whose state (the one before it) can never change again."""
        self.resimulate()
        return self.final_frame() + 1

    @property
    def state(self) -> Any:
        """The present state, including every input added so far."""
        self.resimulate()
        return self.states.state_at(self.current, self.inputs)

    @property
    def stats(self) -> EngineStats:
        self.resimulate()
        return EngineStats(self.rollbacks, self.resimulated, self.deepest)

    @property
    def input_delay(self) -> int:
        """How many frames after a press a local input takes effect."""
        return self.local.delay

    @property
    def local_frontier(self) -> int:
        """The first frame for which no local input was given yet."""
        return self.local.upto

    @cython.ccall
    def advance(self, pressed: Any) -> None:
        """Run one frame. ``pressed`` is the local player's input, or one per seat if ``local_players`` was given.

        If the game raises, the frame is not run, and the next call tries it again; the press is kept.
        """
        self.resimulate()
        if self.current >= UNSEEN:
            raise UsageError(f"frames are numbered up to {NEWEST_FRAME}, and that one was run: start another match")
        if self.window >= 0 and self.current > self.inputs.confirmed_by_others() + self.window:
            raise window_full(self.current, self.inputs.confirmed_by_others(), self.window)
        self.local.press(pressed, self.current)
        self.inputs.fill(self.current)
        self.states.simulate(self.current, self.current + 1, self.final_frame(), self.inputs)
        self.current += 1

    @cython.ccall
    def can_advance(self) -> cython.bint:
        """Whether the prediction window lets the next frame run."""
        return self.window < 0 or self.current <= self.inputs.confirmed_by_others() + self.window

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def add_remote_inputs(self, player: Player, start_frame: Frame, inputs: Sequence[Input]) -> cython.int:
        """Store a remote player's inputs from ``start_frame`` on; returns how many of them were new.

        The batch is accepted or refused as a whole. Known inputs are ignored; one that contradicts a confirmed input
        raises InputConflict, and one that contradicts a guess that can no longer be resimulated raises HistoryEvicted.
        """
        self.check_seat(player)
        self.check_frames(start_frame, len(inputs))
        seat: cython.int = player
        frame: cython.longlong = start_frame
        news: cython.int = 0
        found: cython.int
        check_batch(self.inputs, seat, frame, inputs, self.current, self.history)
        for value in inputs:
            found = learn(self.inputs, seat, frame, value, self.current)
            news += found > 0
            if found == 2:
                self.note_wrong(frame)
            frame += 1
        return news

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_run(
        self, player: cython.int, first: cython.longlong, values: cython.p_ulonglong, at: cython.int, count: cython.int
    ) -> cython.int:
        """``add_remote_inputs`` for a run, of a seat that is not local, and frames that were checked."""
        check_run(self.inputs, player, first, values, at, count, self.current, self.history)
        wrong: cython.longlong = learn_run(self.inputs, player, first, values, at, count, self.current)
        if wrong >= 0:
            self.note_wrong(wrong)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def check_player(self, player: Any) -> cython.int:
        if not fits(player, self.num_players - 1):
            raise UsageError(f"player must be from 0 to {self.num_players - 1}, not {player!r}")
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def check_seat(self, player: Any) -> cython.int:
        self.check_player(player)
        if self.inputs.local[player]:
            raise UsageError(f"player {player} is local here: its inputs are given to advance()")
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def check_frames(self, first: Any, count: cython.longlong) -> cython.int:
        """Refuse invalid frame numbers, and frames further ahead than history reaches back."""
        if not fits(first, NEWEST_FRAME):
            raise UsageError(f"a frame is an integer from 0 to {NEWEST_FRAME}, not {first!r}")
        last: cython.longlong = first
        if count > 0:
            last += count - 1
        if last > self.current + self.history:
            raise ProtocolViolation(
                f"frame {last} is {last - self.current} frames in the future of frame {self.current}; "
                f"with history={self.history} no more than {self.history} are accepted"
            )
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def note_wrong(self, frame: cython.longlong) -> cython.int:
        """Note that ``frame``, if it has run, ran with a wrong input."""
        if frame < self.current and (self.wrong_from < 0 or frame < self.wrong_from):
            self.wrong_from = frame
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def resimulate(self) -> cython.int:
        """Run the frames again from the earliest one that is known to be wrong."""
        guessed: cython.longlong = self.inputs.predict_again(self.oldest(), self.current)
        first: cython.longlong = self.wrong_from
        if guessed >= 0 and (first < 0 or guessed < first):
            first = guessed
        if first < 0:
            return 0
        # Not before all of it has run: if the game raises on the way, the next call starts from here again.
        self.wrong_from = first
        self.states.simulate(first, self.current, self.final_frame(), self.inputs)
        self.wrong_from = -1
        self.rollbacks += 1
        self.resimulated += self.current - first
        if self.current - first > self.deepest:
            self.deepest = self.current - first
        if self.resimulated_from < 0 or first < self.resimulated_from:
            self.resimulated_from = first
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def oldest(self) -> cython.longlong:
        """The oldest frame whose state is held."""
        return max(self.start, self.current - self.history)

    @cython.ccall
    @cython.exceptval(check=False)
    def held_from(self) -> cython.longlong:
        """The oldest frame whose inputs are held for sure: the ring may hold ``history`` frames ahead."""
        return max(self.start, self.current + self.history + 1 - self.inputs.capacity)

    @cython.cfunc
    @cython.exceptval(check=False)
    def final_frame(self) -> cython.longlong:
        """The newest frame that was run and will never be resimulated."""
        return min(self.inputs.confirmed_by_all(), self.current - 1)

    def fill_delay(self) -> None:
        """Fill the frames that the delay has put before the next press with the last press: at the start, with 0.

        ``advance`` does this too, but too late for others who wait for these inputs before they run a frame.
        """
        self.local.hold(self.current + self.local.delay)

    def set_input_delay(self, frames: Frame) -> None:
        """Change the delay of local inputs from the next frame on; see ``LocalInputs`` for how gaps are filled."""
        if not isinstance(frames, int) or not 0 <= frames <= self.history:
            raise UsageError(f"input_delay must be from 0 to history ({self.history}) frames, not {frames!r}")
        self.local.delay = frames

    def set_prediction_window(self, frames: Frame) -> None:
        """Change, from the next frame on, how many frames may run before everyone's inputs for them are confirmed."""
        check_settings(self.num_players, self.history, frames, self.start, 1)
        self.prediction_window = self.window = frames

    def drop_player(self, player: Player, frame: Frame, last: Sequence[Input] = ()) -> None:
        """Simulate ``player`` on neutral input from ``frame`` on; all peers must agree on the frame.

        ``last`` are the player's agreed inputs for the frames before it. They replace what is known of them here.
        """
        self.check_seat(player)
        self.check_frames(frame, 1)
        seat: cython.int = player
        at: cython.longlong
        first: cython.longlong = max(frame, self.start)
        begin: cython.longlong = max(frame - len(last), self.start)
        agreed: list[int] = list(last)[len(last) - (first - begin) :]
        for value in agreed:
            if not fits(value, self.inputs.largest_input):
                raise UsageError(f"an agreed input is an integer from 0 to {self.inputs.largest_input}, not {value!r}")
        for at in range(begin, min(self.oldest(), self.current)):
            wanted: cython.ulonglong = agreed[at - begin] if at < first else 0
            if self.inputs.holds(at) and self.inputs.used[(at & self.inputs.mask) * self.num_players + seat] != wanted:
                raise self._evicted(at, f"player {player} left at frame {frame}")
        for at in range(max(begin, self.oldest()), first):
            self.settle_input(seat, at, agreed[at - begin])
        self.inputs.dropped_from[seat] = first
        for at in range(max(first, self.oldest()), self.current):
            self.settle_input(seat, at, 0)

    @cython.cfunc
    @cython.exceptval(check=False)
    def settle_input(self, player: cython.int, frame: cython.longlong, value: cython.ulonglong) -> cython.int:
        """Confirm an input, whatever was confirmed or guessed before."""
        if self.inputs.confirm(player, frame, value):
            self.note_wrong(frame)
            if frame + 1 < self.current:
                self.inputs.mark_dirty(player, frame + 1)
        return 0

    def restore_player(self, player: Player, frame: Frame) -> None:
        """Let a dropped player send inputs again, from ``frame`` on; all peers must agree on the frame.

        The frame may be up to three histories ahead: a peer that is behind must be able to accept it too.
        """
        self.check_seat(player)
        if not fits(frame, NEWEST_FRAME) or frame > self.current + 3 * self.history:
            self.check_frames(frame, 1)
        seat: cython.int = player
        at: cython.longlong
        dropped: cython.longlong = self.inputs.dropped_from[seat]
        if frame < max(dropped, self.current):
            raise UsageError(f"player {player} can return at frame {self.current} or later, not at {frame}")
        for at in range(max(dropped, self.oldest()), frame):
            self.inputs.confirm(seat, at, 0)
        self.inputs.restore(seat, frame, self.current + self.history + 1)

    @cython.ccall
    def state_at(self, frame: Frame) -> Any:
        """The state before ``frame``, if it is in history."""
        self.resimulate()
        self._check_held(frame)
        return self.states.state_at(frame, self.inputs)

    def checksum_at(self, frame: Frame) -> int:
        """The checksum of the state before ``frame``, if it is in history."""
        self.resimulate()
        self._check_held(frame)
        return self.states.checksum_at(frame, self.inputs)  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def inputs_of(self, player: Player, first: Frame, end: Frame) -> list[int]:
        """The confirmed inputs of one player for frames ``first`` to ``end - 1``."""
        self.check_player(player)
        if not (fits(first, NEWEST_FRAME) and isinstance(end, int)):
            raise self._evicted(first, f"the confirmed inputs from {first!r} up to {end!r} were asked for")
        at: cython.longlong
        seat: cython.int = player
        found = []
        for at in range(first, min(end, NEWEST_FRAME + 1)):
            if not self.inputs.is_confirmed(seat, at):
                raise self._evicted(at, f"the confirmed input of player {player} was asked for")
            found.append(self.inputs.used[(at & self.inputs.mask) * self.num_players + seat])
        return found

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def copy_inputs(
        self, player: cython.int, first: cython.longlong, count: cython.int, values: cython.p_ulonglong, to: cython.int
    ) -> cython.int:
        """The confirmed inputs as a run, without checking the seat, for callers that got it from the engine."""
        missing: cython.longlong = copy_confirmed(self.inputs, player, first, count, values, to)
        if missing >= 0:
            raise self._evicted(missing, f"the confirmed input of player {player} was asked for")
        return 0

    def inputs_at(self, frame: Frame) -> tuple[int, ...]:
        """The inputs of all players for a frame that was run, guesses included."""
        self.resimulate()
        if not fits(frame, NEWEST_FRAME) or frame >= self.current or not self.inputs.holds(frame):
            raise self._evicted(frame, "its inputs were asked for")
        return self.inputs.inputs_at(frame)  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def first_missing(self, player: Player) -> int:
        """The first frame up to which all of ``player``'s inputs are confirmed.

        For a dropped player it stays at the frame of the drop: later inputs are not the player's own.
        """
        self.check_player(player)
        return self.missing_from(player)

    @cython.cfunc
    @cython.exceptval(check=False)
    def missing_from(self, player: cython.int) -> cython.longlong:
        """``first_missing`` without checking the seat, for callers that got it from the engine."""
        return min(self.inputs.upto[player], self.inputs.dropped_from[player])  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def is_missing(self, player: Player, frame: Frame) -> bool:
        """Whether an input of ``player`` for ``frame`` or before is still to come; False for a dropped player."""
        self.check_player(player)
        return self.inputs.upto[player] <= frame and self.inputs.upto[player] < self.inputs.dropped_from[player]  # type: ignore[no-any-return]  # mypy sees kernels untyped

    @cython.ccall
    def drain_resimulated(self) -> Any:
        """The earliest frame that was resimulated since the last call; -1 if none."""
        self.resimulate()
        first = self.resimulated_from
        self.resimulated_from = -1
        return first

    def _check_held(self, frame: Frame) -> None:
        if not fits(frame, UNSEEN) or not self.oldest() <= frame <= self.current:
            raise self._evicted(frame, "its state was asked for")

    def _evicted(self, frame: Any, why: Any) -> HistoryEvicted:
        return evicted(frame, why, self.current, self.history, self.oldest())


# The sync test: runs each frame, runs the last few again from a saved state, and compares.
#
# A game that keeps anything outside of its state, or whose step depends on more than its arguments, gives another
# checksum the second time. The error names the frame, and the fields with both values.


@cython.cclass
class SyncTest:
    """Runs a game; each ``advance`` resimulates the last ``distance`` frames and compares checksums."""

    sim: Any  # readonly
    distance: cython.longlong  # readonly
    current: cython.longlong
    num_players: cython.int
    inputs: InputHistory
    states: StateRing

    def __cinit__(self, *_arguments: Any, **_options: Any) -> None:
        # Compiled only: a subclass that never calls __init__ gets errors instead of a crash.
        self.inputs = NO_INPUTS
        self.states = NO_STATES

    def __init__(self, sim: Any, state: Any, *, distance: Frame = 7) -> None:
        if not isinstance(distance, int) or not 1 <= distance <= 1000:
            raise UsageError(f"distance must be from 1 to 1000 frames, not {distance!r}")
        check_settings(sim.num_players, distance + 1, None, 0)
        self.sim = sim
        self.distance = distance
        self.current = 0
        self.num_players = sim.num_players
        self.inputs = InputHistory(sim.num_players, range(sim.num_players), distance + 2, input_size_of(sim), 0, None)
        self.states = ring_for(sim, distance + 1, False)
        self.states.put(0, state)
        self.states.stamp(0)

    @property
    def frame(self) -> int:
        return self.current

    @property
    def state(self) -> Any:
        return self.states.state_at(self.current, self.inputs)

    def advance(self, pressed: Sequence[Input]) -> None:
        """Run one frame with everyone's inputs, then the last ``distance`` frames again.

        Raises DeterminismError if a frame gives another result the second time.
        """
        player: cython.int = 0
        first: cython.longlong
        frame: cython.longlong
        if len(pressed) != self.num_players:
            raise UsageError(f"advance takes {self.num_players} inputs, not {len(pressed)}")
        for value in pressed:
            if not fits(value, self.inputs.largest_input):
                raise UsageError(
                    f"input of player {player} must be an integer from 0 to {self.inputs.largest_input}, not {value!r}"
                )
            self.inputs.confirm(player, self.current, value)
            player += 1
        self.states.simulate(self.current, self.current + 1, self.current - self.distance, self.inputs)
        self.current += 1
        self.states.stamp(self.current)
        first = max(self.current - self.distance, 0)
        frame = self.states.recheck(first, self.current, self.inputs)
        if frame >= 0:
            raise self._mismatch(frame)

    def _mismatch(self, frame: Frame) -> DeterminismError:
        before = tuple(self.sim.fields(self.states.state_at(frame, self.inputs)))
        differences = field_differences(before, self.sim.fields(self.states.rechecked_state()))
        named = "; ".join(f"{name}: {one} first, {two} again" for name, one, two in differences[:8])
        return DeterminismError(
            f"frame {frame} came out differently when it was run again: {named or 'no named field differs'}",
            frame=frame,
            differences=differences,
        )
