"""NetRunner protocol 6: the runner's packets, and the profile for a server or a client.

Knows the motor; knows no link and no server.
"""

from retick.games.runner.netrunner.profile import NetRunner

__all__ = ["NetRunner"]
