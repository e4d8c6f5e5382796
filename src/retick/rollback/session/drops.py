"""What a session does when machines are lost: stops listening, tells the others, and drops their players together."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from retick.errors import InvalidValue, RetickError
from retick.link import Reason
from retick.rollback.events import PlayersDropped
from retick.rollback.match.match import Match
from retick.rollback.session import messages as wire
from retick.rollback.session.peer import Peer, Role
from retick.rollback.session.transition import Turnover, next_number
from retick.sim.contract import input_size_of

if TYPE_CHECKING:
    from retick.rollback.session.session import RollbackSession

__all__ = ["Leaving"]


class Leaving(Turnover):
    """The wire side of :class:`~retick.rollback.session.drop_agreement.Departures`."""

    def __init__(self, session: "RollbackSession") -> None:
        self._session = session
        self._held: dict[int, wire.Drop] = {}
        """What newcomers said of the lost before we knew that they play."""
        session.departures.parts.append(self)

    def lose(self, peer: Peer, match: Match) -> None:
        """A machine is lost: nothing more is taken from it, and the others are told what we know of it."""
        session = self._session
        match.remove_peer(peer.number)
        session.peers.pop(peer.number, None)
        if not session.players_peers() and session.config.end_when_alone:
            session.end("everyone else has left")
            return
        if match.joins_at is None:
            session.end("a machine was lost before we were in: try again")
            return
        is_news = session.departures.lose(peer.number, peer.players)
        if session.sponsor.newcomer is not None:
            session.sponsor.cancel(match)
        if is_news:
            self._tell(match, session.players_peers())
        self._drop_when_agreed(match)

    def hear(self, peer: Peer, drop: wire.Drop, match: Match) -> None:
        """Another machine says who is lost to it."""
        session = self._session
        if peer.role is Role.NEWCOMER:
            self._held[peer.number] = drop
            return
        self._check(peer, drop)
        if session.number in drop.lost:
            session.close("the others have lost us")
            return
        self._catch_up_with_commits(drop, match)
        for number in sorted(drop.lost - set(session.departures.lost)):
            lost = session.peers.get(number)
            if lost is not None:
                if lost.connection is not None:
                    lost.connection.close(Reason.GOODBYE, "another machine has lost you")
                self.lose(lost, match)
            elif session.departures.lose(number, ()):
                self._tell(match, session.players_peers())
        if drop.match == next_number(match):
            # The sender had everyone's word, one of which we wait for; it may be one of the lost that gave it.
            session.departures.ahead[peer.number] = drop
            session.sponsor.dropped(match)
        elif drop.match == match.number and session.match is match:
            session.departures.hear(peer.number, drop, match.engine)
            self._drop_when_agreed(match)

    def _check(self, peer: Peer, drop: wire.Drop) -> None:
        if peer.role is not Role.PLAYER or peer.number in drop.lost:
            raise InvalidValue("a DROP from one who does not play, or about itself")
        if max(drop.lost, default=0) > self._session.newest_number:
            raise InvalidValue(f"machine {max(drop.lost)} is lost to another one, and never was in this match")

    def begun(self, match: Match) -> None:
        """What was said of the lost in this match, before it had begun here."""
        session = self._session
        ahead, session.departures.ahead = session.departures.ahead, {}
        if session.departures.undecided:
            self._tell(match, session.players_peers())
        for number, drop in ahead.items():
            peer = session.peers.get(number)
            if peer is not None:
                self._hear_late(peer, drop, match)

    def _hear_late(self, peer: Peer, drop: wire.Drop, match: Match) -> None:
        try:
            self.hear(peer, drop, match)
        except RetickError:
            if peer.connection is not None:
                peer.connection.close(Reason.VIOLATION, "a message that the match does not allow")

    def _catch_up_with_commits(self, drop: wire.Drop, match: Match) -> None:
        """Somebody was let in by a machine that is lost now, before its word reached us."""
        for number, seats, frame in drop.commits:
            if number == self._session.number and drop.match == match.number:
                for part in self._session.departures.parts:
                    part.let_in(frame, match)
            newcomer = self._session.peers.get(number)
            if newcomer is not None and newcomer.role is Role.NEWCOMER and wire.bits_of(newcomer.players) == seats:
                self._session.sponsor.commit(newcomer, frame, match)

    def came(self, newcomer: Peer, match: Match) -> None:
        """One who plays now must hear what we said of the lost while it did not, and be heard."""
        if self._session.departures.undecided:
            self._tell(match, [newcomer])
        held = self._held.pop(newcomer.number, None)
        if held is not None:
            self._hear_late(newcomer, held, match)
        if newcomer.connection is not None and newcomer.connection.close_reason is not None:
            # We lost it between our promise and the word that it plays.
            self.lose(newcomer, match)

    def _tell(self, match: Match, peers: Iterable[Peer]) -> None:
        session = self._session
        commits = [(number, seats, frame) for number, (seats, frame) in session.sponsor.commits.items()]
        drop = session.departures.view(match.engine, commits, match.number)
        message = wire.encode_drop(drop, input_size_of(session.sim))
        for peer in peers:
            peer.send(message)

    def _drop_when_agreed(self, match: Match) -> None:
        session = self._session
        survivors = [peer.number for peer in session.players_peers()]
        for number in session.departures.unproved(survivors, match.engine, match.number):
            liar = session.peers.get(number)
            if liar is not None and liar.connection is not None:
                liar.connection.close(Reason.VIOLATION, "inputs that are claimed and not shown")
                self.lose(liar, match)
                return
        decided = session.departures.decide(survivors, match.engine, match.number)
        for player, frame in decided.items():
            try:
                match.engine.drop_player(player, frame)
            except RetickError as error:
                session.end(f"player {player} could not be dropped: {error}")
                return
            session.tell(PlayersDropped(players=(player,), frame=frame))
        if decided:
            session.sponsor.dropped(match)
