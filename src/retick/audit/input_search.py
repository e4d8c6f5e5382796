"""Searches for matches that reach new lines of a game, and checks each of them.

Theory of operation. A match that reached a line or branch for the first time is kept, and so is one that ended in a new
kind of state (a field with a new number of digits: a score, a life lost). Most new matches are kept ones with another
ending or some changed inputs, and go on from a saved state: so a match with a hit is built from one with a shot. A
match that runs a line for the first time is checked at once, from its first frame and without saved states, by the
caller's ``check``.

The search ends when no new line or branch was reached for a number of frames, or when its time is over. Given the same
seed and enough time, it does the same every time.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Generic, NamedTuple, TypeVar

from retick.audit.game_loader import played_rows, press_function_of
from retick.audit.line_watch import LinesRun, LineWatch
from retick.audit.own_source import OwnSource
from retick.audit.runs.saves import Saved, load, save
from retick.sim.contract import Simulation, input_size_of, located
from retick.sim.prng import seeded_inputs

# Rows of inputs for a search are new ones, or changed copies of those that reached something.
#
# Theory of operation. Games read only a few bits of an input, so most of a random input does nothing. So each bit is
# tried first, at several moments of a match: bits that change the state are *live*, and are drawn most. Buttons are
# held for a while, mostly one or two at a time, because opposite ones cancel each other. One generator draws
# everything.

Row = tuple[int, ...]
PROBED_FRAMES = (0, 30, 120, 300)
"""Frames at which each bit is tried; some games do nothing in their first seconds."""
PROBE_LENGTH = 3
LONGEST_HOLD = 12
LONGEST_WALK = 90
"""Most frames for which a button is sometimes held, to cross a whole field."""
STRANGE = 24
"""One of so many presses has random bits, live or not."""


def live_bits(sim: Simulation[Any], seed: int, rows: Sequence[Row]) -> list[int]:
    """The bits that change the state when pressed at one of a few moments of the match ``rows``."""
    bits = 8 * input_size_of(sim)
    live: set[int] = set()
    state = sim.initial_state(seed)
    for frame, row in enumerate(rows):
        if frame in PROBED_FRAMES:
            saved = save(sim, state)
            idle = _pressed(sim, load(sim, saved), 0)
            live |= {bit for bit in range(bits) if _pressed(sim, load(sim, saved), 1 << bit) != idle}
            state = load(sim, saved)
        if frame >= PROBED_FRAMES[-1]:
            break
        state = sim.step(state, row)
    return sorted(live)


def _pressed(sim: Simulation[Any], state: Any, value: int) -> int:
    for _ in range(PROBE_LENGTH):
        state = sim.step(state, (value,) * sim.num_players)
    return sim.checksum(state)


class RowMaker:
    """Draws rows of inputs for one game."""

    def __init__(self, sim: Simulation[Any], live: Sequence[int], dice: Random) -> None:
        self._players = sim.num_players
        self._bits = 8 * input_size_of(sim)
        self._live = list(live) or list(range(self._bits))
        self._dice = dice

    def new(self, frames: int) -> list[Row]:
        """Draw new inputs for a number of frames, independently for each player."""
        return list(zip(*(self._column(frames) for _ in range(self._players)), strict=True))

    def changed(self, rows: Sequence[Row]) -> tuple[list[Row], int]:
        """Copy rows and let one player press something else for a while; return also the first frame that differs."""
        dice = self._dice
        first, player = dice.randrange(len(rows)), dice.randrange(self._players)
        length = min(dice.randint(1, LONGEST_WALK), len(rows) - first)
        column = self._column(length)
        copy = list(rows)
        for offset, value in enumerate(column):
            row = copy[first + offset]
            copy[first + offset] = (*row[:player], value, *row[player + 1 :])
        return copy, first

    def _column(self, frames: int) -> list[int]:
        column: list[int] = []
        while len(column) < frames:
            length = self._dice.randint(1, LONGEST_HOLD if self._dice.random() < 0.8 else LONGEST_WALK)
            value = self._press()
            column += [value] * length if self._dice.random() < 0.8 else [value, 0] * length
        return column[:frames]

    def _press(self) -> int:
        dice = self._dice
        if dice.randrange(STRANGE) == 0:
            return dice.getrandbits(self._bits)
        most = dice.choice((0, 1, 1, 1, 2, 2, 2, 3, len(self._live)))
        chosen = dice.sample(self._live, min(most, len(self._live)))
        return sum(1 << bit for bit in chosen)


F = TypeVar("F")

PATIENCE = 60_000
"""Frames without a new place after which the search ends; a quarter of that when every line has run."""
MOST_KEPT = 200
"""Most kept matches; the oldest one that reached no new place is dropped first."""
LONGEST = 8
"""Most times that a match is as long as ``frames``."""
SEGMENT = 32
"""Frames between two checks of the clock and the state."""
SAVED_EVERY = 128
"""Frames between two saved states of a match."""
SMALL = 16
"""Numbers up to this one are told apart, such as lives and rounds."""
MOST_KINDS = 50_000
"""Most kinds of state that are remembered."""


class SearchedMatch(NamedTuple):
    """A match to play: its seed, and the inputs of all players in each frame."""

    seed: int
    rows: list[Row]


Saves = tuple[tuple[int, Saved], ...]
"""Frame and saved state, in order."""


class Kept(NamedTuple):
    """A match from which others are made."""

    match: SearchedMatch
    reached_new_place: bool
    saves: "Saves"
    """Saved states of some frames, so that other matches need not begin at the first one."""


Check = Callable[[SearchedMatch, int], F | None]
"""``check(match, first)`` returns what is wrong with the match from frame ``first`` on, None if nothing is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult(Generic[F]):
    """The failure, if one was found, and how much was searched."""

    failure: F | None
    bot: bool
    """Whether the game's own bot played the rounds, instead of random inputs."""
    rounds: int
    matches: int
    """Number of matches that were searched after the rounds."""
    frames: int
    """Frames of the searched matches."""
    seconds: float
    """Duration of the search."""
    out_of_time: bool
    """Whether the search ended by its time limit, so that there may be more to reach."""
    lines: LinesRun | None
    """The lines of ``step`` and what it calls that ran; None if no line can be seen, as in a compiled game."""


