"""The server's side: rooms that tick, their players and their commands, and lag compensation.

Knows profiles by shape; knows no game, no socket and no clock.
"""

from retick.authority.server.room import Room
from retick.authority.server.server import Server

__all__ = ["Room", "Server"]
