"""Round trip and loss along a capture, from the sequences and acknowledgements of the link's own datagrams.

The capture is of one side. A datagram that it received acknowledges one that it sent: the time between the two,
without the delay that the other side reports, is a round trip. Numbers that are skipped in what it received are losses
on the way in. On the way out, the other side's reports count what arrived.
"""

from typing import NamedTuple

from retick.link import layout, packets
from retick.link.packets import ENVELOPE

__all__ = ["MOST_PEERS", "LinkMeasures", "Measured"]

MOST_PEERS = 64
"""Addresses that are followed; datagrams of others are passed over."""
_ACKS = 256
"""Acknowledgements are the low byte of a sequence."""


class Measured(NamedTuple):
    """What one datagram adds."""

    round_trip: float | None = None
    """Seconds."""
    expected_in: int = 0
    """Datagrams that must have been sent to the side that captured."""
    arrived_in: int = 0
    expected_out: int = 0
    arrived_out: int = 0


_NOTHING = Measured()


class _Peer:
    def __init__(self) -> None:
        self.sent: list[tuple[int, float] | None] = [None] * _ACKS
        self.newest: int | None = None
        self.report: tuple[int, int] | None = None


class LinkMeasures:
    """Is given the datagrams of a capture one after the other."""

    def __init__(self) -> None:
        self._peers: dict[str, _Peer] = {}

    def add(self, time: float, *, sent: bool, address: str, data: bytes) -> Measured:
        """What this datagram says; nothing unless it has the link's envelope."""
        if len(data) < layout.ENVELOPE_SIZE or not layout.PAYLOAD <= data[0] <= layout.BYE_ACK:
            return _NOTHING
        peer = self._peers.get(address)
        if peer is None:
            if len(self._peers) >= MOST_PEERS:
                return _NOTHING
            peer = self._peers[address] = _Peer()
        kind, _, sequence, ack = ENVELOPE.unpack_from(data)
        if sent:
            peer.sent[sequence % _ACKS] = (sequence, time)
            return _NOTHING
        return self._received(peer, time, kind, sequence, ack, data)

    def _received(self, peer: _Peer, time: float, kind: int, sequence: int, ack: int, data: bytes) -> Measured:
        round_trip = None
        delay = _delay_of(kind, data)
        answered = peer.sent[ack]
        if delay is not None and answered is not None:
            round_trip = max(0.0, time - answered[1] - delay)
        expected = 1
        if peer.newest is not None:
            ahead = (sequence - peer.newest) & layout.SEQUENCE_MASK
            expected = ahead if ahead < layout.SEQUENCE_HALF else 0
        if expected:
            peer.newest = sequence
        expected_out = arrived_out = 0
        if kind == layout.CONTROL and len(data) >= layout.CONTROL_SIZE and delay is not None:
            report = packets.decode_report(data)
            if peer.report is not None:
                expected_out = (report.acked - peer.report[0]) & layout.SEQUENCE_MASK
                arrived_out = (report.received - peer.report[1]) & 0xFFFFFFFF
                if expected_out >= layout.SEQUENCE_HALF or arrived_out > expected_out:
                    expected_out = arrived_out = 0  # an older report, or one in which others are counted too
            peer.report = (report.acked, report.received)
        return Measured(round_trip, expected, 1, expected_out, arrived_out)


def _delay_of(kind: int, data: bytes) -> float | None:
    """Seconds that the other side held its acknowledgement back; None where it acknowledges nothing."""
    if kind < layout.CONTROL:
        held = kind & layout.PAYLOAD_DELAY_NONE
        return None if held == layout.PAYLOAD_DELAY_NONE else held / layout.PAYLOAD_DELAY_RATE
    if kind == layout.CONTROL and len(data) >= layout.CONTROL_SIZE:
        held = packets.decode_report(data).ack_delay
        return None if held == layout.CONTROL_DELAY_NONE else held / layout.CONTROL_DELAY_RATE
    return None
