"""A game that goes wrong on purpose: a check that does not find it proves nothing."""

from collections.abc import Callable, Sequence
from typing import Any

from retick.sim.contract import input_size_of

__all__ = ["Tampered"]


class Tampered:
    """Wraps a game: if ``when(before)`` is true, a step gives ``change(after)`` instead of ``after``.

    States are the game's own, so that they pack, compare and show like those of an honest peer.
    """

    def __init__(self, game: Any, *, when: Callable[[Any], bool], change: Callable[[Any], Any]) -> None:
        self._game = game
        self._when = when
        self._change = change
        self.num_players: int = game.num_players
        self.input_size = input_size_of(game)
        self.changes = 0
        """How often it went wrong, resimulated frames included."""

    def step(self, state: Any, inputs: Sequence[int]) -> Any:
        after = self._game.step(state, inputs)
        if not self._when(state):
            return after
        self.changes += 1
        return self._change(after)

    def __getattr__(self, name: str) -> Any:
        """Everything else is the game's: its name, its first state, its checksum and fields."""
        if name == "run":
            raise AttributeError("a tampered game has no run(): it is stepped frame by frame")
        return getattr(self._game, name)
