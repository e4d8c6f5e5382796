"""Teleports: a player who is elsewhere at once is never drawn on the way, since there was no way.

A game declares them: its state has ``teleports``, a number that changes with each; in a declared game it is public.
Where there is no such number, or it is the same, a distance that no speed explains is a teleport.
"""

# retick: floats -- drawing; nothing is simulated from them

from math import dist, hypot
from typing import Final

from retick.authority.profile import State

__all__ = ["TELEPORT", "is_declared_teleport", "is_teleport", "speed_between"]

TELEPORT: Final = 2.5
"""Metres that a player may always move between two drawn places without being a teleport."""
SPEED_MARGIN: Final = 2.0
"""A player may be this many times faster, between two snapshots, than it was seen before and after."""


def is_declared_teleport(a: State, b: State) -> bool:
    """Whether the game says that one state is not on the same way as the other."""
    return getattr(a, "teleports", None) != getattr(b, "teleports", None)


def is_teleport(a: State, b: State, seconds: float, speed: float = 0.0) -> bool:
    """Whether a player came from one state to the other, ``seconds`` later, without the places in between.

    ``speed``: metres per second at which it was seen to move before or after, in case its velocity does not say.
    """
    if is_declared_teleport(a, b):
        return True
    fastest = max(hypot(*a.velocity), hypot(*b.velocity), speed)
    return dist(a.position, b.position) > TELEPORT + SPEED_MARGIN * fastest * seconds


def speed_between(a: State, b: State, seconds: float) -> float:
    """Metres per second from one place to the other; 0 for a declared teleport."""
    if seconds <= 0.0 or is_declared_teleport(a, b):
        return 0.0
    return dist(a.position, b.position) / seconds
