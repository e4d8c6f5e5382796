"""One connection: payloads, messages, reports, silence, and its end.

The way of a payload is flat on purpose: it is walked sixty times a second in each direction for each peer. All else
happens about once a second, or once. A connection never reads a clock and never sends: it is told the time, and puts
datagrams on the list that its endpoint hands it.
"""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from retick.errors import EncodeError, InvalidValue, ProtocolViolation, UsageError
from retick.link.control import (
    BYE,
    BYE_ACK,
    CONTROL,
    CONTROL_SIZE,
    ENVELOPE,
    ENVELOPE_SIZE,
    Fragment,
    decode_bye,
    decode_fragments,
    decode_report,
    encode_bye,
    encode_report,
)
from retick.link.events import (
    Connected,
    Disconnected,
    Interrupted,
    MessageReceived,
    QueueDrained,
    Resumed,
    UnreliableReceived,
)
from retick.link.flow import Flow
from retick.link.messages import MessageReceiver, MessageSender
from retick.link.reasons import Reason
from retick.link.terms import LinkStats, State, Terms

if TYPE_CHECKING:
    from retick.link.dialling import Dialling
    from retick.link.endpoint import LinkEndpoint

__all__ = ["Connection"]

_NEVER = float("inf")
_ACK_DELAY = 0.02
_UNCONFIRMED = 0.2
"""Seconds between reports of a dialler that has heard nothing yet: the acceptor is waiting for one of them."""
_BURST = 8
_PACE = 0.005
_BYES = 5
_CONNECTED, _CLOSING, _ACCEPTED = State.CONNECTED, State.CLOSING, State.ACCEPTED


