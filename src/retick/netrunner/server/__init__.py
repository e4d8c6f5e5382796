"""The NetRunner server: rooms that tick, their players and commands, and lag compensation.

Knows games only through the Protocols in profile.py; knows no socket, no clock, and nothing of ``client``.
"""

from retick.netrunner.server.room import Room
from retick.netrunner.server.server import Server

__all__ = ["Room", "Server"]
