# cython: nonecheck=True
"""One connection: messages, reports, silence, and its end (a compiled kernel).

Payloads go their own way, see ``lane``; what is here happens about once a second, or once. A connection never reads a
clock and never sends: it is told the time, and puts datagrams on the list that its endpoint hands it.
"""

from collections.abc import Hashable
from typing import TYPE_CHECKING, TypeAlias

from retick.errors import EncodeError, InvalidValue, ProtocolViolation, UsageError
from retick.link.control import (
    ENVELOPE,
    Fragment,
    decode_bye,
    decode_fragments,
    decode_report,
    encode_bye,
    encode_report,
)
from retick.link.events import Connected, Disconnected, Interrupted, MessageReceived, QueueDrained, Resumed
from retick.link.flow import Datagrams
from retick.link.lane import Octets
from retick.link.messages import MessageReceiver, MessageSender
from retick.link.reasons import Reason
from retick.link.terms import LinkStats, State, Terms

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.libc.math import INFINITY as NEVER
    from cython.cimports.retick.link.control import BYE, BYE_ACK, CONTROL, CONTROL_SIZE, ENVELOPE_SIZE
    from cython.cimports.retick.link.lane import Board, Lane
    from cython.cimports.retick.link.terms import ACCEPTED, CLOSED, CLOSING, CONNECTED
else:
    from retick.link.control import BYE, BYE_ACK, CONTROL, CONTROL_SIZE, ENVELOPE_SIZE
    from retick.link.lane import Board, Lane

    NEVER = float("inf")
    ACCEPTED, CONNECTED, CLOSING, CLOSED = (
        int(state) for state in (State.ACCEPTED, State.CONNECTED, State.CLOSING, State.CLOSED)
    )

if TYPE_CHECKING:
    from retick.link.dialling import Dialling

__all__ = ["Connection"]

_ACK_DELAY = 0.02
_UNCONFIRMED = 0.2
"""Seconds between reports of a dialler that has heard nothing yet: the acceptor is waiting for one of them."""
_BURST = 8
_PACE = 0.005
_BYES = 5

Fragments: TypeAlias = list[Fragment]


