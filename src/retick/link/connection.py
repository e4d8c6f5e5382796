# cython: nonecheck=True
"""One connection: reliable messages, reports, silence, and its end (a compiled kernel).

Payloads are in the base class, see ``payload_path``; what is here happens about once a second, or once. A connection
never reads a clock and never sends: it is given the time, and puts datagrams on the list that its endpoint gives it.
"""

from collections.abc import Hashable
from typing import TYPE_CHECKING, TypeAlias

from retick.errors import EncodeError, InvalidValue, ProtocolViolation, UsageError
from retick.link.address_proof import CLAIM_AFTER, Claims
from retick.link.events import Connected, Disconnected, Interrupted, MessageReceived, QueueDrained, Resumed
from retick.link.goodbye import Goodbye
from retick.link.layout import ENVELOPE_SIZE, FRAGMENT_HEAD_SIZE, KEY_LIMIT, MAX_REASON
from retick.link.packets import (
    Fragment,
    Report,
    decode_bye,
    decode_bye_ack,
    decode_fragments,
    decode_report,
    encode_bye_ack,
    encode_report,
)
from retick.link.payload_path import Octets
from retick.link.reasons import Reason, describe
from retick.link.reliable import MessageReceiver, MessageSender
from retick.link.request import Terms
from retick.link.sequences import Datagrams
from retick.link.state import State
from retick.link.stats import LinkStats, stats_of

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.libc.math import INFINITY as NEVER
    from cython.cimports.retick.link.layout import BYE, BYE_ACK, CONTROL, CONTROL_SIZE, SEQUENCE_MASK
    from cython.cimports.retick.link.payload_path import EndpointCore, PayloadPath
    from cython.cimports.retick.link.state import ACCEPTED, CLOSED, CLOSING, CONNECTED, ENTERING
else:
    from retick.link.layout import BYE, BYE_ACK, CONTROL, CONTROL_SIZE, SEQUENCE_MASK
    from retick.link.payload_path import EndpointCore, PayloadPath

    NEVER = float("inf")
    ENTERING, ACCEPTED, CONNECTED, CLOSING, CLOSED = (int(state) for state in tuple(State)[State.ENTERING :])

if TYPE_CHECKING:
    from retick.link.handshake.dialler import Dialler

__all__ = ["Connection"]

_UNCONFIRMED_INTERVAL = 0.2
"""Seconds between reports of a dialler that has received nothing yet: the acceptor waits for one of them."""
_BURST = 8
"""Datagrams with fragments that are sent at once."""
_PACE = 0.005
"""Seconds between two bursts."""

Fragments: TypeAlias = list[Fragment]


