"""What presses the buttons of a seat. A bot is here; a person at a keyboard is in ``keyboard_buttons``."""

from enum import StrEnum
from typing import Any, Protocol

from retick.games.fighter import FighterState
from retick.games.fighter.bots import STYLES, Bot

__all__ = ["STYLE_NAMED", "BotController", "Controller", "StyleName"]

STYLE_NAMED = {style.name: style for style in STYLES}


class StyleName(StrEnum):
    """The bots' styles, as the command line spells them."""

    RUSHER = "rusher"
    COUNTER = "counter"
    HOPPER = "hopper"


class Controller(Protocol):
    """Called once a frame with the newest state, predictions included; returns the buttons."""

    def __call__(self, state: Any, now: float, /) -> int: ...


class BotController:
    """A bot of the fighter. Like a person it sees predicted states, and a rollback does not change what it pressed."""

    def __init__(self, seed: int, player: int, style: StyleName) -> None:
        self._bot = Bot.seeded(seed, player, STYLE_NAMED[style])

    def __call__(self, state: FighterState, now: float, /) -> int:
        pressed, self._bot = self._bot.decide(state)
        return pressed
