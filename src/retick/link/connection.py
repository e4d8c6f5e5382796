# cython: nonecheck=True
"""One connection: reliable messages, reports, silence, and its end (a compiled kernel).

Contents: round-trip time; the two keys; sequence numbers and acknowledgements; the payload path; the connection itself.

The base class handles payloads; what is here happens about once a second, or once. A connection never reads a clock
and never sends: it is given the time, and puts datagrams on the list that its endpoint gives it.
"""

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, TypeAlias

from retick.errors import EncodeError, InvalidValue, ProtocolViolation, UsageError
from retick.link import sealed_path
from retick.link.address_proof import CLAIM_AFTER, Claims
from retick.link.config import LinkConfig
from retick.link.events import (
    Connected,
    Disconnected,
    Interrupted,
    LinkEvent,
    LinkResumed,
    LinkStats,
    QueueDrained,
    ReliableReceived,
    UnreliableReceived,
    stats_of,
)
from retick.link.goodbye import Goodbye
from retick.link.layout import (
    CONTROL_DELAY_NONE,
    CONTROL_DELAY_RATE,
    ENVELOPE_SIZE,
    FRAGMENT_HEAD_SIZE,
    KEY_LIMIT,
    MAX_REASON,
    State,
)
from retick.link.packets import (
    ENVELOPE,
    Fragment,
    Report,
    decode_bye,
    decode_bye_ack,
    decode_fragments,
    decode_report,
    encode_bye_ack,
    encode_report,
)
from retick.link.reasons import Reason, describe
from retick.link.reliable import MessageReceiver, MessageSender
from retick.link.request import Terms

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
    from cython.cimports.libc.math import INFINITY as NEVER
    from cython.cimports.libc.string import memcpy, memset
    from cython.cimports.retick.link.layout import (
        ACCEPTED,
        BYE,
        BYE_ACK,
        CLOSED,
        CLOSING,
        CONNECTED,
        CONTROL,
        CONTROL_SIZE,
        ENTERING,
        ENVELOPE_SIZE,
        PAYLOAD,
        PAYLOAD_DELAY_NONE,
        PAYLOAD_DELAY_RATE,
        REQUESTING,
        SEEN_WINDOW,
        SEQUENCE_HALF,
        SEQUENCE_MASK,
        TAG_SIZE,
    )
    from cython.cimports.retick.wire.bits import store_le16, store_le32
else:
    from retick.link.layout import (
        BYE,
        BYE_ACK,
        CONTROL,
        CONTROL_SIZE,
        ENVELOPE_SIZE,
        PAYLOAD,
        PAYLOAD_DELAY_NONE,
        PAYLOAD_DELAY_RATE,
        SEEN_WINDOW,
        SEQUENCE_HALF,
        SEQUENCE_MASK,
        TAG_SIZE,
    )

if TYPE_CHECKING:
    from retick.link.handshake.dialler import Dialler

# Round-trip time, its variation, and loss in one direction.
#
# The round-trip time is smoothed as TCP does it: a new sample moves the mean by an eighth of the difference, and the
# variation by a quarter. Loss is counted over intervals of at least 16 datagrams, and smoothed over the last few of
# them.

if not cython.compiled:
    LOSS_INTERVAL = 16  # C constant


@cython.final
@cython.cclass
class RoundTrip:
    """Times in seconds. Before the first sample the mean is 0 and ``samples`` is 0."""

    mean: cython.double  # public
    variation: cython.double  # public
    latest: cython.double  # public
    least: cython.double  # public
    samples: cython.longlong  # public

    def __init__(self) -> None:
        self.samples = 0
        self.mean = 0.0
        self.variation = 0.0
        self.latest = 0.0
        self.least = 0.0

    @cython.ccall
    @cython.exceptval(check=False)
    def add(self, sample: cython.double) -> cython.void:
        if sample < 0.0:
            sample = 0.0
        self.latest = sample
        if self.samples:
            off: cython.double = sample - self.mean
            self.mean += off * 0.125
            self.variation += ((off if off >= 0.0 else -off) - self.variation) * 0.25
            if sample < self.least:
                self.least = sample
        else:
            self.mean = self.least = sample
            self.variation = sample / 2
        self.samples += 1

    @property
    def retransmit_after(self) -> float:
        """Seconds to wait for an answer before sending again; 0.5 before the first sample, never below 0.05."""
        if not self.samples:
            return 0.5
        wait: cython.double = self.mean + 4.0 * self.variation
        return wait if wait > 0.05 else 0.05


@cython.final
@cython.cclass
class LossMeter:
    """Loss in one direction, from two totals: datagrams sent, and datagrams that arrived."""

    rate: cython.double  # public
    sampled: cython.bint  # public
    _sent: cython.longlong  # public
    _arrived: cython.longlong  # public

    def __init__(self) -> None:
        self._sent = 0
        self._arrived = 0
        self.rate = 0.0
        """The smoothed loss, 0 to 1."""
        self.sampled = False

    @cython.ccall
    @cython.exceptval(check=False)
    def update(self, sent: cython.longlong, arrived: cython.longlong) -> cython.void:
        """Update with the totals so far. An interval that is too short waits for the next call."""
        expected: cython.longlong = sent - self._sent
        if expected < LOSS_INTERVAL:
            return
        # The quotient of two C integers would be whole, so one of them is made a double.
        since: cython.double = arrived - self._arrived
        loss: cython.double = 1.0 - since / expected
        loss = min(max(loss, 0.0), 1.0)
        self.rate = self.rate + (loss - self.rate) * 0.25 if self.sampled else loss
        self.sampled = True
        self._sent = sent
        self._arrived = arrived


