"""The rollback engine: inputs by frame, states by frame, resimulation, the sync test and cues.

Knows only the simulation contract; knows no packet, no connection and no clock.
"""

from retick.rollback.engine.cues import CueCancelled, CueConfirmed, CueEvent, CueStarted, CueTracker
from retick.rollback.engine.engine import EngineStats, RollbackEngine, SyncTest

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
