"""Watching a match: a spectator's own session. The feed towards spectators is a part of ``session``.

Knows links and the messages of a session; plays no seat and sends no input.
"""

from retick.rollback.spectate.spectator import SpectatorSession

__all__ = ["SpectatorSession"]
