"""Going on after a desync: everyone takes over one machine's state, and a new match begins from there.

Every application that wants to go on names the same machine. That one sends its newest final state; each machine that
has the state and whose application agreed says so, and when all have, the match goes on from it under the next match
number. A machine that does not agree keeps the others waiting until it leaves.
"""

from typing import TYPE_CHECKING, Any

from retick.errors import DecodeError, InvalidValue, UsageError
from retick.rollback import membership as wire
from retick.rollback.match import Match
from retick.rollback.outbox import Outbox
from retick.rollback.peer import Peer
from retick.sim.contract import PacksState

if TYPE_CHECKING:
    from retick.rollback.session import RollbackSession

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


class Resync:
    """The part of a session that restarts a match from one machine's state."""

    def __init__(self, session: "RollbackSession") -> None:
        self._session = session
        self._source: int | None = None
        self._offers: dict[int, _Offer] = {}
        self._willing: dict[int, int] = {}
        """The checksum of the state that each machine is ready to go on from."""
        self._outbox = Outbox()

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
        self._say_when_ready(match)

    def _offer(self, match: Match) -> None:
        state = match.engine.state_at(match.engine.final_state_frame)
        data = self._session.sim.pack_state(state)
        own = self._offers[self._session.number] = _Offer(len(data), self._session.sim.checksum(state) & 0xFFFFFFFF)
        own.state = state
        messages = [wire.encode_resync(_next(match), own.size, own.checksum)]
        messages += [wire.encode_chunk(at, data[at : at + CHUNK]) for at in range(0, len(data), CHUNK)]
        self._outbox.post(self._session.players_peers(), messages)
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
        if number != _next(match) or size > wire.LARGEST_STATE:
            raise InvalidValue(f"a state of {size} bytes for match {number}")
        # Each machine's offer stands for itself: none can get in the way of the one that was named.
        self._offers[peer.number] = _Offer(size, checksum)

    def take_chunk(self, peer: Peer, offset: int, part: bytes, match: Match) -> None:
        offer = self._offers.get(peer.number)
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
        offer.state = state
        if peer.number == self._source:
            self._say_when_ready(match)

    def ready(self, peer: Peer, number: int, checksum: int, match: Match) -> None:
        """Another machine would go on, from the state with this checksum."""
        if number == _next(match):
            self._willing[peer.number] = checksum
            self._start_when_agreed(match)

    def _say_when_ready(self, match: Match) -> None:
        """We have agreed and have the state of the machine that we named."""
        offer = self._named()
        if offer is None:
            return
        self._willing[self._session.number] = offer.checksum
        for peer in self._session.players_peers():
            peer.send(wire.encode_numbered(wire.RESYNCED, _next(match), offer.checksum))
        self._start_when_agreed(match)

    def _named(self) -> _Offer | None:
        """The state of the machine that we named, once it is whole."""
        offer = None if self._source is None else self._offers.get(self._source)
        return None if offer is None or offer.state is None else offer

    def _start_when_agreed(self, match: Match) -> None:
        session = self._session
        everyone = [session.number, *(peer.number for peer in session.players_peers())]
        offer = self._named()
        if offer is None or any(self._willing.get(number) != offer.checksum for number in everyone):
            return
        self.forget()
        session.start(match.seed, _next(match), offer.state)

    def forget(self) -> None:
        """A new match begins."""
        self._source = None
        self._offers = {}
        self._willing = {}
        self._outbox = Outbox()


def _next(match: Match) -> int:
    """The number of the match to come."""
    return (match.number + 1) % 256
