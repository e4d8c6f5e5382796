"""The fighter as an environment: two agents, twenty numbers each, sixteen actions; see docs/guides/agents.md.

::

    env = fighter_v0.parallel_env(render_mode="rgb_array")
    observations, infos = env.reset(seed=1)

Observations and rewards come from the same kernel as those of :class:`retick.integrations.vector.VectorFighter`.
"""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo.utils.conversions import parallel_to_aec

from retick.games.fighter import Action, Fighter, FighterState, PlayerState
from retick.games.fighter.kernel import points
from retick.games.fighter.rules import (
    DEFAULT_HP,
    HITBOX_HEIGHT,
    HITBOX_WIDTH,
    MAX_X,
    PLAYER_HEIGHT,
    PLAYER_WIDTH,
)
from retick.integrations.pettingzoo.environment import SimulationEnv
from retick.integrations.vector import MATCH_FRAMES, OBSERVED, VectorFighter

__all__ = [
    "HEIGHT",
    "WIDTH",
    "env",
    "parallel_env",
    "picture",
]


# Draws the fighter to scale, as filled boxes in a NumPy array, without a window or another library.

UNITS = 50
"""World units per pixel."""
WIDTH = MAX_X // UNITS
HEIGHT = 112
FLOOR = 96
"""Row of the ground; a whole jump fits above it."""

SKY = (24, 26, 38)
GROUND = (70, 72, 84)
COLOURS = ((80, 190, 250), (250, 120, 190))
STUNNED = (240, 240, 240)
STRIKE = (250, 210, 80)
EYE = (10, 10, 16)
EMPTY = (60, 30, 36)
BAR = 180
"""Width of a full hp bar, in pixels."""

Colour = tuple[int, int, int]


def picture(state: FighterState) -> NDArray[np.uint8]:
    """Draw the match as an array [112, 400, 3]."""
    pixels = np.empty((HEIGHT, WIDTH, 3), np.uint8)
    pixels[:FLOOR] = SKY
    pixels[FLOOR:] = GROUND
    for player, colour in zip((state.p1, state.p2), COLOURS, strict=True):
        _draw_fighter(pixels, player, colour)
    _fill(pixels, 4, 4, BAR, 5, EMPTY)
    _fill(pixels, WIDTH - 4 - BAR, 4, BAR, 5, EMPTY)
    _fill(pixels, 4, 4, _bar(state.p1), 5, COLOURS[0])
    _fill(pixels, WIDTH - 4 - _bar(state.p2), 4, _bar(state.p2), 5, COLOURS[1])
    return pixels


def _bar(player: PlayerState) -> int:
    return BAR * min(max(player.hp, 0), DEFAULT_HP) // DEFAULT_HP


def _draw_fighter(pixels: NDArray[np.uint8], player: PlayerState, colour: Colour) -> None:
    left, width, height = player.x // UNITS, PLAYER_WIDTH // UNITS, PLAYER_HEIGHT // UNITS
    feet = FLOOR - player.y // UNITS
    shown = STUNNED if player.state == Action.HITSTUN else colour
    _fill(pixels, left, feet - height, width, height, shown)
    eye = left + width - 4 if player.facing > 0 else left + 1
    _fill(pixels, eye, feet - height + 3, 3, 3, EYE)
    if player.attack_active_frames > 0:
        reach = left + width if player.facing > 0 else left - HITBOX_WIDTH // UNITS
        _fill(pixels, reach, feet - HITBOX_HEIGHT // UNITS, HITBOX_WIDTH // UNITS, HITBOX_HEIGHT // UNITS, STRIKE)


def _fill(pixels: NDArray[np.uint8], left: int, top: int, width: int, height: int, colour: Colour) -> None:
    """Fill a box, as far as it is inside the picture."""
    pixels[max(top, 0) : max(top + height, 0), max(left, 0) : max(left + width, 0)] = colour


BUTTONS = 4


def parallel_env(*, render_mode: str | None = None, max_frames: int = MATCH_FRAMES) -> SimulationEnv:
    """Make a parallel environment: both players act in every frame."""
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
    """Make the same match as an AEC environment: one agent acts after the other."""
    return parallel_to_aec(parallel_env(**options))


def _reward(before: FighterState, after: FighterState, player: int) -> float:
    was, other_was = (before.p1, before.p2) if player == 0 else (before.p2, before.p1)
    own, other = (after.p1, after.p2) if player == 0 else (after.p2, after.p1)
    return 0.01 * points(was.hp, own.hp, other_was.hp, other.hp)
