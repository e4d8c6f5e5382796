"""Entity state: snapshots as columns, and the full and delta packets that carry them.

Knows no game, no socket and no clock; which ticks were acknowledged, the caller says.
"""

from retick.snapshot.codec import Codec
from retick.snapshot.fields import Bool, FieldCodec, Fixed, SInt, UInt, VarSInt, VarUInt
from retick.snapshot.limits import Limits
from retick.snapshot.model import Snapshot
from retick.snapshot.schema import Component, Field, Schema
from retick.snapshot.session import FrameHeader, SessionReceiver, SessionSender, SessionState

__all__ = [
    "Bool",
    "Codec",
    "Component",
    "Field",
    "FieldCodec",
    "Fixed",
    "FrameHeader",
    "Limits",
    "SInt",
    "Schema",
    "SessionReceiver",
    "SessionSender",
    "SessionState",
    "Snapshot",
    "UInt",
    "VarSInt",
    "VarUInt",
]
