"""Recorded matches: the RPLK and RTK formats, a recorder, a player that seeks, verification and comparison.

Knows the simulation contract, and no engine, network or particular game. Only ``storage`` opens files;
``verify_many`` is a door to the app ``retick.bulk``.
"""

from retick.replay.arrival import Arrival
from retick.replay.comparison import Comparison, compare
from retick.replay.engine_rerun import Batch, Turn, rerun, turns
from retick.replay.formats import dumps, format_of, loads
from retick.replay.hosting import Hosting, SeatChange, View
from retick.replay.limits import ReadLimits
from retick.replay.many import Row, verify_many
from retick.replay.playback import Playback
from retick.replay.player import ReplayPlayer
from retick.replay.recorder import Recorder
from retick.replay.replay import Replay
from retick.replay.storage import LiveRecording, RecordingFile, load, save
from retick.replay.verification import Verdict, sealed, verify

__all__ = [
    "Arrival",
    "Batch",
    "Comparison",
    "Hosting",
    "LiveRecording",
    "Playback",
    "ReadLimits",
    "Recorder",
    "RecordingFile",
    "Replay",
    "ReplayPlayer",
    "Row",
    "SeatChange",
    "Turn",
    "Verdict",
    "View",
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
    "verify_many",
]
