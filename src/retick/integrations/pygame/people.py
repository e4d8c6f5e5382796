"""Who presses the buttons of the seats that are played here: people at the keyboard, or bots."""

from functools import reduce
from operator import or_
from typing import Any

from retick.audit.synctest.press_function import press_function_of
from retick.integrations.pygame.keys import Keys
from retick.integrations.pygame.window_game import WindowGame
from retick.playing.controllers import Restless
from retick.sim.contract import input_size_of

__all__ = ["People"]


class People:
    """The inputs of one frame, for the seats here."""

    def __init__(self, game: WindowGame, sim: Any, keys: Keys) -> None:
        self._press, self._keys = game.press, keys
        self._bot = None if not game.bot else press_function_of(sim) or Restless(input_size_of(sim)).press

    def pressed(self, seats: tuple[int, ...], state: Any) -> int | tuple[int, ...]:
        """One person may use all keys; several have those of their own."""
        alone = len(seats) == 1
        if self._bot is not None:
            each = tuple(self._bot(seat, state) for seat in seats)
            return each[0] if alone else each
        each = tuple(press(self._keys) for press in self._press)
        return reduce(or_, each) if alone else (each + (0,) * len(seats))[: len(seats)]

    def idle(self, seats: tuple[int, ...]) -> int | tuple[int, ...]:
        """Nobody presses anything."""
        return (0,) * len(seats) if len(seats) > 1 else 0
