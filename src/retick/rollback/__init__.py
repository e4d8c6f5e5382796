"""Peer to peer: predict, be wrong, run it again, and end on the same bits as a perfect network would have.

Knows the simulation contract, packets and links; knows no socket, no clock, no file and no particular game.
"""

from retick.rollback.config import MatchConfig
from retick.rollback.cues import CueCancelled, CueConfirmed, CueEvent, CueStarted, CueTracker
from retick.rollback.engine import EngineStats, RollbackEngine
from retick.rollback.events import (
    DesyncDetected,
    InputConflictDetected,
    MatchEnded,
    MatchEvent,
    MatchStarted,
    MessageReceived,
    PeerConnected,
    PeerDisconnected,
    PeerInterrupted,
    PeerResumed,
    PlayersDropped,
    PlayersReturned,
    RematchProposed,
    Resumed,
    SourceChanged,
    Stalled,
    WatchingStarted,
)
from retick.rollback.forensics import DesyncReported, Investigation
from retick.rollback.lan import LanSession
from retick.rollback.report import DesyncReport
from retick.rollback.session import Phase, RollbackSession
from retick.rollback.spectator import SpectatorSession
from retick.rollback.stats import PeerStats, SessionStats
from retick.rollback.synctest import SyncTest

__all__ = [
    "CueCancelled",
    "CueConfirmed",
    "CueEvent",
    "CueStarted",
    "CueTracker",
    "DesyncDetected",
    "DesyncReport",
    "DesyncReported",
    "EngineStats",
    "InputConflictDetected",
    "Investigation",
    "LanSession",
    "MatchConfig",
    "MatchEnded",
    "MatchEvent",
    "MatchStarted",
    "MessageReceived",
    "PeerConnected",
    "PeerDisconnected",
    "PeerInterrupted",
    "PeerResumed",
    "PeerStats",
    "Phase",
    "PlayersDropped",
    "PlayersReturned",
    "RematchProposed",
    "Resumed",
    "RollbackEngine",
    "RollbackSession",
    "SessionStats",
    "SourceChanged",
    "SpectatorSession",
    "Stalled",
    "SyncTest",
    "WatchingStarted",
]
