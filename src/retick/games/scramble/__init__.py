"""A small reference game for two to eight players: run for the coin, shove others away.

Knows the simulation contract and nothing of networks, files or screens.
"""

from retick.games.scramble.game import Scramble
from retick.games.scramble.rules import Button
from retick.games.scramble.state import Body, ScrambleState

__all__ = ["Body", "Button", "Scramble", "ScrambleState"]
