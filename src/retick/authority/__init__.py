"""The server decides: rooms that run a declared world, and clients that predict with the game's own code.

It knows worlds, links and snapshots, but no socket and no clock; server and client do not know each other. What every
kind of server shares is in :mod:`retick.host`.
"""

from retick.authority.client import (
    MessagesLost,
    PlayerChanged,
    PredictionFailed,
    RoomJoined,
    RoomLeft,
    RosterPlayer,
    ServerMessageReceived,
    SnapshotsBack,
    SnapshotsMissing,
    WorldClient,
    WorldClientConfig,
    WorldClientEvent,
    WorldClientStats,
)
from retick.authority.server import RoomHooks, WorldRoom, WorldServer, WorldServerConfig
from retick.host.events import (
    AdmitFailed,
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
    RoomClosed,
    RoomFailed,
    ServerDrained,
    ServerEvent,
)
from retick.host.stats import InputStats, RoomStats, ServerStats, TickCost
from retick.routes.online import OnlineEnded, OnlineReady, PathChanged, RelayChanged
from retick.tokens import Applicant, Pass

__all__ = [
    "AdmitFailed",
    "Applicant",
    "ConnectionLost",
    "GameMessageReceived",
    "InputStats",
    "JoinFailed",
    "Joined",
    "MessageDropped",
    "MessageFromPlayer",
    "MessagesLost",
    "MessagesNotReceived",
    "OnlineEnded",
    "OnlineReady",
    "Pass",
    "PathChanged",
    "PlayerChanged",
    "PlayerJoined",
    "PlayerLeft",
    "PlayerLost",
    "PlayerRejoined",
    "PredictionFailed",
    "RelayChanged",
    "RoomClosed",
    "RoomFailed",
    "RoomHooks",
    "RoomJoined",
    "RoomLeft",
    "RoomStats",
    "RosterPlayer",
    "ServerDrained",
    "ServerEvent",
    "ServerMessageReceived",
    "ServerStats",
    "SnapshotsBack",
    "SnapshotsMissing",
    "TickCost",
    "WorldClient",
    "WorldClientConfig",
    "WorldClientEvent",
    "WorldClientStats",
    "WorldRoom",
    "WorldServer",
    "WorldServerConfig",
]
