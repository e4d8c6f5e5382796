# cython: nonecheck=True
"""The payload path: sending and receiving unreliable payloads, as short as possible (a compiled kernel).

``PayloadPath`` is the base of ``Connection``, and ``EndpointCore`` is what it needs of the endpoint. For each peer this
code runs sixty times a second in each direction. With hundreds of connections in a process, nothing of one is still in
the processor's caches when its next payload comes; so the path reads few fields of few objects. Everything else happens
about once a second or less, and is behind three calls that ``Connection`` implements.
"""

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, TypeAlias

from retick.errors import EncodeError
from retick.link import sealed_path
from retick.link.config import LinkConfig
from retick.link.events import LinkEvent, UnreliableReceived
from retick.link.sequences import Datagrams
from retick.link.state import State

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize
    from cython.cimports.libc.math import INFINITY as NEVER
    from cython.cimports.retick.link.layout import (
        CONTROL,
        ENVELOPE_SIZE,
        PAYLOAD_DELAY_NONE,
        PAYLOAD_DELAY_RATE,
        TAG_SIZE,
    )
    from cython.cimports.retick.link.sealing.seal import Seal
    from cython.cimports.retick.link.sequences import Sequences
    from cython.cimports.retick.link.state import ACCEPTED, CONNECTED, REQUESTING
else:
    from retick.link.layout import CONTROL, ENVELOPE_SIZE, PAYLOAD_DELAY_NONE, PAYLOAD_DELAY_RATE, TAG_SIZE
    from retick.link.sealing.seal import Seal
    from retick.link.sequences import Sequences

    NEVER = float("inf")
    ACCEPTED, CONNECTED, REQUESTING = int(State.ACCEPTED), int(State.CONNECTED), int(State.REQUESTING)

if TYPE_CHECKING:
    from retick.link.connection import Connection

__all__ = ["EndpointCore", "Octets", "PayloadPath", "Seconds"]

Octets: TypeAlias = bytes | bytearray | memoryview
Seconds: TypeAlias = float
"""A time that is passed on as the object that was given; annotated as float, it would become a C number."""

_STATES = tuple(State)
_UNLIMITED = (1 << 31) - 1
"""Higher limits are stored as this one: it fits a C integer, and no number of payloads reaches it."""


@cython.cclass
class EndpointCore:
    """What connections use of their endpoint: limits, counters, and the lists on which they ask for a turn.

    ``LinkEndpoint`` is the only subclass. The base stands apart because connections are declared before endpoints.
    """

    if not cython.compiled:
        _send_list: "list[Connection]"
        _unread_connections: "list[Connection]"
        _events: list[LinkEvent]
        _now: float
        _on_payload: "Callable[[Connection, bytes, float], None] | None"
        _max_payload: int
        _payload_queue: int
        _unread_limit: int
        _overhead: int
        dropped: dict[str, int]
        config: LinkConfig

    def __init__(
        self,
        config: LinkConfig,
        dropped: dict[str, int],
        on_payload: "Callable[[Connection, bytes, float], None] | None",
    ) -> None:
        self.config = config
        self.dropped = dropped
        """Counts of dropped datagrams and fragments, by reason."""
        self._on_payload = on_payload
        self._overhead = TAG_SIZE if config.sealed else 0
        """Bytes that sealing adds to each datagram."""
        self._max_payload = config.max_datagram - ENVELOPE_SIZE - self._overhead
        self._payload_queue = min(config.payload_queue, _UNLIMITED)
        self._unread_limit = min(config.unread_limit, _UNLIMITED)
        self._send_list = []
        """Connections that have something to send."""
        self._unread_connections = []
        """Connections with events that the application has not read."""
        self._events = []
        self._now = 0.0
        """The latest time that the endpoint was given."""

    def _arm(self, connection: "Connection", time: float) -> None:
        """Call the connection at this time or earlier."""
        raise NotImplementedError

    def _reply(self, data: bytes, address: Hashable) -> None:
        """Send a datagram with the next call of datagrams_to_send."""
        raise NotImplementedError

    def _forget(self, connection: "Connection") -> None:
        """The connection is closed."""
        raise NotImplementedError


