"""What a session does when peers are lost: stops listening, tells the others, and drops their players together."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from retick.errors import InvalidValue, RetickError
from retick.link import Reason
from retick.rollback.events import PlayersDropped
from retick.rollback.match.match import Match
from retick.rollback.session.messages.drop import Drop, decode_drop, encode_drop
from retick.rollback.session.messages.roster import pack_seats
from retick.rollback.session.next_match import next_number
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import Peer, Role
from retick.sim.contract import input_size_of

if TYPE_CHECKING:
    from retick.rollback.session.session import RollbackSession

__all__ = ["Drops"]


class Drops(SessionPart):
    """Sends and receives what :class:`~retick.rollback.session.drop_agreement.DropAgreement` needs."""

    def __init__(self, session: "RollbackSession") -> None:
        super().__init__(session)
        self._early: dict[int, Drop] = {}
        """DROP messages of newcomers that we did not yet know to be players."""

    def peer_gone(self, peer: Peer, reason: str) -> None:
        session, match = self._session, self._session.match
        if peer.role is Role.PLAYER and session.running and match is not None and match.joins_at is not None:
            self._lose(peer, match)

    def _lose(self, peer: Peer, match: Match) -> None:
        """A peer is lost: nothing more is received from it, and the others are sent what we know of it."""
        session = self._session
        session.stop_exchange(peer)
        session.peers.pop(peer.peer_id, None)
        if not session.players_peers() and session.config.end_when_alone:
            session.end("everyone else has left")
            return
        if match.joins_at is None:
            session.end("a peer was lost before we were in: try again")
            return
        is_news = session.drop_agreement.add_lost(peer.peer_id, peer.players)
        session.sponsor.cancel(match)
        if is_news:
            self._send_drop(match, session.players_peers())
        self._drop_when_agreed(match)

    def receive_drop(self, peer: Peer, data: bytes) -> None:
        """Another peer says who is lost to it."""
        drop = decode_drop(data, input_size_of(self._session.sim))
        if peer.role is Role.NEWCOMER:
            self._early[peer.peer_id] = drop
        else:
            self._receive(peer, drop, self._match)

    def _receive(self, peer: Peer, drop: Drop, match: Match) -> None:
        session, agreement = self._session, self._session.drop_agreement
        self._check(peer, drop)
        if session.peer_id in drop.lost:
            session.close("the others have lost us")
            return
        self._catch_up_with_commits(drop, match)
        for peer_id in sorted(drop.lost - set(agreement.lost)):
            lost = session.peers.get(peer_id)
            if lost is not None and lost.role is Role.NEWCOMER:
                # It is not a player anywhere. The sender means a peer that had this id before.
                continue
            if lost is not None:
                if lost.connection is not None:
                    lost.connection.close(Reason.GOODBYE, "another peer has lost you")
                self._lose(lost, match)
            elif agreement.add_lost(peer_id, ()):
                self._send_drop(match, session.players_peers())
        if drop.match == next_number(match):
            # The sender has received a message from every peer. We still wait for one, which may be of a lost peer.
            agreement.ahead[peer.peer_id] = drop
            session.joins.drop_agreed(match)
        elif drop.match == match.number and session.match is match:
            agreement.receive(peer.peer_id, drop, match.engine)
            self._drop_when_agreed(match)

    def _check(self, peer: Peer, drop: Drop) -> None:
        if peer.peer_id in drop.lost:
            raise InvalidValue("a DROP about its own sender")
        if max(drop.lost, default=0) > self._session.newest_peer_id:
            raise InvalidValue(f"a DROP about peer {max(drop.lost)}, which never was in this match")

    def peer_id_given(self, peer_id: int) -> None:
        self._early.pop(peer_id, None)
        self._session.drop_agreement.forget(peer_id)

    def match_begun(self, match: Match) -> None:
        """Handle the DROP messages of this match that came before it had begun here."""
        session = self._session
        ahead, session.drop_agreement.ahead = session.drop_agreement.ahead, {}
        if session.drop_agreement.undecided:
            self._send_drop(match, session.players_peers())
        for peer_id, drop in ahead.items():
            peer = session.peers.get(peer_id)
            if peer is not None:
                self._receive_late(peer, drop, match)

    def _receive_late(self, peer: Peer, drop: Drop, match: Match) -> None:
        try:
            self._receive(peer, drop, match)
        except RetickError:
            self._session.expel(peer)

    def _catch_up_with_commits(self, drop: Drop, match: Match) -> None:
        """A newcomer became a player by a COMMIT that did not reach us, of a sponsor that is lost now."""
        session = self._session
        for peer_id, seats, frame in drop.commits:
            if peer_id == session.peer_id and drop.match == match.number:
                session.newcomer.commit(frame, match)
            newcomer = session.peers.get(peer_id)
            if newcomer is not None and newcomer.role is Role.NEWCOMER and pack_seats(newcomer.players) == seats:
                session.joins.commit(newcomer, frame, match)

    def newcomer_became_player(self, newcomer: Peer, match: Match) -> None:
        """Send it our DROP message, and handle the one that it sent before it was a player."""
        session = self._session
        if session.drop_agreement.undecided:
            self._send_drop(match, [newcomer])
        early = self._early.pop(newcomer.peer_id, None)
        if early is not None:
            self._receive_late(newcomer, early, match)
        is_known = session.peers.get(newcomer.peer_id) is newcomer
        if is_known and (newcomer.connection is None or newcomer.connection.close_reason is not None):
            # We lost it between our promise and the COMMIT. Or it never called us: without a link it would never be
            # lost, and be waited for for ever.
            self._lose(newcomer, match)

    def _send_drop(self, match: Match, peers: Iterable[Peer]) -> None:
        session = self._session
        commits = [(peer_id, seats, frame) for peer_id, (seats, frame) in session.joins.commits.items()]
        drop = session.drop_agreement.view(match.engine, commits, match.number)
        message = encode_drop(drop, input_size_of(session.sim))
        for peer in peers:
            peer.send(message)

    def _drop_when_agreed(self, match: Match) -> None:
        session, agreement = self._session, self._session.drop_agreement
        survivors = [peer.peer_id for peer in session.players_peers()]
        for peer_id in agreement.unproved(survivors, match.engine, match.number):
            liar = session.peers.get(peer_id)
            if liar is not None:
                # This tells the others, and the agreement starts again without it.
                session.expel(liar, "inputs that are claimed and not shown")
                return
        decided = agreement.decide(survivors, match.engine, match.number)
        for player, frame in decided.items():
            try:
                match.engine.drop_player(player, frame)
            except RetickError as error:
                session.end(f"player {player} could not be dropped: {error}")
                return
            session.tell(PlayersDropped(players=(player,), frame=frame))
        if decided:
            session.joins.drop_agreed(match)
