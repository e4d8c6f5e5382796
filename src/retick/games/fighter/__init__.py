"""The two-player reference fighter, bit for bit as its published contract has it.

Knows the simulation contract and nothing of networks, files or screens.
"""

from retick.games.fighter.game import Fighter
from retick.games.fighter.rules import Action, Button
from retick.games.fighter.state import FighterState, PlayerState

__all__ = ["Action", "Button", "Fighter", "FighterState", "PlayerState"]
