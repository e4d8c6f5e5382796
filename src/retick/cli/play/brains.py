"""Who presses the buttons of a seat: a bot, or a person at a keyboard."""

from enum import StrEnum
from typing import Any, Protocol

from retick.games.fighter import FighterState
from retick.games.fighter.bots import STYLES, Bot

__all__ = ["STYLE_NAMED", "BotBrain", "Brain", "StyleName"]

STYLE_NAMED = {style.name: style for style in STYLES}


class StyleName(StrEnum):
    """The bots' styles, as the command line spells them."""

    RUSHER = "rusher"
    COUNTER = "counter"
    HOPPER = "hopper"


class Brain(Protocol):
    """Asked once a frame, with the state as this machine sees it, predictions included."""

    def __call__(self, state: Any, now: float, /) -> int: ...


class BotBrain:
    """A bot looks at the predicted state, as a person would: what it has pressed stays pressed, rollback or not."""

    def __init__(self, seed: int, player: int, style: StyleName) -> None:
        self._bot = Bot.seeded(seed, player, STYLE_NAMED[style])

    def __call__(self, state: FighterState, now: float, /) -> int:
        pressed, self._bot = self._bot.decide(state)
        return pressed
