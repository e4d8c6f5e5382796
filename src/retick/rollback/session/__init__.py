"""A match over links: gathers the players, plays, drops lost peers, admits newcomers, feeds spectators, plays again.

Knows links and the match, but no socket and no clock.
"""

from retick.rollback.session.peer import Phase
from retick.rollback.session.session import RollbackSession

__all__ = ["Phase", "RollbackSession"]
