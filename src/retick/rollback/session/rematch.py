"""Playing again on the same links, with seats moved on by one peer, or as the applications want them.

All peers must propose the same seats, or no next match begins: so one that proposes different ones to different peers
sets nobody against anybody. A proposal stands; but one that differs from that of the peer with the lowest id may be
changed into it, so that applications that did not agree can.
"""

from typing import TYPE_CHECKING, NamedTuple

from retick.errors import InvalidValue, NotSynchronized, UsageError
from retick.rollback.events import RematchProposed
from retick.rollback.match.match import Match
from retick.rollback.session.messages.rematch import decode_rematch, encode_rematch, is_order
from retick.rollback.session.next_match import begin_next, is_ahead, may_begin_next, next_number
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import Peer
from retick.sim.prng import XorShift32

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

__all__ = ["Rematch"]


class Proposal(NamedTuple):
    """One peer's wish."""

    number: int
    """Of the match to come."""
    seats: tuple[int, ...]
    """The new seats of seats 0, 1 ...; empty for the usual rule."""


class Rematch(SessionPart):
    """Who has proposed the next match; it begins when every peer has."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self._proposals: dict[int, Proposal] = {}
        """Peer ids, this one's included, and what each has proposed."""

    def propose(self, seats: tuple[int, ...] = ()) -> None:
        """This peer's application wants to play again; ``seats`` are the new ones of seats 0, 1 ..."""
        match, own = self._match, self._session.peer_id
        if match.joins_at is None:
            raise NotSynchronized("a rematch can be proposed once the seat here is taken")
        self._check(seats)
        wish, before = Proposal(next_number(match), seats), self._proposals.get(own)
        if wish != before:
            if before is not None and before.number == wish.number and self._leader() != wish:
                raise UsageError(f"a rematch with the seats {before.seats} was proposed already, and stands")
            self._proposals[own] = wish
            for peer in self._session.players_peers():
                peer.send(encode_rematch(*wish))
        self._begin_when_all_have_proposed(match)

    def _check(self, seats: tuple[int, ...]) -> None:
        players = self._session.sim.num_players
        if seats and (len(seats) != players or not is_order(seats)):
            raise UsageError(f"the new seats must be each of 0 to {players - 1} once, not {seats}")

    def _leader(self) -> Proposal | None:
        """What the other peer with the lowest id has proposed, if that id is below our own."""
        others = [peer.peer_id for peer in self._session.players_peers() if peer.peer_id < self._session.peer_id]
        return self._proposals.get(min(others)) if others else None

    def receive_rematch(self, peer: Peer, data: bytes) -> None:
        match, wish = self._match, Proposal(*decode_rematch(data))
        if len(wish.seats) not in (0, self._session.sim.num_players):
            raise InvalidValue(f"a REMATCH with {len(wish.seats)} seats")
        if not is_ahead(wish.number, match) or self._proposals.get(peer.peer_id) == wish:
            return
        self._proposals[peer.peer_id] = wish
        self._session.tell(RematchProposed(peer=peer.peer_id, seats=wish.seats))
        self._begin_when_all_have_proposed(match)

    def newcomer_became_player(self, newcomer: Peer, match: Match) -> None:
        """Send it what we proposed before it came."""
        own = self._proposals.get(self._session.peer_id)
        if own is not None and own.number == next_number(match):
            newcomer.send(encode_rematch(*own))
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
        wishes = [self._proposals.get(peer_id) for peer_id in peer_ids]
        if not all(wish is not None and is_ahead(wish.number, match) for wish in wishes):
            return
        # Who has proposed the one after the next has begun the next: with the seats that all had proposed.
        seats = {wish.seats for wish in wishes if wish is not None and wish.number == next_number(match)}
        if len(seats) == 1:
            self._begin(match, seats.pop())

    def _moved(self, groups: list[tuple[int, ...]], seats: tuple[int, ...]) -> dict[tuple[int, ...], tuple[int, ...]]:
        """The new seats of each group: as proposed; or the last one comes to the front, and all move on."""
        if seats:
            return {group: tuple(sorted(seats[player] for player in group)) for group in groups}
        order, in_turn = sorted(groups), iter(range(self._session.sim.num_players))
        return {players: tuple(next(in_turn) for _ in players) for players in (order[-1], *order[:-1])}

    def _begin(self, match: Match, wanted: tuple[int, ...]) -> None:
        """Give out the seats again, and begin.

        A seat that nobody here plays moves on as well, whether its drop is agreed by now or not: so all peers give out
        the same seats, whatever one of them says about who was dropped before.
        """
        session = self._session
        peers = {peer.players: peer for peer in session.players_peers()}
        taken = [*peers, session.local_players]
        empty = set(range(session.sim.num_players)) - {player for players in taken for player in players}
        moved = self._moved([*taken, *((player,) for player in empty)], wanted)
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
