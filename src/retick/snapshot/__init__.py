"""Entity state: snapshots as columns, and the full and delta packets that carry them.

Knows no game, no socket and no clock; the caller says which ticks were acknowledged.
"""

from retick.snapshot.bound import BoundColumns
from retick.snapshot.codec import Codec
from retick.snapshot.compact.carried import CompactPacket, CompactReceiver, CompactSender
from retick.snapshot.compact.head import pick_history
from retick.snapshot.compact.prior import Prior
from retick.snapshot.declare import (
    FieldId,
    Replicated,
    Threshold,
    objects_of_snapshot,
    schema_of,
    snapshot_of_objects,
)
from retick.snapshot.errors import needs_resync
from retick.snapshot.fields import (
    Angle,
    Bool,
    Choice,
    FieldCodec,
    Fixed,
    Group,
    Hold,
    Integral,
    Motion,
    Real,
    Rotation,
    SInt,
    UInt,
    VarSInt,
    VarUInt,
)
from retick.snapshot.interest import BudgetedPacket, Interest
from retick.snapshot.limits import Limits
from retick.snapshot.model import Snapshot
from retick.snapshot.replication import BaselineRing, Fanout, Replica
from retick.snapshot.schema import Component, Field, Schema, schema_from_json, schema_to_json
from retick.snapshot.session import FrameHeader, SessionReceiver, SessionSender, SessionState

__all__ = [
    "Angle",
    "BaselineRing",
    "Bool",
    "BoundColumns",
    "BudgetedPacket",
    "Choice",
    "Codec",
    "CompactPacket",
    "CompactReceiver",
    "CompactSender",
    "Component",
    "Fanout",
    "Field",
    "FieldCodec",
    "FieldId",
    "Fixed",
    "FrameHeader",
    "Group",
    "Hold",
    "Integral",
    "Interest",
    "Limits",
    "Motion",
    "Prior",
    "Real",
    "Replica",
    "Replicated",
    "Rotation",
    "SInt",
    "Schema",
    "SessionReceiver",
    "SessionSender",
    "SessionState",
    "Snapshot",
    "Threshold",
    "UInt",
    "VarSInt",
    "VarUInt",
    "needs_resync",
    "objects_of_snapshot",
    "pick_history",
    "schema_from_json",
    "schema_of",
    "schema_to_json",
    "snapshot_of_objects",
]
