"""The fighter as an environment: two agents, twenty numbers each, sixteen actions. docs/agents.md has the tables.

::

    env = fighter_v0.parallel_env(render_mode="rgb_array")
    observations, infos = env.reset(seed=1)

Its observations and rewards are those of :class:`retick.integrations.vector.VectorFighter`, from the same kernel.
"""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo.utils.conversions import parallel_to_aec

from retick.games.fighter import Fighter, FighterState
from retick.games.fighter.batch import points
from retick.integrations.pettingzoo.environment import SimulationEnv
from retick.integrations.pettingzoo.raster import picture
from retick.integrations.vector import MATCH_FRAMES, OBSERVED, VectorFighter

__all__ = ["env", "parallel_env"]

BUTTONS = 4


def parallel_env(*, render_mode: str | None = None, max_frames: int = MATCH_FRAMES) -> SimulationEnv:
    """A match in which both players act in every frame."""
    one = VectorFighter(1, threads=1)

    def observe(state: FighterState, player: int) -> NDArray[np.float32]:
        one.set_state(0, state)
        seen: NDArray[np.float32] = one.observed()[0, player].copy()
        return seen

    return SimulationEnv(
        Fighter(),
        observe=observe,
        observation_space=spaces.Box(-1.0, 1.0, (OBSERVED,), np.float32),
        reward=_reward,
        is_over=lambda state: min(state.p1.hp, state.p2.hp) <= 0,
        actions="discrete",
        bits=BUTTONS,
        max_frames=max_frames,
        draw=picture,
        render_mode=render_mode,
        name="fighter_v0",
    )


def env(**options: Any) -> Any:
    """The same, one agent after the other, as PettingZoo's AEC environments are."""
    return parallel_to_aec(parallel_env(**options))


def _reward(before: FighterState, after: FighterState, player: int) -> float:
    was, other_was = (before.p1, before.p2) if player == 0 else (before.p2, before.p1)
    own, other = (after.p1, after.p2) if player == 0 else (after.p2, after.p1)
    return 0.01 * points(was.hp, own.hp, other_was.hp, other.hp)
