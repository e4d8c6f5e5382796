"""What a session does when machines are lost: stops listening, tells the others, and drops their players together."""

from typing import TYPE_CHECKING

from retick.errors import RetickError
from retick.link import Reason
from retick.rollback import membership as wire
from retick.rollback.events import PlayersDropped
from retick.rollback.match import Match
from retick.rollback.peer import Peer, Role
from retick.sim.contract import input_size_of

if TYPE_CHECKING:
    from retick.rollback.session import RollbackSession

__all__ = ["Leaving"]


class Leaving:
    """The wire side of :class:`~retick.rollback.departure.Departures`."""

    def __init__(self, session: "RollbackSession") -> None:
        self._session = session

    def lose(self, peer: Peer, match: Match) -> None:
        """A machine is lost: nothing more is taken from it, and the others are told what we know of it."""
        session = self._session
        match.remove_peer(peer.number)
        session.peers.pop(peer.number, None)
        if not session.players_peers() and session.config.end_when_alone:
            session.end("everyone else has left")
            return
        if session.sponsor.newcomer is not None:
            session.sponsor.cancel(match)
        if session.departures.lose(peer.number, peer.players):
            self._tell(match)
        self._drop_when_agreed(match)

    def hear(self, peer: Peer, drop: wire.Drop, match: Match) -> None:
        """Another machine says who is lost to it."""
        session = self._session
        if session.number in drop.lost:
            session.close("the others have lost us")
            return
        self._catch_up_with_commits(drop, match)
        for number in sorted(drop.lost - set(session.departures.lost)):
            lost = session.peers.get(number)
            if lost is not None and lost is not peer:
                if lost.connection is not None:
                    lost.connection.close(Reason.GOODBYE, "another machine has lost you")
                self.lose(lost, match)
            elif lost is None and session.departures.lose(number, ()):
                self._tell(match)
        session.departures.hear(peer.number, drop, match.engine)
        self._drop_when_agreed(match)

    def _catch_up_with_commits(self, drop: wire.Drop, match: Match) -> None:
        """Somebody was let in by a machine that is lost now, before its word reached us."""
        for number, seats, frame in drop.commits:
            newcomer = self._session.peers.get(number)
            if newcomer is not None and newcomer.role is Role.NEWCOMER and wire.bits_of(newcomer.players) == seats:
                self._session.sponsor.commit(newcomer, frame, match)

    def _tell(self, match: Match) -> None:
        session = self._session
        commits = [(number, seats, frame) for number, (seats, frame) in session.sponsor.commits.items()]
        message = wire.encode_drop(session.departures.view(match.engine, commits), input_size_of(session.sim))
        for peer in session.players_peers():
            peer.send(message)

    def _drop_when_agreed(self, match: Match) -> None:
        session = self._session
        survivors = [peer.number for peer in session.players_peers()]
        decided = session.departures.decide(survivors, match.engine)
        for player, frame in decided.items():
            try:
                match.engine.drop_player(player, frame)
            except RetickError as error:
                session.end(f"player {player} could not be dropped: {error}")
                return
            session.tell(PlayersDropped(players=(player,), frame=frame))
        if decided:
            session.sponsor.dropped(match)
