"""Buttons: from keys to an input and back."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pygame
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.integrations.pygame import Buttons, Keyboard, Keys
from retick.playing.keys import HeldTable
from retick.sim import World

LETTERS = (pygame.K_a, pygame.K_d, pygame.K_SPACE)


def keys_held(*held: int) -> Keys:
    keys = Keys()
    for key in held:
        keys.down(key)
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
    with pytest.raises(UsageError, match="the key 'z' is not a key of this Keyboard or Buttons"):
        Buttons(*LETTERS).held(0)[pygame.K_z]
    for keys in ((), (pygame.K_a, pygame.K_a), tuple(range(65))):
        with pytest.raises(UsageError, match="Buttons takes 1 to 64 different keys"):
            Buttons(*keys)
    with pytest.raises(UsageError, match=r"not the key 'a', the key 'a'$"):
        Buttons(pygame.K_a, pygame.K_a)


PEOPLE = [
    {"left": pygame.K_a, "right": pygame.K_d, "fire": pygame.K_SPACE},
    {"fire": pygame.K_RETURN, "left": pygame.K_LEFT, "right": pygame.K_RIGHT},
]


@given(st.sets(st.sampled_from([key for keys in PEOPLE for key in keys.values()])))
def test_one_keyboard_is_the_same_for_a_game_when_its_people_sit_at_two(held: set[int]) -> None:
    keyboard = Keyboard(*PEOPLE)
    keys = keyboard.held([press(keys_held(*held)) for press in keyboard])
    assert {key for keys_of_one in PEOPLE for key in keys_of_one.values() if keys[key]} == held


def test_online_the_keys_of_the_first_seat_mean_the_same_for_every_seat() -> None:
    keyboard = Keyboard(*PEOPLE)
    pressed = keyboard[0](keys_held(pygame.K_d, pygame.K_SPACE))
    keys = keyboard.held((0, pressed))
    assert [name for name, key in PEOPLE[1].items() if keys[key]] == ["fire", "right"]
    assert not any(keys[key] for key in PEOPLE[0].values())


def test_a_keyboard_takes_lists_of_keys_too() -> None:
    keys = Keyboard(LETTERS, [pygame.K_LEFT, pygame.K_RIGHT, pygame.K_RETURN]).held((1, 2))
    assert (keys[pygame.K_a], keys[pygame.K_LEFT], keys[pygame.K_RIGHT]) == (True, False, True)


def test_a_keyboard_that_cannot_be_shared_is_refused_with_words() -> None:
    for people in ((), (LETTERS, LETTERS), (LETTERS, (pygame.K_z,))):
        with pytest.raises(UsageError, match="same number of keys for everybody, and each key once"):
            Keyboard(*people)
    with pytest.raises(UsageError, match=r"the same names for everybody, not \['left'\] and \['up'\]"):
        Keyboard({"left": 1}, {"up": 2})
    with pytest.raises(UsageError, match="has keys for 2 seats, not for 3"):
        Keyboard(*PEOPLE).held((0, 0, 0))
    with pytest.raises(UsageError, match=r"not the key 'a', the key 'd' and the key 'left'$"):
        Keyboard([pygame.K_a, pygame.K_d], [pygame.K_LEFT])


class Jumps(World):
    """As the tutorial writes it."""

    num_players = 2
    before: list[int]
    jumps: list[int]

    def start(self, seed: int) -> None:
        self.jumps = [0, 0]

    def advance(self, inputs: Sequence[int]) -> None:
        down = Keyboard(*PEOPLE).went_down(inputs, self.before)
        self.before = list(inputs)
        for player, key in enumerate((pygame.K_SPACE, pygame.K_RETURN)):
            self.jumps[player] += down[key]


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7))))
def test_a_key_goes_down_once_however_long_it_is_held(frames: list[tuple[int, int]]) -> None:
    game = Jumps()
    state = game.initial_state(1)
    for inputs in frames:
        state = game.step(state, inputs)
    for player in (0, 1):
        fire = [False, *(bool(inputs[player] & 4) for inputs in frames)]
        assert game.jumps[player] == sum(now and not then for then, now in pairwise(fire))


def test_the_frame_before_has_as_many_inputs() -> None:
    with pytest.raises(UsageError, match="there are 2 inputs now, but 1 from the frame before"):
        Keyboard(*PEOPLE).went_down((0, 0), (0,))


def test_the_keys_of_an_input_never_change_since_equal_inputs_share_them() -> None:
    buttons = Buttons(*LETTERS)
    keys: Any = buttons.held(1)
    for change in (
        lambda: keys.__setitem__(LETTERS[0], False),
        lambda: keys.pop(LETTERS[0]),
        lambda: keys.update({LETTERS[1]: True}),
        keys.clear,
        keys.popitem,
    ):
        with pytest.raises(UsageError, match="a game only reads them"):
            change()
    assert buttons.held(1)[LETTERS[0]]
    assert not buttons.held(1)[LETTERS[1]]


def test_any_number_of_different_inputs_is_read_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HeldTable, "MOST", 5)
    buttons = Buttons(*LETTERS)
    most = 1 << len(LETTERS)
    for pressed in [*range(most), *reversed(range(most))]:
        assert [buttons.held(pressed)[key] for key in LETTERS] == [pressed >> at & 1 for at in range(len(LETTERS))]
