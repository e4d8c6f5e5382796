"""Makes rows of inputs for a search: new ones, and changed copies of those that reached something.

Theory of operation. Games read a few bits of an input, and most of a random input does nothing. So each bit is tried
first, at several moments of a match: the bits that change the state are the *live* ones, and are drawn most. Buttons
are held for a while, mostly one or two at a time, because opposite ones cancel each other. All is drawn from one
generator.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

from retick.audit.runs.saves import load, save
from retick.sim.contract import Simulation, input_size_of

__all__ = ["RowMaker", "live_bits"]

Row = tuple[int, ...]
PROBED_FRAMES = (0, 30, 120, 300)
"""Where each bit is tried: some games do nothing in their first seconds."""
PROBE_LENGTH = 3
LONGEST_HOLD = 12
LONGEST_WALK = 90
"""Frames that a button is held now and then, to cross a whole field."""
STRANGE = 24
"""One press in so many has random bits, live or not."""


def live_bits(sim: Simulation[Any], seed: int, rows: Sequence[Row]) -> list[int]:
    """The bits that change the state when somebody presses them, at one of a few moments of the match ``rows``."""
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
        """Inputs of all players for so many frames, each player's drawn apart."""
        return list(zip(*(self._column(frames) for _ in range(self._players)), strict=True))

    def changed(self, rows: Sequence[Row]) -> tuple[list[Row], int]:
        """A copy in which one player presses something else for a while, and the first frame that differs."""
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
