"""For whom a match that is stalled waits."""

from retick.rollback.engine.engine import RollbackEngine
from retick.rollback.match.exchange import Exchange

__all__ = ["missing_of", "waited_for"]

NO_END = 1 << 62


def waited_for(engine: RollbackEngine, frontier: int) -> tuple[int, ...]:
    """The players whose inputs are missing, also of peers that we do not hear, or have no link with yet.

    At a barrier nobody's may be. Then it is a newcomer's first frame, and these are the free seats; or all others have
    to agree to something.
    """
    others = [player for player in range(engine.sim.num_players) if player not in engine.local_players]
    late = [player for player in others if engine.is_missing(player, frontier)]
    return tuple(late or [player for player in others if not engine.is_missing(player, NO_END)] or others)


def missing_of(exchange: Exchange, engine: RollbackEngine, frontier: int) -> list[int]:
    """The players of a peer without whose inputs the next frame cannot run.

    A peer that keeps to the protocol and waits for somebody else is not among them: it has sent its inputs for its
    window and its delay beyond the frame that it waits for, and they are at least one frame together.
    """
    return [player for player in exchange.players if engine.is_missing(player, frontier)]
