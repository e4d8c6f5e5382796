"""Playing again on the same links, with seats moved on by one machine."""

from typing import TYPE_CHECKING

from retick.rollback import membership as wire
from retick.rollback.events import RematchProposed
from retick.rollback.match import Match
from retick.rollback.peer import Peer
from retick.sim.prng import XorShift32

if TYPE_CHECKING:
    from retick.rollback.session import RollbackSession

__all__ = ["Rematch"]


class Rematch:
    """Who has proposed the next match; it begins when every machine has."""

    def __init__(self, session: "RollbackSession") -> None:
        self._session = session
        self._willing: set[int] = set()

    def propose(self, match: Match) -> None:
        self._willing.add(self._session.number)
        for peer in self._session.players_peers():
            peer.send(wire.encode_number(wire.REMATCH, (match.number + 1) % 256))
        self._start_when_agreed(match)

    def proposed(self, peer: Peer, number: int, match: Match) -> None:
        if number == (match.number + 1) % 256 and peer.number not in self._willing:
            self._willing.add(peer.number)
            self._session.tell(RematchProposed(peer=peer.number))
            self._start_when_agreed(match)

    def _start_when_agreed(self, match: Match) -> None:
        session = self._session
        machines = {peer.number: peer.players for peer in session.players_peers()}
        machines[session.number] = session.local_players
        if not self._willing >= set(machines) or session.gone:
            return
        self._willing = set()
        order = sorted(machines)
        seats = iter(range(session.sim.num_players))
        # The last machine moves to the front, and seats are given out anew in that order.
        for number in (order[-1], *order[:-1]):
            players = tuple(next(seats) for _ in machines[number])
            if number == session.number:
                session.local_players = players
            else:
                session.peers[number].players = players
        seed, _ = XorShift32(match.seed).next()
        session.start(seed, (match.number + 1) % 256)
