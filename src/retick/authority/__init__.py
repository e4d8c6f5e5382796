"""The server decides: rooms that tick, clients that predict and reconcile, other players drawn a little in the past.

Uses a game's motor and packets through Protocols (profile.py): it knows no game, no socket and no clock.
"""

from retick.authority.client.client import Client
from retick.authority.client.interpolation import RemoteView
from retick.authority.config import ClientConfig, ServerConfig
from retick.authority.declared import Angle, DeclaredProfile, Flag, Real, Whole
from retick.authority.events import (
    AdmitFailed,
    ClientEvent,
    ConnectionLost,
    GameMessageReceived,
    Joined,
    JoinFailed,
    MessageDropped,
    MessageFromPlayer,
    MessagesNotReceived,
    PlayerJoined,
    PlayerLeft,
    PlayerLost,
    PlayerRejoined,
    Reconciled,
    Resynced,
    RoomClosed,
    RoomFailed,
    ServerDrained,
    ServerEvent,
    ShotDropped,
)
from retick.authority.rate_limit import RateLimit
from retick.authority.server.room import Room
from retick.authority.server.server import Server
from retick.authority.stats import ClientStats, RoomStats, ServerStats, TickCost
from retick.authority.world.client import WorldClient, WorldClientConfig
from retick.authority.world.server import RoomHooks, WorldRoom, WorldServer, WorldServerConfig
from retick.tokens import Applicant, Pass
from retick.wire.authority import InputStats, PlayerView, SessionNumbers

__all__ = [
    "AdmitFailed",
    "Angle",
    "Applicant",
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
    "MessageDropped",
    "MessageFromPlayer",
    "MessagesNotReceived",
    "Pass",
    "PlayerJoined",
    "PlayerLeft",
    "PlayerLost",
    "PlayerRejoined",
    "PlayerView",
    "RateLimit",
    "Real",
    "Reconciled",
    "RemoteView",
    "Resynced",
    "Room",
    "RoomClosed",
    "RoomFailed",
    "RoomHooks",
    "RoomStats",
    "Server",
    "ServerConfig",
    "ServerDrained",
    "ServerEvent",
    "ServerStats",
    "SessionNumbers",
    "ShotDropped",
    "TickCost",
    "Whole",
    "WorldClient",
    "WorldClientConfig",
    "WorldRoom",
    "WorldServer",
    "WorldServerConfig",
]
