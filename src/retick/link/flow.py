"""Numbered datagrams both ways, and what their numbers tell of the way: duplicates, round trip, loss.

A flow knows no states and no messages. Outgoing datagrams are counted from 1; the count is the sequence before it
wraps. Of incoming ones it keeps the newest and which of the 128 before it were seen.
"""

from array import array
from collections.abc import Hashable

from retick.link.control import ENVELOPE, ENVELOPE_SIZE, HOLD_NONE, HOLD_UNIT, PAYLOAD, Report
from retick.link.estimate import LossMeter, RoundTrip

__all__ = ["Flow"]

_WINDOW = 128
_SEEN_ALL = (1 << _WINDOW) - 1


class Flow:
    """The counters of one connection. Times are seconds; -1 stands for never."""

    __slots__ = (
        "_expected",
        "_last_ack",
        "_out_acked",
        "_out_count",
        "_peer_received",
        "_seen",
        "_sent_times",
        "bytes_received",
        "bytes_sent",
        "dropped",
        "heard_at",
        "loss_in",
        "loss_out",
        "newest",
        "newest_at",
        "received",
        "round_trip",
    )

    def __init__(self, dropped: dict[str, int]) -> None:
        self.dropped = dropped
        # Out.
        self._out_count = 0
        self._sent_times = array("d", [-1.0]) * 256
        self._last_ack = -1
        self._out_acked = 0
        self._peer_received = 0
        self.bytes_sent = 0
        # In: before the first datagram all older ones count as seen, so that 1 is the first that can be new.
        self.newest = 0
        """Newest sequence that arrived; 0 before any."""
        self._seen = _SEEN_ALL
        self._expected = 0
        self.received = 0
        """Datagrams, without duplicates."""
        self.bytes_received = 0
        self.heard_at = -1.0
        """When anything arrived last; a connection sets it to its own beginning."""
        self.newest_at = -1.0
        """When the newest arrived: what the other side's round trip is corrected by."""
        self.round_trip = RoundTrip()
        self.loss_in = LossMeter()
        self.loss_out = LossMeter()

    @property
    def sent(self) -> int:
        """Datagrams."""
        return self._out_count

    def note(self, sequence: int, size: int, now: float) -> bool:
        """Take note of a datagram that arrived; False, and counted, when it is not new."""
        ahead = (sequence - self.newest) & 0xFFFF
        if 0 < ahead < 0x8000:
            self._seen = (self._seen << ahead | 1) & _SEEN_ALL if ahead < _WINDOW else 1
            self.newest = sequence
            self.newest_at = now
            self._expected += ahead
        else:
            behind = -ahead & 0xFFFF
            if behind >= _WINDOW:
                self.dropped["stale"] += 1
                return False
            if self._seen >> behind & 1:
                self.dropped["duplicate"] += 1
                return False
            self._seen |= 1 << behind
        self.heard_at = now
        self.received += 1
        self.bytes_received += size
        return True

    def is_newer(self, sequence: int) -> bool:
        return 0 < (sequence - self.newest) & 0xFFFF < 0x8000

    def take_ack(self, ack: int, hold: float, now: float) -> None:
        """The other side has our datagram with this low byte, and held its answer for a while.

        The same byte again says nothing new: either it is the same datagram, or 256 later and too far to tell.
        """
        if ack != self._last_ack:
            self._last_ack = ack
            sent_at = self._sent_times[ack]
            if sent_at >= 0.0:
                self.round_trip.add(now - sent_at - hold)

    def may_have_sent(self, acked: int) -> bool:
        """False for an acknowledgement of a datagram that was never sent."""
        ahead = (acked - self._out_acked) & 0xFFFF
        return ahead >= 0x8000 or self._out_acked + ahead <= self._out_count

    def take_report(self, report: Report, now: float) -> None:
        ahead = (report.acked - self._out_acked) & 0xFFFF
        if ahead >= 0x8000:
            return
        self._out_acked += ahead
        if report.hold != HOLD_NONE and self._out_count - self._out_acked < 256:
            self.take_ack(report.acked & 0xFF, report.hold * HOLD_UNIT, now)
        self._peer_received += (report.received - self._peer_received) & 0xFFFFFFFF
        self.loss_out.update(self._out_acked, self._peer_received)

    def number(self, size: int, now: float) -> int:
        """The sequence for a datagram that leaves now."""
        self._out_count = count = self._out_count + 1
        self._sent_times[count & 0xFF] = now
        self.bytes_sent += size
        return count & 0xFFFF

    def hold(self, now: float) -> int:
        """How long the newest datagram has waited for an answer, in units of CONTROL."""
        if not self.received:
            return HOLD_NONE
        return min(max(int((now - self.newest_at) / HOLD_UNIT), 0), HOLD_NONE)

    def measure_loss(self) -> None:
        self.loss_in.update(self._expected, self.received)

    def wrap(
        self,
        payloads: list[bytes],
        connection_id: int,
        now: float,
        address: Hashable,
        out: list[tuple[bytes, Hashable]],
    ) -> None:
        """Put payloads in their envelopes."""
        hold = int((now - self.newest_at) * 2000.0) if self.received else 63
        kind = PAYLOAD | (hold if 0 <= hold < 63 else 63)
        ack = self.newest & 0xFF
        times = self._sent_times
        count = self._out_count
        for payload in payloads:
            count += 1
            times[count & 0xFF] = now
            self.bytes_sent += len(payload) + ENVELOPE_SIZE
            out.append((ENVELOPE.pack(kind, connection_id, count & 0xFFFF, ack) + payload, address))
        self._out_count = count
