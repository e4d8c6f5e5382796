"""The server: rooms that tick, their players and commands, and lag compensation.

Knows games through the Protocols in profile.py; knows no socket and no clock, and nothing of ``client``.
"""

from retick.authority.server.room import Room
from retick.authority.server.server import Server

__all__ = ["Room", "Server"]
