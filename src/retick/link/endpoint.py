# cython: nonecheck=True
"""The endpoint: many connections behind the five calls, dialled and accepted (a compiled kernel).

Nothing is kept for an address before it has returned a cookie that only it can have received. Datagrams are checked
whole, then acted on; what is not good is counted and forgotten. Connections that have something to send stand on a
list, those that wait for a time in a heap whose early entries renew themselves: no call walks over all connections.
"""

from collections.abc import Callable, Hashable
from heapq import heappop, heappush
from hmac import compare_digest
from typing import Any

from retick.errors import InvalidValue, UsageError
from retick.link import handshake
from retick.link.accepting import Acceptor
from retick.link.config import Accept, LinkConfig, Refuse
from retick.link.control import ENVELOPE
from retick.link.dialling import Dialling
from retick.link.events import AddressChanged, LinkEvent
from retick.link.flow import Datagrams
from retick.link.handshake import ACCEPT, COOKIE, HELLO, REFUSE, REQUEST
from retick.link.lane import Octets, Seconds
from retick.link.proof import CookieJar, path_proof
from retick.link.reasons import DROPS, Reason
from retick.link.terms import Request, State

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING
    from cython.cimports.libc.math import INFINITY as NEVER
    from cython.cimports.retick.link.connection import Connection
    from cython.cimports.retick.link.control import PROOF, PROVE
    from cython.cimports.retick.link.lane import Board
    from cython.cimports.retick.link.terms import CLOSED
    from cython.cimports.retick.wire.words import load_le16, load_le32
else:
    from retick.link.connection import Connection
    from retick.link.control import PROOF, PROVE
    from retick.link.lane import Board

    NEVER = float("inf")
    CLOSED = int(State.CLOSED)

__all__ = ["LinkEndpoint"]

_PROOF_SIZE = 13
_CHALLENGE_INTERVAL = 0.1


def _admit_all(request: Request) -> Accept | Refuse:
    return Accept()


