"""Finds how a game is drawn and steered: ``draw`` and ``press`` of its class, its module, or ``window.py`` beside it.

Other names there that are arguments of ``retick.integrations.pygame.play`` are used too: ``title``, ``size``,
``result``, ``hear``, ``sounds``, ``config``.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from retick.audit.game_loader import import_from, import_game, locate_game, module_beside

if TYPE_CHECKING:
    from retick.integrations.pygame import WindowGame

__all__ = ["find_window", "window_game"]

WINDOW = "window"


def find_window(game: str) -> Any:
    """The module that draws ``game``; None if there is none. UsageError if the game, or the module, is wrong."""
    place = locate_game(game)
    import_game(**place)  # it is one, or this says why not
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
    """The game with what its window module has; MissingExtra without pygame."""
    from retick.integrations.pygame.window_game import window_game_of

    title = getattr(module, "title", game)
    return window_game_of(import_game(**locate_game(game)), module, title=title, **settings)
