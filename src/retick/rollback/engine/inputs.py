"""Who pressed what in which frame: confirmed, or guessed (a compiled kernel).

Theory of operation. A ring of rows, one a frame, each with one input a player and a mark whether that input is
confirmed or a guess. A row carries a tag, the frame that it is for; a row with the tag of another frame was
never written or was overwritten. For each player three frames are kept: ``upto``, the first frame that is not
confirmed although all before it are; ``newest``, the newest confirmed frame, which may lie beyond a gap; and
``dropped_from``, the frame from which on the player is dropped and simulated on neutral input.

A guess is always made from the newest confirmed input before its frame. When that input changes, the guesses after
it are made again: ``dirty`` is the first frame whose guess may be out of date. How inputs of others are checked and
filed when they come is in ``arrivals``.
"""

from collections.abc import Callable, Sequence
from typing import Any

from retick.errors import UsageError
from retick.sim.contract import Frame, Player

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.long import PyLong_AsLongLongAndOverflow
    from cython.cimports.libc.stdlib import calloc, free
else:
    UNSEEN = 4294967295

__all__ = ["InputHistory", "Predictor", "fits"]

Predictor = Callable[[int, int, int, int], int]
"""Called with a player, the frame to guess, the newest confirmed input before it and the frame that input is for
(-1 and input 0 when there is none); returns the guess. It must be a pure function."""


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
    """Inputs of all players over the last ``capacity`` frames."""

    if not cython.compiled:
        num_players: int
        capacity: int
        largest_input: int
        predictor: Predictor | None
        mask: int
        used: list[int]
        confirmed: list[int]
        local: list[int]
        tags: list[int]
        upto: list[int]
        newest: list[int]
        dirty: list[int]
        dropped_from: list[int]
        start: int
        any_dirty: bool
        guessed_from: int

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

    def holds(self, frame: cython.longlong) -> cython.bint:
        """Whether the ring has the row of ``frame``."""
        return self.tags[frame & self.mask] == frame

    def is_confirmed(self, player: cython.int, frame: cython.longlong) -> cython.bint:
        at: cython.longlong = frame & self.mask
        return self.tags[at] == frame and self.confirmed[at * self.num_players + player] != 0

    def mark_dirty(self, player: cython.int, frame: cython.longlong) -> cython.int:
        """Guesses from ``frame`` on were made from less than is known now."""
        if frame < self.dirty[player]:
            self.dirty[player] = frame
            self.any_dirty = True
        return 0

    def restore(self, player: cython.int, frame: cython.longlong, end: cython.longlong) -> cython.int:
        """A dropped player sends inputs again from ``frame`` on; rows up to ``end`` may hold neutral ones for it."""
        at: cython.longlong
        for at in range(frame, end):
            if self.holds(at):
                self.confirmed[(at & self.mask) * self.num_players + player] = 0
        self.dropped_from[player] = UNSEEN
        self.upto[player] = frame
        self.newest[player] = frame - 1
        return 0

    def row(self, frame: cython.longlong) -> cython.p_ulonglong:
        """The inputs of one frame as they were, or will be, simulated."""
        at: cython.longlong = (frame & self.mask) * self.num_players
        if cython.compiled:
            return self.used + at
        return self.used[at : at + self.num_players]

    def inputs_at(self, frame: cython.longlong) -> Any:
        at: cython.longlong = (frame & self.mask) * self.num_players
        if cython.compiled:
            if self.num_players == 2:
                return (self.used[at], self.used[at + 1])
            return tuple([self.used[at + player] for player in range(self.num_players)])
        return tuple(self.used[at : at + self.num_players])

    def confirm(self, player: cython.int, frame: cython.longlong, value: cython.ulonglong) -> cython.int:
        """Confirm an input. Returns 1 when another value was used for this frame before."""
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

    def predict(self, player: cython.int, frame: cython.longlong) -> cython.ulonglong:
        """A guess from the newest confirmed input before ``frame``; neutral when none is held."""
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

    def open_row(self, frame: cython.longlong) -> cython.int:
        """Start the row of ``frame``, in place of an older one: nothing is known of it yet."""
        at: cython.longlong = frame & self.mask
        player: cython.int
        self.tags[at] = frame
        for player in range(self.num_players):
            self.used[at * self.num_players + player] = 0
            self.confirmed[at * self.num_players + player] = 0
        return 0

    def predict_again(self, oldest: cython.longlong, frame: cython.longlong) -> cython.longlong:
        """Guess every unconfirmed input in the dirty frames again; the first frame that changed, or -1."""
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
        # Only now: if a predictor raises, the next call still returns what it changed before.
        changed: cython.longlong = self.guessed_from
        self.guessed_from = -1
        self.any_dirty = False
        return changed

    def confirmed_by_all(self) -> cython.longlong:
        """The newest frame that, with all before it, is confirmed for every player; one below the start before any."""
        least: cython.longlong = UNSEEN
        player: cython.int
        for player in range(self.num_players):
            if self.upto[player] < least and self.upto[player] < self.dropped_from[player]:
                least = self.upto[player]
        return least - 1

    def confirmed_by_others(self) -> cython.longlong:
        """The same over the players who are not local."""
        least: cython.longlong = UNSEEN
        player: cython.int
        for player in range(self.num_players):
            if self.local[player] or self.upto[player] >= self.dropped_from[player]:
                continue
            if self.upto[player] < least:
                least = self.upto[player]
        return least - 1
