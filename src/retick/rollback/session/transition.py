"""What the parts of a session do when machines have come or gone, and when one match follows another.

Theory of operation. A rematch, or a match that goes on from one machine's state, begins when every machine has given
its word. Each machine finds that out for itself, so for a moment some play the next match and some the last one. Three
rules keep them together. Nobody begins while it is not agreed who has left, or while it has promised a frame to a
newcomer: then all of them count the same machines. Whoever comes in is told the words that were given before it came.
And if a machine is lost whose last word reached only some, a DROP of the next match proves to the rest that it has
begun: the one that sends it had the word of everyone. They begin it too, with the lost machine in it, once they have
the word of all who are left.
"""

from typing import TYPE_CHECKING, Any

from retick.rollback.match.match import Match
from retick.rollback.session.peer import Peer, Role

if TYPE_CHECKING:
    from retick.rollback.session.session import RollbackSession

__all__ = ["Turnover", "begin_next", "is_settled", "next_number"]


class Turnover:
    """A part of a session that is told; it does nothing unless it says what."""

    def came(self, newcomer: Peer, match: Match) -> None:
        """A newcomer has become a player."""

    def let_in(self, frame: int, match: Match) -> None:
        """Another machine has heard that this one plays from ``frame`` on."""

    def settled(self, match: Match) -> None:
        """It is agreed who has left, or somebody who was to come does not."""

    def ending(self, match: Match) -> None:
        """Another match is about to follow."""

    def begun(self, match: Match) -> None:
        """It has begun."""


def next_number(match: Match) -> int:
    """The number of the match to come."""
    return (match.number + 1) % 256


def is_settled(session: "RollbackSession") -> bool:
    """Whether the next match may begin: all machines that have got this far count the same ones among themselves."""
    departures = session.departures
    return not session.sponsor.has_promised and (not departures.undecided or bool(departures.ahead))


def begin_next(
    session: "RollbackSession", match: Match, lost: dict[int, tuple[int, ...]], seed: int, state: Any = None
) -> None:
    """Follow ``match`` by another, with the seats as the session has them now; nobody plays those of the gone.

    ``lost`` are the machines of which it is still to be agreed when they left, with their seats in the next match.
    """
    for part in session.departures.parts:
        part.ending(match)
    session.sponsor.send_away(match)
    taken = {player for peer in session.peers.values() if peer.role is Role.PLAYER for player in peer.players}
    taken |= set(session.local_players)
    taken |= {player for players in lost.values() for player in players}
    gone = [player for player in range(session.sim.num_players) if player not in taken]
    session.departures.start_over(lost, gone)
    session.start(seed, next_number(match), state)
    if session.match is not None:
        for player in gone:
            session.match.engine.drop_player(player, 0)
        session.sponsor.begun(session.match)
        for part in session.departures.parts:
            part.begun(session.match)