# The two keys of one connection: they seal outgoing datagrams and open incoming ones.
#
# Knows neither windows nor connections: the caller gives each datagram's number, which ``Sequences`` counts and
# expands. The keys are objects of ``cryptography`` that encrypt and decrypt; this code only builds nonces and joins
# bytes, and imports nothing of it. ::
#
#     0  8  envelope      readable, and the associated data
#     8  n  ciphertext
#        16 tag


Cipher: TypeAlias = Callable[[bytes, bytes, bytes], bytes]
"""Called with nonce, data and associated data."""


@cython.final
@cython.cclass
class Seal:
    """One connection's keys, one for each direction. No ``repr`` shows them, and they cannot be read back."""

    _encrypt: Cipher
    _decrypt: Cipher
    _refusal: type[Exception]
    _nonce: bytes
    _head: bytes

    def __init__(self, encrypt: Cipher, decrypt: Cipher, refusal: type[Exception]) -> None:
        """``refusal`` is the exception that ``decrypt`` raises if a seal does not open."""
        self._encrypt = encrypt
        self._decrypt = decrypt
        self._refusal = refusal
        # The compiled form writes each nonce and envelope into these two objects, which nobody else ever holds.
        if cython.compiled:
            self._nonce = PyBytes_FromStringAndSize(cython.NULL, 12)
            self._head = PyBytes_FromStringAndSize(cython.NULL, ENVELOPE_SIZE)
            memset(PyBytes_AS_STRING(self._nonce), 0, 12)

    @cython.cfunc
    def _nonce_of(self, number: cython.longlong) -> bytes:
        if cython.compiled:
            head: cython.p_uchar = cython.cast(cython.p_uchar, PyBytes_AS_STRING(self._nonce))
            store_le32(head, 4, cython.cast(cython.uint, number))  # the low half: C drops the rest
            store_le32(head, 8, cython.cast(cython.uint, number >> 32))
            return self._nonce
        return bytes(4) + number.to_bytes(8, "little")

    @cython.ccall
    def seal(self, number: cython.longlong, envelope: bytes, body: bytes) -> bytes:
        """Seal a datagram. No number may be used twice."""
        sealed: bytes = self._encrypt(self._nonce_of(number), body, envelope)
        return envelope + sealed

    @cython.ccall
    def open(self, number: cython.longlong, data: bytes) -> bytes | None:
        """Open a datagram; returns its body, or None if it does not open under this number."""
        head: bytes
        sealed: bytes
        if cython.compiled:
            size: cython.Py_ssize_t = PyBytes_GET_SIZE(data)
            if size < ENVELOPE_SIZE:
                return None
            head = self._head
            memcpy(PyBytes_AS_STRING(head), PyBytes_AS_STRING(data), ENVELOPE_SIZE)
            sealed = PyBytes_FromStringAndSize(PyBytes_AS_STRING(data) + ENVELOPE_SIZE, size - ENVELOPE_SIZE)
        else:
            head, sealed = data[:ENVELOPE_SIZE], data[ENVELOPE_SIZE:]
        try:
            return self._decrypt(self._nonce_of(number), sealed, head)
        except self._refusal:
            return None


# Sequence numbers and acknowledgements of one connection: duplicates, round-trip time, loss.
#
# Knows no states and no messages. Datagrams that are sent are counted from 1; the count, modulo 65536, is the sequence.
# Of datagrams that arrive it keeps the newest sequence and which of the 256 up to it were seen, in four words of 64
# bits: bit i of the first is the datagram i before the newest, bit i of the second the one 64 + i before it, and so
# on. The count of the newest is kept too, which is what a seal needs: see ``number_of``.


Datagram: TypeAlias = tuple[bytes, Hashable]
"""A datagram to send, with its address."""
Payload: TypeAlias = bytes

_CONTROL_DELAY_UNIT = 1 / CONTROL_DELAY_RATE
"""The unit of CONTROL's acknowledgement delay, in seconds."""


@cython.cfunc
@cython.inline
def _enveloped(
    kind: cython.uint, connection_id: cython.uint, sequence: cython.uint, ack: cython.uint, payload: bytes
) -> bytes:
    if cython.compiled:
        # One allocation for envelope and payload.
        size: cython.Py_ssize_t = PyBytes_GET_SIZE(payload)
        datagram: bytes = PyBytes_FromStringAndSize(cython.NULL, size + ENVELOPE_SIZE)
        head: cython.p_uchar = cython.cast(cython.p_uchar, PyBytes_AS_STRING(datagram))
        head[0] = kind
        store_le32(head, 1, connection_id)
        store_le16(head, 5, sequence)
        head[7] = ack
        memcpy(head + ENVELOPE_SIZE, PyBytes_AS_STRING(payload), size)
        return datagram
    return ENVELOPE.pack(kind, connection_id, sequence, ack) + payload


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _whole(value: cython.double, most: cython.int) -> cython.int:
    """``value`` without its fraction; ``most`` if it is negative, too large or not a number."""
    if -1.0 < value < most:
        return cython.cast(cython.int, value) if cython.compiled else int(value)
    return most


