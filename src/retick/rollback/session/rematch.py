"""Playing again on the same links, with seats moved on by one machine."""

from typing import TYPE_CHECKING

from retick.errors import InvalidValue, NotSynchronized
from retick.rollback.events import RematchProposed
from retick.rollback.match.match import Match
from retick.rollback.session import messages as wire
from retick.rollback.session.peer import Peer, Role
from retick.rollback.session.transition import Turnover, begin_next, is_settled, next_number
from retick.sim.prng import XorShift32

if TYPE_CHECKING:
    from retick.rollback.session.session import RollbackSession

__all__ = ["Rematch"]


class Rematch(Turnover):
    """Who has proposed the next match; it begins when every machine has."""

    def __init__(self, session: "RollbackSession") -> None:
        self._session = session
        self._willing: dict[int, int] = {}
        """Machines, and the number of the match that each has proposed."""
        session.departures.parts.append(self)

    def propose(self, match: Match) -> None:
        if match.joins_at is None:
            raise NotSynchronized("a rematch can be proposed once the seat here is taken")
        if self._willing.get(self._session.number) != next_number(match):
            self._willing[self._session.number] = next_number(match)
            for peer in self._session.players_peers():
                self._say(peer, match)
        self.settled(match)

    def _say(self, peer: Peer, match: Match) -> None:
        peer.send(wire.encode_number(wire.REMATCH, next_number(match)))

    def proposed(self, peer: Peer, number: int, match: Match) -> None:
        if peer.role is Role.SPECTATOR:
            raise InvalidValue("a rematch that a spectator proposes")
        ahead = (number - match.number) % 256
        # Two ahead: it has begun the next match already, for which we still wait for somebody's word.
        if ahead not in (1, 2) or self._willing.get(peer.number) == number:
            return
        self._willing[peer.number] = number
        self._session.tell(RematchProposed(peer=peer.number))
        self.settled(match)

    def came(self, newcomer: Peer, match: Match) -> None:
        if self._willing.get(self._session.number) == next_number(match):
            self._say(newcomer, match)
        self.settled(match)

    def settled(self, match: Match) -> None:
        if is_settled(self._session) and self._is_wanted(match):
            self._begin(match)

    def _is_wanted(self, match: Match) -> bool:
        session = self._session
        machines = [session.number, *(peer.number for peer in session.players_peers())]
        # Who proposes the one after it has begun the next already.
        wanted = {next_number(match), (match.number + 2) % 256}
        return session.match is match and all(self._willing.get(each) in wanted for each in machines)

    def _begin(self, match: Match) -> None:
        session = self._session
        machines = {peer.number: peer.players for peer in session.players_peers()}
        machines[session.number] = session.local_players
        lost = session.departures.carried_over()
        machines |= lost
        order = sorted(machines)
        seats = iter(range(session.sim.num_players))
        # The last machine moves to the front, and seats are given out anew in that order.
        for number in (order[-1], *order[:-1]):
            players = tuple(next(seats) for _ in machines[number])
            if number == session.number:
                session.local_players = players
            elif number in lost:
                lost[number] = players
            else:
                session.peers[number].players = players
        seed, _ = XorShift32(match.seed).next()
        begin_next(session, match, lost, seed)
