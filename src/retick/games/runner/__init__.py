"""The parkour runner: a headless motor, a course, its locomotion on the wire, and the NetRunner packets.

Knows nothing of sessions, clocks or sockets: a server or client drives it by its shape.
"""

from retick.games.runner.locomotion import LocomotionState, Mode

__all__ = [
    "LocomotionState",
    "Mode",
]
