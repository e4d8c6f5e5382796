"""How a newcomer takes free seats in a running match, while the others play on.

Theory of operation. The newcomer dials any peer of the match and is sent on to its *sponsor*, the peer with the lowest
id. The sponsor sends it a final state and tells the other players to expect its call (MEET). From that state's frame on
every player sends the newcomer its inputs like to any other peer; the newcomer runs them as fast as they come. Once it
has a link with everybody (JOINED) the sponsor asks all players for a frame (PROPOSE). Each answers with a frame a
little ahead and promises to stop there until it hears more (PROMISE). The highest of them is the frame from which on
the newcomer plays (COMMIT): no peer can have passed it. A promise is a few round trips ahead, so that in practice no
peer stops.
"""

import math
from typing import TYPE_CHECKING

from retick.errors import InvalidValue, UsageError
from retick.link import Accept, Reason, Refuse, Request
from retick.rollback.events import PlayersReturned
from retick.rollback.match.match import Match
from retick.rollback.session.messages.join import Meet, Welcome, decode_joined, decode_meet, encode_meet, encode_welcome
from retick.rollback.session.messages.kinds import (
    Kind,
    decode_byte,
    decode_byte_and_number,
    encode_byte,
    encode_byte_and_number,
)
from retick.rollback.session.messages.roster import MAX_SEATS_EACH, pack_address, pack_seats
from retick.rollback.session.newcomer import LEVEL_SECONDS
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import SPECTATOR_ID, Peer, Role
from retick.rollback.session.state_transfer import PackedState, StateSender
from retick.rollback.session.transition import next_number
from retick.sim.contract import PacksState

if TYPE_CHECKING:
    from retick.rollback.session.session import RollbackSession

__all__ = ["ASK_SPONSOR", "Sponsor"]

ASK_SPONSOR = 200
"""A reason of refusal: the text is the address of the sponsor."""
LONGEST_JOIN = 30.0
"""Seconds after which a newcomer that has not become a player is given up."""
LAST_PEER_ID = SPECTATOR_ID - 1
PROMISE_SECONDS = 0.25
"""How far ahead a promise is, beside two round trips."""


