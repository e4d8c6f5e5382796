"""Recorded matches: the RPLK and RTK formats, a recorder, a player that seeks, verification and comparison.

Knows the simulation contract, but no engine, network or particular game. Only ``storage`` opens files. ``verify_many``
belongs to the app ``retick.verify``; it is exported here too, because people look for it beside ``verify``.
"""

from typing import TYPE_CHECKING

from retick._lazy import lazy
from retick.replay.comparison import Comparison, compare
from retick.replay.formats import dumps, format_of, loads
from retick.replay.limits import ReadLimits
from retick.replay.player import Playback, ReplayPlayer
from retick.replay.recorder import Recorder
from retick.replay.replay import Arrival, Hosting, Replay, SeatChange, View
from retick.replay.running import RemoteBatch, Turn, rerun, turns
from retick.replay.storage import LiveRecording, RecordingFile, load, save
from retick.replay.verification import Verdict, sealed, verify

# Threads, processes and archives are loaded by those who verify many recordings, and by nobody else.
if TYPE_CHECKING:
    from retick.verify import Row, verify_many
else:
    __getattr__, __dir__ = lazy(__name__, {"retick.verify": "Row verify_many"})

__all__ = [
    "Arrival",
    "Comparison",
    "Hosting",
    "LiveRecording",
    "Playback",
    "ReadLimits",
    "Recorder",
    "RecordingFile",
    "RemoteBatch",
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
