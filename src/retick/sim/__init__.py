"""What a game is: a pure step over a state, or a world that is declared once; and the arithmetic that keeps it exact.

Knows no clock, no I/O, no network and no particular game.
"""

from retick.sim.checksum import crc32, fnv1a
from retick.sim.contract import NamesItself, PacksState, RunsInBulk, Simulation, input_size_of
from retick.sim.fields import FieldDifference, field_differences
from retick.sim.flat import FlatSimulation
from retick.sim.kinds import F64, I8, I16, I32, I64, U8, U16, U32, U64
from retick.sim.prng import XorShift32
from retick.sim.record import Record, RecordGame, Times
from retick.sim.shapes import FRect, Rect, Vector2
from retick.sim.world import (
    NOBODY,
    Angle,
    Cache,
    Command,
    Cooldown,
    Dice,
    Distance,
    Jumps,
    Most,
    OwnerOnly,
    Player,
    Range,
    Ref,
    ServerOnly,
    Thing,
    World,
    WorldSimulation,
    jump,
)

__all__ = [
    "F64",
    "I8",
    "I16",
    "I32",
    "I64",
    "NOBODY",
    "U8",
    "U16",
    "U32",
    "U64",
    "Angle",
    "Cache",
    "Command",
    "Cooldown",
    "Dice",
    "Distance",
    "FRect",
    "FieldDifference",
    "FlatSimulation",
    "Jumps",
    "Most",
    "NamesItself",
    "OwnerOnly",
    "PacksState",
    "Player",
    "Range",
    "Record",
    "RecordGame",
    "Rect",
    "Ref",
    "RunsInBulk",
    "ServerOnly",
    "Simulation",
    "Thing",
    "Times",
    "Vector2",
    "World",
    "WorldSimulation",
    "XorShift32",
    "crc32",
    "field_differences",
    "fnv1a",
    "input_size_of",
    "jump",
]