class Sponsor(SessionPart):
    """The side of the players: one newcomer at a time, brought in by this peer or by another one."""

    def __init__(self, session: "RollbackSession") -> None:
        super().__init__(session)
        self.newcomer: Peer | None = None
        """Whom this peer is bringing in; None when it is bringing in nobody."""
        self.commits: dict[int, tuple[int, int]] = {}
        """Newcomers that became players: their seats as bits, and the frame of their first input."""
        self._first_frames: dict[int, int] = {}
        """The first frame whose inputs each newcomer needs."""
        self._sponsors: dict[int, int] = {}
        """Newcomers that other peers announced, and which peer."""
        self._early_meets: dict[int, Meet] = {}
        """Announced newcomers that cannot be expected yet, by their ids."""
        self._early_proposals: dict[int, Peer] = {}
        """Newcomers for whom a promise cannot be given yet, and their sponsors."""
        self._promises: dict[int, int] = {}
        """Peers, this one included, and the frame that each has promised for our newcomer."""
        self._promised_for: int | None = None
        """The newcomer of another sponsor for whom this peer has promised a frame."""
        self._has_proposed = False
        self._has_joined = False
        self._waits_for_state = False
        self._sender: StateSender | None = None

    @property
    def has_promised(self) -> bool:
        """Whether this peer waits for the COMMIT or CANCEL of a newcomer, who may be a player already elsewhere."""
        return self._promised_for is not None

    # The sponsor's own newcomer.

    def admit(self, request: Request) -> Accept | Refuse:
        """Somebody asks for seats in the running match."""
        session = self._session
        lowest = min(session.players_peers(), key=lambda peer: peer.peer_id, default=None)
        if lowest is not None and lowest.peer_id < session.peer_id and lowest.connection is not None:
            # One peer lets newcomers in, or two of them might give the same seat away.
            return Refuse(reason=ASK_SPONSOR, text=pack_address(lowest.connection.address).decode())
        free = session.gone
        if not 1 <= request.seats <= min(len(free), MAX_SEATS_EACH):
            return Refuse(reason=Reason.SEATS, text=f"{request.seats} seats were asked for, {len(free)} are free")
        if not isinstance(session.sim, PacksState):
            return Refuse(reason=Reason.DENIED, text="this game's state cannot be sent: nobody can join in mid-match")
        if session.newest_peer_id >= LAST_PEER_ID:
            return Refuse(reason=Reason.FULL, text="too many have come and gone in this match: nobody else can join")
        busy = any(peer.role is Role.NEWCOMER for peer in session.peers.values())
        if busy or session.match is None or session.match.joins_at is None:
            return Refuse(reason=Reason.DENIED, text="somebody else is joining: try again in a moment")
        session.newest_peer_id += 1
        peer_id = session.newest_peer_id
        peer = self.newcomer = session.peers[peer_id] = Peer(peer_id, free[: request.seats], Role.NEWCOMER)
        peer.attach(request.connection)
        return Accept(seats=peer.players)

    def peer_connected(self, peer: Peer) -> None:
        """A newcomer's link is up: ours is sent a state, one that another peer announced is sent our inputs."""
        match = self._session.match
        if match is None:
            return
        if peer is self.newcomer:
            self._welcome(peer, match)
        elif peer.peer_id in self._first_frames:
            # Its COMMIT may have come before: then it is a player already.
            self._session.exchange_with(peer, self._first_frames[peer.peer_id])

    def _welcome(self, newcomer: Peer, match: Match) -> None:
        """Send our newcomer the state, and tell the others of it.

        The state must lie behind the last input of every dropped player, because the newcomer runs them as neutral.
        """
        session = self._session
        frame = match.engine.final_state_frame
        agreement = session.drop_agreement
        self._waits_for_state = agreement.undecided or frame < max(agreement.decided.values(), default=0)
        if self._waits_for_state:
            return
        try:
            packed = PackedState(session.sim, match.engine.state_at(frame))
        except UsageError as error:
            self.cancel(match, str(error))
            return
        welcome = Welcome(
            sender=session.peer_id,
            peer_id=newcomer.peer_id,
            token=session.token,
            seed=match.seed,
            match=match.number,
            frame=frame,
            state=packed.header,
            gone=tuple(sorted(set(session.gone) - set(newcomer.players))),
            entries=session.roster_entries("sponsor"),
        )
        self._sender = StateSender(encode_welcome(welcome), packed)
        self._sender.add(newcomer)
        self._sender.pump()
        self._promises = {}
        self._has_proposed = self._has_joined = False
        address = newcomer.connection.address if newcomer.connection is not None else ""
        meet = encode_meet(Meet(newcomer.peer_id, newcomer.players, frame, address, match.number))
        for peer in session.players_peers():
            peer.send(meet)
        self._first_frames[newcomer.peer_id] = frame
        session.exchange_with(newcomer, frame)

    def after_frame(self, match: Match, now: float) -> bool:
        """Send our newcomer its state, and see how far it is."""
        newcomer = self.newcomer
        if newcomer is None:
            return False
        if self._waits_for_state:
            self._welcome(newcomer, match)
        if self._sender is not None:
            self._sender.pump()
        self._propose_when_level(match)
        since = self._first_frames.get(newcomer.peer_id, match.engine.frame)
        if match.engine.frame - since > LONGEST_JOIN * match.config.tick_rate:
            self.cancel(match)
        return True

    def receive_joined(self, peer: Peer, data: bytes) -> None:
        """Our newcomer has the state and all links."""
        decode_joined(data)
        if peer is not self.newcomer:
            raise InvalidValue("a JOINED from a newcomer that another peer brings in")
        self._has_joined = True
        self._propose_when_level(self._match)

    def _propose_when_level(self, match: Match) -> None:
        """Ask everyone for a frame, once the newcomer has come near: else all would have to wait for it there."""
        newcomer = self.newcomer
        if newcomer is None or self._has_proposed or not self._has_joined:
            return
        exchange = newcomer.exchange
        if exchange is None or match.engine.frame - exchange.acknowledged > LEVEL_SECONDS * match.config.tick_rate:
            return
        self._has_proposed = True
        self._promises[self._session.peer_id] = self.promise(match)
        for peer in self._session.players_peers():
            peer.send(encode_byte(Kind.PROPOSE, newcomer.peer_id))
        self._commit_when_promised(match)

    def receive_promise(self, peer: Peer, data: bytes) -> None:
        match = self._match
        peer_id, frame = decode_byte_and_number(data)
        # A peer is ahead by its window and its delay at most, and promises at most half of history ahead of that.
        if frame > match.engine.frame + 2 * match.config.history:
            raise InvalidValue(f"a PROMISE of frame {frame}, at frame {match.engine.frame}")
        if self.newcomer is not None and peer_id == self.newcomer.peer_id and self._has_proposed:
            self._promises[peer.peer_id] = frame
            self._commit_when_promised(match)

    def _commit_when_promised(self, match: Match) -> None:
        session, newcomer = self._session, self.newcomer
        if newcomer is None or any(peer.peer_id not in self._promises for peer in session.players_peers()):
            return
        frame = max(self._promises.values())
        message = encode_byte_and_number(Kind.COMMIT, newcomer.peer_id, frame)
        for peer in (*session.players_peers(), newcomer):
            peer.send(message)
        self.newcomer = None
        self.commit(newcomer, frame, match)

    def cancel(self, match: Match, text: str = "") -> None:
        """Give up bringing in our newcomer, if there is one: it may come again."""
        if self.newcomer is not None:
            self._call_off(match, text)
            self._tell_roster_agreed(match)

    def _call_off(self, match: Match, text: str = "") -> None:
        newcomer, self.newcomer, self._sender, self._waits_for_state = self.newcomer, None, None, False
        match.barrier = None
        if newcomer is None:
            return
        for peer in self._session.players_peers():
            peer.send(encode_byte(Kind.CANCEL, newcomer.peer_id))
        self._send_away(newcomer, match, text)

    # Newcomers that other peers bring in.

    def receive_meet(self, peer: Peer, data: bytes) -> None:
        self._expect(decode_meet(data), peer.peer_id, self._match)

    def _expect(self, meet: Meet, sponsor: int, match: Match) -> None:
        """Another peer brings somebody in: expect a call."""
        session = self._session
        # A lost peer may have given this id to a newcomer of whom the sponsor never heard.
        self._forget_orphan(meet.peer_id, match)
        self._check_meet(meet, sponsor)
        self._sponsors[meet.peer_id] = sponsor
        session.newest_peer_id = max(session.newest_peer_id, meet.peer_id)
        if meet.match not in (match.number, next_number(match)):
            # Of the last match, which has ended here: its sponsor ends it too, and sends the newcomer away.
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
            session.expect(Peer(meet.peer_id, meet.players, Role.NEWCOMER))

    def _check_meet(self, meet: Meet, sponsor: int) -> None:
        """Only the peer with the lowest id may announce somebody, and nobody whom we know already."""
        session = self._session
        lowest = min((peer.peer_id for peer in session.players_peers()), default=sponsor)
        if sponsor not in session.peers or sponsor != lowest or sponsor > session.peer_id:
            raise InvalidValue(f"a MEET of peer {sponsor}, which is not the sponsor")
        known = {session.peer_id, *session.peers, *session.drop_agreement.lost, *self._early_meets}
        if meet.peer_id in known or meet.peer_id > LAST_PEER_ID:
            raise InvalidValue(f"a MEET for peer {meet.peer_id}, which is not a newcomer")

    def drop_agreed(self, match: Match) -> None:
        """Those who are to take the dropped players' seats can be expected now."""
        # Newcomers whose sponsor is lost, and whose COMMIT no survivor has seen, must come again.
        for peer_id in list(self._sponsors):
            self._forget_orphan(peer_id, match)
        self._handle_early(match)
        self._tell_roster_agreed(match)

    def match_begun(self, match: Match) -> None:
        self._handle_early(match)

    def _handle_early(self, match: Match) -> None:
        """Handle what came too early: before a drop was agreed here, or before this match had begun."""
        meets, self._early_meets = self._early_meets, {}
        for meet in meets.values():
            sponsor = self._session.peers.get(self._sponsors[meet.peer_id])
            if sponsor is not None:
                try:
                    self._expect(meet, sponsor.peer_id, match)
                except InvalidValue:
                    self._session.expel(sponsor, "a newcomer who cannot come")
        proposals, self._early_proposals = self._early_proposals, {}
        for peer_id, sponsor in proposals.items():
            self._answer_proposal(sponsor, peer_id, match)

    def _forget_orphan(self, peer_id: int, match: Match) -> None:
        newcomer = self._session.peers.get(peer_id)
        if self._sponsors.get(peer_id) in self._session.drop_agreement.lost:
            self._early_meets.pop(peer_id, None)
            self._early_proposals.pop(peer_id, None)
            if newcomer is not None and newcomer.role is Role.NEWCOMER:
                self._send_away(newcomer, match)

    def receive_propose(self, peer: Peer, data: bytes) -> None:
        """A sponsor asks from which frame on its newcomer may play."""
        peer_id = decode_byte(data)
        if self._sponsors.get(peer_id) != peer.peer_id:
            raise InvalidValue(f"a PROPOSE for peer {peer_id}, which its sender did not announce")
        self._answer_proposal(peer, peer_id, self._match)

    def _answer_proposal(self, sponsor: Peer, peer_id: int, match: Match) -> None:
        """Promise a frame, once it is agreed here too who is dropped.

        The newcomer has nothing to say about that, and would be waited for if it came in before. Not answered for one
        whom this peer has lost: it must not stop for it, and the newcomer, who has lost this peer too, gives up.
        """
        newcomer = self._session.peers.get(peer_id)
        if peer_id in self._early_meets or self._session.drop_agreement.undecided:
            self._early_proposals[peer_id] = sponsor
        elif newcomer is not None and newcomer.role is Role.NEWCOMER:
            self._promised_for = peer_id
            sponsor.send(encode_byte_and_number(Kind.PROMISE, peer_id, self.promise(match)))

    def promise(self, match: Match) -> int:
        """A frame a little ahead, at which this peer stops until it hears the agreed one."""
        rtt = max((peer.connection.rtt for peer in self._session.peers.values() if peer.connection), default=0.0)
        ahead = math.ceil((PROMISE_SECONDS + 2 * rtt) * match.config.tick_rate)
        match.barrier = match.engine.frame + min(ahead, match.config.history // 2)
        return match.barrier

    def receive_cancel(self, peer: Peer, data: bytes) -> None:
        """A sponsor has given up its newcomer."""
        match, peer_id = self._match, decode_byte(data)
        if self._sponsors.get(peer_id) != peer.peer_id:
            return
        self._early_meets.pop(peer_id, None)
        self._early_proposals.pop(peer_id, None)
        newcomer = self._session.peers.get(peer_id)
        if newcomer is not None and newcomer.role is Role.NEWCOMER:
            self._send_away(newcomer, match)
            self._tell_roster_agreed(match)

    # Both.

    def receive_commit(self, peer: Peer, data: bytes) -> None:
        """A sponsor says from which frame on its newcomer plays; of another peer it means nothing."""
        session, match = self._session, self._match
        peer_id, frame = decode_byte_and_number(data)
        newcomer = session.peers.get(peer_id)
        if peer_id == session.peer_id and session.newcomer.is_sponsored_by(peer):
            session.newcomer.commit(frame, match)
        elif newcomer is not None and newcomer.role is Role.NEWCOMER and self._sponsors.get(peer_id) == peer.peer_id:
            self.commit(newcomer, frame, match)

    def commit(self, newcomer: Peer, frame: int, match: Match) -> None:
        """From ``frame`` on the newcomer plays its seats."""
        for player in newcomer.players:
            match.engine.restore_player(player, frame)
            self._session.drop_agreement.restore_player(player)
        match.barrier = self._promised_for = None
        newcomer.role = Role.PLAYER
        self.commits[newcomer.peer_id] = (pack_seats(newcomer.players), frame)
        self._session.tell(PlayersReturned(peer=newcomer.peer_id, players=newcomer.players, frame=frame))
        for part in self._session.parts:
            part.newcomer_became_player(newcomer, match)

    def peer_gone(self, peer: Peer, reason: str) -> None:
        """A newcomer is lost to us."""
        session, match = self._session, self._session.match
        if peer.role is not Role.NEWCOMER or match is None or not session.running:
            return
        if peer is self.newcomer:
            self.cancel(match)
        elif self._promised_for == peer.peer_id:
            # The others may have let it in by now: only their messages tell.
            session.stop_exchange(peer)
        else:
            self._send_away(peer, match)
            self._tell_roster_agreed(match)

    def match_ending(self, match: Match) -> None:
        """A newcomer that is not a player by now must come again."""
        self._call_off(match)
        for peer in [peer for peer in self._session.peers.values() if peer.role is Role.NEWCOMER]:
            self._send_away(peer, match)

    def _send_away(self, newcomer: Peer, match: Match, text: str = "") -> None:
        match.barrier = None
        if self._promised_for == newcomer.peer_id:
            self._promised_for = None
        self._session.stop_exchange(newcomer)
        self._session.peers.pop(newcomer.peer_id, None)
        if newcomer.connection is not None:
            newcomer.connection.close(Reason.DENIED, text or "the match changed meanwhile: try again")

    def _tell_roster_agreed(self, match: Match) -> None:
        for part in self._session.parts:
            part.roster_agreed(match)
