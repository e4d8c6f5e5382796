"""The client of a declared world: predicts with the game's own code, draws, and is corrected by the server's snapshots.

Knows no socket and no clock, and nothing of ``authority.world.server``.
"""

from retick.authority.world.client.client import WorldClient
from retick.authority.world.client.config import WorldClientConfig
from retick.authority.world.client.stats import WorldClientStats

__all__ = ["WorldClient", "WorldClientConfig", "WorldClientStats"]
