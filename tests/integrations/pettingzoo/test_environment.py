"""Any simulation as an environment: PettingZoo's own tests, what agents see by default, seeds, ends and misuse."""

import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pettingzoo")
from gymnasium import spaces
from pettingzoo.utils.conversions import parallel_to_aec

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its module of tests imports an environment by a name that it calls old
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.games.scramble import Scramble
from retick.integrations.pettingzoo import SimulationEnv
from retick.sim.prng import XorShift32
from tests.toys import Tally


def scramble() -> SimulationEnv:
    return SimulationEnv(Scramble(3), max_frames=40)


def counting() -> SimulationEnv:
    return SimulationEnv(Tally(2), actions="discrete", bits=2, max_frames=40)


# MultiBinary is a space as good as others; the test would rather see Discrete, and passes.
@pytest.mark.filterwarnings("ignore:Action space for each agent probably should be")
@pytest.mark.parametrize("make", [scramble, counting])
def test_a_game_passes_the_tests_of_pettingzoo(make: Any) -> None:
    parallel_api_test(make(), 100)
    parallel_seed_test(make, 100)
    api_test(parallel_to_aec(make()), 100)
    seed_test(lambda: parallel_to_aec(make()), 100)


def test_agents_see_every_number_that_fields_names() -> None:
    game = Fighter()
    env = SimulationEnv(game)
    seen, infos = env.reset(seed=7)
    state = game.initial_state(7)
    assert env.match_state == state
    assert env.field_names == tuple(name for name, _ in game.fields(state))
    for agent in ("player_0", "player_1"):
        assert list(seen[agent]) == [value for _, value in game.fields(state)]
        assert env.observation_space(agent).contains(seen[agent])
    assert infos == {"player_0": {}, "player_1": {}}
    assert list(env.state()) == list(seen["player_0"])
    assert env.state_space.contains(env.state())


def test_buttons_are_the_bits_of_an_input() -> None:
    game = Fighter()
    env = SimulationEnv(game)
    env.reset(seed=1)
    assert env.action_space("player_0") == spaces.MultiBinary(16)
    right = np.zeros(16, np.int8)
    right[1] = 1
    env.step({"player_0": right, "player_1": np.zeros(16, np.int8)})
    assert env.match_state == game.step(game.initial_state(1), (2, 0))


def test_functions_of_the_user_decide_what_is_seen_paid_and_over() -> None:
    env = SimulationEnv(
        Fighter(),
        observe=lambda state, player: np.array([state.frame, player], np.float32),
        observation_space=spaces.Box(0, 100, (2,), np.float32),
        reward=lambda before, after, player: (after.p1.x - before.p1.x) * (1 - 2 * player),
        is_over=lambda state: state.frame == 2,
        actions=[0, 2],
    )
    seen, _ = env.reset(seed=1)
    assert [list(each) for each in seen.values()] == [[0, 0], [0, 1]]
    both = {"player_0": 1, "player_1": 0}
    seen, rewards, terminated, truncated, _ = env.step(both)
    assert (rewards, terminated["player_0"]) == ({"player_0": 300.0, "player_1": -300.0}, False)
    _, _, terminated, truncated, _ = env.step(both)
    assert terminated == {"player_0": True, "player_1": True}
    assert truncated == {"player_0": False, "player_1": False}
    assert env.agents == []
    assert env.step({}) == ({}, {}, {}, {}, {})


def test_a_match_is_cut_off_after_its_frames() -> None:
    env = SimulationEnv(Fighter(), actions=[0], max_frames=2)
    env.reset()
    still = {"player_0": 0, "player_1": 0}
    assert not any(env.step(still)[3].values())
    assert all(env.step(still)[3].values())


def test_resets_without_a_seed_follow_the_last_seed_given() -> None:
    env = SimulationEnv(Fighter())
    env.reset(seed=0)
    assert env.match_state.rng == 0xFFFFFFFF
    env.reset()
    assert env.match_state.rng == XorShift32(0xFFFFFFFF).next()[0]
    fresh = SimulationEnv(Fighter())
    fresh.reset()
    assert fresh.match_state.rng == XorShift32(1).next()[0]


class Shrinking(Tally):
    """Its field is there in the first frame only."""

    def fields(self, state: Any) -> Any:
        return super().fields(state) if state == self.initial_state(1) else []


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SimulationEnv(Fighter(), observe=lambda s, p: 0), "must be given together"),
        (lambda: SimulationEnv(Fighter(), max_frames=0), "max_frames must be an integer of 1 or more, not 0"),
        (lambda: SimulationEnv(Fighter(), render_mode="human"), "render_mode must be one of [] or None, not 'human'"),
        (lambda: SimulationEnv(Fighter()).reset(seed=-1), "seed must be an integer of 0 or more, not -1"),
    ],
)
def test_misuse_names_the_value_and_the_rule(make: Any, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        make()
    assert words in str(caught.value)


def test_an_agent_without_an_action_is_named_and_nothing_moves() -> None:
    env = SimulationEnv(Fighter(), actions=[0])
    env.reset(seed=1)
    with pytest.raises(UsageError, match="there is no action for player_1"):
        env.step({"player_0": 0})
    assert env.match_state.frame == 0


def test_fields_that_go_away_ask_for_a_function() -> None:
    env = SimulationEnv(Shrinking(2), actions=[1])
    env.reset(seed=1)
    with pytest.raises(UsageError, match="is gone: if fields come and go, give observe="):
        env.step({"player_0": 0, "player_1": 0})


def test_without_pettingzoo_the_error_says_what_to_install() -> None:
    code = "import sys; sys.modules['pettingzoo'] = None\nimport retick.integrations.pettingzoo"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "MissingExtra: environments for agents need pettingzoo: pip install pettingzoo numpy" in done.stderr