@cython.final
@cython.cclass
class Sequences:
    """The counters of one connection. Times are in seconds; -1 means never."""

    round_trip: RoundTrip  # readonly
    heard_at: cython.double  # public
    newest_at: cython.double  # public
    _seen: cython.ulonglong  # public
    _seen_64: cython.ulonglong  # public
    _seen_128: cython.ulonglong  # public
    _seen_192: cython.ulonglong  # public
    _expected: cython.longlong  # public
    received: cython.longlong  # public
    bytes_received: cython.longlong  # public
    newest: cython.int  # public
    _last_ack: cython.int  # public
    _out_count: cython.longlong  # public
    bytes_sent: cython.longlong  # public
    overhead: cython.int  # readonly
    dropped: dict[str, int]  # readonly
    _out_acked: cython.longlong  # public
    _peer_received: cython.longlong  # public
    loss_in: LossMeter  # readonly
    loss_out: LossMeter  # readonly
    if cython.compiled:
        _sent_times: cython.double[256]
    else:
        _sent_times: list[float]

    def __init__(self, dropped: dict[str, int], overhead: cython.int = 0) -> None:
        self.dropped = dropped
        self.overhead = overhead
        """Bytes that sealing adds to each datagram."""
        # Sent datagrams.
        self._out_count = 0
        if cython.compiled:
            index: cython.int
            for index in range(256):
                self._sent_times[index] = -1.0
        else:
            self._sent_times = [-1.0] * 256
        self._last_ack = -1
        self._out_acked = 0
        self._peer_received = 0
        self.bytes_sent = 0
        # Received datagrams. Before the first, all older ones count as seen, so that 1 is the first that can be new.
        full: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        self.newest = 0
        """The newest sequence that arrived; 0 before any."""
        self._seen = self._seen_64 = self._seen_128 = self._seen_192 = full
        self._expected = 0
        """The count of the newest datagram: its sequence without the modulo."""
        self.received = 0
        """How many datagrams arrived, without duplicates."""
        self.bytes_received = 0
        self.heard_at = -1.0
        """When the last datagram arrived; a connection sets it to its own start."""
        self.newest_at = -1.0
        """When the newest datagram arrived: the acknowledgement delay counts from here."""
        self.round_trip = RoundTrip()
        self.loss_in = LossMeter()
        self.loss_out = LossMeter()

    @property
    def sent(self) -> int:
        """How many datagrams were sent."""
        return self._out_count

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def is_new(self, sequence: cython.int) -> cython.bint:
        """Whether ``note`` would accept it; False, counted as a drop, if it arrived before or is too old."""
        behind: cython.int = (self.newest - sequence) & SEQUENCE_MASK
        if behind > SEQUENCE_HALF:
            return True
        if behind >= SEEN_WINDOW:
            self.dropped["stale"] += 1
            return False
        bit: cython.ulonglong = 1
        bit <<= behind & 63
        word: cython.ulonglong
        if behind < 128:
            word = self._seen if behind < 64 else self._seen_64
        else:
            word = self._seen_128 if behind < 192 else self._seen_192
        if word & bit:
            self.dropped["duplicate"] += 1
            return False
        return True

    @cython.ccall
    @cython.exceptval(check=False)
    def number_of(self, sequence: cython.int) -> cython.longlong:
        """The count of the datagram with this sequence: the count nearest to the newest that arrived."""
        ahead: cython.longlong = (sequence - self.newest) & SEQUENCE_MASK
        return self._expected + ahead - (0 if ahead < SEQUENCE_HALF else SEQUENCE_MASK + 1)

    @cython.ccall
    @cython.exceptval(check=False)
    def skip_to(self, number: cython.longlong) -> cython.void:
        """Expect the datagram of this count next: so many before it were lost that its sequence would be misread."""
        self._expected = number - 1
        self.newest = self._expected & SEQUENCE_MASK
        self._seen = self._seen_64 = self._seen_128 = self._seen_192 = 0

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def note(self, sequence: cython.int, size: cython.Py_ssize_t, now: cython.double) -> cython.bint:
        """Note a datagram of ``size`` bytes, without its seal; False, counted as a drop, if it is not new."""
        ahead: cython.int = (sequence - self.newest) & SEQUENCE_MASK
        if 0 < ahead < SEQUENCE_HALF:
            self._shift(ahead)
            self.newest = sequence
            self.newest_at = now
            self._expected += ahead
        elif not self.is_new(sequence):
            return False
        else:
            self._mark(-ahead & SEQUENCE_MASK)
        self.heard_at = now
        self.received += 1
        self.bytes_received += size + self.overhead
        return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def _mark(self, behind: cython.int) -> cython.void:
        """Mark as arrived the datagram that is ``behind`` before the newest."""
        bit: cython.ulonglong = 1
        bit <<= behind & 63
        if behind < 64:
            self._seen |= bit
        elif behind < 128:
            self._seen_64 |= bit
        elif behind < 192:
            self._seen_128 |= bit
        else:
            self._seen_192 |= bit

    @cython.cfunc
    @cython.exceptval(check=False)
    def _shift(self, ahead: cython.int) -> cython.void:
        """Move the window: the new newest is ``ahead`` (1 or more) after the old one."""
        full: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        if ahead > SEEN_WINDOW:
            ahead = SEEN_WINDOW
        while ahead >= 64:
            self._seen_192, self._seen_128, self._seen_64 = self._seen_128, self._seen_64, self._seen
            self._seen = 0
            ahead -= 64
        if ahead:
            self._seen_192 = (self._seen_192 << ahead | self._seen_128 >> (64 - ahead)) & full
            self._seen_128 = (self._seen_128 << ahead | self._seen_64 >> (64 - ahead)) & full
            self._seen_64 = (self._seen_64 << ahead | self._seen >> (64 - ahead)) & full
            self._seen = self._seen << ahead & full
        self._seen |= 1

    @cython.ccall
    @cython.exceptval(check=False)
    def receive_ack(self, ack: cython.int, delay: cython.double, now: cython.double) -> cython.void:
        """Handle an acknowledgement of our datagram with this low byte, sent ``delay`` seconds after it arrived.

        The same byte twice is ignored: the second may be for the same datagram or one 256 later, which look alike.
        """
        low: cython.int = ack & 0xFF
        if low != self._last_ack:
            self._last_ack = low
            sent_at: cython.double = self._sent_times[low]
            if sent_at >= 0.0:
                self.round_trip.add(now - sent_at - delay)

    @cython.ccall
    @cython.exceptval(check=False)
    def may_have_sent(self, acked: cython.longlong) -> cython.bint:
        """Whether the datagram that is acknowledged can have been sent."""
        ahead: cython.longlong = (acked - self._out_acked) & SEQUENCE_MASK
        return ahead >= SEQUENCE_HALF or self._out_acked + ahead <= self._out_count

    @cython.ccall
    def receive_report(self, report: Report, now: cython.double) -> None:
        """Handle the fixed part of a CONTROL: an exact acknowledgement, and how many datagrams the peer received."""
        acked: cython.longlong = report.acked
        delay: cython.int = report.ack_delay
        received: cython.longlong = report.received
        word: cython.longlong = 0xFFFFFFFF
        # The newest datagram with this sequence; of an older report it is one that was acknowledged before.
        number: cython.longlong = self._out_count - ((self._out_count - acked) & SEQUENCE_MASK)
        if number < self._out_acked:
            return
        self._out_acked = number
        if delay != CONTROL_DELAY_NONE and self._out_count - self._out_acked < 256:
            unit: cython.double = _CONTROL_DELAY_UNIT
            self.receive_ack(acked & 0xFF, delay * unit, now)
        self._peer_received += (received - self._peer_received) & word
        self.loss_out.update(self._out_acked, self._peer_received)

    @cython.ccall
    @cython.exceptval(check=False)
    def number(self, size: cython.Py_ssize_t, now: cython.double) -> cython.int:
        """Count a datagram of ``size`` bytes, without its seal, that is sent now; returns its sequence."""
        self._out_count += 1
        self._sent_times[self._out_count & 0xFF] = now
        self.bytes_sent += size + self.overhead
        return self._out_count & SEQUENCE_MASK

    @cython.ccall
    @cython.exceptval(check=False)
    def ack_delay(self, now: cython.double) -> cython.int:
        """How long ago the newest datagram arrived, in CONTROL's unit."""
        if not self.received:
            return CONTROL_DELAY_NONE
        unit: cython.double = _CONTROL_DELAY_UNIT
        delay: cython.double = (now - self.newest_at) / unit
        return _whole(delay if delay > 0.0 else 0.0, CONTROL_DELAY_NONE)

    @cython.ccall
    @cython.exceptval(check=False)
    def measure_loss(self) -> cython.void:
        """Update the loss of incoming datagrams."""
        self.loss_in.update(self._expected, self.received)

    @cython.ccall
    def wrap(
        self,
        payloads: list[Payload],
        connection_id: cython.uint,
        now: cython.double,
        address: Hashable,
        seal: Seal | None,
        out: list[Datagram],
    ) -> None:
        """Put payloads in envelopes, seal them if there is a seal, and append the datagrams to ``out``."""
        delay: cython.double = PAYLOAD_DELAY_NONE
        if self.received:
            delay = (now - self.newest_at) * PAYLOAD_DELAY_RATE
        kind: cython.int = PAYLOAD | _whole(delay, PAYLOAD_DELAY_NONE)
        ack: cython.int = self.newest & 0xFF
        payload: bytes
        for payload in payloads:
            self._out_count += 1
            self._sent_times[self._out_count & 0xFF] = now
            self.bytes_sent += len(payload) + ENVELOPE_SIZE + self.overhead
            if seal is None:
                out.append((_enveloped(kind, connection_id, self._out_count & SEQUENCE_MASK, ack, payload), address))
            else:
                head: bytes = _enveloped(kind, connection_id, self._out_count & SEQUENCE_MASK, ack, b"")
                out.append((seal.seal(self._out_count, head, payload), address))


