# cython: nonecheck=True
"""The endpoint: many connections, dialled and accepted, behind the five calls (a compiled kernel).

Nothing is stored for an address before it has returned a cookie that only it can have received. A datagram is checked
completely before anything changes; a bad one is dropped and counted. Connections with something to send are on a list,
those waiting for a time are in a heap. When a heap entry comes up too early, it is pushed again with the right time.
So no call loops over all connections.
"""

from collections.abc import Callable, Hashable
from heapq import heappop, heappush

from retick.errors import InvalidValue, UsageError
from retick.link.address_proof import AddressProof
from retick.link.config import LinkConfig
from retick.link.connection import Datagram, Octets, Seconds
from retick.link.events import LinkEvent
from retick.link.handshake import acceptor, packets
from retick.link.handshake.acceptor import Acceptor
from retick.link.handshake.cookies import CookieJar
from retick.link.handshake.dialler import MOST_UNANSWERED, UNANSWERED_RATE, Answers, Wanted
from retick.link.handshake.strangers import RateBudget, Refusals
from retick.link.layout import (
    ACCEPT,
    CLAIM,
    COOKIE,
    HELLO,
    MAX_APPLICATION_DATA,
    MAX_SEATS_WANTED,
    MAX_TOKEN,
    PROOF,
    REFUSE,
    REQUEST,
    SEALED_VERSION,
    VERSION,
    State,
)
from retick.link.packets import ENVELOPE
from retick.link.reasons import DROPS, Reason
from retick.link.request import Accept, Refuse, Request

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING
    from cython.cimports.libc.math import INFINITY as NEVER
    from cython.cimports.retick.link.connection import Connection, EndpointCore
    from cython.cimports.retick.link.layout import CLOSED, ENVELOPE_SIZE, MAX_DATAGRAM, PAYLOAD, PROVE, SEALED_KINDS_END
    from cython.cimports.retick.wire.bits import load_le16, load_le32
else:
    from retick.link.connection import Connection, EndpointCore
    from retick.link.layout import ENVELOPE_SIZE, MAX_DATAGRAM, PAYLOAD, PROVE, SEALED_KINDS_END

    NEVER = float("inf")
    CLOSED = int(State.CLOSED)


def _admit_all(request: Request) -> Accept | Refuse:
    return Accept()


