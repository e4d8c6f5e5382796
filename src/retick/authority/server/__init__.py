"""The server of a declared world: rooms that run it, its players, spectators and bots, and what each of them gets.

Knows no socket and no clock, no particular game, and nothing of clients. docs/servers/server.md is the user's page.
"""

from typing import TYPE_CHECKING

from retick._lazy import lazy

if TYPE_CHECKING:
    from retick.authority.server.config import RoomHooks, WorldServerConfig
    from retick.authority.server.player import WorldPlayer
    from retick.authority.server.room import RoomRecorder, WorldRoom
    from retick.authority.server.server import WorldServer
else:
    __getattr__, __dir__ = lazy(
        __name__,
        {
            "retick.authority.server.config": "RoomHooks WorldServerConfig",
            "retick.authority.server.player": "WorldPlayer",
            "retick.authority.server.room": "RoomRecorder WorldRoom",
            "retick.authority.server.server": "WorldServer",
        },
    )

__all__ = [
    "RoomHooks",
    "RoomRecorder",
    "WorldPlayer",
    "WorldRoom",
    "WorldServer",
    "WorldServerConfig",
]
