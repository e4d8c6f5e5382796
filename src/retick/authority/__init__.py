"""The server decides: rooms that tick, clients that predict and reconcile, others shown a little in the past.

Drives a game's motor and packets by their shape: it knows no game, no socket and no clock.
"""

from retick.authority.client.client import Client
from retick.authority.client.interpolation import RemoteView
from retick.authority.config import ClientConfig, ServerConfig
from retick.authority.declared import DeclaredProfile, SessionNumbers
from retick.authority.events import (
    ClientEvent,
    ConnectionLost,
    GameMessageReceived,
    Joined,
    JoinFailed,
    PlayerJoined,
    PlayerLeft,
    PlayerLost,
    PlayerRejoined,
    Reconciled,
    Resynced,
    ServerEvent,
)
from retick.authority.fields import Flag, Real, Whole
from retick.authority.server.room import Room
from retick.authority.server.server import Server
from retick.authority.stats import ClientStats, InputStats, PlayerView, RoomStats

__all__ = [
    "Client",
    "ClientConfig",
    "ClientEvent",
    "ClientStats",
    "ConnectionLost",
    "DeclaredProfile",
    "Flag",
    "GameMessageReceived",
    "InputStats",
    "JoinFailed",
    "Joined",
    "PlayerJoined",
    "PlayerLeft",
    "PlayerLost",
    "PlayerRejoined",
    "PlayerView",
    "Real",
    "Reconciled",
    "RemoteView",
    "Resynced",
    "Room",
    "RoomStats",
    "Server",
    "ServerConfig",
    "ServerEvent",
    "SessionNumbers",
    "Whole",
]