@cython.cclass
class LinkEndpoint(EndpointCore):
    """Dials and accepts connections, and answers the five calls."""

    _latest: Connection | None
    _kinds_end: cython.int  # readonly
    _version: cython.int  # readonly
    _replies: list[Datagram]  # public
    connections: dict[int, Connection]  # readonly
    _due: "float | None"
    _due_at: cython.double
    _is_due_known: cython.bint
    _heap: list[tuple[float, int, Connection]]  # readonly
    _heap_pushes: cython.longlong  # readonly
    _entropy: Callable[[int], bytes]  # readonly
    _acceptor: Acceptor  # readonly
    _address_proof: AddressProof  # readonly
    _by_nonce: dict[bytes, Connection]  # readonly
    _unanswered: RateBudget  # readonly
    _readers: dict[int, Callable[[bytes, Hashable, float], None]]  # readonly
    __weakref__: object

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
        """``entropy(n)`` returns n random bytes: os.urandom, or in tests a seeded generator.

        ``secret`` is the key of cookies, by default drawn from ``entropy``. ``admit`` decides on each request from a
        proven address whose settings fit; by default all are accepted. ``on_payload`` is called within receive_datagram
        with each payload and the time, instead of an UnreliableReceived event.
        """
        super().__init__(config or LinkConfig(), dict.fromkeys(DROPS, 0), on_payload)
        self.connections = {}
        """All connections that are not closed, by local id."""
        self._latest = None
        """The connection of the last datagram, often also the next one's: it saves a look into ``connections``."""
        self._entropy = entropy
        jar = CookieJar(secret if secret is not None else entropy(32))
        self._kinds_end = SEALED_KINDS_END if self.config.sealed else PROVE
        """Kinds from PAYLOAD up to this one have an envelope."""
        self._version = SEALED_VERSION if self.config.sealed else VERSION
        self._acceptor = acceptor.make_acceptor(self, jar, admit or _admit_all)
        self._address_proof = AddressProof(self, jar)
        self._by_nonce = {}
        """Dialled connections by the nonce of their handshake."""
        self._unanswered = RateBudget(UNANSWERED_RATE, 0.0, most=MOST_UNANSWERED)
        """The budget of REQUESTs to addresses that this endpoint only heard of."""
        answers = Answers(self)
        self._readers = {
            REQUEST: self._acceptor.receive_request,
            COOKIE: answers.receive_cookie,
            HELLO: self._acceptor.receive_hello,
            ACCEPT: answers.receive_accept,
            REFUSE: answers.receive_refuse,
        }
        """The method for each kind of handshake and address proof."""
        if not self.config.sealed:
            self._readers[PROVE] = self._address_proof.receive_prove
            self._readers[PROOF] = self._address_proof.receive_proof
            self._readers[CLAIM] = self._address_proof.receive_claim
        self._replies = []
        self._heap = []
        self._heap_pushes = 0
        """Keeps heap entries of the same time in order."""
        self._is_due_known = True
        """Whether the next two attributes hold the heap's earliest time."""
        self._due = None
        self._due_at = NEVER

    @cython.annotation_typing(False)
    def dial(
        self, address: Hashable, *, seats: int = 1, data: bytes = b"", token: bytes = b"", heard_of: bool = False
    ) -> Connection:
        """Dial a peer: Connected, Refused or Disconnected follows. The peer's application gets ``data``, and ``token``,
        which requires the server's key to be known (``LinkConfig.server_key``).

        ``heard_of``: the address comes from a third peer, and whoever is there may not want to be asked. Until there is
        an answer, requests are fewer and smaller.
        """
        if not 0 <= seats <= MAX_SEATS_WANTED:
            raise UsageError(f"seats are 0 to {MAX_SEATS_WANTED}, not {seats}")
        if len(data) > MAX_APPLICATION_DATA:
            raise UsageError(f"a dial carries at most {MAX_APPLICATION_DATA} bytes of data, not {len(data)}")
        if len(token) > MAX_TOKEN or (token and self.config.server_key is None):
            raise UsageError(f"a token has at most {MAX_TOKEN} bytes and needs LinkConfig(server_key=...)")
        if len(self.connections) >= self.config.max_connections:
            raise UsageError(f"there are {self.config.max_connections} connections already")
        nonce = self._entropy(8)
        connection = Connection(self, address, self._new_id(), nonce)
        share = int.from_bytes(self._entropy(8), "little")
        wanted = Wanted(seats=seats, data=bytes(data), token=bytes(token))
        connection._dialler = acceptor.make_dialler(self, connection, share, wanted, heard_of)
        self.connections[connection.local_id] = connection
        self._by_nonce[nonce] = connection
        connection._want_to_send()
        return connection

    @cython.annotation_typing(False)
    def close(self, reason: int = Reason.SHUTDOWN, text: str = "", *, linger: float = 0.0) -> None:
        """Close all connections. Keep driving the endpoint until each has sent its goodbye."""
        for connection in list(self.connections.values()):
            connection.close(reason, text, linger=linger)

    @cython.annotation_typing(False)
    def ban(self, address: Hashable, *, fingerprint: str | None = None) -> None:
        """Refuse every request from this host from now on: from its IPv4 address or /64 network, any port.

        With a ``fingerprint``, also refuse that lasting key, from any address and whoever dials.
        """
        self._acceptor.limits.ban(address)
        if fingerprint is not None:
            self._acceptor.limits.ban_key(fingerprint)

    @property
    def refusals(self) -> Refusals:
        """The recent refusals of this endpoint, with their reasons."""
        found: Refusals = self._acceptor.refusals
        return found

    # The five calls.

    def receive_datagram(self, data: Octets, address: Hashable, *, now: Seconds) -> None:
        self.receive(data, address, now)

    def datagrams_to_send(self, *, now: float) -> list[Datagram]:
        return self.drain(now)

    @cython.ccall
    def receive(self, data: Octets, address: Hashable, given_now: Seconds) -> None:
        """``receive_datagram`` for other kernels; ``on_payload`` gets the object ``given_now``, not a copy."""
        packet: bytes = data if type(data) is bytes else bytes(memoryview(data))
        now: cython.double = given_now
        if now > self._now:
            self._now = now
        kind: cython.int
        connection_id: cython.uint
        sequence: cython.int
        ack: cython.int
        if ENVELOPE_SIZE <= len(packet) <= MAX_DATAGRAM:
            if cython.compiled:
                head: cython.p_uchar = cython.cast(cython.p_uchar, PyBytes_AS_STRING(packet))
                kind = head[0]
                connection_id = load_le32(head, 1)
                sequence = load_le16(head, 5)
                ack = head[7]
            else:
                kind, connection_id, sequence, ack = ENVELOPE.unpack_from(packet)
            if PAYLOAD <= kind < self._kinds_end:
                connection = self._connection_with(connection_id)
                if connection is None:
                    self.dropped["unknown_connection"] += 1
                elif connection._seal is not None:
                    connection._receive_sealed(kind, sequence, ack, packet, address, now, given_now)
                elif connection.address == address:
                    connection._receive(kind, sequence, ack, packet, now, given_now)
                else:
                    self.dropped["unproven_address"] += 1
                return
        self._receive_rare(packet, address, now)

    @cython.ccall
    def drain(self, now: cython.double) -> list[Datagram]:
        """``datagrams_to_send`` for other kernels."""
        if now > self._now:
            self._now = now
        out = self._replies
        self._replies = []
        if self._send_list:
            waiting = self._send_list
            self._send_list = []
            connection: Connection
            for connection in waiting:
                connection._drain(now, out)
        return out

    @cython.ccall
    def next_timeout(self) -> "float | None":
        if self._send_list or self._replies:
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
                    connection._handle_timeout(now)
                if not connection._on_send_list:
                    self._arm(connection, connection._deadline())

    def events(self) -> list[LinkEvent]:
        events = self._events
        self._events = []
        if self._unread_connections:
            read = self._unread_connections
            self._unread_connections = []
            connection: Connection
            for connection in read:
                connection._on_events_read(self._now)
        return events

    @property
    def has_events(self) -> bool:
        """Whether ``events`` would return any."""
        return bool(self._events)

    # Methods for connections and handshakes.

    @cython.cfunc
    def _connection_with(self, connection_id: cython.uint) -> Connection | None:
        latest = self._latest
        if latest is not None and latest.local_id == connection_id:
            return latest
        self._latest = self.connections.get(connection_id)
        return self._latest

    @cython.cfunc
    def _find_due(self) -> None:
        """Remove heap entries that earlier ones replaced; the first that is left is due next."""
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
            self._heap_pushes += 1
            heappush(self._heap, (time, self._heap_pushes, connection))

    def _reply(self, data: bytes, address: Hashable) -> None:
        self._replies.append((data, address))

    def _forget(self, connection: Connection) -> None:
        self.connections.pop(connection.local_id, None)
        self._latest = None
        connection._armed = NEVER
        self._is_due_known = False
        self._by_nonce.pop(connection._nonce, None)
        self._acceptor.forget(connection)

    def _restart_handshake(self, connection: Connection) -> int:
        """Ask for a new cookie under a new nonce, so that late answers to the old one do not count.

        Returns a new share of the seed.
        """
        del self._by_nonce[connection._nonce]
        connection.state = State.REQUESTING
        connection._nonce = self._entropy(8)
        self._by_nonce[connection._nonce] = connection
        return int.from_bytes(self._entropy(8), "little")

    def _offer(self, connection: Connection) -> packets.Offer:
        """This side's offer in HELLO and ACCEPT."""
        config = self.config
        return packets.Offer(
            connection_id=connection.local_id,
            capabilities=config.capabilities,
            required=config.required,
            game_version=config.game_version,
            tick_rate=config.tick_rate,
        )

    def _new_id(self) -> int:
        while True:
            found = int.from_bytes(self._entropy(4), "little")
            if found and found not in self.connections:
                return found

    # Handshakes and address proofs.

    def _receive_rare(self, data: bytes, address: Hashable, now: float) -> None:
        """Receive anything but a datagram of an established connection."""
        kind = data[0] if data else 0
        reader = self._readers.get(kind)
        if reader is None:
            self.dropped["malformed" if PAYLOAD <= kind < self._kinds_end else "unknown_kind"] += 1
            return
        try:
            reader(data, address, now)
        except InvalidValue:
            self.dropped["malformed"] += 1
