"""Peer to peer: predict, be wrong, run it again, and end on the same bits as a perfect network would have.

Knows the simulation contract, packets and links; knows no socket, no clock, no file and no particular game.
"""

from retick.rollback.cues import CueCancelled, CueConfirmed, CueEvent, CueStarted, CueTracker
from retick.rollback.engine import EngineStats, RollbackEngine
from retick.rollback.synctest import SyncTest

__all__ = [
    "CueCancelled",
    "CueConfirmed",
    "CueEvent",
    "CueStarted",
    "CueTracker",
    "EngineStats",
    "RollbackEngine",
    "SyncTest",
]
