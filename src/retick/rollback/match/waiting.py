"""For whom a match that is stalled waits."""

from retick.rollback.engine.engine import RollbackEngine

__all__ = ["waited_for"]

NO_END = 1 << 62


def waited_for(engine: RollbackEngine, frontier: int) -> tuple[int, ...]:
    """The players whose inputs are missing, also of peers that we do not hear, or have no link with yet.

    At a barrier nobody's may be. Then it is a newcomer's first frame, and these are the free seats; or all others have
    to agree to something.
    """
    others = [player for player in range(engine.sim.num_players) if player not in engine.local_players]
    late = [player for player in others if engine.is_missing(player, frontier)]
    return tuple(late or [player for player in others if not engine.is_missing(player, NO_END)] or others)
