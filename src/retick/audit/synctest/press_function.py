"""A game's own bot: the function ``bot(player, state)`` or ``press(player, state)`` that it or its module has.

It returns the buttons of one player in one frame, as the ``press`` of ``retick.testing.mesh.Mesh`` does. A function of
that name with other parameters is no bot: it may well read a keyboard. For a declared world it may be
``bot(player, world)``, and reads the fields.
"""

import inspect
import sys
from collections.abc import Callable
from typing import Any

from retick.sim.contract import Simulation, input_size_of
from retick.sim.world import SimulatedWorld, World
from retick.sim.world.hosting import make_read_only

__all__ = ["Press", "played_rows", "press_function_of"]

Press = Callable[[int, Any], int]
NAMES = ("bot", "press")
OF_A_STATE, OF_A_WORLD = ["player", "state"], ["player", "world"]


def press_function_of(sim: Simulation[Any]) -> Press | None:
    """The game's bot, None if it has none."""
    game = sim.world if isinstance(sim, SimulatedWorld) else sim
    for place in (sim, game, sys.modules.get(type(game).__module__)):
        for name in NAMES:
            found: Any = getattr(place, name, None)
            parameters = _parameters(found) if callable(found) else []
            if parameters == OF_A_STATE:
                return found  # type: ignore[no-any-return] # its result is checked where it is used
            if parameters == OF_A_WORLD and isinstance(game, World):
                return _sees_the_world(game, found)
    return None


def _sees_the_world(game: World, bot: Press) -> Press:
    """``bot`` with the world in place of its state: another instance, whose fields it can read and not write."""
    shown = type(game)()
    make_read_only(shown)
    seen: Any = None

    def press(player: int, state: Any) -> int:
        nonlocal seen
        if state is not seen:
            game.load_into(shown, state)
            seen = state
        return bot(player, shown)

    return press


def _parameters(function: Callable[..., Any]) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # written in C
        return []


def played_rows(sim: Simulation[Any], press: Press, seed: int, frames: int) -> list[tuple[int, ...]]:
    """The inputs of a match in which the bot plays every seat."""
    largest = (1 << 8 * input_size_of(sim)) - 1
    state = sim.initial_state(seed)
    rows = []
    for _ in range(frames):
        row = tuple(int(press(player, state)) & largest for player in range(sim.num_players))
        rows.append(row)
        state = sim.step(state, row)
    return rows
