"""Playing again on the same links, with seats moved on by one peer, or as the applications want them.

Every peer states the order of seats that it wants (``membership``). The next match begins for all in the slot in which
all want the same. A wish stands; but one that differs from that of the peer with the lowest id may be changed to match
it, so that applications that did not agree can.
"""

from typing import TYPE_CHECKING, Any

from retick.errors import NotSynchronized, UsageError
from retick.rollback.events import RematchProposed
from retick.rollback.match.match import Match
from retick.rollback.session.messages.agreement import Wishes, is_order
from retick.rollback.session.part import SessionPart
from retick.sim.prng import XorShift32

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside


def next_number(match: Match) -> int:
    """The number of the match to come, as packets have it."""
    return (match.number + 1) % 256


def begin_next(session: "SessionInside", match: Match, seed: int, state: Any = None) -> None:
    """Follow ``match`` by another, with the session's present seats; nobody plays the others."""
    for part in session.parts:
        part.match_ending(match)
    taken = {player for peer in session.players_peers() for player in peer.players} | set(session.local_players)
    free = [player for player in range(session.sim.num_players) if player not in taken]
    session.membership.start_over(free)
    session.match_count = (session.match_count + 1) % (1 << 32)
    session.start(seed, number=next_number(match), state=state, free=free)


class Rematch(SessionPart):
    """What this peer's application wants, and how seats are given out again."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self.wanted: tuple[int, ...] | None = None
        """The order of seats that the application wants, empty for the usual one; None if it wants no rematch."""

    def propose(self, seats: tuple[int, ...] = ()) -> None:
        """Propose to play again, as this peer's application wants; ``seats`` are the new ones of seats 0, 1 ..."""
        match = self._match
        if match.joins_at is None:
            raise NotSynchronized("a rematch can be proposed once the seat here is taken")
        self._check(seats)
        if self.wanted is not None and seats != self.wanted and self._leader() != seats:
            raise UsageError(f"a rematch with the seats {self.wanted} was proposed already, and stands")
        self.wanted = seats
        self._session.is_quiet = False

    def _check(self, seats: tuple[int, ...]) -> None:
        players = self._session.sim.num_players
        if seats and (len(seats) != players or not is_order(seats)):
            raise UsageError(f"the new seats must be each of 0 to {players - 1} once, not {seats}")

    def _leader(self) -> tuple[int, ...] | None:
        """What the other peer with the lowest id proposes, if that id is below our own."""
        session = self._session
        others = [peer.peer_id for peer in session.players_peers() if peer.peer_id < session.peer_id]
        wishes = session.membership.wishes.get(min(others)) if others else None
        return None if wishes is None else wishes.rematch

    def note_wishes(self, before: dict[int, Wishes]) -> None:
        """Report what others propose since the last decision."""
        for peer_id, wishes in self._session.membership.wishes.items():
            is_new = wishes.rematch is not None and wishes.rematch != before.get(peer_id, Wishes()).rematch
            if is_new and peer_id != self._session.peer_id:
                self._session.tell(RematchProposed(peer=peer_id, seats=wishes.rematch or ()))

    def _moved(self, groups: list[tuple[int, ...]], seats: tuple[int, ...]) -> dict[tuple[int, ...], tuple[int, ...]]:
        """The new seats of each group: as proposed; or the last one comes to the front, and all move on."""
        if seats:
            return {group: tuple(sorted(seats[player] for player in group)) for group in groups}
        order, in_turn = sorted(groups), iter(range(self._session.sim.num_players))
        return {players: tuple(next(in_turn) for _ in players) for players in (order[-1], *order[:-1])}

    def begin(self, match: Match, wanted: tuple[int, ...]) -> None:
        """Give out the seats again, and begin. A seat that nobody plays moves on as well."""
        session = self._session
        if len(wanted) not in (0, session.sim.num_players):
            return
        peers = {peer.players: peer for peer in session.players_peers()}
        taken = [*peers, session.local_players]
        empty = set(range(session.sim.num_players)) - {player for players in taken for player in players}
        moved = self._moved([*taken, *((player,) for player in empty)], wanted)
        session.returns.move(
            {old: new for group, seats in moved.items() for old, new in zip(group, seats, strict=True)}
        )
        session.local_players = moved[session.local_players]
        for players, peer in peers.items():
            peer.players = moved[players]
        seed, _ = XorShift32(match.seed).next()
        begin_next(session, match, seed)

    def match_begun(self, match: Match) -> None:
        self.wanted = None
