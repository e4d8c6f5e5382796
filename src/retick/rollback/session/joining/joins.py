"""What every player does when a newcomer comes in: expects its call, promises a frame, and lets it play.

``sponsor`` explains the whole protocol and has the sponsor's side.
"""

import math
from typing import TYPE_CHECKING

from retick.errors import InvalidValue
from retick.link import Reason
from retick.rollback.events import PlayersReturned
from retick.rollback.match.match import Match
from retick.rollback.session.messages.join import Meet, decode_meet
from retick.rollback.session.messages.kinds import (
    MessageKind,
    decode_byte,
    decode_byte_and_number,
    encode_byte,
    encode_byte_and_number,
)
from retick.rollback.session.messages.roster import pack_seats
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import HOST_ID, LAST_PEER_ID, Peer, Role
from retick.rollback.session.rematch import next_number

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

PROMISE_SECONDS = 0.25
"""Seconds by which a promise is ahead, in addition to two round trips."""
COMMIT_SECONDS = 6.0
"""Seconds that a sponsor has to answer a promise. It gives up a newcomer after 3 s without all promises."""
COMMITS_TOGETHER = 12.0
"""Seconds in all that a sponsor may let a peer wait for answers to promises, per match."""
ORPHAN_SECONDS = 2.0
"""Seconds after such a sponsor was expelled in which others may say that it gave the COMMIT; else it did not."""
MOST_UNANSWERED = 4
"""How many promises in a row without a COMMIT excuse others for sending no inputs."""
HOLD_SECONDS = COMMIT_SECONDS + ORPHAN_SECONDS
"""Seconds after a promise or a COMMIT for which another peer may stand at the frame that it has promised."""


