"""Playing again on the same links, with seats moved on by one peer."""

from typing import TYPE_CHECKING

from retick.errors import NotSynchronized
from retick.rollback.events import RematchProposed
from retick.rollback.match.match import Match
from retick.rollback.session.messages.kinds import Kind, decode_byte, encode_byte
from retick.rollback.session.next_match import begin_next, is_ahead, may_begin_next, next_number
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import Peer
from retick.sim.prng import XorShift32

if TYPE_CHECKING:
    from retick.rollback.session.session import RollbackSession

__all__ = ["Rematch"]


class Rematch(SessionPart):
    """Who has proposed the next match; it begins when every peer has."""

    def __init__(self, session: "RollbackSession") -> None:
        super().__init__(session)
        self._proposals: dict[int, int] = {}
        """Peer ids, this one's included, and the number of the match that each has proposed."""

    def propose(self) -> None:
        """This peer's application wants to play again."""
        match = self._match
        if match.joins_at is None:
            raise NotSynchronized("a rematch can be proposed once the seat here is taken")
        if self._proposals.get(self._session.peer_id) != next_number(match):
            self._proposals[self._session.peer_id] = next_number(match)
            for peer in self._session.players_peers():
                self._send_proposal(peer, match)
        self._begin_when_all_have_proposed(match)

    def _send_proposal(self, peer: Peer, match: Match) -> None:
        peer.send(encode_byte(Kind.REMATCH, next_number(match)))

    def receive_rematch(self, peer: Peer, data: bytes) -> None:
        match, number = self._match, decode_byte(data)
        if not is_ahead(number, match) or self._proposals.get(peer.peer_id) == number:
            return
        self._proposals[peer.peer_id] = number
        self._session.tell(RematchProposed(peer=peer.peer_id))
        self._begin_when_all_have_proposed(match)

    def newcomer_became_player(self, newcomer: Peer, match: Match) -> None:
        """Send it what we proposed before it came."""
        if self._proposals.get(self._session.peer_id) == next_number(match):
            self._send_proposal(newcomer, match)
        self._begin_when_all_have_proposed(match)

    def peer_id_given(self, peer_id: int) -> None:
        self._proposals.pop(peer_id, None)

    def roster_agreed(self, match: Match) -> None:
        self._begin_when_all_have_proposed(match)

    def _begin_when_all_have_proposed(self, match: Match) -> None:
        session = self._session
        if session.match is not match or not may_begin_next(session):
            return
        peer_ids = [session.peer_id, *(peer.peer_id for peer in session.players_peers())]
        if all(is_ahead(self._proposals.get(peer_id), match) for peer_id in peer_ids):
            self._begin(match)

    def _begin(self, match: Match) -> None:
        """The peer with the last seat moves to the front, and seats are given out again in that order.

        A seat that nobody here plays moves on as well, whether its drop is agreed by now or not: so all peers give out
        the same seats, whatever one of them says about who was dropped before.
        """
        session = self._session
        peers = {peer.players: peer for peer in session.players_peers()}
        taken = [*peers, session.local_players]
        empty = set(range(session.sim.num_players)) - {player for players in taken for player in players}
        order = sorted([*taken, *((player,) for player in empty)])
        in_turn = iter(range(session.sim.num_players))
        moved = {players: tuple(next(in_turn) for _ in players) for players in (order[-1], *order[:-1])}
        session.returns.move(
            {old: new for group, seats in moved.items() for old, new in zip(group, seats, strict=True)}
        )
        lost = {
            peer_id: tuple(seat for player in players for seat in moved[player,])
            for peer_id, players in session.drop_agreement.carried_over().items()
        }
        session.local_players = moved[session.local_players]
        for players, peer in peers.items():
            peer.players = moved[players]
        seed, _ = XorShift32(match.seed).next()
        begin_next(session, match, lost, seed)