@cython.cclass
class LinkEndpoint(Board):
    """Dials, accepts, and answers the five calls."""

    if not cython.compiled:
        _latest: Connection | None
        _replies: Datagrams
        connections: dict[int, Connection]
        _due: float | None
        _due_at: float
        _is_due_known: bool
        _heap: list[tuple[float, int, Connection]]
        _pushed: int
        _entropy: Callable[[int], bytes]
        _jar: CookieJar
        _acceptor: Acceptor
        _dialled: dict[bytes, Connection]

    @cython.annotation_typing(False)
    def __init__(
        self,
        config: LinkConfig | None = None,
        *,
        entropy: Callable[[int], bytes],
        secret: bytes | None = None,
        admit: Callable[[Request], Accept | Refuse] | None = None,
        on_payload: Callable[[Connection, bytes, float], None] | None = None,
    ) -> None:
        """``entropy(n)`` gives n random bytes: os.urandom, or a seeded generator's in a test.

        ``secret`` is the key of cookies, drawn from ``entropy`` when not given. ``admit`` is asked about each request
        from a proven address that meets the terms; without it all are taken. ``on_payload`` is given each payload, and
        the time, within receive_datagram: no UnreliableReceived is then made, and none has to be read.
        """
        super().__init__(config or LinkConfig(), dict.fromkeys(DROPS, 0), on_payload)
        self.connections = {}
        """All that are not closed, by their local id."""
        self._latest = None
        """The one that had the last datagram, and mostly has the next: found without a look at ``connections``."""
        self._entropy = entropy
        self._jar = CookieJar(secret if secret is not None else entropy(32))
        self._acceptor = Acceptor(self, self._jar, admit or _admit_all)
        self._dialled = {}
        self._replies = []
        self._heap = []
        self._pushed = 0
        self._is_due_known = True
        """Whether the two below are the heap's earliest time."""
        self._due = None
        self._due_at = NEVER

    @cython.annotation_typing(False)
    def dial(self, address: Hashable, *, seats: int = 1, data: bytes = b"") -> Connection:
        """Ask for a connection: Connected, Refused or Disconnected follows. The other application gets ``data``."""
        if not 0 <= seats <= 255:
            raise UsageError(f"seats are 0 to 255, not {seats}")
        if len(data) > handshake.MAX_APPLICATION_DATA:
            raise UsageError(f"a dial carries at most {handshake.MAX_APPLICATION_DATA} bytes of data, not {len(data)}")
        if len(self.connections) >= self.config.max_connections:
            raise UsageError(f"there are {self.config.max_connections} connections already")
        nonce = self._entropy(8)
        connection = Connection(self, address, self._new_id(), nonce)
        share = int.from_bytes(self._entropy(8), "little")
        connection._dialling = Dialling(self, connection, share=share, seats=seats, data=bytes(data))
        self.connections[connection.local_id] = connection
        self._dialled[nonce] = connection
        connection._soil()
        return connection

    @cython.annotation_typing(False)
    def close(self, reason: int = Reason.SHUTDOWN, text: str = "", *, linger: float = 0.0) -> None:
        """Close every connection. The endpoint must still be driven until each has said its goodbye."""
        for connection in list(self.connections.values()):
            connection.close(reason, text, linger=linger)

    # The five calls.

    def receive_datagram(self, data: Octets, address: Hashable, *, now: Seconds) -> None:
        self.take(data, address, now)

    def datagrams_to_send(self, *, now: float) -> Datagrams:
        return self.drain(now)

    def take(self, data: Any, address: Any, told: Any) -> None:
        """``receive_datagram``, for the kernels; ``on_payload`` gets the time as it was ``told``, and no copy of it."""
        packet: bytes = data if type(data) is bytes else bytes(memoryview(data))
        now: cython.double = told
        if now > self._now:
            self._now = now
        kind: cython.int
        connection_id: cython.uint
        sequence: cython.int
        ack: cython.int
        if 8 <= len(packet) <= 1472:
            if cython.compiled:
                head: cython.p_uchar = cython.cast(cython.p_uchar, PyBytes_AS_STRING(packet))
                kind = head[0]
                connection_id = load_le32(head, 1)
                sequence = load_le16(head, 5)
                ack = head[7]
            else:
                kind, connection_id, sequence, ack = ENVELOPE.unpack_from(packet)
            if 0x80 <= kind < PROVE:
                connection = self._connection_with(connection_id)
                if connection is None:
                    self.dropped["unknown_connection"] += 1
                elif connection.address == address:
                    connection._receive(kind, sequence, ack, packet, now, told)
                else:
                    self._receive_from_elsewhere(connection, sequence, packet, address, now)
                return
        self._receive_rare(packet, address, now)

    def drain(self, now: cython.double) -> Datagrams:
        """``datagrams_to_send``, for the kernels."""
        if now > self._now:
            self._now = now
        out = self._replies
        self._replies = []
        if self._dirty:
            dirty = self._dirty
            self._dirty = []
            connection: Connection
            for connection in dirty:
                connection._drain(now, out)
        return out

    def next_timeout(self) -> float | None:
        if self._dirty or self._replies:
            return self._now
        if not self._is_due_known:
            self._find_due()
        return self._due

    def handle_timeout(self, *, now: float) -> None:
        if now > self._now:
            self._now = now
        if not self._is_due_known:
            self._find_due()
        if now < self._due_at:
            return
        self._is_due_known = False
        heap = self._heap
        connection: Connection
        while heap and heap[0][0] <= now:
            time, _, connection = heappop(heap)
            if time == connection._armed:
                connection._armed = NEVER
                if connection._deadline() <= now:
                    connection._on_time(now)
                if not connection._is_dirty:
                    self._arm(connection, connection._deadline())

    def events(self) -> list[LinkEvent]:
        events = self._events
        self._events = []
        if self._unread:
            read = self._unread
            self._unread = []
            connection: Connection
            for connection in read:
                connection._was_read(self._now)
        return events

    @property
    def has_events(self) -> bool:
        """Whether ``events`` would return any."""
        return bool(self._events)

    # For connections.

    def _connection_with(self, connection_id: cython.uint) -> "Connection | None":
        latest = self._latest
        if latest is not None and latest.local_id == connection_id:
            return latest
        self._latest = self.connections.get(connection_id)
        return self._latest

    def _find_due(self) -> None:
        """Drop entries of the heap that were renewed; the earliest that was not is what is due next."""
        heap = self._heap
        while heap and heap[0][0] != heap[0][2]._armed:
            heappop(heap)
        self._due = heap[0][0] if heap else None
        self._due_at = heap[0][0] if heap else NEVER
        self._is_due_known = True

    def _arm(self, connection: Connection, time: float) -> None:
        if time < connection._armed and connection._state != CLOSED:
            connection._armed = time
            self._is_due_known = False
            self._pushed += 1
            heappush(self._heap, (time, self._pushed, connection))

    def _reply(self, data: bytes, address: Hashable) -> None:
        self._replies.append((data, address))

    def _forget(self, connection: Connection) -> None:
        self.connections.pop(connection.local_id, None)
        self._latest = None
        connection._armed = NEVER
        self._is_due_known = False
        self._dialled.pop(connection._nonce, None)
        self._acceptor.forget(connection)

    def _begin_again(self, connection: Connection) -> int:
        """Ask for a new cookie, under a new nonce, so that late answers to the old one are not mistaken.

        Returns a new share of the seed.
        """
        del self._dialled[connection._nonce]
        connection.state = State.REQUESTING
        connection._nonce = self._entropy(8)
        self._dialled[connection._nonce] = connection
        return int.from_bytes(self._entropy(8), "little")

    def _new_id(self) -> int:
        while True:
            found = int.from_bytes(self._entropy(4), "little")
            if found and found not in self.connections:
                return found

    # Handshakes and addresses: what happens seldom.

    def _receive_rare(self, data: bytes, address: Hashable, now: float) -> None:
        kind = data[0] if data else 0
        reader = {
            REQUEST: self._acceptor.receive_request,
            COOKIE: self._receive_answer,
            HELLO: self._acceptor.receive_hello,
            ACCEPT: self._receive_answer,
            REFUSE: self._receive_answer,
            PROVE: self._receive_proving,
            PROOF: self._receive_proving,
        }.get(kind)
        if reader is None:
            self.dropped["malformed" if 0x80 <= kind < PROVE else "unknown_kind"] += 1
            return
        try:
            reader(data, address, now)
        except InvalidValue:
            self.dropped["malformed"] += 1

    def _receive_answer(self, data: bytes, address: Hashable, now: float) -> None:
        """COOKIE, ACCEPT and REFUSE: for the dialler with that nonce, from the address it dialled."""
        nonce = bytes(data[5:13])
        connection = self._dialled.get(nonce)
        if connection is None or connection.address != address:
            self.dropped["unexpected"] += 1
            return
        dialling = connection._dialling
        if data[0] == REFUSE:
            _, reason, text = handshake.decode_refuse(data)
            if dialling is not None:
                dialling.take_refusal(reason, text)
                return
        elif data[0] == COOKIE:
            _, cookie, committed = handshake.decode_cookie(data)
            if dialling is not None and dialling.take_cookie(cookie, committed, now):
                return
        else:
            answer = handshake.decode_accept(data)
            if dialling is not None and dialling.take_acceptance(answer, now):
                return
            if connection.is_connected:
                connection._status_at = now
                connection._soil()
        self.dropped["unexpected"] += 1

    def _receive_from_elsewhere(
        self, connection: Connection, sequence: int, data: bytes, address: Hashable, now: float
    ) -> None:
        """Known id, another address: nothing is taken from it, but it may prove itself."""
        self.dropped["unproven_address"] += 1
        is_due = now >= connection._challenged_at + _CHALLENGE_INTERVAL
        if not is_due or not connection.is_connected or len(data) < _PROOF_SIZE:
            return
        if connection._flow.is_newer(sequence):
            connection._challenged_at = now
            challenge = self._jar.challenge(connection.local_id, address, now)
            self._reply(bytes((PROVE,)) + connection.remote_id.to_bytes(4, "little") + challenge, address)

    def _receive_proving(self, data: bytes, address: Hashable, now: float) -> None:
        if len(data) != _PROOF_SIZE:
            raise InvalidValue("PROVE and PROOF have 13 bytes")
        connection = self.connections.get(int.from_bytes(data[1:5], "little"))
        if connection is None:
            self.dropped["unknown_connection"] += 1
            return
        proof = bytes(data[5:])
        if not connection.is_connected:
            self.dropped["unexpected"] += 1
        elif data[0] == PROVE:
            if connection.address != address:
                self.dropped["bad_proof"] += 1
                return
            answer = path_proof(connection._path_key, proof)
            self._reply(bytes((PROOF,)) + connection.remote_id.to_bytes(4, "little") + answer, address)
        else:
            self._take_proof(connection, proof, address, now)

    def _take_proof(self, connection: Connection, proof: bytes, address: Hashable, now: float) -> None:
        wanted = self._jar.challenges(connection.local_id, address, now)
        if not any(compare_digest(proof, path_proof(connection._path_key, c)) for c in wanted):
            self.dropped["bad_proof"] += 1
        elif connection.address != address:
            old, connection.address = connection.address, address
            self._events.append(AddressChanged(connection=connection, old=old, new=address))
