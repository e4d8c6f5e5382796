# cython: nonecheck=True
"""Sequence numbers and acknowledgements of one connection: duplicates, round-trip time, loss (a compiled kernel).

Knows no states and no messages. Datagrams that are sent are counted from 1; the count, modulo 65536, is the sequence.
Of datagrams that arrive it keeps the newest sequence and which of the 256 up to it were seen, in four words of 64 bits:
bit i of the first is the datagram i before the newest, bit i of the second the one 64 + i before it, and so on. The
count of the newest is kept too, which is what a seal needs: see ``number_of``.
"""

from collections.abc import Hashable
from typing import TypeAlias

from retick.link.layout import CONTROL_DELAY_NONE, CONTROL_DELAY_RATE
from retick.link.packets import ENVELOPE, Report

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
    from cython.cimports.libc.string import memcpy
    from cython.cimports.retick.link.rtt_loss import LossMeter, RoundTrip
    from cython.cimports.retick.link.sealing.seal import Seal
    from cython.cimports.retick.wire.words import store_le16, store_le32
else:
    from retick.link.layout import (  # sequences.pxd has them for the compiled form
        ENVELOPE_SIZE,
        PAYLOAD,
        PAYLOAD_DELAY_NONE,
        PAYLOAD_DELAY_RATE,
        SEEN_WINDOW,
        SEQUENCE_HALF,
        SEQUENCE_MASK,
    )
    from retick.link.rtt_loss import LossMeter, RoundTrip
    from retick.link.sealing.seal import Seal

__all__ = ["Datagrams", "Sequences"]

Datagrams: TypeAlias = list[tuple[bytes, Hashable]]
"""Datagrams to send, each with its address."""
Payloads: TypeAlias = list[bytes]

_CONTROL_DELAY_UNIT = 1 / CONTROL_DELAY_RATE
"""Seconds."""


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
    """``value`` without its fraction; ``most`` when it is negative, too large or not a number."""
    if -1.0 < value < most:
        return cython.cast(cython.int, value) if cython.compiled else int(value)
    return most


@cython.final
@cython.cclass
class Sequences:
    """The counters of one connection. Times are seconds; -1 means never."""

    if not cython.compiled:
        round_trip: RoundTrip
        heard_at: float
        newest_at: float
        _seen: int
        _seen_64: int
        _seen_128: int
        _seen_192: int
        _expected: int
        received: int
        bytes_received: int
        newest: int
        _last_ack: int
        _out_count: int
        bytes_sent: int
        overhead: int
        dropped: dict[str, int]
        _out_acked: int
        _peer_received: int
        loss_in: LossMeter
        loss_out: LossMeter
        _sent_times: list[float]

    def __init__(self, dropped: dict[str, int], overhead: cython.int = 0) -> None:
        self.dropped = dropped
        self.overhead = overhead
        """Bytes that sealing adds to each datagram."""
        # Sent.
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
        # Received. Before the first datagram all older ones count as seen, so that 1 is the first that can be new.
        full: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        self.newest = 0
        """Newest sequence that arrived; 0 before any."""
        self._seen = self._seen_64 = self._seen_128 = self._seen_192 = full
        self._expected = 0
        """The count of the newest: its sequence without the modulo."""
        self.received = 0
        """Datagrams, without duplicates."""
        self.bytes_received = 0
        self.heard_at = -1.0
        """When a datagram arrived last; a connection sets it to its own start."""
        self.newest_at = -1.0
        """When the newest arrived: the acknowledgement delay counts from here."""
        self.round_trip = RoundTrip()
        self.loss_in = LossMeter()
        self.loss_out = LossMeter()

    @property
    def sent(self) -> int:
        """Datagrams."""
        return self._out_count

    def is_new(self, sequence: cython.int) -> cython.bint:
        """Whether ``note`` would take it; False, and counted as dropped, when it arrived before or is too old."""
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

    def number_of(self, sequence: cython.int) -> cython.longlong:
        """The count of the datagram with this sequence: the one nearest to the newest that arrived."""
        ahead: cython.longlong = (sequence - self.newest) & SEQUENCE_MASK
        return self._expected + ahead - (0 if ahead < SEQUENCE_HALF else SEQUENCE_MASK + 1)

    def note(self, sequence: cython.int, size: cython.Py_ssize_t, now: cython.double) -> cython.bint:
        """Note a datagram of ``size`` bytes, without its seal; False, and counted as dropped, when it is not new."""
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

    def _mark(self, behind: cython.int) -> cython.void:
        """The datagram so many before the newest has arrived."""
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

    def receive_ack(self, ack: cython.int, delay: cython.double, now: cython.double) -> cython.void:
        """The peer received our datagram with this low byte, and sent its answer ``delay`` seconds later.

        The same byte again is ignored: it is for the same datagram or for one 256 later, which look the same.
        """
        low: cython.int = ack & 0xFF
        if low != self._last_ack:
            self._last_ack = low
            sent_at: cython.double = self._sent_times[low]
            if sent_at >= 0.0:
                self.round_trip.add(now - sent_at - delay)

    def may_have_sent(self, acked: cython.longlong) -> cython.bint:
        """False for an acknowledgement of a datagram that was never sent."""
        ahead: cython.longlong = (acked - self._out_acked) & SEQUENCE_MASK
        return ahead >= SEQUENCE_HALF or self._out_acked + ahead <= self._out_count

    def receive_report(self, report: Report, now: cython.double) -> None:
        """The fixed part of a CONTROL: an exact acknowledgement, and how many datagrams the peer received."""
        acked: cython.longlong = report.acked
        delay: cython.int = report.ack_delay
        received: cython.longlong = report.received
        word: cython.longlong = 0xFFFFFFFF
        ahead: cython.longlong = (acked - self._out_acked) & SEQUENCE_MASK
        if ahead >= SEQUENCE_HALF:
            return
        self._out_acked += ahead
        if delay != CONTROL_DELAY_NONE and self._out_count - self._out_acked < 256:
            unit: cython.double = _CONTROL_DELAY_UNIT
            self.receive_ack(acked & 0xFF, delay * unit, now)
        self._peer_received += (received - self._peer_received) & word
        self.loss_out.update(self._out_acked, self._peer_received)

    def number(self, size: cython.Py_ssize_t, now: cython.double) -> cython.int:
        """The sequence for a datagram of ``size`` bytes, without its seal, that is sent now."""
        self._out_count += 1
        self._sent_times[self._out_count & 0xFF] = now
        self.bytes_sent += size + self.overhead
        return self._out_count & SEQUENCE_MASK

    def ack_delay(self, now: cython.double) -> cython.int:
        """How long ago the newest datagram arrived, in units of CONTROL."""
        if not self.received:
            return CONTROL_DELAY_NONE
        unit: cython.double = _CONTROL_DELAY_UNIT
        delay: cython.double = (now - self.newest_at) / unit
        return _whole(delay if delay > 0.0 else 0.0, CONTROL_DELAY_NONE)

    def measure_loss(self) -> cython.void:
        """Update the loss of incoming datagrams."""
        self.loss_in.update(self._expected, self.received)

    def wrap(
        self,
        payloads: Payloads,
        connection_id: cython.uint,
        now: cython.double,
        address: Hashable,
        seal: "Seal | None",
        out: Datagrams,
    ) -> None:
        """Put payloads in envelopes, seal them if there is a seal, and put the datagrams on ``out``."""
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
