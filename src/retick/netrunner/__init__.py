"""NetRunner protocol 6, the wire of an existing game, with its server, its client and its prediction, byte for byte.

The server runs one motor for each player, and the game's profile defines its packets. It knows no socket, no clock and
no declared world: games of your own are served by :mod:`retick.authority`.
"""

from retick.host.stats import InputStats
from retick.netrunner.client.client import Client
from retick.netrunner.client.interpolation import RemoteView
from retick.netrunner.config import ClientConfig, ServerConfig
from retick.netrunner.messages import PlayerView, SessionNumbers
from retick.netrunner.packets import LAN, WAN, PlayerSnapshot, RunnerConfig, RunnerSnapshot, parse_config
from retick.netrunner.runner import NetRunner
from retick.netrunner.server.room import Room
from retick.netrunner.server.server import Server

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
