"""The server of a declared world: rooms that run it, its players, spectators and bots, and what each of them gets.

Knows no socket and no clock, no particular game, and nothing of clients. docs/world-server.md is the user's page.
"""

from retick.authority.world.server.config import WorldServerConfig
from retick.authority.world.server.hooks import RoomHooks
from retick.authority.world.server.player import WorldPlayer
from retick.authority.world.server.recording import RoomRecorder
from retick.authority.world.server.room import WorldRoom
from retick.authority.world.server.server import WorldServer

__all__ = [
    "RoomHooks",
    "RoomRecorder",
    "WorldPlayer",
    "WorldRoom",
    "WorldServer",
    "WorldServerConfig",
]
