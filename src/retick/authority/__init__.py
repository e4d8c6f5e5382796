"""The server decides: rooms that run a declared world, and clients that predict with the game's own code.

It knows worlds, links and snapshots, but no socket and no clock; server and client do not know each other. What every
kind of server shares is in :mod:`retick.host`.
"""

from typing import TYPE_CHECKING

from retick._lazy import lazy

if TYPE_CHECKING:
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
else:
    __getattr__, __dir__ = lazy(
        __name__,
        {
            "retick.authority.client": "MessagesLost PlayerChanged PredictionFailed RoomJoined RoomLeft RosterPlayer "
            "ServerMessageReceived SnapshotsBack SnapshotsMissing WorldClient WorldClientConfig "
            "WorldClientEvent WorldClientStats",
            "retick.authority.server": "RoomHooks WorldRoom WorldServer WorldServerConfig",
            "retick.host.events": "AdmitFailed ConnectionLost GameMessageReceived Joined JoinFailed MessageDropped "
            "MessageFromPlayer MessagesNotReceived PlayerJoined PlayerLeft PlayerLost PlayerRejoined "
            "RoomClosed RoomFailed ServerDrained ServerEvent",
            "retick.host.stats": "InputStats RoomStats ServerStats TickCost",
            "retick.routes.online": "OnlineEnded OnlineReady PathChanged RelayChanged",
            "retick.tokens": "Applicant Pass",
        },
    )

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
