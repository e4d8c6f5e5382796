"""How one match follows another.

Theory of operation. A rematch, or a match that goes on from one peer's state, begins when every peer has agreed. Each
peer finds that out by itself, so for a moment some play the next match and some the last one. Three rules keep them
together. No peer begins while a drop is not agreed, or while it has promised a frame to a newcomer: so all of them
count the same peers. A newcomer that becomes a player is sent the messages that it missed. And if a peer is lost
whose last message reached only some, a DROP of the next match proves to the rest that it has begun: its sender had
received every peer's message. They begin it too, with the lost peer in it, once they have those of all survivors.
"""

from typing import TYPE_CHECKING, Any

from retick.rollback.match.match import Match

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

__all__ = ["begin_next", "is_ahead", "may_begin_next", "next_number"]


def next_number(match: Match) -> int:
    """The number of the match to come."""
    return (match.number + 1) % 256


def is_ahead(number: int | None, match: Match) -> bool:
    """Whether a number is that of the next match, or of the one after: then its sender has begun the next one."""
    return number is not None and (number - match.number) % 256 in (1, 2)


def may_begin_next(session: "SessionInside") -> bool:
    """Whether the next match may begin: all peers that have got this far count the same ones among themselves."""
    agreement = session.drop_agreement
    return not session.joins.has_promised and (not agreement.undecided or bool(agreement.ahead))


def begin_next(
    session: "SessionInside", match: Match, lost: dict[int, tuple[int, ...]], seed: int, state: Any = None
) -> None:
    """Follow ``match`` by another, with the seats as the session has them now; seats that nobody has are free.

    ``lost`` are the peers whose drop is still to be agreed, with their seats in the next match.
    """
    for part in session.parts:
        part.match_ending(match)
    taken = {player for peer in session.players_peers() for player in peer.players}
    taken |= set(session.local_players)
    taken |= {player for players in lost.values() for player in players}
    free = [player for player in range(session.sim.num_players) if player not in taken]
    session.drop_agreement.start_over(lost, free)
    session.start(seed, number=next_number(match), state=state, free=free)
