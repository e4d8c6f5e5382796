"""fighter_v0: PettingZoo's own tests, and that it is the same game as the one in arrays."""

import warnings

import numpy as np
import pytest

pytest.importorskip("pettingzoo")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its module of tests imports an environment by a name that it calls old
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test

from retick.integrations.pettingzoo import fighter_v0
from retick.integrations.vector import VectorFighter


def test_it_passes_the_tests_of_pettingzoo() -> None:
    parallel_api_test(fighter_v0.parallel_env(max_frames=150), 200)
    parallel_seed_test(fighter_v0.parallel_env, 200)
    api_test(fighter_v0.env(max_frames=150), 200)
    seed_test(fighter_v0.env, 200)


def test_it_passes_the_render_test_of_pettingzoo() -> None:
    # The test begins with a window, of which it asks nothing; there is none here.
    render_test(lambda render_mode: fighter_v0.env(render_mode=None if render_mode == "human" else render_mode))


def test_it_sees_and_pays_what_the_matches_in_arrays_do() -> None:
    actions = np.random.default_rng(5).integers(0, 16, (400, 1, 2), np.uint16)
    env = fighter_v0.parallel_env(max_frames=300)
    seen, _ = env.reset(seed=3)
    ended = False
    with VectorFighter(1, 3, auto_reset=False, max_frames=300) as one:
        assert one.observations is not None
        for frame in actions:
            for player, agent in enumerate(env.agents):
                assert seen[agent].tobytes() == one.observations[0, player].tobytes()
                assert env.observation_space(agent).contains(seen[agent])
            pressed = {f"player_{player}": int(frame[0, player]) for player in (0, 1)}
            seen, rewards, terminated, truncated, _ = env.step(pressed)
            one.step(frame)
            assert [np.float32(each) for each in rewards.values()] == list(one.rewards[0])
            assert terminated["player_0"] == one.terminated[0]
            assert truncated["player_0"] == one.truncated[0]
            ended = terminated["player_0"] or truncated["player_0"]
            if ended:
                break
    assert ended


def test_the_picture_is_drawn_only_where_it_was_asked_for() -> None:
    silent = fighter_v0.parallel_env()
    silent.reset(seed=1)
    assert silent.render() is None
    shown = fighter_v0.parallel_env(render_mode="rgb_array")
    shown.reset(seed=1)
    drawn = shown.render()
    assert drawn is not None
    assert drawn.shape == (112, 400, 3)
