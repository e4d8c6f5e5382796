"""Playing again on the same links, with seats moved on by one peer, or as the applications want them.

The next match begins only if all peers propose the same seats: so a peer that proposes different ones to different
peers sets nobody against anybody. A proposal stands; but one that differs from that of the peer with the lowest id may
be changed to match it, so that applications that did not agree can.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

from retick.errors import InvalidValue, NotSynchronized, UsageError
from retick.rollback.events import RematchProposed
from retick.rollback.match.match import Match
from retick.rollback.session.messages.decisions import decode_rematch, encode_rematch, is_order
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import Peer
from retick.sim.prng import XorShift32

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

# How one match follows another.
#
# Theory of operation. A rematch, or a match that continues from one peer's state, begins when every peer has agreed.
# Each peer finds that out by itself, so for a moment some play the next match and some the last one. Three rules keep
# them together. No peer begins while a drop is not agreed, or while it has promised a frame to a newcomer: so all of
# them count the same peers. A newcomer that becomes a player is sent the messages that it missed. And if a peer is lost
# whose last message reached only some, a DROP of the next match proves to the rest that it has begun: its sender had
# received every peer's message. They begin it too, with the lost peer in it, once they have the messages of all
# survivors.


def next_number(match: Match) -> int:
    """The number of the match to come."""
    return (match.number + 1) % 256


def is_ahead(number: int | None, match: Match) -> bool:
    """Whether a number is that of the next match, or of the one after: then its sender has begun the next one."""
    return number is not None and (number - match.number) % 256 in (1, 2)


def may_begin_next(session: "SessionInside") -> bool:
    """Whether the next match may begin: all peers that have got this far count the same ones among themselves."""
    agreement = session.drop_agreement
    return not session.joins.has_promised and (not agreement.undecided or bool(agreement.ahead))


def begin_next(
    session: "SessionInside", match: Match, lost: dict[int, tuple[int, ...]], seed: int, state: Any = None
) -> None:
    """Follow ``match`` by another, with the session's present seats; nobody plays the free ones.

    ``lost`` are the peers whose drop is still to be agreed, with their seats in the next match.
    """
    for part in session.parts:
        part.match_ending(match)
    taken = {player for peer in session.players_peers() for player in peer.players}
    taken |= set(session.local_players)
    taken |= {player for players in lost.values() for player in players}
    free = [player for player in range(session.sim.num_players) if player not in taken]
    session.drop_agreement.start_over(lost, free)
    session.start(seed, number=next_number(match), state=state, free=free)


class RematchProposal(NamedTuple):
    """One peer's proposal."""

    number: int
    """The number of the match to come."""
    seats: tuple[int, ...]
    """The new seats of seats 0, 1 ...; empty for the usual rule."""


class Rematch(SessionPart):
    """Tracks who has proposed the next match, which begins when every peer has."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self._proposals: dict[int, RematchProposal] = {}
        """The proposals by peer id, this peer's included."""

    def propose(self, seats: tuple[int, ...] = ()) -> None:
        """Propose to play again, as this peer's application wants; ``seats`` are the new ones of seats 0, 1 ..."""
        match, own = self._match, self._session.peer_id
        if match.joins_at is None:
            raise NotSynchronized("a rematch can be proposed once the seat here is taken")
        self._check(seats)
        wish, before = RematchProposal(next_number(match), seats), self._proposals.get(own)
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

    def _leader(self) -> RematchProposal | None:
        """The proposal of the other peer with the lowest id, if that id is below our own."""
        others = [peer.peer_id for peer in self._session.players_peers() if peer.peer_id < self._session.peer_id]
        return self._proposals.get(min(others)) if others else None

    def receive_rematch(self, peer: Peer, data: bytes) -> None:
        match, wish = self._match, RematchProposal(*decode_rematch(data))
        if len(wish.seats) not in (0, self._session.sim.num_players):
            raise InvalidValue(f"a REMATCH with {len(wish.seats)} seats")
        if not is_ahead(wish.number, match) or self._proposals.get(peer.peer_id) == wish:
            return
        self._proposals[peer.peer_id] = wish
        self._session.tell(RematchProposed(peer=peer.peer_id, seats=wish.seats))
        self._begin_when_all_have_proposed(match)

    def newcomer_became_player(self, newcomer: Peer, match: Match) -> None:
        """Send the newcomer what we proposed before it came."""
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
        # A peer that has proposed the one after the next has begun the next: with the seats that all had proposed.
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
