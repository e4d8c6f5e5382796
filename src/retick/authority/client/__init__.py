"""The client of a declared world: predicts with the game's own code, draws, and follows the server's snapshots.

Knows no socket and no clock, and nothing of ``authority.server``.
"""

from typing import TYPE_CHECKING

from retick._lazy import lazy

if TYPE_CHECKING:
    from retick.authority.client.client import WorldClient
    from retick.authority.client.config import WorldClientConfig, WorldClientStats
    from retick.authority.client.events import (
        MessagesLost,
        PlayerChanged,
        PredictionFailed,
        RoomJoined,
        RoomLeft,
        RosterPlayer,
        ServerMessageReceived,
        SnapshotsBack,
        SnapshotsMissing,
        WorldClientEvent,
    )
    from retick.host.events import ConnectionLost, JoinFailed
    from retick.routes.online import OnlineEnded, OnlineReady, PathChanged, RelayChanged
else:
    __getattr__, __dir__ = lazy(
        __name__,
        {
            "retick.authority.client.client": "WorldClient",
            "retick.authority.client.config": "WorldClientConfig WorldClientStats",
            "retick.authority.client.events": "MessagesLost PlayerChanged PredictionFailed RoomJoined RoomLeft "
            "RosterPlayer ServerMessageReceived SnapshotsBack SnapshotsMissing WorldClientEvent",
            "retick.host.events": "ConnectionLost JoinFailed",
            "retick.routes.online": "OnlineEnded OnlineReady PathChanged RelayChanged",
        },
    )

__all__ = [
    "ConnectionLost",
    "JoinFailed",
    "MessagesLost",
    "OnlineEnded",
    "OnlineReady",
    "PathChanged",
    "PlayerChanged",
    "PredictionFailed",
    "RelayChanged",
    "RoomJoined",
    "RoomLeft",
    "RosterPlayer",
    "ServerMessageReceived",
    "SnapshotsBack",
    "SnapshotsMissing",
    "WorldClient",
    "WorldClientConfig",
    "WorldClientEvent",
    "WorldClientStats",
]
