"""Controllers press the buttons of a seat. Bots are here; keyboards belong to the programs that read them."""

from enum import StrEnum
from random import Random
from typing import Any, Protocol

from retick.games.fighter import FighterState
from retick.games.fighter.bots import STYLES, Bot

RESTLESS_FRAMES = 12
"""Frames for which a bot without a plan holds its buttons, on average."""

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
    """A bot of the fighter. Like a person it sees predicted states; a rollback does not change what it pressed."""

    def __init__(self, seed: int, player: int, style: StyleName) -> None:
        self._bot = Bot.seeded(seed, player, STYLE_NAMED[style])

    def __call__(self, state: FighterState, now: float, /) -> int:
        pressed, self._bot = self._bot.decide(state)
        return pressed


class Restless:
    """Presses random buttons, and changes them now and then."""

    def __init__(self, input_size: int) -> None:
        self._bits = 8 * input_size
        self._dice = Random()
        self._held: dict[int, int] = {}

    def press(self, player: int, _state: Any) -> int:
        if player not in self._held or self._dice.random() < 1 / RESTLESS_FRAMES:
            self._held[player] = self._dice.getrandbits(self._bits)
        return self._held[player]
