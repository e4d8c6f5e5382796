"""A whole online game in a pygame window: menu, waiting room, match, spectator, replay, two players at one keyboard.

``play(game, draw, press)`` is all that a game calls. Everything here uses only the public names of Retick: copy the
folder into your own project to change it. It knows no particular game, and no command line.

``program`` has that call, its command line, the loop and the menu; ``pages`` is what a window can show; ``match_page``,
``watch_page`` and ``replay_page`` show a game; ``wire`` has sessions and their sockets, ``files`` what a match writes.
``keys``, ``names``, ``words`` and ``netgraph`` are what these pages use.
"""

import os

from retick.errors import MissingExtra

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # what a program prints is its own affair
try:
    import pygame  # noqa: F401 - only to see whether it is installed
except ModuleNotFoundError:
    raise MissingExtra("a window needs pygame: pip install pygame-ce") from None

from retick.integrations.pygame.keys import Buttons, Keyboard, Keys
from retick.integrations.pygame.program import Program, play
from retick.integrations.pygame.window_game import WindowGame

__all__ = ["Buttons", "Keyboard", "Keys", "Program", "WindowGame", "play"]
