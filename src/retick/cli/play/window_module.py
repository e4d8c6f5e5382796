"""Finds how a game is drawn and steered: ``draw`` and ``press`` of its module, or of ``window.py`` beside it.

Other names there that are arguments of ``retick.integrations.pygame.play`` are used too: ``title``, ``size``,
``result``, ``hear``, ``config``.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retick.audit.game_loader import import_from, import_game, locate_game
from retick.errors import UsageError

if TYPE_CHECKING:
    from retick.integrations.pygame import WindowGame

__all__ = ["find_window", "window_game"]

OPTIONS = ("title", "size", "result", "hear", "config")
WINDOW = "window"


def find_window(game: str) -> Any:
    """The module that draws ``game``; None if there is none. UsageError if the game, or the module, is wrong."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # the module may import pygame first
    place = locate_game(game)
    import_game(**place)
    root, module = Path(place["root"]), place["module"]
    own = import_from(root, module)
    if callable(getattr(own, "draw", None)):
        return own
    package = "" if module.endswith(".py") else module.rpartition(".")[0]
    beside = root.joinpath(*package.split(".")) if package else root
    if not (beside / f"{WINDOW}.py").is_file():
        return None
    found = import_from(root, f"{package}.{WINDOW}" if package else WINDOW)
    return found if callable(getattr(found, "draw", None)) else None


def window_game(game: str, module: Any, **settings: Any) -> "WindowGame":
    """The game with what its window module has; MissingExtra without pygame."""
    from retick.integrations.pygame import WindowGame

    press = getattr(module, "press", None)
    if press is None:
        raise UsageError(f"{module.__name__} has draw and no press: write press(keys), which returns the buttons")
    options = {name: getattr(module, name) for name in OPTIONS if hasattr(module, name)}
    people = (press,) if callable(press) else tuple(press)
    return WindowGame(
        game=import_game(**locate_game(game)), draw=module.draw, press=people, **{"title": game, **options, **settings}
    )
