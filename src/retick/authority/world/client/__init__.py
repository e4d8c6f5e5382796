"""The client of a declared world: predicts with the game's own code, draws, and is corrected by the server's snapshots.

Knows no socket and no clock, and nothing of ``authority.world.server``.
"""

from retick.authority.world.client.client import WorldClient
from retick.authority.world.client.config import WorldClientConfig
from retick.authority.world.client.events import (
    MessageReceived,
    MessagesLost,
    PlayerChanged,
    PredictionFailed,
    RoomJoined,
    RoomLeft,
    RosterPlayer,
    SnapshotsBack,
    SnapshotsMissing,
    WorldClientEvent,
)
from retick.authority.world.client.stats import WorldClientStats

__all__ = [
    "MessageReceived",
    "MessagesLost",
    "PlayerChanged",
    "PredictionFailed",
    "RoomJoined",
    "RoomLeft",
    "RosterPlayer",
    "SnapshotsBack",
    "SnapshotsMissing",
    "WorldClient",
    "WorldClientConfig",
    "WorldClientEvent",
    "WorldClientStats",
]
