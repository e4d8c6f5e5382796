"""A whole online game in a pygame window: menu, waiting room, match, spectator, replay, two players at one keyboard.

A game only calls ``play(game, draw, press)``. Everything here uses only public names of Retick: copy the folder into
your own project to change it. It knows no particular game.

``program`` has ``play``, the window and the loop; ``drawing`` draws the pages. What they hold is in ``retick.playing``:
the menu, the match with its panels, keys, files.
"""

import os

from retick.errors import MissingExtra

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # only the program itself decides what it prints
try:
    import pygame
except ModuleNotFoundError:
    raise MissingExtra("a window needs pygame: pip install pygame-ce") from None

from retick.integrations.pygame.program import Program, note_key, play, pygame_game_of
from retick.integrations.window_game import WindowGame
from retick.playing.keys import Buttons, Keyboard, Keys, name_keys

name_keys(pygame.key.name)

__all__ = ["Buttons", "Keyboard", "Keys", "Program", "WindowGame", "note_key", "play", "pygame_game_of"]