@cython.cclass
class PayloadPath:
    """The part of a connection that handles payloads."""

    if not cython.compiled:
        _endpoint: EndpointCore
        _sequences: Sequences
        _seal: Seal | None
        local_id: int
        remote_id: int
        _state: int
        _on_send_list: bool
        _interrupted: bool
        _has_messages: bool
        address: Hashable
        _unread: int
        tag: Any
        _outbox: list[bytes]
        _armed: float
        _ack_at: float
        _status_at: float
        _refused_payloads: int

    def __init__(self, endpoint: EndpointCore, address: Hashable, local_id: cython.uint) -> None:
        self.address = address
        """Where the peer is; may change, see AddressChanged."""
        self.local_id = local_id
        """The connection id on datagrams that arrive here."""
        self.remote_id = 0
        """The connection id on datagrams to the peer."""
        self.tag = None
        """Free for the application."""
        self._endpoint = endpoint
        self._sequences = Sequences(endpoint.dropped, endpoint._overhead)
        self._seal = None
        """The keys of a sealed connection, from its handshake to its end."""
        self._state = REQUESTING
        self._on_send_list = False
        self._interrupted = False
        self._has_messages = False
        """Whether reliable messages wait to be sent or acknowledged."""
        self._unread = 0
        self._outbox = []
        self._refused_payloads = 0
        # Times at which something is due; ``_armed`` is the one that the endpoint's heap has.
        self._armed = NEVER
        self._ack_at = NEVER
        self._status_at = NEVER

    @property
    def state(self) -> State:
        return _STATES[self._state]

    @state.setter
    def state(self, state: State) -> None:
        self._state = int(State(state))

    @property
    def is_connected(self) -> bool:
        return self._state == CONNECTED

    @property
    def has_rtt(self) -> bool:
        """Whether a round-trip time was measured."""
        return self._sequences.round_trip.samples > 0

    @property
    def rtt(self) -> float:
        """Round-trip time in seconds, smoothed; 0 before the first sample."""
        return self._sequences.round_trip.mean

    @property
    def sent(self) -> tuple[int, int]:
        """Datagrams and bytes that were sent: two of the figures in ``stats``, for who asks for no other."""
        return self._sequences.sent, self._sequences.bytes_sent

    def send_unreliable(self, data: Octets) -> cython.bint:
        """Send once, without acknowledgement. False when not connected, or when ``payload_queue`` payloads wait."""
        if self._state != CONNECTED:
            return False
        endpoint = self._endpoint
        # Through a view: a buffer of wider items has a length that is not its number of bytes.
        payload: bytes = data if type(data) is bytes else bytes(memoryview(data))
        if not 0 < len(payload) <= endpoint._max_payload:
            raise EncodeError(f"a payload is 1 to {endpoint._max_payload} bytes, not {len(payload)}")
        if len(self._outbox) >= endpoint._payload_queue:
            self._refused_payloads += 1
            return False
        self._outbox.append(payload)
        if not self._on_send_list:
            self._on_send_list = True
            endpoint._send_list.append(self)  # type: ignore[arg-type]  # every PayloadPath is a Connection
        return True

    def _want_to_send(self) -> None:
        """Ask to be drained in the next call of datagrams_to_send."""
        if not self._on_send_list:
            self._on_send_list = True
            self._endpoint._send_list.append(self)  # type: ignore[arg-type]  # every PayloadPath is a Connection

    def _receive(
        self,
        kind: cython.int,
        sequence: cython.int,
        ack: cython.int,
        data: bytes,
        now: cython.double,
        given_now: Seconds,
    ) -> None:
        """A datagram from the peer's address. ``given_now`` is ``now`` as the object that the endpoint was given."""
        if kind >= CONTROL:
            self._receive_other(kind, sequence, data, now)
            return
        endpoint = self._endpoint
        size: cython.Py_ssize_t = len(data)
        if self._state != CONNECTED and self._state != ACCEPTED:
            endpoint.dropped["unexpected"] += 1
            return
        if size <= ENVELOPE_SIZE:
            endpoint.dropped["malformed"] += 1
            return
        if self._unread >= endpoint._unread_limit:
            endpoint.dropped["unread"] += 1
            return
        payload: bytes
        if cython.compiled:
            payload = PyBytes_FromStringAndSize(PyBytes_AS_STRING(data) + ENVELOPE_SIZE, size - ENVELOPE_SIZE)
        else:
            payload = data[ENVELOPE_SIZE:]
        self._take_payload(kind, sequence, ack, payload, now, given_now)

    def _receive_sealed(
        self,
        kind: cython.int,
        sequence: cython.int,
        ack: cython.int,
        data: bytes,
        address: Hashable,
        now: cython.double,
        given_now: Seconds,
    ) -> None:
        """A datagram for a sealed connection, from any address. Nothing changes before it has opened."""
        endpoint, sequences, seal = self._endpoint, self._sequences, self._seal
        if len(data) < ENVELOPE_SIZE + TAG_SIZE or seal is None:
            endpoint.dropped["malformed"] += 1
            return
        if kind >= CONTROL:
            fault = sealed_path.fault_of(self, kind, address)  # type: ignore[arg-type]  # every PayloadPath is a Connection
            if fault:
                endpoint.dropped[fault] += 1
                return
        elif self._state != CONNECTED:
            endpoint.dropped["unexpected"] += 1
            return
        elif self._unread >= endpoint._unread_limit:
            endpoint.dropped["unread"] += 1
            return
        if not sequences.is_new(sequence):
            return
        body = seal.open(sequences.number_of(sequence), data)
        if body is None:
            endpoint.dropped["bad_seal"] += 1
            return
        if kind >= CONTROL:
            plain = data[:ENVELOPE_SIZE] + body
            sealed_path.receive(self, kind, sequence, plain, address, now)  # type: ignore[arg-type]  # every PayloadPath is a Connection
        elif not body:
            endpoint.dropped["malformed"] += 1
            return
        else:
            self._take_payload(kind, sequence, ack, body, now, given_now)
        if address != self.address:
            sealed_path.on_moved(self, kind, sequence, len(data), address, now)  # type: ignore[arg-type]  # every PayloadPath is a Connection

    def _take_payload(
        self,
        kind: cython.int,
        sequence: cython.int,
        ack: cython.int,
        payload: bytes,
        now: cython.double,
        given_now: Seconds,
    ) -> None:
        """Note a payload whose datagram was checked, and hand it to the application."""
        endpoint, sequences = self._endpoint, self._sequences
        if not sequences.note(sequence, len(payload) + ENVELOPE_SIZE, now):
            return
        delay: cython.int = kind & PAYLOAD_DELAY_NONE
        if delay != PAYLOAD_DELAY_NONE:
            sequences.receive_ack(ack, delay * (1.0 / PAYLOAD_DELAY_RATE), now)
        if self._interrupted or self._state == ACCEPTED:
            self._on_heard(now)
        if endpoint._on_payload is not None:
            endpoint._on_payload(self, payload, given_now)  # type: ignore[arg-type]  # every PayloadPath is a Connection
            return
        if not self._unread:
            endpoint._unread_connections.append(self)  # type: ignore[arg-type]  # every PayloadPath is a Connection
        self._unread += 1
        endpoint._events.append(UnreliableReceived(self, payload))  # type: ignore[arg-type]  # every PayloadPath is a Connection

    def _sealed(self, data: bytes) -> bytes:
        """A datagram as it leaves: called once, right after it was given its number."""
        seal = self._seal
        if seal is None:
            return data
        return seal.seal(self._sequences._out_count, data[:ENVELOPE_SIZE], data[ENVELOPE_SIZE:])

    def _drain(self, now: cython.double, out: Datagrams) -> None:
        """Put everything that is to be sent now on ``out``."""
        self._on_send_list = False
        if self._outbox:
            payloads = self._outbox
            self._outbox = []
            self._sequences.wrap(payloads, self.remote_id, now, self.address, self._seal, out)
            if (
                now < self._status_at
                and now < self._ack_at
                and self._armed != NEVER
                and not self._has_messages
                and self._state == CONNECTED
            ):
                return
        self._drain_rest(now, out)

    # Implemented by Connection; called about once a second or less.

    def _receive_other(self, kind: cython.int, sequence: cython.int, data: bytes, now: cython.double) -> None:
        """A datagram that is not a payload."""
        raise NotImplementedError

    def _on_heard(self, now: cython.double) -> None:
        """The first datagram of a connection, or the first after a silence."""
        raise NotImplementedError

    def _drain_rest(self, now: cython.double, out: Datagrams) -> None:
        """Everything but payloads."""
        raise NotImplementedError
