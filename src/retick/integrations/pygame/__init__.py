"""A whole online game in a pygame window: menu, waiting room, match, spectator, replay, two players at one keyboard.

A game only calls ``play(game, draw, press)``. Everything here uses only public names of Retick: copy the folder into
your own project to change it. It knows no particular game.

``program`` has ``play``, its command line, the loop and the menu; ``pages`` has the base of all pages; ``match_page``,
``watch_page`` and ``replay_page`` show a game; ``wire`` opens sessions and sockets; ``files`` writes recordings, desync
reports and the secret of a seat.
"""

import os

from retick.errors import MissingExtra

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # only the program itself decides what it prints
try:
    import pygame  # noqa: F401 - only to see whether it is installed
except ModuleNotFoundError:
    raise MissingExtra("a window needs pygame: pip install pygame-ce") from None

from retick.integrations.pygame.keys import Buttons, Keyboard, Keys
from retick.integrations.pygame.program import Program, play
from retick.integrations.pygame.window_game import WindowGame

__all__ = ["Buttons", "Keyboard", "Keys", "Program", "WindowGame", "play"]
