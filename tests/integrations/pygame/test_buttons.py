"""Buttons: from keys to an input and back."""

import pygame
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.integrations.pygame import Buttons, Keys

LETTERS = (pygame.K_a, pygame.K_d, pygame.K_SPACE)


def keys_held(*held: int) -> Keys:
    keys = Keys()
    for key in held:
        keys.handle(pygame.event.Event(pygame.KEYDOWN, key=key))
    return keys


@given(st.sets(st.sampled_from(LETTERS)))
def test_an_input_says_which_keys_were_held(held: set[int]) -> None:
    buttons = Buttons(*LETTERS)
    seen = buttons.held(buttons(keys_held(*held, pygame.K_z)))
    assert {key for key in LETTERS if seen[key]} == held


def test_the_order_of_the_keys_is_the_order_of_the_bits() -> None:
    arrows = Buttons(pygame.K_LEFT, pygame.K_RIGHT, pygame.K_RETURN)
    pressed = arrows(keys_held(pygame.K_RIGHT, pygame.K_RETURN))
    assert pressed == 0b110
    seen = Buttons(*LETTERS).held(pressed)
    assert (seen[pygame.K_a], seen[pygame.K_d], seen[pygame.K_SPACE]) == (False, True, True)
    assert seen[pygame.K_d] - seen[pygame.K_a] == 1


def test_a_key_that_is_no_button_is_refused_with_words() -> None:
    with pytest.raises(UsageError, match=rf"key {pygame.K_z} is none of the keys of these Buttons"):
        Buttons(*LETTERS).held(0)[pygame.K_z]
    for keys in ((), (pygame.K_a, pygame.K_a), tuple(range(65))):
        with pytest.raises(UsageError, match="Buttons takes 1 to 64 different keys"):
            Buttons(*keys)
