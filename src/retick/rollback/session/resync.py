"""Going on after a desync: everyone takes over one machine's state, and a new match begins from there.

Every application that wants to go on names the same machine. That one sends its newest final state; each machine that
has the state and whose application agreed says so, and when all have, the match goes on from it under the next match
number. A machine that does not agree keeps the others waiting until it leaves. If the machine that was named leaves,
the match goes on as it was, and another one can be named.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from retick.errors import DecodeError, InvalidValue, UsageError
from retick.rollback.match.match import Match
from retick.rollback.session import messages as wire
from retick.rollback.session.outbox import Outbox
from retick.rollback.session.peer import Peer, Role
from retick.rollback.session.transition import Turnover, begin_next, is_settled, next_number
from retick.sim.contract import PacksState

if TYPE_CHECKING:
    from retick.rollback.session.session import RollbackSession

__all__ = ["Resync"]

CHUNK = 32768


class _Offer:
    """A state that a machine offers, as far as it has come."""

    __slots__ = ("checksum", "parts", "size", "state")

    def __init__(self, size: int, checksum: int) -> None:
        self.size = size
        self.checksum = checksum
        self.parts = bytearray()
        self.state: Any = None


class Resync(Turnover):
    """The part of a session that restarts a match from one machine's state."""

    def __init__(self, session: "RollbackSession") -> None:
        self._session = session
        self._source: int | None = None
        self._offers: dict[tuple[int, int], _Offer] = {}
        """By machine and the number of the match that is to begin."""
        self._willing: dict[int, tuple[int, int]] = {}
        """The number of the match that each machine is ready for, and the checksum of its first state."""
        self._incoming: dict[int, _Offer] = {}
        """What each machine has announced last: parts of a state belong to that."""
        self._outbox = Outbox()
        self._outgoing: list[bytes] = []
        session.departures.parts.append(self)

    def agree(self, machine: int, match: Match) -> None:
        """This machine's application wants to go on from the state of ``machine``."""
        session = self._session
        if not isinstance(session.sim, PacksState):
            raise UsageError("this game's state cannot be sent: it has no pack_state and unpack_state")
        if machine != session.number and machine not in session.peers:
            raise UsageError(f"there is no machine {machine} in this match")
        if self._source is not None:
            raise UsageError(f"machine {self._source} was named already")
        self._source = machine
        match.barrier = match.engine.frame
        if machine == session.number:
            self._offer(match)
        self._say_when_ready(match, session.players_peers())

    def _offer(self, match: Match) -> None:
        state = match.engine.state_at(match.engine.final_state_frame)
        data = self._session.sim.pack_state(state)
        own = _Offer(len(data), self._session.sim.checksum(state) & 0xFFFFFFFF)
        own.state = state
        self._offers[self._session.number, next_number(match)] = own
        self._outgoing = [wire.encode_resync(next_number(match), own.size, own.checksum)]
        self._outgoing += [wire.encode_chunk(at, data[at : at + CHUNK]) for at in range(0, len(data), CHUNK)]
        self._outbox.post(self._session.players_peers(), self._outgoing)
        self._outbox.pump()

    @property
    def is_open(self) -> bool:
        """Whether this machine's application has named a machine, and the next match has not begun."""
        return self._source is not None

    def pump(self) -> None:
        """Send on of the state what the links take."""
        self._outbox.pump()

    def announced(self, peer: Peer, data: bytes, match: Match) -> None:
        number, size, checksum = wire.decode_resync(data)
        if peer.role is Role.SPECTATOR or size > wire.LARGEST_STATE:
            raise InvalidValue(f"a state of {size} bytes from a machine that {peer.role.value}")
        offer = self._incoming[peer.number] = _Offer(size, checksum)
        # Each machine's offer stands for itself: none can get in the way of the one that was named. Two ahead: the next
        # match has begun there. For any other match it comes too late, and its parts are let go.
        if (number - match.number) % 256 in (1, 2):
            self._offers[peer.number, number] = offer

    def take_chunk(self, peer: Peer, offset: int, part: bytes, match: Match) -> None:
        offer = self._incoming.get(peer.number)
        if offer is None or offer.state is not None or offset != len(offer.parts):
            raise InvalidValue("a part of a state that was not announced")
        if offset + len(part) > offer.size:
            raise InvalidValue("more of a state than was announced")
        offer.parts += part
        if len(offer.parts) < offer.size:
            return
        try:
            state = self._session.sim.unpack_state(bytes(offer.parts))
        except (DecodeError, UsageError) as error:
            raise InvalidValue(f"a state that does not decode: {error}") from error
        if self._session.sim.checksum(state) & 0xFFFFFFFF != offer.checksum:
            raise InvalidValue("a state that does not have its checksum")
        offer.state, offer.parts = state, bytearray()
        if peer.number == self._source:
            self._say_when_ready(match, self._session.players_peers())

    def ready(self, peer: Peer, number: int, checksum: int, match: Match) -> None:
        """Another machine would go on, from the state with this checksum."""
        if peer.role is not Role.SPECTATOR and (number - match.number) % 256 in (1, 2):
            self._willing[peer.number] = (number, checksum)
            self._start_when_agreed(match)

    def _say_when_ready(self, match: Match, peers: Iterable[Peer]) -> None:
        """We have agreed and have the state of the machine that we named."""
        offer = self._named(match)
        if offer is None:
            return
        self._willing[self._session.number] = (next_number(match), offer.checksum)
        for peer in peers:
            peer.send(wire.encode_numbered(wire.RESYNCED, next_number(match), offer.checksum))
        self._start_when_agreed(match)

    def _named(self, match: Match) -> _Offer | None:
        """The state of the machine that we named, once it is whole."""
        offer = None if self._source is None else self._offers.get((self._source, next_number(match)))
        return None if offer is None or offer.state is None else offer

    def _start_when_agreed(self, match: Match) -> None:
        session = self._session
        if not is_settled(session):
            return
        everyone = [session.number, *(peer.number for peer in session.players_peers())]
        offer = self._named(match)
        if offer is None or session.match is not match or not all(self._is_willing(n, offer, match) for n in everyone):
            return
        self._source = None
        begin_next(session, match, session.departures.carried_over(), match.seed, offer.state)

    def _is_willing(self, machine: int, offer: _Offer, match: Match) -> bool:
        number, checksum = self._willing.get(machine, (match.number, 0))
        if number == next_number(match):
            return checksum == offer.checksum
        # It is ready for the one after: there the next has begun already.
        return number == (match.number + 2) % 256

    def came(self, newcomer: Peer, match: Match) -> None:
        """One who plays now must hear what we said before it did, and have the state that we offer."""
        if self._source is None:
            return
        match.barrier = match.engine.frame
        if self._source == self._session.number:
            self._outbox.post([newcomer], self._outgoing)
            self._outbox.pump()
        self._say_when_ready(match, [newcomer])

    def settled(self, match: Match) -> None:
        session = self._session
        if self._source is None or session.match is not match:
            return
        lost = self._source != session.number and self._source not in session.peers
        if lost and not session.departures.undecided:
            self._source = None
            self._willing.pop(session.number, None)
            match.barrier = None
            return
        if not lost:
            match.barrier = match.engine.frame
        self._start_when_agreed(match)

    def forget(self) -> None:
        """A new match has begun."""
        match = self._session.match
        number = next_number(match) if match is not None else 0
        self._source = None
        self._incoming = {machine: offer for machine, offer in self._incoming.items() if machine in self._session.peers}
        self._offers = {key: offer for key, offer in self._offers.items() if key[1] == number}
        self._willing = {machine: word for machine, word in self._willing.items() if word[0] == number}
        self._outbox = Outbox()
        self._outgoing = []
