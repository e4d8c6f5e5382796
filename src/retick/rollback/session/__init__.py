"""A match over links: gather the players, play, drop lost peers, let newcomers in, feed spectators, play again.

Knows links and the match; knows no socket and no clock.
"""

from retick.rollback.session.peer import Phase
from retick.rollback.session.session import RollbackSession

__all__ = ["Phase", "RollbackSession"]
