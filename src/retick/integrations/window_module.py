"""Finds ``draw`` and ``press`` of a game, in its class, its module, or ``window.py`` beside it.

Other arguments of ``retick.integrations.pygame.play`` there are used too: ``title``, ``size``, ``result``, ``hear``,
``sounds``, ``config``.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from retick.audit.game_loader import import_from, import_game, locate_game, module_beside

if TYPE_CHECKING:
    from retick.integrations.pygame import WindowGame

WINDOW = "window"


def find_window(game: str) -> Any:
    """The module that draws ``game``; None if there is none. UsageError if the game or the module is wrong."""
    place = locate_game(game)
    import_game(**place)  # raises if it is not a game
    own = import_from(Path(place["root"]), place["module"])
    if callable(getattr(own, "draw", None)) or callable(getattr(_named(own, place["attribute"]), "draw", None)):
        return own
    found = module_beside(place, WINDOW)
    return found if callable(getattr(found, "draw", None)) else None


def _named(module: Any, attribute: str) -> Any:
    for part in attribute.split("."):
        module = getattr(module, part)
    return module


def window_game(game: str, module: Any, **settings: Any) -> "WindowGame":
    """Make a WindowGame of the game and its window module; MissingExtra without pygame."""
    from retick.integrations.pygame import pygame_game_of

    return pygame_game_of(import_game(**locate_game(game)), module, **settings)