class Search(Generic[F]):
    """One search, over a game that ``factory`` makes."""

    def __init__(
        self,
        factory: Callable[[], Simulation[Any]],
        check: Check[F],
        *,
        seconds: float,
        seed: int = 1,
        frames: int = 600,
        patience: int = PATIENCE,
        most_kept: int = MOST_KEPT,
        progress: Callable[[str], None] = lambda text: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``seconds`` bounds the search after the rounds; 0 means no search."""
        self._factory = factory
        self._check = check
        self._seconds = seconds
        self._seed = seed
        self._length = frames
        self._patience = patience
        self._most_kept = most_kept
        self._progress = progress
        self._clock = clock
        self._dice = Random(seed)
        self._watch = LineWatch(OwnSource(factory()))
        self._kept: list[Kept] = []
        self._kinds: set[tuple[str, int]] = set()
        self._frames = self._grown_at = self._matches = 0
        self._began = clock()

    def run(self, seeds: list[int]) -> SearchResult[F]:
        """Play one round for each seed, then search."""
        sim = self._factory()
        press = press_function_of(sim)
        rounds: list[SearchedMatch] = []
        for number, seed in enumerate(seeds):
            self._progress(f"round {number + 1} of {len(seeds)}")
            rows = (
                played_rows(sim, press, seed, self._length) if press else list(seeded_inputs(sim, seed, self._length))
            )
            rounds.append(SearchedMatch(seed, rows))
            failure = self._check(rounds[-1], 0)
            if failure is not None:
                return self._result(failure, press is not None, len(rounds))
            if self._seconds > 0:
                self._play(rounds[-1], 0)
        self._began, self._frames, self._grown_at = self._clock(), 0, 0
        if not self._watch.places:
            return self._result(None, press is not None, len(rounds))
        failure = self._search(RowMaker(sim, live_bits(sim, *rounds[0]), self._dice))
        return self._result(failure, press is not None, len(rounds), out_of_time=self._out_of_time())

    def _result(self, failure: F | None, bot: bool, rounds: int, *, out_of_time: bool = False) -> SearchResult[F]:
        return SearchResult(
            failure=failure,
            bot=bot,
            rounds=rounds,
            matches=self._matches,
            frames=self._frames,
            seconds=self._clock() - self._began,
            out_of_time=out_of_time,
            lines=self._watch.lines() if self._watch.places else None,
        )

    def _search(self, maker: RowMaker) -> F | None:
        lines = self._watch.lines()
        while not self._is_done(lines) and not self._out_of_time():
            match, shared, saves = self._next(maker)
            self._matches += 1
            new = self._play(match, shared, saves)
            lines = self._watch.lines()
            self._progress(f"searching: match {self._matches}, {lines.ran} of {lines.total} lines of the game have run")
            if new is not None:
                failure = self._check(*new)
                if failure is not None:
                    return failure
        return None

    def _is_done(self, lines: LinesRun) -> bool:
        patience = self._patience if lines.unrun else self._patience // 4
        return self._frames - self._grown_at >= patience

    def _out_of_time(self) -> bool:
        return self._clock() - self._began >= self._seconds

    def _next(self, maker: RowMaker) -> tuple[SearchedMatch, int, Saves]:
        """Choose a match to try; return the number of frames that it shares with a kept one, and their saved states."""
        dice, way = self._dice, self._dice.random()
        newest = dice.random() < 0.5
        match, _, saves = dice.choice(self._kept[-8:] if newest else self._kept)
        if way < 0.1 or not match.rows:
            return SearchedMatch(match.seed, maker.new(self._length)), 0, ()
        if way < 0.7:
            kept = match.rows[: LONGEST * self._length - SEGMENT]
            if dice.random() < 0.3:
                kept = kept[: dice.randrange(len(kept)) + 1]
            return (
                SearchedMatch(match.seed, kept + maker.new(dice.randint(min(SEGMENT, self._length), self._length))),
                len(kept),
                saves,
            )
        rows, shared = maker.changed(match.rows)
        return SearchedMatch(match.seed, rows), shared, saves

    def _play(self, match: SearchedMatch, shared: int, saves: Saves = ()) -> tuple[SearchedMatch, int] | None:
        """Play a match, watched from frame ``shared`` on, and keep it if it reached something.

        If something ran for the first time, return the match until a little later, and the first frame to check.
        """
        sim = self._factory()
        known = [(frame, saved) for frame, saved in saves if frame <= shared]
        start, state = (known[-1][0], load(sim, known[-1][1])) if known else (0, sim.initial_state(match.seed))
        first_new = last_new = None
        for begin, end in _segments(start, shared, len(match.rows)):
            if not known or begin - known[-1][0] >= SAVED_EVERY:
                known.append((begin, save(sim, state)))
            if begin >= shared:
                with self._watch:
                    for frame in range(begin, end):
                        before = len(self._watch.places)
                        with located(frame, match.seed, match.rows[frame]):
                            state = sim.step(state, match.rows[frame])
                        if len(self._watch.places) > before:
                            last_new = frame
                            first_new = frame if first_new is None else first_new
                self._note_kinds(sim, state, SearchedMatch(match.seed, match.rows[:end]), known)
            else:
                for frame in range(begin, end):
                    state = sim.step(state, match.rows[frame])
            self._frames += end - begin
            if self._matches and self._out_of_time():
                break
        if last_new is None or first_new is None:
            return None
        self._grown_at = self._frames
        found = SearchedMatch(match.seed, match.rows[: last_new + SEGMENT])
        self._keep(Kept(SearchedMatch(match.seed, match.rows[: last_new + 1]), True, _until(last_new + 1, known)))
        return found, first_new

    def _note_kinds(
        self, sim: Simulation[Any], state: Any, match: SearchedMatch, known: list[tuple[int, Saved]]
    ) -> None:
        """Keep the match up to here if its state has a new kind."""
        kinds = {(str(name), kind) for name, value in sim.fields(state) if (kind := _kind(value)) is not None}
        if not kinds <= self._kinds and len(self._kinds) < MOST_KINDS:
            self._kinds |= kinds
            self._keep(Kept(match, False, _until(len(match.rows), known)))

    def _keep(self, kept: Kept) -> None:
        self._kept.append(kept)
        if len(self._kept) > self._most_kept:
            idle = (index for index, each in enumerate(self._kept) if not each.reached_new_place)
            del self._kept[next(idle, 0)]


def _until(end: int, known: list[tuple[int, Saved]]) -> Saves:
    return tuple(one for one in known if one[0] <= end)


def _segments(start: int, shared: int, length: int) -> Iterator[tuple[int, int]]:
    """Split frames into segments, none of which crosses the border between known and new frames."""
    for low, high in ((start, min(shared, length)), (shared, length)):
        for begin in range(low, high, SEGMENT):
            yield begin, min(begin + SEGMENT, high)


def _kind(value: object) -> int | None:
    """Classify a value: a small number itself, others by binary digits, collections by length; None for the rest."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        value = int(value)
    if isinstance(value, str | bytes | tuple | list | dict | set | frozenset):
        value = len(value)
    if not isinstance(value, int):
        return None
    digits = SMALL + value.bit_length()
    return value if abs(value) <= SMALL else digits if value > 0 else -digits