# The payload path: sending and receiving unreliable payloads, as short as possible.
#
# ``PayloadPath`` is the base of ``Connection``, and ``EndpointCore`` is the part of the endpoint that it needs. For a
# peer this code runs sixty times a second in each direction. With hundreds of connections in a process, none of their
# data is still in the processor's caches when the next payload comes; so the path reads few fields of few objects.
# Everything else happens about once a second or less, behind three calls that ``Connection`` implements.


if not cython.compiled:
    NEVER = float("inf")
    ACCEPTED, CONNECTED, REQUESTING = int(State.ACCEPTED), int(State.CONNECTED), int(State.REQUESTING)


Octets: TypeAlias = bytes | bytearray | memoryview
Seconds: TypeAlias = float
"""A time that is passed on as the object that was given; annotated as float, it would become a C number."""

_STATES = tuple(State)
_UNLIMITED = (1 << 31) - 1
"""The value stored for higher limits: it fits a C integer, and no number of payloads reaches it."""


@cython.cclass
class EndpointCore:
    """What connections need of their endpoint: limits, counters, and the lists on which they ask to be called.

    ``LinkEndpoint`` is its only subclass; the base exists because connections are declared before endpoints.
    """

    _send_list: list["Connection"]  # public
    _unread_connections: list["Connection"]  # public
    _events: list[LinkEvent]  # public
    _now: cython.double  # public
    _on_payload: "Callable[[Connection, bytes, float], None] | None"  # readonly
    _max_payload: cython.Py_ssize_t  # readonly
    _payload_queue: cython.Py_ssize_t  # readonly
    _unread_limit: cython.Py_ssize_t  # readonly
    _overhead: cython.int  # readonly
    dropped: dict[str, int]  # readonly
    config: LinkConfig  # readonly

    def __init__(
        self,
        config: LinkConfig,
        dropped: dict[str, int],
        on_payload: "Callable[[Connection, bytes, float], None] | None",
    ) -> None:
        self.config = config
        self.dropped = dropped
        """How many datagrams and fragments were dropped, by reason."""
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
        """The latest time given to the endpoint."""

    def _arm(self, connection: "Connection", time: float) -> None:
        """Have the connection called at this time or earlier."""
        raise NotImplementedError

    def _reply(self, data: bytes, address: Hashable) -> None:
        """Send a datagram on the next call of datagrams_to_send."""
        raise NotImplementedError

    def _forget(self, connection: "Connection") -> None:
        """Remove a connection that is closed."""
        raise NotImplementedError


