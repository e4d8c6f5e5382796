"""What every player does when a newcomer comes in: expects its call, states that it is ready, and lets it play.

``sponsor`` explains the whole protocol and has the sponsor's side.
"""

from typing import TYPE_CHECKING

from retick.errors import InvalidValue
from retick.link import Reason
from retick.rollback.events import PlayersReturned
from retick.rollback.match.match import Match
from retick.rollback.session.messages.agreement import ReadyNewcomer, Taken, encode_taken
from retick.rollback.session.messages.join import Meet, decode_joined, decode_meet
from retick.rollback.session.messages.kinds import decode_byte
from retick.rollback.session.messages.roster import MemberTerms
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import HOST_ID, LAST_PEER_ID, Peer, Role
from retick.rollback.session.rematch import next_number

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside


class Joins(SessionPart):
    """Newcomers as the players see them: those that other peers bring in, and all of them once they play."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self._first_frames: dict[int, int] = {}
        """Newcomers that other peers announced, with the first frame whose inputs each of them needs."""
        self._sponsors: dict[int, int] = {}
        """Newcomers that other peers announced, with the announcing peer."""
        self._early_meets: dict[int, Meet] = {}
        """Announced newcomers that cannot be expected yet, by their sponsor."""
        self._joined: set[Peer] = set()
        """Newcomers that have the state, and a link with everybody."""
        self._given_up: set[Peer] = set()
        """Newcomers that were given up while they may be let in: they are sent away if they are not."""
        self._last_id = HOST_ID
        """The id that was given last; the next one follows it."""

    def next_peer_id(self) -> int | None:
        """The next id, in turn, that no peer has; None if there is none."""
        session = self._session
        taken = {session.peer_id, *session.peers}
        ids = range(HOST_ID + 1, LAST_PEER_ID + 1)
        in_turn = (*ids[self._last_id :], *ids[: self._last_id])
        return next((peer_id for peer_id in in_turn if peer_id not in taken), None)

    def peer_id_given(self, peer_id: int) -> None:
        self._last_id = peer_id
        self._first_frames.pop(peer_id, None)
        self._sponsors.pop(peer_id, None)

    # Announcements.

    def receive_meet(self, peer: Peer, data: bytes) -> None:
        self._expect(decode_meet(data), peer, self._match)

    def _expect(self, meet: Meet, sponsor: Peer, match: Match) -> None:
        """Expect the call of a newcomer that another peer brings in."""
        session = self._session
        is_behind = session.membership.is_deciding or bool(set(meet.players) - set(session.gone))
        if meet.match == next_number(match) or (meet.match == match.number and is_behind):
            # The sponsor knows of a decision that is still to come here.
            self._early_meets[sponsor.peer_id] = meet
            return
        if meet.match != match.number:
            return  # the newcomer of the last match: its sponsor gives it up, too
        self._check_meet(meet, sponsor)
        session.give_peer_id(meet.peer_id)
        self._sponsors[meet.peer_id] = sponsor.peer_id
        self._first_frames[meet.peer_id] = meet.frame
        newcomer = Peer(meet.peer_id, meet.players, Role.NEWCOMER)
        newcomer.pair_token, newcomer.key, newcomer.reach = meet.pair_token, meet.key, meet.reach
        session.expect(newcomer)

    def _check_meet(self, meet: Meet, sponsor: Peer) -> None:
        """Check an announcement: only the peer with the lowest id may make it, one at a time, for an unknown peer."""
        session = self._session
        lowest = min(peer.peer_id for peer in session.players_peers())
        if sponsor.peer_id != lowest or lowest > session.peer_id:
            raise InvalidValue(f"a MEET of peer {sponsor.peer_id}, which is not the sponsor")
        if any(peer.role is Role.NEWCOMER for peer in session.peers.values()):
            raise InvalidValue("a MEET while another newcomer comes in")
        known = {session.peer_id, *session.peers}
        if meet.peer_id in known or not HOST_ID < meet.peer_id <= LAST_PEER_ID:
            raise InvalidValue(f"a MEET for peer {meet.peer_id}, which is not a newcomer")

    def match_begun(self, match: Match) -> None:
        self._last_id = max(self._last_id, self._session.peer_id, *self._session.peers)
        self._handle_early(match)

    def _handle_early(self, match: Match) -> None:
        meets, self._early_meets = self._early_meets, {}
        for sponsor_id, meet in meets.items():
            sponsor = self._session.peers.get(sponsor_id)
            if sponsor is not None and sponsor.is_heard:
                try:
                    self._expect(meet, sponsor, match)
                except InvalidValue:
                    self._session.expel(sponsor, "a newcomer who cannot come")

    def receive_cancel(self, peer: Peer, data: bytes) -> None:
        """Receive a sponsor's word that it has given up its newcomer."""
        peer_id = decode_byte(data)
        newcomer = self._session.peers.get(peer_id)
        self._early_meets.pop(peer.peer_id, None)
        if newcomer is not None and self._sponsors.get(peer_id) == peer.peer_id:
            self.give_up(newcomer, self._match)

    def peer_connected(self, peer: Peer) -> None:
        """Send an announced newcomer our inputs, now that its link is up."""
        if peer.role is Role.NEWCOMER and peer.peer_id in self._first_frames:
            self._session.exchange_with(peer, self._first_frames[peer.peer_id])

    def after_frame(self, match: Match, now: float) -> bool:
        """Close calls of peers of whom nobody has told us in time."""
        return self._session.admission.expire(now)

    def peer_gone(self, peer: Peer, reason: str) -> None:
        match = self._session.match
        if match is not None and self._session.running and peer.role is Role.NEWCOMER:
            self.give_up(peer, match)

    def match_ending(self, match: Match) -> None:
        """Give up newcomers that are not players by now: they must try again."""
        for peer in [peer for peer in self._session.peers.values() if peer.role is Role.NEWCOMER]:
            self.send_away(peer, match)

    def give_up(self, newcomer: Peer, match: Match, text: str = "") -> None:
        """Give up a newcomer that is lost or was called off; but one that we have named may be a member in a moment."""
        session = self._session
        if not session.membership.names(newcomer):
            if newcomer.role is Role.NEWCOMER:
                self.send_away(newcomer, match, text)
        elif newcomer.is_connected:
            self._given_up.add(newcomer)
        else:
            newcomer.is_heard = False
            session.stop_exchange(newcomer)

    def send_away(self, newcomer: Peer, match: Match, text: str = "") -> None:
        """Refuse a newcomer after all; it may try again."""
        self._joined.discard(newcomer)
        self._session.stop_exchange(newcomer)
        self._session.peers.pop(newcomer.peer_id, None)
        if newcomer.connection is not None:
            newcomer.connection.close(Reason.DENIED, text or "the match changed meanwhile: try again")

    # Readiness.

    def receive_joined(self, peer: Peer, data: bytes) -> None:
        """Receive a newcomer's word that it has the state and all links; one that plays by now has said so again."""
        decode_joined(data)
        if peer.role is Role.NEWCOMER and peer not in self._joined:
            self._joined.add(peer)
            self._session.sponsor.newcomer_joined(peer)

    def has_joined(self, newcomer: Peer) -> bool:
        return newcomer in self._joined

    def ready_newcomer(self, match: Match) -> ReadyNewcomer | None:
        """The newcomer that may play, as far as this peer is concerned."""
        session = self._session
        for peer in session.peers.values():
            is_here = peer.role is Role.NEWCOMER and peer in self._joined and peer.is_heard
            if is_here and peer.exchange is not None and set(peer.players) <= set(session.gone):
                return ReadyNewcomer(peer.peer_id, MemberTerms(peer.players, peer.key, peer.reach))
        return None

    def slot_decided(self, match: Match) -> None:
        """Give up newcomers that are lost, or whose sponsor is; handle announcements that came before the decision."""
        session = self._session
        for peer in [peer for peer in session.peers.values() if peer.role is Role.NEWCOMER]:
            sponsor = self._sponsors.get(peer.peer_id, session.peer_id)
            if not peer.is_heard or peer in self._given_up or sponsor not in {session.peer_id, *session.peers}:
                self.send_away(peer, match)
        self._given_up.clear()
        self._handle_early(match)

    def let_play(self, newcomer: Peer, frame: int, taken: Taken, match: Match) -> None:
        """Tell a newcomer that it is a member, and all parts that it plays from ``frame`` on."""
        session = self._session
        self._joined.discard(newcomer)
        newcomer.send(encode_taken(taken))
        session.tell(PlayersReturned(peer=newcomer.peer_id, players=newcomer.players, frame=frame))
        for part in session.parts:
            part.newcomer_became_player(newcomer, frame, match)
