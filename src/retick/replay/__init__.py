"""Recorded matches: the RPLK and RTK formats, a recorder, a player that seeks, and the run that verifies.

Knows the simulation contract and nothing of engines, networks or particular games; only ``storage`` opens files.
"""

from retick.replay.arrival import Arrival
from retick.replay.formats import dumps, format_of, loads
from retick.replay.limits import ReadLimits
from retick.replay.recorder import Recorder
from retick.replay.value import Replay

__all__ = [
    "Arrival",
    "ReadLimits",
    "Recorder",
    "Replay",
    "dumps",
    "format_of",
    "loads",
]