@cython.cclass
class PayloadPath:
    """The part of a connection that handles payloads."""

    _endpoint: EndpointCore  # readonly
    _sequences: Sequences  # readonly
    _seal: Seal | None  # public
    local_id: cython.uint  # public
    remote_id: cython.uint  # public
    _state: cython.int  # public
    _on_send_list: cython.bint  # public
    _interrupted: cython.bint  # public
    _has_messages: cython.bint  # public
    address: Hashable  # public
    _unread: cython.Py_ssize_t  # public
    tag: Any  # public
    _outbox: list[bytes]  # public
    _armed: cython.double  # public
    _ack_at: cython.double  # public
    _status_at: cython.double  # public
    _refused_payloads: cython.Py_ssize_t  # public

    def __init__(self, endpoint: EndpointCore, address: Hashable, local_id: cython.uint) -> None:
        self.address = address
        """The peer's address; may change, see AddressChanged."""
        self.local_id = local_id
        """The connection id of incoming datagrams."""
        self.remote_id = 0
        """The connection id of datagrams to the peer."""
        self.tag = None
        """Free for use by the application."""
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
        # Times at which something is due; ``_armed`` is the one in the endpoint's heap.
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
        """The smoothed round-trip time in seconds; 0 before the first sample."""
        return self._sequences.round_trip.mean

    @property
    def sent(self) -> tuple[int, int]:
        """How many datagrams and bytes were sent: two figures of ``stats``, for callers that need no others."""
        return self._sequences.sent, self._sequences.bytes_sent

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def send_unreliable(self, data: Octets) -> cython.bint:
        """Send once, without acknowledgement. False if not connected, or if ``payload_queue`` payloads wait."""
        if self._state != CONNECTED:
            return False
        endpoint = self._endpoint
        # As a view of bytes: the length of a buffer of wider items is not its number of bytes.
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

    @cython.ccall
    def _want_to_send(self) -> None:
        """Ask to be drained by the next call of datagrams_to_send."""
        if not self._on_send_list:
            self._on_send_list = True
            self._endpoint._send_list.append(self)  # type: ignore[arg-type]  # every PayloadPath is a Connection

    @cython.cfunc
    def _receive(
        self,
        kind: cython.int,
        sequence: cython.int,
        ack: cython.int,
        data: bytes,
        now: cython.double,
        given_now: Seconds,
    ) -> None:
        """Receive a datagram from the peer's address. ``given_now`` is the original object of the time ``now``."""
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
        self._receive_payload(kind, sequence, ack, payload, now, given_now)

    @cython.cfunc
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
        """Receive a datagram for a sealed connection, from any address. Nothing changes unless it opens."""
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
        if self._interrupted:
            body = self._open_after_silence(sequence, data, now)
            if body is None:
                return
        else:
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
            self._receive_payload(kind, sequence, ack, body, now, given_now)
        if address != self.address:
            sealed_path.on_moved(self, kind, sequence, len(data), address, now)  # type: ignore[arg-type]  # every PayloadPath is a Connection

    @cython.cfunc
    def _open_after_silence(self, sequence: cython.int, data: bytes, now: cython.double) -> bytes | None:
        """Open the first datagram of a link that is interrupted: more may have been lost than half the sequences.

        Then its number is not the nearest one. Later ones of the same sequence are tried, one and another for each
        second of silence: a peer sends fewer than 65536 datagrams a second. So a forged one costs few tries.
        """
        sequences, seal = self._sequences, self._seal
        if seal is None:
            return None
        number: cython.longlong = sequences.number_of(sequence)
        turns: cython.int = 1 + _whole(now - sequences.heard_at, SEEN_WINDOW)
        may_be_nearest: cython.bint = number > sequences._expected or sequences.is_new(sequence)
        body = seal.open(number, data) if may_be_nearest else None
        while body is None and turns > 0:
            turns -= 1
            number += SEQUENCE_MASK + 1
            body = seal.open(number, data)
            if body is not None:
                sequences.skip_to(number)
        if body is None and may_be_nearest:  # else it was counted as stale or a duplicate
            self._endpoint.dropped["bad_seal"] += 1
        return body

    @cython.cfunc
    def _receive_payload(
        self,
        kind: cython.int,
        sequence: cython.int,
        ack: cython.int,
        payload: bytes,
        now: cython.double,
        given_now: Seconds,
    ) -> None:
        """Note a payload whose datagram was checked, and pass it to the application."""
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

    @cython.ccall
    def _sealed(self, data: bytes) -> bytes:
        """The datagram as it is sent: called once, right after it got its number."""
        seal = self._seal
        if seal is None:
            return data
        return seal.seal(self._sequences._out_count, data[:ENVELOPE_SIZE], data[ENVELOPE_SIZE:])

    @cython.cfunc
    def _drain(self, now: cython.double, out: list[Datagram]) -> None:
        """Append everything that is to be sent now to ``out``."""
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

    # Hooks that Connection implements; called about once a second or less.

    @cython.ccall
    def _receive_other(self, kind: cython.int, sequence: cython.int, data: bytes, now: cython.double) -> None:
        """Handle a datagram that is not a payload."""
        raise NotImplementedError

    @cython.cfunc
    def _on_heard(self, now: cython.double) -> None:
        """Handle the first datagram of a connection, or the first after a silence."""
        raise NotImplementedError

    @cython.cfunc
    def _drain_rest(self, now: cython.double, out: list[Datagram]) -> None:
        """Append everything but payloads to ``out``."""
        raise NotImplementedError


