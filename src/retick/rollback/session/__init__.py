"""A match over links: meet, agree, play, drop, join, watch, play again.

Knows links and the match; knows no socket and no clock.
"""

from retick.rollback.session.peer import Phase
from retick.rollback.session.session import RollbackSession

__all__ = ["Phase", "RollbackSession"]
