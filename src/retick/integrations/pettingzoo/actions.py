"""What agents choose from, and the input of a game that each choice stands for."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from gymnasium import spaces

from retick.errors import UsageError
from retick.sim.contract import input_size_of

__all__ = ["Actions"]

MOST_DISCRETE_BITS = 16


class Actions:
    """The actions of one game: ``buttons``, one bit each; ``discrete``, every combination; or a list of inputs."""

    def __init__(self, game: Any, actions: Literal["buttons", "discrete"] | Sequence[int], bits: int | None) -> None:
        width = 8 * input_size_of(game)
        used = width if bits is None else bits
        if not 1 <= used <= width:
            raise UsageError(f"bits must be from 1 to {width}, which an input of this game has, not {used}")
        self._inputs: Sequence[int] | None = None
        self._bits = used
        if actions == "discrete":
            if used > MOST_DISCRETE_BITS:
                raise UsageError(f"discrete actions have at most {MOST_DISCRETE_BITS} bits, not {used}: give bits=...")
            self._inputs = range(1 << used)
        elif not isinstance(actions, str):
            self._inputs = tuple(actions)
            if not self._inputs or not all(isinstance(each, int) and 0 <= each < 1 << width for each in self._inputs):
                raise UsageError(f"actions must be inputs of this game, from 0 to {(1 << width) - 1}, at least one")
        elif actions != "buttons":
            raise UsageError(f"actions must be 'buttons', 'discrete' or inputs of the game, not {actions!r}")

    def space(self) -> spaces.Space[Any]:
        """A new space; each agent has its own, since each has a generator of its own."""
        return spaces.MultiBinary(self._bits) if self._inputs is None else spaces.Discrete(len(self._inputs))

    def input_of(self, agent: str, action: Any) -> int:
        """The game's input for one action."""
        if self._inputs is not None:
            if not isinstance(action, int | np.integer) or not 0 <= action < len(self._inputs):
                raise UsageError(f"the action of {agent} must be from 0 to {len(self._inputs) - 1}, not {action!r}")
            return int(self._inputs[int(action)])
        pressed = np.asarray(action)
        if pressed.shape != (self._bits,) or not np.isin(pressed, (0, 1)).all():
            raise UsageError(f"the action of {agent} must be {self._bits} times 0 or 1, not {action!r}")
        return sum(1 << bit for bit in range(self._bits) if pressed[bit])
