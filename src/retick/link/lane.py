# cython: nonecheck=True
"""The way of a payload through a connection, and what it needs of the endpoint (a compiled kernel).

The way is flat on purpose: it is walked sixty times a second in each direction for each peer, and between two turns of
one connection hundreds of others have their own, so that nothing of it is still in the processor's caches. What it
reads are therefore few fields of few objects. All else, which happens about once a second, or once, is behind three
calls that ``Connection`` fills in.
"""

from collections.abc import Callable, Hashable
from typing import Any, TypeAlias

from retick.errors import EncodeError
from retick.link.config import LinkConfig
from retick.link.events import LinkEvent, UnreliableReceived
from retick.link.flow import Datagrams
from retick.link.terms import State

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize
    from cython.cimports.libc.math import INFINITY as NEVER
    from cython.cimports.retick.link.control import CONTROL, ENVELOPE_SIZE
    from cython.cimports.retick.link.flow import Flow
    from cython.cimports.retick.link.terms import ACCEPTED, CONNECTED, REQUESTING
else:
    from retick.link.control import CONTROL, ENVELOPE_SIZE
    from retick.link.flow import Flow

    NEVER = float("inf")
    ACCEPTED, CONNECTED, REQUESTING = int(State.ACCEPTED), int(State.CONNECTED), int(State.REQUESTING)

__all__ = ["Board", "Lane", "Octets", "Seconds"]

Octets: TypeAlias = bytes | bytearray | memoryview
Seconds: TypeAlias = float
"""A time that is handed on as it was given; annotated as float, it would be taken apart into a C number."""

_STATES = tuple(State)
_UNLIMITED = (1 << 31) - 1
"""A limit that no number of payloads comes to: what a limit above it, or none at all, means to the kernels."""


@cython.cclass
class Board:
    """What an endpoint and its connections have in common: limits, counters, and lists on which they ask for a turn.

    ``LinkEndpoint`` is the only one. It stands apart so that a connection, which an endpoint is made of, can reach it.
    """

    if not cython.compiled:
        _dirty: list[Any]
        _unread: list[Any]
        _events: list[LinkEvent]
        _now: float
        _on_payload: Callable[[Any, bytes, float], None] | None
        _max_payload: int
        _payload_queue: int
        _unread_limit: int
        dropped: dict[str, int]
        config: LinkConfig

    def __init__(
        self,
        config: LinkConfig,
        dropped: dict[str, int],
        on_payload: "Callable[[Any, bytes, float], None] | None",
    ) -> None:
        self.config = config
        self.dropped = dropped
        """Datagrams and fragments that were not good, by reason."""
        self._on_payload = on_payload
        self._max_payload = config.max_datagram - ENVELOPE_SIZE
        self._payload_queue = min(config.payload_queue, _UNLIMITED)
        self._unread_limit = min(config.unread_limit, _UNLIMITED)
        self._dirty = []
        self._unread = []
        self._events = []
        self._now = 0.0

    def _arm(self, connection: Any, time: float) -> None:
        """See to it that the connection gets its turn at that time, or before."""
        raise NotImplementedError

    def _reply(self, data: bytes, address: Hashable) -> None:
        raise NotImplementedError

    def _forget(self, connection: Any) -> None:
        raise NotImplementedError


