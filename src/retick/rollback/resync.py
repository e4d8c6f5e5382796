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


class Resync:
    """The part of a session that restarts a match from one machine's state."""

    def __init__(self, session: "RollbackSession") -> None:
        self._session = session
        self._source: int | None = None
        self._announced: tuple[int, int, int] | None = None
        self._parts = bytearray()
        self._state: Any = None
        self._willing: set[int] = set()
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
        self._state = state
        messages = [wire.encode_resync(match.number + 1, len(data), self._session.sim.checksum(state))]
        messages += [wire.encode_chunk(at, data[at : at + CHUNK]) for at in range(0, len(data), CHUNK)]
        self._outbox.post(self._session.players_peers(), messages)
        self._outbox.pump()

    def pump(self) -> None:
        """Send on of the state what the links take."""
        self._outbox.pump()

    def announced(self, peer: Peer, data: bytes, match: Match) -> None:
        number, size, checksum = wire.decode_resync(data)
        if number != match.number + 1 or size > wire.LARGEST_STATE:
            raise InvalidValue(f"a state of {size} bytes for match {number}")
        self._announced = (peer.number, size, checksum)
        self._parts.clear()

    def take_chunk(self, peer: Peer, offset: int, part: bytes, match: Match) -> None:
        if self._announced is None or self._announced[0] != peer.number or offset != len(self._parts):
            raise InvalidValue("a part of a state that nobody asked for")
        _, size, checksum = self._announced
        if offset + len(part) > size:
            raise InvalidValue("more of a state than was announced")
        self._parts += part
        if len(self._parts) < size:
            return
        try:
            state = self._session.sim.unpack_state(bytes(self._parts))
        except (DecodeError, UsageError) as error:
            raise InvalidValue(f"a state that does not decode: {error}") from error
        if self._session.sim.checksum(state) != checksum:
            raise InvalidValue("a state that does not have its checksum")
        self._state = state
        self._say_when_ready(match)

    def ready(self, peer: Peer, number: int, match: Match) -> None:
        if number == match.number + 1:
            self._willing.add(peer.number)
            self._start_when_agreed(match)

    def _say_when_ready(self, match: Match) -> None:
        """We have agreed and have the state of the machine that we named."""
        named = self._source
        held = named == self._session.number or (self._announced is not None and self._announced[0] == named)
        if named is None or self._state is None or not held:
            return
        self._willing.add(self._session.number)
        for peer in self._session.players_peers():
            peer.send(wire.encode_number(wire.RESYNCED, match.number + 1))
        self._start_when_agreed(match)

    def _start_when_agreed(self, match: Match) -> None:
        session = self._session
        everyone = {session.number, *(peer.number for peer in session.players_peers())}
        if self._state is None or self._source is None or not self._willing >= everyone:
            return
        state = self._state
        self.forget()
        session.start(match.seed, match.number + 1, state)

    def forget(self) -> None:
        """A new match begins."""
        self._source = self._announced = self._state = None
        self._willing = set()
        self._outbox = Outbox()
        self._parts.clear()