# The connection itself: reliable messages, reports, silence, and its end.

if not cython.compiled:
    NEVER = float("inf")
    ENTERING, ACCEPTED, CONNECTED, CLOSING, CLOSED = (int(state) for state in tuple(State)[State.ENTERING :])


_UNCONFIRMED_INTERVAL = 0.2
"""Seconds between reports of a dialler that has received nothing yet: the acceptor waits for one of them."""
_BURST = 8
"""How many datagrams with fragments are sent at once."""
_PACE = 0.005
"""Seconds between two bursts."""


@cython.cclass
class Connection(PayloadPath):
    """One end of a link, made by LinkEndpoint.dial or when a request is accepted."""

    terms: Terms | None  # public
    close_reason: "int | None"  # public
    fingerprint: "str | None"  # public
    handshake_hash: "bytes"  # public
    _nonce: "bytes"  # public
    _origin: "tuple[Hashable, int] | None"  # public
    _dialler: "Dialler | None"  # public
    _goodbye: Goodbye | None  # public
    _path_key: "bytes"  # public
    _sender: MessageSender  # readonly
    _receiver: MessageReceiver  # readonly
    _silent_since: cython.double  # public
    _last_report: cython.int  # public
    _pace_at: cython.double  # public
    _confirm_by: cython.double  # public
    _claims: Claims  # readonly
    _claimed_at: cython.double  # public

    def __init__(self, endpoint: EndpointCore, address: Hashable, local_id: cython.uint, nonce: bytes) -> None:
        super().__init__(endpoint, address, local_id)
        self.terms = None
        """What the handshake agreed on; None before."""
        self.close_reason = None
        """Why the connection ended: a code of Reason or an application's own; None before."""
        self.fingerprint = None
        """The fingerprint of the peer's lasting key, once proven: 32 hexadecimal digits; None without one."""
        self.handshake_hash = b""
        """32 bytes, not secret, that both sides of a sealed connection share; empty on a plain one."""
        self._nonce = nonce
        self._origin = None
        """The address and connection id of an accepted connection's HELLO; None if we dialled."""
        self._dialler = None
        """The handshake of a dialled connection, until it is connected; then None."""
        self._goodbye = None
        """The goodbye while CLOSING; otherwise None."""
        self._path_key = b""
        config = endpoint.config
        fragment_size = config.max_datagram - CONTROL_SIZE - FRAGMENT_HEAD_SIZE - endpoint._overhead
        self._sender = MessageSender(fragment_size=fragment_size, limit=config.send_queue)
        self._receiver = MessageReceiver(limit=config.max_message)
        self._silent_since = 0.0
        self._last_report = 0
        """The sequence of the last report."""
        self._pace_at = NEVER
        self._confirm_by = NEVER
        self._claims = Claims()
        self._claimed_at = -NEVER

    def __repr__(self) -> str:
        return f"<Connection {self.local_id:08x} {self.state.name} {self.address!r}>"

    # Calls for the application.

    def send_reliable(self, data: Octets) -> bool:
        """Queue a message that arrives once and in order. False if not connected, or if the queue is full."""
        if self._state != CONNECTED:
            return False
        message = data if type(data) is bytes else bytes(memoryview(data))
        if len(message) > self._endpoint.config.max_message:
            raise EncodeError(f"a message is at most {self._endpoint.config.max_message} bytes, not {len(message)}")
        if not self._sender.offer(message):
            return False
        self._has_messages = True
        self._want_to_send()
        return True

    @cython.annotation_typing(False)  # a Reason is an int, but not exactly one
    def close(self, reason: int = Reason.GOODBYE, text: str = "", *, linger: float = 0.0) -> None:
        """End the connection; Disconnected follows. Queued messages have ``linger`` seconds to arrive first."""
        if not 0 <= reason <= MAX_REASON:
            raise UsageError(f"a reason is 0 to {MAX_REASON}, not {reason}")
        if self._state >= CLOSING:
            return
        self.close_reason = reason = int(reason)
        if self.remote_id:
            if self._dialler is not None:
                self._dialler = None
                self._sequences.heard_at = self._endpoint._now
            self._state = CLOSING
            self._goodbye = Goodbye(self, reason, text, linger if self._sequences.received else 0.0)
            self._want_to_send()
        else:
            self._end(reason, text, by_peer=False)

    @property
    def queued_bytes(self) -> int:
        """How many bytes of reliable messages are not acknowledged yet."""
        return self._sender.queued_bytes

    @property
    def window_bytes(self) -> int:
        """How many bytes of reliable messages may be in flight now; what is queued beyond them only waits here."""
        return self._sender.window_bytes

    @property
    def messages_sent(self) -> int:
        """How many reliable messages send_reliable accepted."""
        return self._sender.offered

    @property
    def messages_delivered(self) -> int:
        """How many messages, counted from the first, the peer has acknowledged. The others may have arrived or not."""
        return self._sender.delivered

    @property
    def stats(self) -> LinkStats:
        """The connection's figures now."""
        return stats_of(self)

    # Receiving.

    @cython.cfunc
    def _on_heard(self, now: cython.double) -> None:
        if self._state == ACCEPTED:
            self._become_connected(now)
        if self._interrupted:
            self._interrupted = False
            self._endpoint._events.append(LinkResumed(connection=self, silent_for=now - self._silent_since))

    @cython.ccall
    def _receive_other(self, kind: cython.int, sequence: cython.int, data: bytes, now: cython.double) -> None:
        dropped = self._endpoint.dropped
        if self._state < ENTERING or self._state > CLOSING or (kind == BYE_ACK and self._state != CLOSING):
            dropped["unexpected"] += 1
            return
        try:
            if kind == CONTROL:
                self._receive_control(sequence, data, now)
            elif kind == BYE:
                reason, text = decode_bye(data)
                if self._sequences.note(sequence, len(data), now):
                    self._receive_bye(reason, text, now)
            else:
                decode_bye_ack(data)
                if self._sequences.note(sequence, len(data), now):
                    self._finish_goodbye()
        except InvalidValue:
            dropped["malformed"] += 1

    @cython.cfunc
    def _receive_control(self, sequence: cython.int, data: bytes, now: cython.double) -> None:
        report = decode_report(data)
        fragments = decode_fragments(data)
        if not self._sequences.may_have_sent(report.acked) or not self._sender.may_have_sent(report.next_fragment):
            raise InvalidValue("acknowledges what was never sent")
        if not self._sequences.note(sequence, len(data), now):
            return
        self._on_heard(now)
        self._sequences.receive_report(report, now)
        if self._has_messages:
            self._sender.acknowledge(report.next_fragment, report.fragments, now, self._sequences.round_trip.mean)
            self._has_messages = not self._sender.is_idle
            if self._sender.has_room_again() and self._state == CONNECTED:
                self._endpoint._events.append(QueueDrained(connection=self))
        if fragments:
            self._receive_fragments(fragments, now)
        if self._state == CLOSING or (self._has_messages and self._sender.wants_to_send()):
            self._want_to_send()

    @cython.cfunc
    def _receive_fragments(self, fragments: list[Fragment], now: cython.double) -> None:
        for fragment in fragments:
            name = self._receiver.receive(fragment)
            if name is not None:
                self._endpoint.dropped[name] += 1
        self._deliver_messages()
        self._ack_at = now
        self._want_to_send()

    @cython.cfunc
    def _deliver_messages(self) -> None:
        """Turn complete messages into events, up to the limit; the rest waits, which in time stops the sender."""
        endpoint = self._endpoint
        try:
            while self._unread < endpoint.config.unread_limit and self._state == CONNECTED:
                message = self._receiver.next_message()
                if message is None:
                    return
                if not self._unread:
                    endpoint._unread_connections.append(self)
                self._unread += 1
                endpoint._events.append(ReliableReceived(self, message))
        except ProtocolViolation as violation:
            self.close(Reason.VIOLATION, str(violation))

    @cython.cfunc
    def _on_events_read(self, now: cython.double) -> None:
        """Deliver more messages, now that the application has read its events."""
        self._unread = 0
        if self._receiver.has_gap:
            before = self._receiver.next_fragment
            self._deliver_messages()
            if self._receiver.next_fragment != before:
                self._ack_at = now
                self._want_to_send()

    # Sending.

    @cython.cfunc
    def _drain_rest(self, now: cython.double, out: list[Datagram]) -> None:
        if self._dialler is not None:
            self._dialler.drain(now, out)
        elif self._state == CONNECTED or self._state == CLOSING:
            self._send_messages(now, out)
            if now >= self._status_at or now >= self._ack_at:
                self._send_control(b"", now, out)
            if self._goodbye is not None:
                self._goodbye.drain(now, out)
            elif now >= self._claim_due():
                self._claimed_at = now
                if self._seal is None:
                    out.append((self._claims.next(self), self.address))
                else:
                    self._send_control(b"", now, out)
        self._endpoint._arm(self, self._deadline())

    @cython.cfunc
    def _send_control(self, fragments: bytes, now: cython.double, out: list[Datagram]) -> None:
        sequences, receiver = self._sequences, self._receiver
        sequence = sequences.number(CONTROL_SIZE + len(fragments), now)
        report = Report(
            sequences.ack_delay(now),
            sequences.newest,
            sequences.received,
            receiver.next_fragment,
            receiver.fragments,
        )
        out.append((self._sealed(encode_report(self.remote_id, sequence, report) + fragments), self.address))
        self._ack_at = NEVER
        self._status_at = now + self._report_interval(sequence)
        sequences.measure_loss()
        if self._seal is not None and max(sequences._out_count, sequences._expected) >= KEY_LIMIT:
            self.close(Reason.KEYS_USED_UP, describe(Reason.KEYS_USED_UP))

    @cython.cfunc
    @cython.exceptval(-1.0, check=False)
    def _report_interval(self, sequence: cython.int) -> cython.double:
        """Seconds to the next report; half on an idle link, where losing two reports in a row does no harm."""
        if not self._sequences.received:
            return _UNCONFIRMED_INTERVAL
        is_idle = (sequence - self._last_report) & SEQUENCE_MASK <= 1
        self._last_report = sequence
        interval = self._endpoint.config.status_interval
        return interval / 2 if is_idle else interval

    @cython.cfunc
    def _send_messages(self, now: cython.double, out: list[Datagram]) -> None:
        self._pace_at = NEVER
        if not self._has_messages:
            return
        room = self._endpoint.config.max_datagram - CONTROL_SIZE - self._endpoint._overhead
        for _ in range(_BURST):
            fragments = self._sender.fill(room, now)
            if not fragments:
                return
            self._send_control(fragments, now, out)
        if self._sender.wants_to_send():
            self._pace_at = now + _PACE

    # Time.

    @cython.cfunc
    @cython.exceptval(-1.0, check=True)
    def _deadline(self) -> cython.double:
        """When ``_handle_timeout`` is next needed."""
        if self._dialler is not None:
            return self._dialler.deadline()
        if self._state == ACCEPTED:
            return self._confirm_by
        if self._state == CLOSED:
            return NEVER
        config = self._endpoint.config
        silence: cython.double = config.timeout if self._interrupted or self._state == CLOSING else config.quiet_after
        found: cython.double = min(self._sequences.heard_at + silence, self._status_at, self._ack_at, self._pace_at)
        if self._has_messages:
            overdue = self._sender.deadline(self._sequences.round_trip.retransmit_after)
            if overdue is not None and overdue < found:
                found = overdue
        return min(found, self._claim_due() if self._goodbye is None else self._goodbye.deadline())

    @cython.cfunc
    @cython.exceptval(-1.0, check=True)
    def _claim_due(self) -> cython.double:
        """When the next CLAIM is due. A connection that never heard its peer sends none."""
        if not self._sequences.received:
            return NEVER
        after: cython.double = CLAIM_AFTER * self._endpoint.config.status_interval
        return max(self._sequences.heard_at, self._claimed_at) + after

    @cython.cfunc
    def _handle_timeout(self, now: cython.double) -> None:
        if self._dialler is not None:
            self._dialler.handle_timeout(now)
        elif self._state == ACCEPTED:
            if now >= self._confirm_by:
                self._end(Reason.NO_ANSWER, "", by_peer=False)
        elif self._state == CONNECTED or self._state == CLOSING:
            self._check_silence(now)
            if self._has_messages:
                self._sender.check_overdue(now, self._sequences.round_trip.retransmit_after)
            self._want_to_send()

    @cython.cfunc
    def _check_silence(self, now: cython.double) -> None:
        config = self._endpoint.config
        heard_at = self._sequences.heard_at
        if now >= heard_at + config.timeout:
            self._end(Reason.TIMEOUT, "", by_peer=False)
        elif now >= heard_at + config.quiet_after and not self._interrupted and self._state == CONNECTED:
            self._interrupted = True
            self._silent_since = heard_at
            self._endpoint._events.append(Interrupted(connection=self, silent_for=now - heard_at))

    # Start and end.

    def _become_connected(self, now: float) -> None:
        self._state = CONNECTED
        self._dialler = None
        self._sequences.heard_at = now
        self._status_at = now
        self._endpoint._events.append(Connected(connection=self))
        self._want_to_send()

    def _receive_bye(self, reason: int, text: str, now: float) -> None:
        sequence = self._sequences.number(ENVELOPE_SIZE, now)
        answer = encode_bye_ack(self.remote_id, sequence, self._sequences.newest)
        self._endpoint._reply(self._sealed(answer), self.address)
        if self._state == CLOSING:
            self._finish_goodbye()
        elif self._state == ENTERING and self._dialler is not None:
            self._dialler.receive_refusal(reason, text)
        else:
            self._end(reason, text, by_peer=True)

    def _finish_goodbye(self) -> None:
        if self._goodbye is not None:
            self._goodbye.finish()

    @cython.annotation_typing(False)
    def _end(self, reason: int, text: str, *, by_peer: bool) -> None:
        if self._state == CLOSED:
            return
        self._state = CLOSED
        self.close_reason = reason = int(reason)  # a Reason too becomes a plain int
        self._dialler = None
        self._goodbye = None
        self._outbox = []
        self._seal = None
        self._endpoint._forget(self)
        if self._origin is None or self.terms is not None:  # else the application has never heard of it
            self._endpoint._events.append(Disconnected(connection=self, reason=reason, text=text, by_peer=by_peer))
