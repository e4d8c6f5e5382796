"""Games that own a mutable world: declared once (``World``), or with their own save and load (``WorldSimulation``).

Knows no clock, no I/O, no network and no particular game.
"""

from retick.sim.kinds import F64, Most
from retick.sim.world.adapter import SavesAndLoads, SimulatedWorld, WorldSimulation, WorldState
from retick.sim.world.command import Command
from retick.sim.world.declaration import NOBODY, Angle, Cache, Jumps, OwnerOnly, Player, Ref, ServerOnly
from retick.sim.world.dice import Cooldown, Dice
from retick.sim.world.interest import Distance
from retick.sim.world.members import Member, Range, Visible, members_of
from retick.sim.world.world import Thing, World, jump

__all__ = [
    "F64",
    "NOBODY",
    "Angle",
    "Cache",
    "Command",
    "Cooldown",
    "Dice",
    "Distance",
    "Jumps",
    "Member",
    "Most",
    "OwnerOnly",
    "Player",
    "Range",
    "Ref",
    "SavesAndLoads",
    "ServerOnly",
    "SimulatedWorld",
    "Thing",
    "Visible",
    "World",
    "WorldSimulation",
    "WorldState",
    "jump",
    "members_of",
]
