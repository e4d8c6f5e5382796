"""What a game is: a pure step over a state of integers, and the arithmetic that keeps it exact.

Knows no clock, no float, no I/O, no network and no particular game.
"""

from retick.sim.checksum import crc32, fnv1a
from retick.sim.contract import NamesItself, PacksState, RunsInBulk, Simulation, input_size_of
from retick.sim.fields import FieldDifference, field_differences
from retick.sim.flat import FlatSimulation
from retick.sim.prng import XorShift32
from retick.sim.record import Record, Times
from retick.sim.widths import I8, I16, I32, I64, U8, U16, U32, U64
from retick.sim.world import WorldSimulation

__all__ = [
    "I8",
    "I16",
    "I32",
    "I64",
    "U8",
    "U16",
    "U32",
    "U64",
    "FieldDifference",
    "FlatSimulation",
    "NamesItself",
    "PacksState",
    "Record",
    "RunsInBulk",
    "Simulation",
    "Times",
    "WorldSimulation",
    "XorShift32",
    "crc32",
    "field_differences",
    "fnv1a",
    "input_size_of",
]
