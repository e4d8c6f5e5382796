"""Which keys count as pressed."""

import pygame
from pygame.event import Event

from retick.integrations.pygame import Keys, note_key
from tests.integrations.pygame.desk import key, key_up


def test_a_key_is_pressed_while_it_is_held() -> None:
    keys = Keys()
    assert not keys[pygame.K_a]
    note_key(keys, key(pygame.K_a))
    keys.frame_read()
    assert keys[pygame.K_a]
    note_key(keys, key_up(pygame.K_a))
    assert not keys[pygame.K_a]


def test_a_tap_lasts_until_a_frame_has_read_it() -> None:
    keys = Keys()
    note_key(keys, key(pygame.K_a))
    note_key(keys, key_up(pygame.K_a))
    assert keys[pygame.K_a]
    keys.frame_read()
    assert not keys[pygame.K_a]


def test_a_window_that_loses_the_keyboard_holds_no_key() -> None:
    keys = Keys()
    note_key(keys, key(pygame.K_a))
    note_key(keys, Event(pygame.WINDOWFOCUSLOST))
    assert not keys[pygame.K_a]


def test_a_key_that_the_game_has_asked_for_is_used() -> None:
    keys = Keys()
    assert not keys.is_used(pygame.K_p)
    assert not keys[pygame.K_p]
    assert keys.is_used(pygame.K_p)
