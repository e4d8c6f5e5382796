"""The fighter as pixels: where things are, what changes, and that nothing outside of the picture is drawn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pettingzoo")

from retick.games.fighter import Button, Fighter
from retick.integrations.pettingzoo.fighter_v0 import COLOURS, FLOOR, HEIGHT, STRIKE, STUNNED, WIDTH, picture

GAME = Fighter()
ATTACK = int(Button.ATTACK)


def count(pixels: object, colour: tuple[int, int, int]) -> int:
    return int((np.asarray(pixels) == colour).all(axis=2).sum())


def test_fighters_stand_where_the_state_says() -> None:
    state = GAME.initial_state(1)
    pixels = picture(state)
    assert (pixels.dtype, pixels.shape) == (np.uint8, (HEIGHT, WIDTH, 3))
    assert tuple(pixels[FLOOR - 1, 4_000 // 50]) == COLOURS[0]
    assert tuple(pixels[FLOOR - 1, 16_000 // 50]) == COLOURS[1]
    assert tuple(pixels[FLOOR - 1, 4_000 // 50 - 1]) not in COLOURS


def test_an_attack_a_hit_and_lost_hp_are_seen() -> None:
    state = GAME.initial_state(1)
    state = state.replace(p1=state.p1.replace(x=5_000), p2=state.p2.replace(x=5_700))
    struck = picture(GAME.step(state, (ATTACK, 0)))
    assert count(struck, STRIKE) > 0
    assert count(struck, STUNNED) > 0
    assert count(picture(state), STRIKE) == 0
    assert count(struck, COLOURS[1]) < count(picture(state), COLOURS[1])


@given(x=st.integers(-(2**31), 2**31 - 1), y=st.integers(-(2**31), 2**31 - 1), hp=st.integers(-(2**31), 2**31 - 1))
def test_any_state_can_be_drawn(x: int, y: int, hp: int) -> None:
    state = GAME.initial_state(1)
    player = state.p1.replace(x=x, y=y, hp=hp, attack_active_frames=3)
    assert picture(state.replace(p1=player, p2=player)).shape == (HEIGHT, WIDTH, 3)
