"""NetRunner protocol 6, the wire of an existing game, with its server, its client and its prediction, byte for byte.

The server runs one motor for each player, and the game's profile defines its packets. It knows no socket, no clock and
no declared world: games of your own are served by :mod:`retick.authority`.
"""

from typing import TYPE_CHECKING

from retick._lazy import lazy

if TYPE_CHECKING:
    from retick.host.stats import InputStats
    from retick.netrunner.client.client import Client
    from retick.netrunner.client.interpolation import RemoteView
    from retick.netrunner.config import ClientConfig, ServerConfig
    from retick.netrunner.messages import PlayerView, SessionNumbers
    from retick.netrunner.packets import LAN, WAN, PlayerSnapshot, RunnerConfig, RunnerSnapshot, parse_config
    from retick.netrunner.runner import NetRunner
    from retick.netrunner.server.room import Room
    from retick.netrunner.server.server import Server
else:
    __getattr__, __dir__ = lazy(
        __name__,
        {
            "retick.host.stats": "InputStats",
            "retick.netrunner.client.client": "Client",
            "retick.netrunner.client.interpolation": "RemoteView",
            "retick.netrunner.config": "ClientConfig ServerConfig",
            "retick.netrunner.messages": "PlayerView SessionNumbers",
            "retick.netrunner.packets": "LAN WAN PlayerSnapshot RunnerConfig RunnerSnapshot parse_config",
            "retick.netrunner.runner": "NetRunner",
            "retick.netrunner.server.room": "Room",
            "retick.netrunner.server.server": "Server",
        },
    )

__all__ = [
    "LAN",
    "WAN",
    "Client",
    "ClientConfig",
    "InputStats",
    "NetRunner",
    "PlayerSnapshot",
    "PlayerView",
    "RemoteView",
    "Room",
    "RunnerConfig",
    "RunnerSnapshot",
    "Server",
    "ServerConfig",
    "SessionNumbers",
    "parse_config",
]
