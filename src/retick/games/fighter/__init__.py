"""The two-player reference fighter, bit for bit as its published contract specifies it.

Knows the simulation contract and nothing of networks, files or screens.
"""

from retick.games.fighter.game import Fighter, FighterState, PlayerState
from retick.games.fighter.rules import Action, Button

__all__ = ["Action", "Button", "Fighter", "FighterState", "PlayerState"]