@cython.cclass
class Connection(PayloadPath):
    """One end of a link. Made by LinkEndpoint.dial, or when a request is accepted."""

    if not cython.compiled:
        terms: Terms | None
        close_reason: int | None
        fingerprint: str | None
        handshake_hash: bytes
        _nonce: bytes
        _origin: tuple[Hashable, int] | None
        _dialler: "Dialler | None"
        _goodbye: Goodbye | None
        _path_key: bytes
        _sender: MessageSender
        _receiver: MessageReceiver
        _silent_since: float
        _last_report: int
        _pace_at: float
        _confirm_by: float
        _claims: Claims
        _claimed_at: float

    def __init__(self, endpoint: EndpointCore, address: Hashable, local_id: cython.uint, nonce: bytes) -> None:
        super().__init__(endpoint, address, local_id)
        self.terms = None
        """What the handshake agreed on; None before."""
        self.close_reason = None
        """Why it ended, a code of Reason or an application's own; None before."""
        self.fingerprint = None
        """Of the peer's lasting key, if it has proved to have one: 32 hexadecimal digits."""
        self.handshake_hash = b""
        """Of a sealed connection: 32 bytes that are the same on both sides, and no secret."""
        self._nonce = nonce
        self._origin = None
        """Of an accepted connection: address and connection id of its HELLO."""
        self._dialler = None
        """Of a dialled connection, until it is connected."""
        self._goodbye = None
        """While CLOSING."""
        self._path_key = b""
        config = endpoint.config
        fragment_size = config.max_datagram - CONTROL_SIZE - FRAGMENT_HEAD_SIZE - endpoint._overhead
        self._sender = MessageSender(fragment_size=fragment_size, limit=config.send_queue)
        self._receiver = MessageReceiver(limit=config.max_message)
        self._silent_since = 0.0
        self._last_report = 0
        """Sequence of the last report."""
        self._pace_at = NEVER
        self._confirm_by = NEVER
        self._claims = Claims()
        self._claimed_at = -NEVER

    def __repr__(self) -> str:
        return f"<Connection {self.local_id:08x} {self.state.name} {self.address!r}>"

    # For the application.

    def send_reliable(self, data: Octets) -> bool:
        """Queue a message that arrives once and in order. False when not connected, or when the queue is full."""
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
        """End the connection; Disconnected follows. Queued messages have ``linger`` seconds to arrive before."""
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
        """Bytes of reliable messages that are not acknowledged yet."""
        return self._sender.queued_bytes

    @property
    def messages_sent(self) -> int:
        """Reliable messages for which send_reliable returned True."""
        return self._sender.offered

    @property
    def messages_delivered(self) -> int:
        """How many of these the peer has acknowledged: the first ones. Whether the others arrived is not known."""
        return self._sender.delivered

    @property
    def stats(self) -> LinkStats:
        """The connection's figures at this moment."""
        return stats_of(self)

    # Receiving.

    def _on_heard(self, now: cython.double) -> None:
        if self._state == ACCEPTED:
            self._become_connected(now)
        if self._interrupted:
            self._interrupted = False
            self._endpoint._events.append(Resumed(connection=self, silent_for=now - self._silent_since))

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

    def _receive_fragments(self, fragments: Fragments, now: cython.double) -> None:
        for fragment in fragments:
            name = self._receiver.receive(fragment)
            if name is not None:
                self._endpoint.dropped[name] += 1
        self._deliver_messages()
        self._ack_at = now
        self._want_to_send()

    def _deliver_messages(self) -> None:
        """Turn whole messages into events, up to the limit; the rest waits, which in the end stops the sender."""
        endpoint = self._endpoint
        try:
            while self._unread < endpoint.config.unread_limit and self._state == CONNECTED:
                message = self._receiver.next_message()
                if message is None:
                    return
                if not self._unread:
                    endpoint._unread_connections.append(self)
                self._unread += 1
                endpoint._events.append(MessageReceived(self, message))
        except ProtocolViolation as violation:
            self.close(Reason.VIOLATION, str(violation))

    def _on_events_read(self, now: cython.double) -> None:
        """The application has read its events: there is room for more."""
        self._unread = 0
        if self._receiver.has_gap:
            before = self._receiver.next_fragment
            self._deliver_messages()
            if self._receiver.next_fragment != before:
                self._ack_at = now
                self._want_to_send()

    # Sending.

    def _drain_rest(self, now: cython.double, out: Datagrams) -> None:
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

    def _send_control(self, fragments: bytes, now: cython.double, out: Datagrams) -> None:
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

    def _report_interval(self, sequence: cython.int) -> cython.double:
        """Seconds to the next report; half on an idle link, where two reports in a row may be lost without harm."""
        if not self._sequences.received:
            return _UNCONFIRMED_INTERVAL
        is_idle = (sequence - self._last_report) & SEQUENCE_MASK <= 1
        self._last_report = sequence
        interval = self._endpoint.config.status_interval
        return interval / 2 if is_idle else interval

    def _send_messages(self, now: cython.double, out: Datagrams) -> None:
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

    def _deadline(self) -> cython.double:
        """When ``_handle_timeout`` has something to do."""
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

    def _claim_due(self) -> cython.double:
        """When the next CLAIM is due. A connection that never heard its peer claims nothing."""
        if not self._sequences.received:
            return NEVER
        after: cython.double = CLAIM_AFTER * self._endpoint.config.status_interval
        return max(self._sequences.heard_at, self._claimed_at) + after

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
        self.close_reason = reason = int(reason)  # also of a Reason: one type
        self._dialler = None
        self._goodbye = None
        self._outbox = []
        self._seal = None
        self._endpoint._forget(self)
        if self._origin is None or self.terms is not None:  # else the application has never heard of it
            self._endpoint._events.append(Disconnected(connection=self, reason=reason, text=text, by_peer=by_peer))
