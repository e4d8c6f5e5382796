"""Sends and receives states: for newcomers, for spectators, and to continue after a desync.

Theory of operation. A state is announced first, in a WELCOME or a statement, with its packed size and the game's
checksum of it. Its chunks follow in order, each with its offset, as fast as the link has room for them: short messages
always fit in between. The receiver checks the size before it keeps anything, each chunk as it comes, and at the end
unpacks the state and compares its checksum. Anything wrong with a peer's bytes is that peer's fault: it is an
InvalidValue, even if the game's own ``unpack_state`` raises something else. A state that is too large to send is the
game's fault: a UsageError on the side that has it.
"""

from typing import Any

from retick.errors import InvalidValue, UsageError
from retick.rollback.session.messages.join import (
    LARGEST_STATE,
    Chunk,
    StateHeader,
    check_header,
    decode_chunk,
    encode_chunk,
)
from retick.rollback.session.peer import Peer

CHUNK = 4096
"""The most bytes of a state in one message."""


class PackedState:
    """A state of this peer, packed for sending."""

    __slots__ = ("data", "header")

    def __init__(self, sim: Any, state: Any) -> None:
        """Pack the state; raises UsageError if it is too large to be sent."""
        self.data: bytes = sim.pack_state(state)
        if len(self.data) > LARGEST_STATE:
            raise UsageError(f"a state of {len(self.data)} bytes cannot be sent: at most {LARGEST_STATE} are allowed")
        self.header = StateHeader(len(self.data), _checksum(sim, state))


class StateSender:
    """Sends one state to any number of peers, to each at the pace of its link."""

    def __init__(self, announcement: bytes, packed: PackedState, match: int = 0) -> None:
        """``announcement`` carries the state's header and goes to each peer first; empty if it was sent before.

        ``match`` is the number of the match that begins with the state; 0 after a WELCOME.
        """
        self._match = match
        self._announcement = announcement
        self._data = packed.data
        self._next: dict[Peer, int] = {}
        """The offset of the next chunk for each peer; -1 before the announcement."""

    def add(self, peer: Peer) -> None:
        """Send the state to this peer too."""
        self._next[peer] = -1 if self._announcement else 0

    def __bool__(self) -> bool:
        """Whether some of the state is still to be sent."""
        return bool(self._next)

    def is_sending_to(self, peer: Peer) -> bool:
        return peer in self._next

    def pump(self) -> None:
        """Send what the links have room for."""
        for peer in list(self._next):
            if not peer.is_connected:
                if peer.connection is None or peer.connection.close_reason is not None:
                    del self._next[peer]
                continue
            while peer in self._next and peer.send_part(self._message(self._next[peer])):
                self._advance(peer)

    def _message(self, offset: int) -> bytes:
        if offset < 0:
            return self._announcement
        return encode_chunk(Chunk(offset, self._data[offset : offset + CHUNK], self._match))

    def _advance(self, peer: Peer) -> None:
        # An empty state is one empty chunk, so that its receiver knows the end.
        offset = self._next[peer]
        self._next[peer] = 0 if offset < 0 else offset + CHUNK
        if offset >= 0 and self._next[peer] >= len(self._data):
            del self._next[peer]


class StateReceiver:
    """Receives one state from one peer."""

    def __init__(self, sim: Any, header: StateHeader) -> None:
        self.header = check_header(header)
        self.packed = b""
        """The state as the game packs it, once it is complete."""
        self.state: Any = None
        """The state, once ``is_complete``."""
        self.is_complete = False
        self._sim = sim
        self._chunks = bytearray()

    def receive(self, message: bytes) -> bool:
        """Receive a STATE message; True if it completes the state. Raises InvalidValue if the sender is at fault."""
        offset, chunk, _ = decode_chunk(message)
        if self.is_complete or offset != len(self._chunks) or not (chunk or self.header.size == 0):
            raise InvalidValue(f"a chunk of a state at {offset}, where {len(self._chunks)} bytes have come")
        if offset + len(chunk) > self.header.size:
            raise InvalidValue(f"{offset + len(chunk)} bytes of a state that was announced with {self.header.size}")
        self._chunks += chunk
        if len(self._chunks) < self.header.size:
            return False
        packed = bytes(self._chunks)
        self._chunks.clear()
        self.state = self._unpack(packed)
        self.packed = packed
        self.is_complete = True
        return True

    def _unpack(self, packed: bytes) -> Any:
        try:
            state = self._sim.unpack_state(packed)
            checksum = _checksum(self._sim, state)
        except Exception as error:  # whatever the game raises for these bytes, the peer that sent them is at fault
            raise InvalidValue(f"a state that the game cannot unpack: {error!r}") from error
        if checksum != self.header.checksum:
            raise InvalidValue(f"a state with checksum {checksum}, announced with {self.header.checksum}")
        return state


def _checksum(sim: Any, state: Any) -> int:
    return int(sim.checksum(state)) & 0xFFFFFFFF