@cython.cclass
class Lane:
    """The half of a connection that payloads see."""

    if not cython.compiled:
        _endpoint: Board
        _flow: Flow
        local_id: int
        remote_id: int
        _state: int
        _is_dirty: bool
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

    def __init__(self, endpoint: Board, address: Hashable, local_id: cython.uint) -> None:
        self.address = address
        """Where the other side is; may change, see AddressChanged."""
        self.local_id = local_id
        """The id on datagrams that come here."""
        self.remote_id = 0
        """The id on datagrams that go there."""
        self.tag = None
        """The application's own."""
        self._endpoint = endpoint
        self._flow = Flow(endpoint.dropped)
        self._state = REQUESTING
        self._is_dirty = False
        self._interrupted = False
        self._has_messages = False
        """Whether reliable messages wait, to be sent or to be acknowledged."""
        self._unread = 0
        self._outbox = []
        self._refused_payloads = 0
        # Times at which something is due, and the one for which the endpoint's heap has an entry.
        self._armed = NEVER
        self._ack_at = NEVER
        self._status_at = NEVER

    @property
    def state(self) -> State:
        return _STATES[self._state]

    @state.setter
    def state(self, state: Any) -> None:
        self._state = int(State(state))

    @property
    def is_connected(self) -> bool:
        return self._state == CONNECTED

    @property
    def has_rtt(self) -> bool:
        """Whether a round trip was measured."""
        return self._flow.round_trip.samples > 0

    @property
    def rtt(self) -> float:
        """Seconds, smoothed; 0 before the first sample."""
        return self._flow.round_trip.mean

    def send_unreliable(self, data: Octets) -> cython.bint:
        """Send once and forget. False when not connected, or when too many wait for datagrams_to_send already."""
        if self._state != CONNECTED:
            return False
        endpoint = self._endpoint
        # Through a view: the length of one of wider items is not that of its bytes.
        payload: bytes = data if type(data) is bytes else bytes(memoryview(data))
        if not 0 < len(payload) <= endpoint._max_payload:
            raise EncodeError(f"a payload is 1 to {endpoint._max_payload} bytes, not {len(payload)}")
        if len(self._outbox) >= endpoint._payload_queue:
            self._refused_payloads += 1
            return False
        self._outbox.append(payload)
        if not self._is_dirty:
            self._is_dirty = True
            endpoint._dirty.append(self)
        return True

    def _soil(self) -> None:
        """Ask for a turn in the next call of datagrams_to_send."""
        if not self._is_dirty:
            self._is_dirty = True
            self._endpoint._dirty.append(self)

    def _receive(
        self, kind: cython.int, sequence: cython.int, ack: cython.int, data: bytes, now: cython.double, told: Any
    ) -> None:
        """A datagram from the address that this connection knows. ``told`` is ``now`` as the endpoint was given it."""
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
        flow = self._flow
        if not flow.note(sequence, size, now):
            return
        hold: cython.int = kind & 63
        if hold != 63:
            flow.take_ack(ack, hold * 0.0005, now)
        if self._interrupted or self._state == ACCEPTED:
            self._heard(now)
        payload: bytes
        if cython.compiled:
            payload = PyBytes_FromStringAndSize(PyBytes_AS_STRING(data) + ENVELOPE_SIZE, size - ENVELOPE_SIZE)
        else:
            payload = data[ENVELOPE_SIZE:]
        if endpoint._on_payload is not None:
            endpoint._on_payload(self, payload, told)
            return
        if not self._unread:
            endpoint._unread.append(self)
        self._unread += 1
        endpoint._events.append(UnreliableReceived(self, payload))  # type: ignore[arg-type]  # all lanes are Connections

    def _drain(self, now: cython.double, out: Datagrams) -> None:
        self._is_dirty = False
        if self._outbox:
            payloads = self._outbox
            self._outbox = []
            self._flow.wrap(payloads, self.remote_id, now, self.address, out)
            if (
                now < self._status_at
                and now < self._ack_at
                and self._armed != NEVER
                and not self._has_messages
                and self._state == CONNECTED
            ):
                return
        self._drain_rest(now, out)

    # What happens seldom.

    def _receive_other(self, kind: cython.int, sequence: cython.int, data: bytes, now: cython.double) -> None:
        """Anything but a payload."""
        raise NotImplementedError

    def _heard(self, now: cython.double) -> None:
        """The first datagram, or the first after a silence."""
        raise NotImplementedError

    def _drain_rest(self, now: cython.double, out: Datagrams) -> None:
        """Anything but payloads."""
        raise NotImplementedError