@cython.cclass
class Connection(Lane):
    """One end of a link. Made by LinkEndpoint.dial, or when a request is admitted."""

    if not cython.compiled:
        terms: Terms | None
        close_reason: int | None
        _nonce: bytes
        _reply_to: tuple[Hashable, int] | None
        _dialling: "Dialling | None"
        _path_key: bytes
        _sender: MessageSender
        _receiver: MessageReceiver
        _heard_before: float
        _fragments_unacked: int
        _reported: int
        _linger: float
        _close_text: str
        _byes: int
        _pace_at: float
        _confirm_by: float
        _bye_at: float
        _linger_until: float
        _challenged_at: float

    def __init__(self, endpoint: Board, address: Hashable, local_id: cython.uint, nonce: bytes) -> None:
        super().__init__(endpoint, address, local_id)
        self.terms = None
        """What was agreed; None before."""
        self.close_reason = None
        self._nonce = nonce
        self._reply_to = None
        self._dialling = None
        self._path_key = b""
        config = endpoint.config
        self._sender = MessageSender(fragment_size=config.max_datagram - CONTROL_SIZE - 4, limit=config.send_queue)
        self._receiver = MessageReceiver(limit=config.max_message)
        self._heard_before = 0.0
        self._fragments_unacked = 0
        self._reported = 0
        self._linger = 0.0
        self._close_text = ""
        self._byes = 0
        # Times at which something is due, beside those of the lane.
        self._pace_at = NEVER
        self._confirm_by = NEVER
        self._bye_at = NEVER
        self._linger_until = NEVER
        self._challenged_at = -NEVER

    def __repr__(self) -> str:
        return f"<Connection {self.local_id:08x} {self.state.name} {self.address!r}>"

    # What the application calls.

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
        self._soil()
        return True

    @cython.annotation_typing(False)  # a Reason is an int, but not exactly one
    def close(self, reason: int = Reason.GOODBYE, text: str = "", *, linger: float = 0.0) -> None:
        """End the connection. Messages that wait get ``linger`` seconds to arrive; Disconnected comes at the end."""
        if not 0 <= reason <= 255:
            raise UsageError(f"a reason is 0 to 255, not {reason}")
        if self._state >= CLOSING:
            return
        self.close_reason = reason
        self._close_text = text
        if self.remote_id:
            self._state = CLOSING
            self._linger = linger if self._flow.received else 0.0
            self._soil()
        else:
            self._end(reason, text, by_peer=False)

    @property
    def queued_bytes(self) -> int:
        """Reliable messages not yet acknowledged."""
        return self._sender.queued_bytes

    @property
    def stats(self) -> LinkStats:
        flow = self._flow
        return LinkStats(
            rtt=flow.round_trip.mean,
            rtt_latest=flow.round_trip.latest,
            rtt_least=flow.round_trip.least,
            jitter=flow.round_trip.variation,
            loss_in=flow.loss_in.rate,
            loss_out=flow.loss_out.rate,
            packets_sent=flow.sent,
            bytes_sent=flow.bytes_sent,
            packets_received=flow.received,
            bytes_received=flow.bytes_received,
            queued_bytes=self._sender.queued_bytes,
            fragments_resent=self._sender.resent,
            payloads_refused=self._refused_payloads,
            silent_for=max(0.0, self._endpoint._now - flow.heard_at) if flow.received else 0.0,
        )

    # What arrives.

    def _heard(self, now: cython.double) -> None:
        if self._state == ACCEPTED:
            self._become_connected(now)
        if self._interrupted:
            self._interrupted = False
            self._endpoint._events.append(Resumed(connection=self, silent_for=now - self._heard_before))

    def _receive_other(self, kind: cython.int, sequence: cython.int, data: bytes, now: cython.double) -> None:
        dropped = self._endpoint.dropped
        if self._state < ACCEPTED or self._state > CLOSING or (kind == BYE_ACK and self._state != CLOSING):
            dropped["unexpected"] += 1
            return
        try:
            if kind == CONTROL:
                self._receive_control(sequence, data, now)
            elif kind == BYE:
                reason, text = decode_bye(data)
                if self._flow.note(sequence, len(data), now):
                    self._farewell(reason, text, now)
            elif len(data) != ENVELOPE_SIZE:
                dropped["malformed"] += 1
            elif self._flow.note(sequence, len(data), now):
                self._end_closed()
        except InvalidValue:
            dropped["malformed"] += 1

    def _receive_control(self, sequence: cython.int, data: bytes, now: cython.double) -> None:
        report = decode_report(data)
        fragments = decode_fragments(data)
        if not self._flow.may_have_sent(report.acked) or not self._sender.may_have_sent(report.next_fragment):
            raise InvalidValue("acknowledges what was never sent")
        if not self._flow.note(sequence, len(data), now):
            return
        self._heard(now)
        self._flow.take_report(report, now)
        if self._has_messages:
            self._sender.acknowledge(report.next_fragment, report.fragments, now, self._flow.round_trip.mean)
            self._has_messages = not self._sender.is_idle
            if self._sender.has_room_again() and self._state == CONNECTED:
                self._endpoint._events.append(QueueDrained(connection=self))
        if fragments:
            self._take_fragments(fragments, now)
        if self._state == CLOSING or (self._has_messages and self._sender.wants_to_send()):
            self._soil()

    def _take_fragments(self, fragments: Fragments, now: cython.double) -> None:
        for fragment in fragments:
            name = self._receiver.take(fragment)
            if name is not None:
                self._endpoint.dropped[name] += 1
        self._deliver_messages()
        self._fragments_unacked += 1
        if self._fragments_unacked >= 2 or self._receiver.has_gap:
            self._ack_at = now
            self._soil()
        else:
            self._ack_at = now + _ACK_DELAY
            self._endpoint._arm(self, self._ack_at)

    def _deliver_messages(self) -> None:
        """Whole messages become events, up to the limit; the rest waits, and so, in the end, does the sender."""
        endpoint = self._endpoint
        try:
            while self._unread < endpoint.config.unread_limit and self._state == CONNECTED:
                message = self._receiver.next_message()
                if message is None:
                    return
                if not self._unread:
                    endpoint._unread.append(self)
                self._unread += 1
                endpoint._events.append(MessageReceived(self, message))
        except ProtocolViolation as violation:
            self.close(Reason.VIOLATION, str(violation))

    def _was_read(self, now: cython.double) -> None:
        """The application took its events: room for more."""
        self._unread = 0
        if self._receiver.has_gap:
            before = self._receiver.next_fragment
            self._deliver_messages()
            if self._receiver.next_fragment != before:
                self._ack_at = now
                self._soil()

    # What leaves.

    def _drain_rest(self, now: cython.double, out: Datagrams) -> None:
        if self._dialling is not None:
            self._dialling.drain(now, out)
        elif self._state == CONNECTED or self._state == CLOSING:
            self._send_messages(now, out)
            if now >= self._status_at or now >= self._ack_at:
                self._send_control(b"", now, out)
            if self._state == CLOSING:
                self._send_bye(now, out)
        self._endpoint._arm(self, self._deadline())

    def _send_control(self, fragments: bytes, now: cython.double, out: Datagrams) -> None:
        flow, receiver = self._flow, self._receiver
        sequence = flow.number(CONTROL_SIZE + len(fragments), now)
        head = encode_report(
            self.remote_id,
            sequence,
            flow.hold(now),
            flow.newest,
            flow.received,
            receiver.next_fragment,
            receiver.fragments,
        )
        out.append((head + fragments, self.address))
        self._fragments_unacked = 0
        self._ack_at = NEVER
        self._status_at = now + self._status_interval(sequence)
        flow.measure_loss()

    def _status_interval(self, sequence: cython.int) -> cython.double:
        """Seconds to the next report. Where nothing else was sent since the last one, two may be lost unnoticed."""
        if not self._flow.received:
            return _UNCONFIRMED
        is_idle = (sequence - self._reported) & 0xFFFF <= 1
        self._reported = sequence
        interval = self._endpoint.config.status_interval
        return interval / 2 if is_idle else interval

    def _send_messages(self, now: cython.double, out: Datagrams) -> None:
        self._pace_at = NEVER
        if not self._has_messages:
            return
        room = self._endpoint.config.max_datagram - CONTROL_SIZE
        for _ in range(_BURST):
            fragments = self._sender.fill(room, now)
            if not fragments:
                return
            self._send_control(fragments, now, out)
        if self._sender.wants_to_send():
            self._pace_at = now + _PACE

    def _send_bye(self, now: cython.double, out: Datagrams) -> None:
        if self._linger_until == NEVER:
            self._linger_until = now + self._linger
        if now < self._linger_until and self._has_messages:
            return
        if self._byes and now < self._bye_at:
            return
        if self._byes >= _BYES:
            self._end_closed()
            return
        self._byes += 1
        self._bye_at = now + min(self._flow.round_trip.retransmit_after, 0.5)
        text = self._close_text
        data = encode_bye(self.remote_id, self._flow.number(0, now), self._flow.newest, self.close_reason or 0, text)
        self._flow.bytes_sent += len(data)
        out.append((data, self.address))

    # Time, and the end.

    def _deadline(self) -> cython.double:
        """When ``_on_time`` has something to do."""
        if self._dialling is not None:
            return self._dialling.deadline()
        if self._state == ACCEPTED:
            return self._confirm_by
        if self._state == CLOSED:
            return NEVER
        config = self._endpoint.config
        silence: cython.double = config.timeout if self._interrupted or self._state == CLOSING else config.quiet_after
        found: cython.double = min(self._flow.heard_at + silence, self._status_at, self._ack_at, self._pace_at)
        if self._has_messages:
            overdue = self._sender.deadline(self._flow.round_trip.retransmit_after)
            if overdue is not None and overdue < found:
                found = overdue
        if self._state == CLOSING:
            found = min(found, self._bye_at if self._byes else self._linger_until)
        return found

    def _on_time(self, now: cython.double) -> None:
        if self._dialling is not None:
            self._dialling.on_time(now)
        elif self._state == ACCEPTED:
            if now >= self._confirm_by:
                self._end(Reason.NO_ANSWER, "", by_peer=False)
        elif self._state == CONNECTED or self._state == CLOSING:
            self._check_silence(now)
            if self._has_messages:
                self._sender.check_overdue(now, self._flow.round_trip.retransmit_after)
            self._soil()

    def _check_silence(self, now: cython.double) -> None:
        config = self._endpoint.config
        heard_at = self._flow.heard_at
        if now >= heard_at + config.timeout:
            self._end(Reason.TIMEOUT, "", by_peer=False)
        elif now >= heard_at + config.quiet_after and not self._interrupted and self._state == CONNECTED:
            self._interrupted = True
            self._heard_before = heard_at
            self._endpoint._events.append(Interrupted(connection=self, silent_for=now - heard_at))

    def _become_connected(self, now: float) -> None:
        self._state = CONNECTED
        self._dialling = None
        self._flow.heard_at = now
        self._status_at = now
        self._endpoint._events.append(Connected(connection=self))
        self._soil()

    def _farewell(self, reason: int, text: str, now: float) -> None:
        """The other side says goodbye: answer, and forget."""
        sequence = self._flow.number(ENVELOPE_SIZE, now)
        newest = self._flow.newest & 0xFF
        self._endpoint._reply(ENVELOPE.pack(BYE_ACK, self.remote_id, sequence, newest), self.address)
        if self._state == CLOSING:
            self._end_closed()
        else:
            self._end(reason, text, by_peer=True)

    def _end_closed(self) -> None:
        self._end(self.close_reason or 0, self._close_text, by_peer=False)

    @cython.annotation_typing(False)
    def _end(self, reason: int, text: str, *, by_peer: bool) -> None:
        if self._state == CLOSED:
            return
        self._state = CLOSED
        self.close_reason = reason
        self._dialling = None
        self._outbox = []
        self._endpoint._forget(self)
        self._endpoint._events.append(Disconnected(connection=self, reason=reason, text=text, by_peer=by_peer))
