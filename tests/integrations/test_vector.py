"""The fighter in arrays: shapes, shares of threads, resets, and that its matches are the fighter's own."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.games.fighter import Button, Fighter
from retick.integrations.vector import VectorFighter

GAME = Fighter()
LEFT, RIGHT, ATTACK = int(Button.LEFT), int(Button.RIGHT), int(Button.ATTACK)


def buttons(matches: int, first: int, second: int) -> Any:
    return np.tile(np.array([first, second], np.uint16), (matches, 1))


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**33),
    matches=st.integers(1, 140),
    threads=st.integers(1, 4),
    draws=st.integers(0, 2**32 - 1),
    frames=st.integers(1, 12),
)
def test_every_match_is_the_fighters_own(seed: int, matches: int, threads: int, draws: int, frames: int) -> None:
    actions = np.random.default_rng(draws).integers(0, 1 << 16, (frames, matches, 2), np.uint16)
    with VectorFighter(matches, seed, threads=threads, auto_reset=False) as many:
        states = [many.state(match) for match in range(matches)]
        assert all(state == GAME.initial_state(state.rng) for state in states)
        assert len({state.rng for state in states}) == matches
        for frame in actions:
            many.step(frame)
        for match, state in enumerate(states):
            assert many.state(match) == GAME.run(state, actions[:, match].astype("<u2").tobytes())


def test_the_arrays_have_their_shapes_and_are_the_same_in_every_call() -> None:
    with VectorFighter(3) as many:
        seen = many.reset()
        result = many.step(buttons(3, RIGHT, LEFT))
        assert [(part.dtype, part.shape) for part in result if part is not None] == [
            (np.float32, (3, 2, 20)),
            (np.float32, (3, 2)),
            (np.bool_, (3,)),
            (np.bool_, (3,)),
        ]
        assert result[0] is seen is many.observations
        assert all(one is other for one, other in zip(result, many.step(buttons(3, 0, 0)), strict=True))


def test_observations_can_be_left_out() -> None:
    with VectorFighter(70, observe=False) as many:
        assert many.reset() is None
        assert many.step(buttons(70, RIGHT, LEFT))[0] is None
        with pytest.raises(UsageError, match="observe=False"):
            many.observed()


def test_observations_are_between_minus_one_and_one_in_every_match_that_can_be_played() -> None:
    actions = np.random.default_rng(3).integers(0, 16, (200, 130, 2), np.uint16)
    with VectorFighter(130, max_frames=150) as many:
        for match in range(130):
            start = GAME.initial_state(match + 1)
            many.set_state(match, start.replace(p2=start.p2.replace(x=5_000)))
        ends = 0
        for frame in actions:
            seen, rewards, terminated, truncated = many.step(frame)
            assert seen is not None
            assert np.abs(seen).max() <= 1
            assert (rewards.sum(axis=1) == 0).all()
            ends += int(terminated.sum() + truncated.sum())
        assert ends >= 130


def test_chosen_matches_begin_anew_and_others_go_on() -> None:
    with VectorFighter(3, auto_reset=False, max_frames=1) as many:
        assert many.step(buttons(3, RIGHT, 0))[3].all()
        many.reset([5, 6, 0], chosen=np.array([True, False, True]))
        assert many.state(0) == GAME.initial_state(5)
        assert many.state(1).frame == 1
        assert many.state(2) == GAME.initial_state(0xFFFFFFFF)
        assert list(many.truncated) == [False, True, False]
        many.reset()
        assert [many.state(match).rng for match in range(3)] == [5, 6, 0xFFFFFFFF]


def test_seeds_after_the_highest_go_on_with_the_lowest() -> None:
    with VectorFighter(3, 0xFFFFFFFE) as many:
        assert [many.state(match).rng for match in range(3)] == [0xFFFFFFFE, 0xFFFFFFFF, 1]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda many: VectorFighter(0), "matches must be an integer from 1 to"),
        (lambda many: VectorFighter(1, threads=0), "threads must be an integer from 1 to 256, not 0"),
        (lambda many: VectorFighter(1, max_frames=0), "max_frames must be"),
        (lambda many: VectorFighter(1, -1), "seed must be an integer of 0 or more, not -1"),
        (lambda many: many.step([[0, 0], [0, 0]]), "actions must be uint16 of shape (2, 2), not list"),
        (lambda many: many.step(np.zeros((2, 2))), "not float64 of shape (2, 2)"),
        (lambda many: many.step(np.zeros((2, 3), np.uint16)), "not uint16 of shape (2, 3)"),
        (lambda many: many.reset([1]), "seeds must be 2 integers of 0 or more, not list"),
        (lambda many: many.reset(np.array([1, -1])), "seeds must be 2 integers of 0 or more"),
        (lambda many: many.reset(chosen=[1, 0]), "chosen must be 2 booleans, not list"),
        (lambda many: many.state(2), "match must be from 0 to 1, not 2"),
        (lambda many: many.set_state(0, None), "state must be a FighterState, not a NoneType"),
    ],
)
def test_misuse_names_the_value_and_the_rule(call: Any, words: str) -> None:
    with VectorFighter(2) as many:
        with pytest.raises(UsageError) as caught:
            call(many)
        assert words in str(caught.value)
        assert many.state(0).frame == 0


def test_actions_in_any_order_of_memory_are_read_right() -> None:
    plain = np.array([[RIGHT, LEFT], [0, ATTACK]], np.uint16)
    with VectorFighter(2) as many:
        many.step(np.asfortranarray(plain))
        assert many.state(0) == GAME.step(GAME.initial_state(1), (RIGHT, LEFT))
        assert many.state(1) == GAME.step(GAME.initial_state(2), (0, ATTACK))


def test_without_numpy_the_error_says_what_to_install() -> None:
    code = "import sys; sys.modules['numpy'] = None\nimport retick.integrations.vector"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "MissingExtra: matches in arrays need numpy: pip install numpy" in done.stderr