class Connection:
    """One end of a link. Made by LinkEndpoint.dial, or when a request is admitted."""

    __slots__ = (
        "_ack_at",
        "_armed",
        "_bye_at",
        "_byes",
        "_challenged_at",
        "_close_text",
        "_confirm_by",
        "_dialling",
        "_endpoint",
        "_flow",
        "_fragments_unacked",
        "_heard_before",
        "_interrupted",
        "_is_dirty",
        "_linger",
        "_linger_until",
        "_nonce",
        "_outbox",
        "_pace_at",
        "_path_key",
        "_receiver",
        "_refused_payloads",
        "_reply_to",
        "_reported",
        "_sender",
        "_status_at",
        "_unread",
        "address",
        "close_reason",
        "local_id",
        "remote_id",
        "state",
        "tag",
        "terms",
    )

    def __init__(self, endpoint: "LinkEndpoint", address: Hashable, local_id: int, nonce: bytes) -> None:
        self.address = address
        """Where the other side is; may change, see AddressChanged."""
        self.local_id = local_id
        """The id on datagrams that come here."""
        self.remote_id = 0
        """The id on datagrams that go there."""
        self.state = State.REQUESTING
        self.terms: Terms | None = None
        """What was agreed; None before."""
        self.tag: Any = None
        """The application's own."""
        self.close_reason: int | None = None
        self._endpoint = endpoint
        self._nonce = nonce
        self._reply_to: tuple[Hashable, int] | None = None
        self._dialling: Dialling | None = None
        self._path_key = b""
        self._flow = Flow(endpoint.dropped)
        config = endpoint.config
        self._sender = MessageSender(fragment_size=config.max_datagram - CONTROL_SIZE - 4, limit=config.send_queue)
        self._receiver = MessageReceiver(limit=config.max_message)
        self._outbox: list[bytes] = []
        self._refused_payloads = 0
        self._unread = 0
        self._is_dirty = False
        self._interrupted = False
        self._heard_before = 0.0
        self._fragments_unacked = 0
        self._reported = 0
        self._linger = 0.0
        self._close_text = ""
        self._byes = 0
        # Times at which something is due, and the one for which the endpoint's heap has an entry.
        self._armed = _NEVER
        self._ack_at = _NEVER
        self._pace_at = _NEVER
        self._status_at = _NEVER
        self._confirm_by = _NEVER
        self._bye_at = _NEVER
        self._linger_until = _NEVER
        self._challenged_at = -_NEVER

    def __repr__(self) -> str:
        return f"<Connection {self.local_id:08x} {self.state.name} {self.address!r}>"

    # What the application calls.

    def send_unreliable(self, data: bytes) -> bool:
        """Send once and forget. False when not connected, or when too many wait for datagrams_to_send already."""
        if self.state is not _CONNECTED:
            return False
        config = self._endpoint.config
        if not 0 < len(data) <= config.max_datagram - ENVELOPE_SIZE:
            raise EncodeError(f"a payload is 1 to {config.max_datagram - ENVELOPE_SIZE} bytes, not {len(data)}")
        if len(self._outbox) >= config.payload_queue:
            self._refused_payloads += 1
            return False
        self._outbox.append(bytes(data))
        if not self._is_dirty:
            self._is_dirty = True
            self._endpoint._dirty.append(self)
        return True

    def send_reliable(self, data: bytes) -> bool:
        """Queue a message that arrives once and in order. False when not connected, or when the queue is full."""
        if self.state is not _CONNECTED:
            return False
        if len(data) > self._endpoint.config.max_message:
            raise EncodeError(f"a message is at most {self._endpoint.config.max_message} bytes, not {len(data)}")
        if not self._sender.offer(bytes(data)):
            return False
        self._soil()
        return True

    def close(self, reason: int = Reason.GOODBYE, text: str = "", *, linger: float = 0.0) -> None:
        """End the connection. Messages that wait get ``linger`` seconds to arrive; Disconnected comes at the end."""
        if not 0 <= reason <= 255:
            raise UsageError(f"a reason is 0 to 255, not {reason}")
        if self.state >= _CLOSING:
            return
        self.close_reason = reason
        self._close_text = text
        if self.remote_id:
            self.state = State.CLOSING
            self._linger = linger if self._flow.received else 0.0
            self._soil()
        else:
            self._end(reason, text, by_peer=False)

    @property
    def is_connected(self) -> bool:
        return self.state is _CONNECTED

    @property
    def rtt(self) -> float:
        """Seconds, smoothed; 0 before the first sample."""
        return self._flow.round_trip.mean

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

    def _receive(self, kind: int, sequence: int, ack: int, data: bytes, now: float) -> None:
        """A datagram from the address that this connection knows."""
        if kind >= CONTROL:
            self._receive_other(kind, sequence, data, now)
            return
        endpoint = self._endpoint
        if self.state is not _CONNECTED and self.state is not _ACCEPTED:
            endpoint.dropped["unexpected"] += 1
            return
        size = len(data)
        if size <= ENVELOPE_SIZE:
            endpoint.dropped["malformed"] += 1
            return
        if self._unread >= endpoint.config.unread_limit:
            endpoint.dropped["unread"] += 1
            return
        flow = self._flow
        if not flow.note(sequence, size, now):
            return
        hold = kind & 63
        if hold != 63:
            flow.take_ack(ack, hold * 0.0005, now)
        if self._interrupted or self.state is _ACCEPTED:
            self._heard(now)
        if endpoint._on_payload is not None:
            endpoint._on_payload(self, data[ENVELOPE_SIZE:], now)
            return
        if not self._unread:
            endpoint._unread.append(self)
        self._unread += 1
        endpoint._events.append(UnreliableReceived(self, data[ENVELOPE_SIZE:]))

    def _heard(self, now: float) -> None:
        if self.state is _ACCEPTED:
            self._become_connected(now)
        if self._interrupted:
            self._interrupted = False
            self._endpoint._events.append(Resumed(connection=self, silent_for=now - self._heard_before))

    def _receive_other(self, kind: int, sequence: int, data: bytes, now: float) -> None:
        dropped = self._endpoint.dropped
        if self.state not in (_CONNECTED, _ACCEPTED, _CLOSING) or (kind == BYE_ACK and self.state is not _CLOSING):
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

    def _receive_control(self, sequence: int, data: bytes, now: float) -> None:
        report = decode_report(data)
        fragments = decode_fragments(data)
        if not self._flow.may_have_sent(report.acked) or not self._sender.may_have_sent(report.next_fragment):
            raise InvalidValue("acknowledges what was never sent")
        if not self._flow.note(sequence, len(data), now):
            return
        self._heard(now)
        self._flow.take_report(report, now)
        self._sender.acknowledge(report.next_fragment, report.fragments, now, self._flow.round_trip.mean)
        if self._sender.has_room_again() and self.state is _CONNECTED:
            self._endpoint._events.append(QueueDrained(connection=self))
        if fragments:
            self._take_fragments(fragments, now)
        if self.state is _CLOSING or self._sender.wants_to_send():
            self._soil()

    def _take_fragments(self, fragments: list[Fragment], now: float) -> None:
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
            while self._unread < endpoint.config.unread_limit and self.state is _CONNECTED:
                message = self._receiver.next_message()
                if message is None:
                    return
                if not self._unread:
                    endpoint._unread.append(self)
                self._unread += 1
                endpoint._events.append(MessageReceived(self, message))
        except ProtocolViolation as violation:
            self.close(Reason.VIOLATION, str(violation))

    def _was_read(self, now: float) -> None:
        """The application took its events: room for more."""
        self._unread = 0
        if self._receiver.has_gap:
            before = self._receiver.next_fragment
            self._deliver_messages()
            if self._receiver.next_fragment != before:
                self._ack_at = now
                self._soil()

    # What leaves.

    def _soil(self) -> None:
        """Ask for a turn in the next call of datagrams_to_send."""
        if not self._is_dirty:
            self._is_dirty = True
            self._endpoint._dirty.append(self)

    def _drain(self, now: float, out: list[tuple[bytes, Hashable]]) -> None:
        self._is_dirty = False
        if self._outbox:
            payloads, self._outbox = self._outbox, []
            self._flow.wrap(payloads, self.remote_id, now, self.address, out)
            if (
                now < self._status_at
                and now < self._ack_at
                and self._armed != _NEVER
                and self._sender.is_idle
                and self.state is _CONNECTED
            ):
                return
        if self._dialling is not None:
            self._dialling.drain(now, out)
        elif self.state is _CONNECTED or self.state is _CLOSING:
            self._send_messages(now, out)
            if now >= self._status_at or now >= self._ack_at:
                self._send_control(b"", now, out)
            if self.state is _CLOSING:
                self._send_bye(now, out)
        self._endpoint._arm(self, self._deadline())

    def _send_control(self, fragments: bytes, now: float, out: list[tuple[bytes, Hashable]]) -> None:
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
        self._ack_at = _NEVER
        self._status_at = now + self._status_interval(sequence)
        flow.measure_loss()

    def _status_interval(self, sequence: int) -> float:
        """Seconds to the next report. Where nothing else was sent since the last one, two may be lost unnoticed."""
        if not self._flow.received:
            return _UNCONFIRMED
        is_idle = (sequence - self._reported) & 0xFFFF <= 1
        self._reported = sequence
        interval = self._endpoint.config.status_interval
        return interval / 2 if is_idle else interval

    def _send_messages(self, now: float, out: list[tuple[bytes, Hashable]]) -> None:
        room = self._endpoint.config.max_datagram - CONTROL_SIZE
        self._pace_at = _NEVER
        for _ in range(_BURST):
            fragments = self._sender.fill(room, now)
            if not fragments:
                return
            self._send_control(fragments, now, out)
        if self._sender.wants_to_send():
            self._pace_at = now + _PACE

    def _send_bye(self, now: float, out: list[tuple[bytes, Hashable]]) -> None:
        if self._linger_until == _NEVER:
            self._linger_until = now + self._linger
        if now < self._linger_until and not self._sender.is_idle:
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

    def _deadline(self) -> float:
        """When ``_on_time`` has something to do."""
        if self._dialling is not None:
            return self._dialling.deadline()
        if self.state is _ACCEPTED:
            return self._confirm_by
        if self.state is State.CLOSED:
            return _NEVER
        config = self._endpoint.config
        silence = config.timeout if self._interrupted or self.state is _CLOSING else config.quiet_after
        found = min(self._flow.heard_at + silence, self._status_at, self._ack_at, self._pace_at)
        overdue = self._sender.deadline(self._flow.round_trip.retransmit_after)
        if overdue is not None and overdue < found:
            found = overdue
        if self.state is _CLOSING:
            found = min(found, self._bye_at if self._byes else self._linger_until)
        return found

    def _on_time(self, now: float) -> None:
        if self._dialling is not None:
            self._dialling.on_time(now)
        elif self.state is _ACCEPTED:
            if now >= self._confirm_by:
                self._end(Reason.NO_ANSWER, "", by_peer=False)
        elif self.state is _CONNECTED or self.state is _CLOSING:
            self._check_silence(now)
            self._sender.check_overdue(now, self._flow.round_trip.retransmit_after)
            self._soil()

    def _check_silence(self, now: float) -> None:
        config = self._endpoint.config
        heard_at = self._flow.heard_at
        if now >= heard_at + config.timeout:
            self._end(Reason.TIMEOUT, "", by_peer=False)
        elif now >= heard_at + config.quiet_after and not self._interrupted and self.state is _CONNECTED:
            self._interrupted = True
            self._heard_before = heard_at
            self._endpoint._events.append(Interrupted(connection=self, silent_for=now - heard_at))

    def _become_connected(self, now: float) -> None:
        self.state = State.CONNECTED
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
        if self.state is _CLOSING:
            self._end_closed()
        else:
            self._end(reason, text, by_peer=True)

    def _end_closed(self) -> None:
        self._end(self.close_reason or 0, self._close_text, by_peer=False)

    def _end(self, reason: int, text: str, *, by_peer: bool) -> None:
        if self.state is State.CLOSED:
            return
        self.state = State.CLOSED
        self.close_reason = reason
        self._dialling = None
        self._outbox = []
        self._endpoint._forget(self)
        self._endpoint._events.append(Disconnected(connection=self, reason=reason, text=text, by_peer=by_peer))
