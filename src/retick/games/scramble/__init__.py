"""A small reference game for two to eight players: run for the coin, shove others away.

Knows the simulation contract and nothing of networks, files or screens.
"""

from retick.games.scramble.game import Scramble, ScrambleBody, ScrambleState
from retick.games.scramble.rules import ScrambleButton

__all__ = ["Scramble", "ScrambleBody", "ScrambleButton", "ScrambleState"]
