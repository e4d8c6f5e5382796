"""Watching a match: a spectator's own session. ``session`` has the part that feeds spectators.

Knows links and the messages of a session; plays no seat and sends no input.
"""

from retick.rollback.spectate.spectator import SpectatorSession

__all__ = ["SpectatorSession"]
