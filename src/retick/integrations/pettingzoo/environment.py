"""Any simulation as a parallel PettingZoo environment: agents are players, an action is an input, a step is a frame.

Nothing about a game is guessed: by default agents observe every number in ``fields``, all rewards are 0, and a match
ends after ``max_frames``.
"""

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from retick.errors import UsageError
from retick.integrations.vector import game_seed
from retick.sim.contract import Simulation, input_size_of
from retick.sim.prng import XorShift32

MOST_DISCRETE_BITS = 16


class Actions:
    """Maps actions to inputs: ``buttons`` (one bit each), ``discrete`` (every combination) or a list of inputs."""

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
        """Make a new action space; each agent needs one, with its own generator."""
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


LARGEST = 2.0**64
"""Bound of all integer fields; PettingZoo's tests warn about spaces without bounds."""


class SimulationEnv(ParallelEnv):  # type: ignore[misc]  # pettingzoo has no types
    """A match of ``game``; its agents ``player_0``, ``player_1`` ... are the seats."""

    def __init__(
        self,
        game: Simulation[Any],
        *,
        observe: Callable[[Any, int], Any] | None = None,
        observation_space: spaces.Space[Any] | None = None,
        reward: Callable[[Any, Any, int], float] = lambda before, after, player: 0.0,
        is_over: Callable[[Any], bool] = lambda state: False,
        actions: Literal["buttons", "discrete"] | Sequence[int] = "buttons",
        bits: int | None = None,
        max_frames: int = 3600,
        draw: Callable[[Any], NDArray[np.uint8]] | None = None,
        render_mode: str | None = None,
        name: str | None = None,
    ) -> None:
        """Functions add what a game does not define: a player's observation, its reward for a frame, the match's end.

        ``observe`` needs an ``observation_space``. ``draw`` makes a picture [height, width, 3] of a state.
        """
        if (observe is None) != (observation_space is None):
            raise UsageError("observe and observation_space must be given together")
        if not isinstance(max_frames, int) or max_frames < 1:
            raise UsageError(f"max_frames must be an integer of 1 or more, not {max_frames!r}")
        modes = [] if draw is None else ["rgb_array"]
        if render_mode not in (None, *modes):
            raise UsageError(f"render_mode must be one of {modes} or None, not {render_mode!r}")
        self.metadata = {
            "name": name or str(getattr(game, "game_id", type(game).__name__)),
            "render_modes": modes,
            "render_fps": 60,
            "is_parallelizable": True,
        }
        self.render_mode = render_mode
        self.max_frames = max_frames
        self.possible_agents = [f"player_{seat}" for seat in range(game.num_players)]
        self.agents: list[str] = []
        self._game = game
        self._rng = XorShift32(1)
        self._match: Any = game.initial_state(1)
        self._frames = 0
        self._reward, self._is_over, self._draw = reward, is_over, draw
        self.field_names = tuple(name for name, value in game.fields(self._match) if isinstance(value, Real))
        """Names of the numbers in :meth:`state`, in order; without ``observe`` agents see the same numbers."""
        everything = spaces.Box(-LARGEST, LARGEST, (len(self.field_names),), np.float64)
        self._observe = observe or (lambda state, player: self._numbers(state))
        self._actions = Actions(game, actions, bits)
        self.state_space = everything
        self.observation_spaces = dict.fromkeys(self.possible_agents, observation_space or everything)
        self.action_spaces = {agent: self._actions.space() for agent in self.possible_agents}

    @property
    def match_state(self) -> Any:
        """The game's own state."""
        return self._match

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The action space of an agent."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begin a match. Without a seed it gets the next one of a sequence that starts at the last seed given."""
        if seed is not None:
            self._rng = XorShift32(game_seed(int(seed)))
        else:
            self._rng = self._rng.next()[1]
        self._match = self._game.initial_state(self._rng.state)
        self._frames = 0
        self.agents = list(self.possible_agents)
        return self._observations(), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Run one frame. After the last frame there are no agents until the next reset."""
        if not self.agents:
            return {}, {}, {}, {}, {}
        missing = [agent for agent in self.agents if agent not in actions]
        if missing:
            raise UsageError(f"every agent must act in every frame; there is no action for {', '.join(missing)}")
        before = self._match
        inputs = [self._actions.input_of(agent, actions[agent]) for agent in self.possible_agents]
        self._match = self._game.step(before, inputs)
        self._frames += 1
        over = bool(self._is_over(self._match))
        cut = not over and self._frames >= self.max_frames
        acted = self.agents
        rewards = {agent: float(self._reward(before, self._match, seat)) for seat, agent in enumerate(acted)}
        seen = self._observations()
        if over or cut:
            self.agents = []
        return seen, rewards, dict.fromkeys(acted, over), dict.fromkeys(acted, cut), {agent: {} for agent in acted}

    def state(self) -> NDArray[np.float64]:
        """All numbers of the match, in the order of ``field_names``."""
        return self._numbers(self._match)

    def render(self) -> NDArray[np.uint8] | None:
        """The picture of the match, with ``render_mode="rgb_array"``."""
        if self.render_mode is None or self._draw is None:
            return None
        return self._draw(self._match)

    def _observations(self) -> dict[str, Any]:
        return {agent: self._observe(self._match, seat) for seat, agent in enumerate(self.agents)}

    def _numbers(self, state: Any) -> NDArray[np.float64]:
        found = dict(self._game.fields(state))
        try:
            return np.array([found[name] for name in self.field_names], np.float64)
        except KeyError as error:
            raise UsageError(
                f"the field {error} of the first frame is gone: if fields come and go, give observe=..."
            ) from None
