"""Recorded matches: the RPLK and RTK formats, a recorder, a player that seeks, and the run that verifies.

Knows the simulation contract and nothing of engines, networks or particular games; only ``storage`` opens files.
"""

from retick.replay.arrival import Arrival
from retick.replay.comparison import Comparison, compare
from retick.replay.formats import dumps, format_of, loads
from retick.replay.limits import ReadLimits
from retick.replay.player import ReplayPlayer
from retick.replay.recorder import Recorder
from retick.replay.reenactment import Batch, Turn, rerun, turns
from retick.replay.sealing import sealed
from retick.replay.storage import RecordingFile, load, save
from retick.replay.value import Replay
from retick.replay.verdict import Verdict, verify

__all__ = [
    "Arrival",
    "Batch",
    "Comparison",
    "ReadLimits",
    "Recorder",
    "RecordingFile",
    "Replay",
    "ReplayPlayer",
    "Turn",
    "Verdict",
    "compare",
    "dumps",
    "format_of",
    "load",
    "loads",
    "rerun",
    "save",
    "sealed",
    "turns",
    "verify",
]
