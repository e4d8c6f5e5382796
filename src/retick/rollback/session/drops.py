"""Handles peers that are no longer heard: tells the others, and drops lost peers together with them.

A peer that one of us no longer hears stays in the match as long as others hear it: its inputs and messages are
forwarded. It is lost when no chain of peers leads to it (``Hearing``); then the frame is agreed (``DropAgreement``).
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from retick.errors import InvalidValue, RetickError
from retick.link import Reason
from retick.rollback.events import PeerUnheard, PlayersDropped
from retick.rollback.match.match import Match
from retick.rollback.session.forwarding import ALIVE_SECONDS
from retick.rollback.session.messages.decisions import Drop, decode_drop, encode_drop
from retick.rollback.session.messages.kinds import describe
from retick.rollback.session.messages.roster import pack_seats
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import Peer, Role
from retick.rollback.session.rematch import next_number
from retick.sim.contract import input_size_of

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

AGREE_SECONDS = 6.0
"""Seconds, beyond ``disconnect_after``, for a survivor to name the same lost peers; and to show claimed inputs."""
LONGEST_STEP = 1.0
"""The most seconds that count between two checks: nobody else is to blame while our own process is stopped."""
LONG_QUEUE = 16 * 1024
"""Bytes that wait in a link behind which a DROP takes long to arrive."""
QUEUE_SECONDS = 12.0
"""How many more seconds a survivor then has."""
MOST_AHEAD = 1024
"""Frames, besides four seconds of them, by which claimed inputs may be ahead of our own newest one."""


class Drops(SessionPart):
    """Sends and receives for ``Hearing`` and ``DropAgreement``."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self._early: dict[int, Drop] = {}
        """DROP messages of newcomers that we did not yet know to be players."""
        self._late_for: defaultdict[int, float] = defaultdict(float)
        """Seconds for which each survivor has not named the same lost peers."""
        self._unproved_for: defaultdict[int, float] = defaultdict(float)
        """Seconds for which each survivor has claimed inputs that it does not show."""
        self._lost_when_counted = 0
        self._looked_at = 0.0
        self._unheard_at: dict[int, float] = {}
        """When we stopped hearing each peer."""

    def peer_gone(self, peer: Peer, reason: str) -> None:
        session, match = self._session, self._session.match
        if peer.role is Role.PLAYER and session.running and match is not None and match.joins_at is not None:
            self._stop_hearing(peer, match)

    def _stop_hearing(self, peer: Peer, match: Match) -> None:
        """Stop hearing a peer, and tell the others."""
        session, link = self._session, peer.connection
        session.stop_exchange(peer)
        peer.is_heard = False
        self._unheard_at[peer.peer_id] = session.now
        reason = link.close_reason if link is not None else None
        session.hearing.add(session.peer_id, peer.peer_id, Reason.NO_ANSWER if reason is None else reason)
        self._review(match, is_news=True)

    def _review(self, match: Match, *, is_news: bool) -> None:
        """Find out who is lost now; tell the others if that changed, or if there ``is_news`` already."""
        session = self._session
        is_news |= self._lose_unconnected()
        is_alone = is_news and not session.players_peers() and not session.reconnect.left_alone()
        if is_alone and session.config.end_when_alone and not session.returns.keep_open():
            session.end("everyone else has left")
        if not session.running:
            return
        if is_news:
            self._send_drop(match, session.heard_peers())
            if any(not peer.is_heard for peer in session.players_peers()) or session.drop_agreement.undecided:
                session.sponsor.cancel(match)
        if session.match is match:
            self.drop_when_agreed(match)

    def _lose_unconnected(self) -> bool:
        """Lose peers to which no chain leads; returns whether there are new ones."""
        session = self._session
        players = session.players_peers()
        connected = session.hearing.connected(session.peer_id, (peer.peer_id for peer in players))
        lost = [peer for peer in players if peer.peer_id not in connected]
        for peer in lost:
            session.stop_exchange(peer)
            if peer.connection is not None:
                peer.connection.close(Reason.GOODBYE, "another peer has lost you")
            del session.peers[peer.peer_id]
            session.drop_agreement.add_lost(peer.peer_id, peer.players)
            session.returns.remember(peer)
            session.reconnect.remember(peer)
        return bool(lost)

    def receive_drop(self, peer: Peer, data: bytes) -> None:
        """Another peer reports whom it no longer hears, and who is lost to it."""
        drop = decode_drop(data, input_size_of(self._session.sim))
        if peer.role is Role.NEWCOMER:
            self._early[peer.peer_id] = drop
        else:
            self._receive(peer, drop, self._match)

    def _receive(self, peer: Peer, drop: Drop, match: Match) -> None:
        session, agreement = self._session, self._session.drop_agreement
        self._check(peer, drop, match)
        self._note_unheard(peer, drop, match)
        self._catch_up_with_commits(drop, match)
        if not peer.is_heard and session.peer_id in dict(drop.unheard):
            # Its CANCEL cannot reach us; a COMMIT that it gave would be among its commits.
            session.joins.called_off_by(peer, match)
        if session.match is not match or not session.running:
            return
        # Peers that we never met were dropped before we came.
        strangers = drop.lost - {session.peer_id, *session.peers}
        is_news = False
        for peer_id in sorted(strangers):
            is_news |= agreement.add_lost(peer_id, ())
        is_ahead = drop.match == next_number(match)
        if is_ahead:
            # The sender has received a message from every peer. We still wait for one, which may be from a lost peer.
            agreement.ahead[peer.peer_id] = drop
        elif drop.match == match.number:
            agreement.receive(peer.peer_id, drop)
        self._review(match, is_news=is_news)
        if is_ahead and session.match is match:
            session.joins.drop_agreed(match)

    def _check(self, peer: Peer, drop: Drop, match: Match) -> None:
        session = self._session
        unheard = dict(drop.unheard)
        if peer.peer_id in drop.lost or peer.peer_id in unheard:
            raise InvalidValue("a DROP about its own sender")
        if peer.is_heard and (session.peer_id in drop.lost or session.peer_id in unheard):
            raise InvalidValue("a DROP that says to a peer that this peer is not heard")
        if drop.match == match.number and session.drop_agreement.takes_back(peer.peer_id, drop):
            raise InvalidValue("a DROP that takes back that a peer is lost")
        most = match.engine.local_frontier + MOST_AHEAD + 4 * match.config.tick_rate
        claimed = max((*(each.missing for each in drop.known), *(frame for _, frame in drop.decided)), default=0)
        if drop.match == match.number and match.joins_at is not None and claimed > most:
            raise InvalidValue(f"a DROP that claims inputs up to frame {claimed}, at frame {match.engine.frame}")

    def _note_unheard(self, peer: Peer, drop: Drop, match: Match) -> None:
        session, agreement = self._session, self._session.drop_agreement
        is_news = False
        for peer_id, reason in drop.unheard:
            if session.hearing.add(peer.peer_id, peer_id, reason):
                if peer_id == session.peer_id or peer_id in session.peers:
                    session.tell(PeerUnheard(peer=peer_id, by=peer.peer_id, reason=reason, text=describe(reason)))
                session.forwarding.send_newest(peer_id, peer)
                is_news = True
        if is_news:
            self._deny_strangers(drop, match)
        is_behind = drop.match == match.number and any(each.player in agreement.decided for each in drop.known)
        if peer.is_heard and (is_behind or (is_news and session.joins.commits)):
            # A sponsor that it no longer hears may have given us a COMMIT and not it. Or it still waits for one from a
            # sponsor that it no longer hears, and we have decided.
            self._send_drop(match, [peer])

    def _deny_strangers(self, drop: Drop, match: Match) -> None:
        """Say that we do not hear peers that we do not know, but others name: their sponsor called them off only here.

        Otherwise such a peer would count as connected through us.
        """
        session = self._session
        known = {session.peer_id, *session.peers, *session.drop_agreement.lost, *session.joins.expected}
        strangers = dict(drop.unheard).keys() - known
        new = [peer_id for peer_id in strangers if session.hearing.add(session.peer_id, peer_id, Reason.DENIED)]
        if new:
            self._send_drop(match, session.heard_peers())

    def peer_id_given(self, peer_id: int) -> None:
        self._early.pop(peer_id, None)
        self._unheard_at.pop(peer_id, None)
        self._session.drop_agreement.forget(peer_id)
        self._session.hearing.forget(peer_id)

    def match_begun(self, match: Match) -> None:
        """Handle the DROP messages of this match that came before it had begun here."""
        session = self._session
        ahead, session.drop_agreement.ahead = session.drop_agreement.ahead, {}
        if session.drop_agreement.undecided:
            self._send_drop(match, session.heard_peers())
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
        """Let in newcomers that became players by a COMMIT that did not reach us.

        From a sponsor that we hear it comes before anything that follows from it, and nobody else may give it. If we
        are the newcomer, it is enough that another one does not hear the sponsor: else all would wait for us.
        """
        session = self._session
        heard = {peer.peer_id for peer in session.heard_peers()}
        for peer_id, seats, frame in drop.commits:
            newcomer = session.peers.get(peer_id)
            if peer_id == session.peer_id and drop.match == match.number:
                if session.newcomer.sponsor not in heard - dict(drop.unheard).keys():
                    session.newcomer.commit(frame, match)
            elif newcomer is None or newcomer.role is not Role.NEWCOMER or pack_seats(newcomer.players) != seats:
                continue
            elif session.joins.sponsor_of(newcomer) not in {session.peer_id, *heard}:
                session.joins.commit(newcomer, frame, match)

    def newcomer_became_player(self, newcomer: Peer, match: Match) -> None:
        """Tell the newcomer whom we do not hear, and handle the DROP message that it sent before it was a player."""
        session, agreement = self._session, self._session.drop_agreement
        # It may hear peers whose drop is not agreed yet: find out again who is lost.
        lost = set(agreement.lost)
        for peer_id, players in agreement.take_back().items():
            back = session.peers[peer_id] = Peer(peer_id, players)
            back.is_heard = False
        self._lose_unconnected()
        if lost != set(agreement.lost):
            self._send_drop(match, session.heard_peers())
        elif session.hearing.unheard_by(session.peer_id):
            self._send_drop(match, [newcomer])
        early = self._early.pop(newcomer.peer_id, None)
        if early is not None:
            self._receive_late(newcomer, early, match)
        is_known = session.peers.get(newcomer.peer_id) is newcomer and newcomer.is_heard
        if is_known and (newcomer.connection is None or newcomer.connection.close_reason is not None):
            # We lost it between our promise and the COMMIT. Or it never called us: without a link it would never be
            # lost, and all would wait for it for ever.
            self._stop_hearing(newcomer, match)

    def _send_drop(self, match: Match, peers: Iterable[Peer]) -> None:
        session = self._session
        commits = [(peer_id, seats, frame) for peer_id, (seats, frame) in session.joins.commits.items()]
        unheard = session.hearing.unheard_by(session.peer_id)
        drop = session.drop_agreement.view(match.engine, commits, match.number, unheard)
        message = encode_drop(drop, input_size_of(session.sim))
        for peer in peers:
            peer.send(message)

    def drop_when_agreed(self, match: Match) -> None:
        """Drop the players of lost peers, if all have named the same ones and we have all inputs that they know."""
        session, agreement = self._session, self._session.drop_agreement
        decided = agreement.decide(self.survivors(match), match.engine, match.number)
        peer_of = {player: peer_id for peer_id, players in agreement.lost.items() for player in players}
        for player, frame in decided.items():
            try:
                match.engine.drop_player(player, frame)
            except RetickError as error:
                session.end(f"player {player} could not be dropped: {error}")
                return
            accuser = session.hearing.accusers.get(peer_of[player])
            session.tell(PlayersDropped(players=(player,), frame=frame, accuser=accuser))
        if decided and session.hearing.is_broken(
            {session.peer_id, *(peer.peer_id for peer in session.players_peers())}
        ):
            # A peer that waits for one that it does not hear may follow our decision.
            self._send_drop(match, session.heard_peers())
        if decided:
            session.joins.drop_agreed(match)

    def after_frame(self, match: Match, now: float) -> bool:
        """Check whether requested inputs have come, and that nobody keeps the others waiting for its agreement."""
        session, agreement = self._session, self._session.drop_agreement
        if not agreement.undecided:
            self._lost_when_counted, self._looked_at = 0, now
            return False
        self.drop_when_agreed(match)
        if session.match is match and session.running and agreement.undecided:
            self._expel_who_keeps_us_waiting(match, now)
        return True

    def _expel_who_keeps_us_waiting(self, match: Match, now: float) -> None:
        """Count seconds for each survivor as long as we lose nobody else; a change of mind does not reset them."""
        agreement = self._session.drop_agreement
        if len(agreement.lost) != self._lost_when_counted:
            self._lost_when_counted, self._late_for, self._unproved_for = (
                len(agreement.lost),
                defaultdict(float),
                defaultdict(float),
            )
        seconds, self._looked_at = min(max(now - self._looked_at, 0.0), LONGEST_STEP), now
        survivors = self.survivors(match)
        late = agreement.disagreeing(survivors, match.number)
        for peer_id in late:
            self._late_for[peer_id] += seconds
        self._expel_late(self._late_for, self._longest_wait(now), "does not agree who is lost")
        if not late:
            for peer_id in agreement.unproved(survivors, match.engine):
                self._unproved_for[peer_id] += seconds
            self._expel_late(self._unproved_for, AGREE_SECONDS, "inputs that are claimed and not shown")

    def _longest_wait(self, now: float) -> float:
        """Seconds that a survivor has to name the same lost peers as we do now.

        It may have heard one of them longer than we did, and then have waited for another survivor to agree. But once
        we have not heard them for as long as all of this may take, what was held back is of no more use.
        """
        config = self._session.config
        lost_at = max(
            (self._unheard_at.get(peer_id, 0.0) for peer_id in self._session.drop_agreement.lost), default=0.0
        )
        is_long_ago = now >= lost_at + max(config.disconnect_after, config.input_timeout) + 1.5 * AGREE_SECONDS
        return AGREE_SECONDS / 2 if is_long_ago else AGREE_SECONDS + config.disconnect_after

    def _expel_late(self, late_for: defaultdict[int, float], most: float, text: str) -> None:
        """Expel late peers. Unheard ones have more time: a peer that hears them must forward, or stop hearing them."""
        session = self._session
        guilty = [
            peer
            for peer in session.heard_peers()
            if late_for[peer.peer_id] >= most + _seconds_in_queue(peer) and _is_talking(peer)
        ] or session.forwarders_of(peer_id for peer_id, waited in late_for.items() if waited >= most + AGREE_SECONDS)
        for peer in guilty:
            session.expel(peer, text)

    def survivors(self, match: Match) -> list[int]:
        """The peers whose agreement we need.

        Excludes those that we do not hear, if a peer that hears them has decided: it had their agreement, and ours.
        """
        session = self._session
        deciders = [
            peer.peer_id
            for peer in session.heard_peers()
            if session.drop_agreement.has_decided(peer.peer_id, match.number)
        ]
        return [
            peer.peer_id
            for peer in session.players_peers()
            if peer.is_heard or not any(session.hearing.hears(decider, peer.peer_id) for decider in deciders)
        ]


def _is_talking(peer: Peer) -> bool:
    """Whether the peer's link is alive: the link's own timeout finds silent peers."""
    return peer.connection is not None and peer.connection.stats.silent_for < ALIVE_SECONDS


def _seconds_in_queue(peer: Peer) -> float:
    """How many more seconds it may take because our own DROP waits behind a long message to it."""
    return QUEUE_SECONDS if peer.connection is not None and peer.connection.queued_bytes > LONG_QUEUE else 0.0