class Joins(SessionPart):
    """Newcomers as the players see them: those that other peers bring in, and all of them once they play."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self.commits: dict[int, tuple[int, int]] = {}
        """Newcomers that became players, with their seats as bits and the frame of their first input."""
        self._first_frames: dict[int, int] = {}
        """Newcomers that other peers announced, with the first frame whose inputs each of them needs."""
        self._sponsors: dict[int, int] = {}
        """Newcomers that other peers announced, with the announcing peer."""
        self._early_meets: dict[int, Meet] = {}
        """Announced newcomers that cannot be expected yet, by id."""
        self._early_proposals: dict[int, tuple[Peer, int]] = {}
        """Newcomers for which a promise cannot be given yet, with their sponsor and the last frame to promise."""
        self._promised_for: int | None = None
        """Another sponsor's newcomer for which this peer has promised a frame; None if there is none."""
        self._promised = range(0)
        """The frames that its COMMIT may name."""
        self._promised_at = 0.0
        """When the promise was given."""
        self.blameless_until = 0.0
        """The time until which others may send no inputs because they stand at a promised frame."""
        self._unanswered = 0
        """How many promises in a row led to nobody coming in."""
        self._waited: dict[int, float] = {}
        """Seconds for which each sponsor has let us wait for answers to promises."""
        self._last_id = HOST_ID
        """The id that was given last; the next one follows it."""

    @property
    def has_promised(self) -> bool:
        """Whether this peer waits for the COMMIT or CANCEL of a newcomer, which may already play for other peers."""
        return self._promised_for is not None

    @property
    def expected(self) -> set[int]:
        """Newcomers that were announced too early to be known as peers."""
        return set(self._early_meets)

    def next_peer_id(self) -> int | None:
        """The next id, in turn, that no peer has or recently had; None if there is none."""
        session = self._session
        lost = (peer_id for peer_id, players in session.drop_agreement.lost.items() if players)
        taken = {session.peer_id, *session.peers, *lost, *self._early_meets}
        ids = range(HOST_ID + 1, LAST_PEER_ID + 1)
        in_turn = (*ids[self._last_id :], *ids[: self._last_id])
        return next((peer_id for peer_id in in_turn if peer_id not in taken), None)

    def peer_id_given(self, peer_id: int) -> None:
        self._last_id = peer_id
        self._waited.pop(peer_id, None)
        self.commits.pop(peer_id, None)
        self._first_frames.pop(peer_id, None)
        self._sponsors.pop(peer_id, None)

    def receive_meet(self, peer: Peer, data: bytes) -> None:
        self._expect(decode_meet(data), peer.peer_id, self._match)

    def _expect(self, meet: Meet, sponsor: int, match: Match) -> None:
        """Expect the call of a newcomer that another peer brings in."""
        session = self._session
        # A lost peer may have given this id to a newcomer that the sponsor does not know.
        self._forget_orphan(meet.peer_id, match)
        self._check_meet(meet, sponsor)
        session.give_peer_id(meet.peer_id)
        self._sponsors[meet.peer_id] = sponsor
        if meet.match not in (match.number, next_number(match)):
            # The newcomer of the last match, which has ended here: its sponsor ends it too, and refuses the newcomer.
            return
        if meet.match == next_number(match):
            # The others have begun the next match, for which we still wait for a message.
            self._early_meets[meet.peer_id] = meet
        elif set(meet.players) - session.drop_agreement.lost_players - set(session.gone):
            raise InvalidValue(f"peer {meet.peer_id} cannot take the seats {meet.players}")
        elif set(meet.players) - set(session.gone):
            # The others have agreed on a drop for which we still wait for a message.
            self._early_meets[meet.peer_id] = meet
        else:
            self._first_frames[meet.peer_id] = meet.frame
            newcomer = Peer(meet.peer_id, meet.players, Role.NEWCOMER)
            newcomer.pair_token, newcomer.key = meet.pair_token, meet.key
            session.expect(newcomer)

    def _check_meet(self, meet: Meet, sponsor: int) -> None:
        """Check an announcement: only the peer with the lowest id may make it, and not for peers that we know."""
        session = self._session
        lowest = min((peer.peer_id for peer in session.players_peers()), default=sponsor)
        if sponsor not in session.peers or sponsor != lowest or sponsor > session.peer_id:
            raise InvalidValue(f"a MEET of peer {sponsor}, which is not the sponsor")
        agreement = session.drop_agreement
        undecided = {
            peer_id
            for peer_id, players in agreement.lost.items()
            if any(player not in agreement.decided for player in players)
        }
        known = {session.peer_id, *session.peers, *undecided, *self._early_meets}
        if meet.peer_id in known or not HOST_ID < meet.peer_id <= LAST_PEER_ID:
            raise InvalidValue(f"a MEET for peer {meet.peer_id}, which is not a newcomer")

    def drop_agreed(self, match: Match) -> None:
        """Newcomers for the dropped players' seats can be expected now."""
        # Newcomers whose sponsor is lost, and whose COMMIT no survivor has seen, must try again.
        for peer_id in list(self._sponsors):
            self._forget_orphan(peer_id, match)
        self._handle_early(match)
        self._session.tell_roster_agreed(match)

    def match_begun(self, match: Match) -> None:
        self._handle_early(match)

    def _handle_early(self, match: Match) -> None:
        """Handle messages that came too early: before a drop was agreed here, or before this match had begun."""
        meets, self._early_meets = self._early_meets, {}
        for meet in meets.values():
            sponsor = self._session.peers.get(self._sponsors[meet.peer_id])
            if sponsor is not None:
                try:
                    self._expect(meet, sponsor.peer_id, match)
                except InvalidValue:
                    self._session.expel(sponsor, "a newcomer who cannot come")
        self._answer_early_proposals(match)

    def _answer_early_proposals(self, match: Match) -> None:
        proposals, self._early_proposals = self._early_proposals, {}
        for peer_id, (sponsor, last) in proposals.items():
            self._answer_proposal(sponsor, peer_id, last, match)

    def _forget_orphan(self, peer_id: int, match: Match) -> None:
        newcomer = self._session.peers.get(peer_id)
        if self._sponsors.get(peer_id) in self._session.drop_agreement.lost:
            self._early_meets.pop(peer_id, None)
            self._early_proposals.pop(peer_id, None)
            if newcomer is not None and newcomer.role is Role.NEWCOMER:
                self.send_away(newcomer, match)

    def receive_propose(self, peer: Peer, data: bytes) -> None:
        """Receive a sponsor's question from which frame on its newcomer may play."""
        peer_id, last = decode_byte_and_number(data)
        if self._sponsors.get(peer_id) != peer.peer_id or self._promised_for == peer_id:
            raise InvalidValue(f"a PROPOSE for peer {peer_id}, which its sender did not announce, or a second one")
        self._answer_proposal(peer, peer_id, last, self._match)

    def _answer_proposal(self, sponsor: Peer, peer_id: int, last: int, match: Match) -> None:
        """Promise a frame up to ``last``, once it is also agreed here who is dropped.

        The newcomer sends no DROP for these players, and the others would wait for one if it came in before. Nor can it
        forward inputs from before its own first frame: a peer that misses one of these waits until it has come. The
        answer is CANCEL if this peer has lost the newcomer: the others have stopped for it, and it cannot be expected
        to tell the sponsor itself. It is also CANCEL if ``last`` has passed here, or is too far ahead for this peer.
        """
        newcomer = self._session.peers.get(peer_id)
        is_behind = match.engine.final_state_frame < self._first_frames.get(peer_id, 0)
        if peer_id in self._early_meets or self._session.drop_agreement.undecided or is_behind:
            self._early_proposals[peer_id] = (sponsor, last)
        elif newcomer is None or not match.engine.frame <= last <= match.engine.frame + 3 * match.config.history:
            sponsor.send(encode_byte(MessageKind.CANCEL, peer_id))
        elif newcomer.role is Role.NEWCOMER:
            frame = self.promise(match, last)
            self._promised_for, self._promised_at = peer_id, self._session.now
            self._promised = range(frame, last + 1)
            sponsor.send(encode_byte_and_number(MessageKind.PROMISE, peer_id, frame))

    def promise(self, match: Match, last: int) -> int:
        """Promise a frame a little ahead, up to ``last``, at which this peer stops until it receives the agreed one."""
        match.barrier = frame = min(match.engine.frame + self.ahead(match), last)
        if self._unanswered < MOST_UNANSWERED:
            self._unanswered += 1
            self.blameless_until = self._session.now + HOLD_SECONDS
        return frame

    def last_to_promise(self, match: Match) -> int:
        """For a sponsor: the last frame that may be promised. A player may be ahead of us by a window and a delay."""
        config = match.config
        return match.engine.frame + config.prediction_window + config.input_delay + self.ahead(match)

    def ahead(self, match: Match) -> int:
        """How many frames ahead to stop so that, as a rule, all others hear of it in time; at least one."""
        rtt = max((peer.connection.rtt for peer in self._session.peers.values() if peer.connection), default=0.0)
        ahead = math.ceil((PROMISE_SECONDS + 2 * rtt) * match.config.tick_rate)
        return min(ahead, match.config.history // 2)

    def after_frame(self, match: Match, now: float) -> bool:
        """Expel a sponsor that leaves us waiting at the promised frame."""
        is_waiting = self._session.admission.expire(now)
        if self._early_proposals and not self._early_meets:
            # Inputs that we missed may have come.
            self._answer_early_proposals(match)
            is_waiting = True
        if self._promised_for is None:
            return is_waiting
        sponsor = self._session.peers.get(self._sponsors[self._promised_for])
        waited = now - self._promised_at
        if sponsor is not None and sponsor.is_heard:
            if waited > COMMIT_SECONDS or waited + self._waited.get(sponsor.peer_id, 0.0) > COMMITS_TOGETHER:
                self._session.expel(sponsor, "neither COMMIT nor CANCEL for a newcomer")
        elif sponsor is not None and waited > COMMIT_SECONDS + ORPHAN_SECONDS:
            # Any peer that received its COMMIT has told us by now.
            self._call_off(self._promised_for, match)
        return True

    def _end_promise(self) -> None:
        """End the promise: its answer has come, or is no longer needed."""
        now = self._session.now
        if self._promised_for is not None:
            sponsor = self._sponsors[self._promised_for]
            self._waited[sponsor] = self._waited.get(sponsor, 0.0) + max(now - self._promised_at, 0.0)
        self._promised_for = None

    def receive_cancel(self, peer: Peer, data: bytes) -> None:
        """Receive a CANCEL: a sponsor has given up its newcomer, or a player cannot let ours in and answers PROPOSE."""
        match, peer_id = self._match, decode_byte(data)
        self._session.sponsor.receive_cancel(peer, peer_id, match)
        if self._sponsors.get(peer_id) == peer.peer_id:
            self._call_off(peer_id, match)

    def sponsor_of(self, newcomer: Peer) -> int:
        """The id of the peer that has announced a newcomer; this peer's own if none has."""
        return self._sponsors.get(newcomer.peer_id, self._session.peer_id)

    def called_off_by(self, sponsor: Peer, match: Match) -> None:
        """Give up newcomers of a sponsor that we do not hear and that does not hear us: they must try again."""
        for peer_id in [peer_id for peer_id, by in self._sponsors.items() if by == sponsor.peer_id]:
            self._call_off(peer_id, match)

    def _call_off(self, peer_id: int, match: Match) -> None:
        self._early_meets.pop(peer_id, None)
        self._early_proposals.pop(peer_id, None)
        newcomer = self._session.peers.get(peer_id)
        if newcomer is not None and newcomer.role is Role.NEWCOMER:
            self.send_away(newcomer, match)
            self._session.tell_roster_agreed(match)

    def peer_connected(self, peer: Peer) -> None:
        """Send an announced newcomer our inputs, now that its link is up. After an earlier COMMIT it plays at once."""
        if peer.peer_id in self._first_frames:
            self._session.exchange_with(peer, self._first_frames[peer.peer_id])

    def peer_gone(self, peer: Peer, reason: str) -> None:
        """Handle the loss of a newcomer that another peer brings in."""
        session, match = self._session, self._session.match
        is_expected = peer.role is Role.NEWCOMER and session.peers.get(peer.peer_id) is peer
        if match is None or not session.running or not is_expected:
            return
        if self._promised_for == peer.peer_id:
            # The others may have let it in by now: their messages will tell.
            session.stop_exchange(peer)
        else:
            self.send_away(peer, match)
            session.tell_roster_agreed(match)

    def match_ending(self, match: Match) -> None:
        """Give up newcomers that are not players by now: they must try again."""
        for peer in [peer for peer in self._session.peers.values() if peer.role is Role.NEWCOMER]:
            self.send_away(peer, match)

    def receive_commit(self, peer: Peer, data: bytes) -> None:
        """Receive a sponsor's word from which frame on its newcomer plays; from another peer it means nothing."""
        session, match = self._session, self._match
        peer_id, frame = decode_byte_and_number(data)
        newcomer = session.peers.get(peer_id)
        if peer_id == session.peer_id and session.newcomer.is_sponsored_by(peer):
            session.newcomer.commit(frame, match)
        elif newcomer is not None and newcomer.role is Role.NEWCOMER and self._sponsors.get(peer_id) == peer.peer_id:
            if self._promised_for != peer_id or frame not in self._promised:
                raise InvalidValue(f"a COMMIT of frame {frame} for peer {peer_id}, which nobody promised")
            self.commit(newcomer, frame, match)

    def commit(self, newcomer: Peer, frame: int, match: Match) -> None:
        """Let the newcomer play its seats from ``frame`` on."""
        agreement = self._session.drop_agreement
        if frame < self._first_frames.get(newcomer.peer_id, 0):
            # Before the newcomer came, a peer that had its id became a player.
            return
        earliest = max(match.engine.frame, *(agreement.decided.get(player, 0) for player in newcomer.players))
        if not earliest <= frame <= match.engine.frame + 3 * match.config.history:
            raise InvalidValue(f"a COMMIT of frame {frame} for peer {newcomer.peer_id}, at frame {match.engine.frame}")
        for player in newcomer.players:
            match.engine.restore_player(player, frame)
            agreement.restore_player(player)
        match.barrier = None
        self._end_promise()
        self._unanswered = 0
        self.blameless_until = self._session.now + HOLD_SECONDS
        newcomer.role = Role.PLAYER
        # Every player has promised for this one, and so has received everything committed and agreed before.
        self.commits = {newcomer.peer_id: (pack_seats(newcomer.players), frame)}
        agreement.forget_decided()
        self._session.hearing.keep({self._session.peer_id, *self._session.peers, *agreement.lost})
        self._session.tell(PlayersReturned(peer=newcomer.peer_id, players=newcomer.players, frame=frame))
        for part in self._session.parts:
            part.newcomer_became_player(newcomer, match)

    def send_away(self, newcomer: Peer, match: Match, text: str = "") -> None:
        """Refuse a newcomer after all; it may try again."""
        match.barrier = None
        if self._promised_for == newcomer.peer_id:
            self._end_promise()
        self._session.stop_exchange(newcomer)
        self._session.peers.pop(newcomer.peer_id, None)
        if newcomer.connection is not None:
            newcomer.connection.close(Reason.DENIED, text or "the match changed meanwhile: try again")
