"""A capture over time: bits by kind, by component and by field, and round trip and loss, in slices of equal length.

However long a capture is, the numbers of slices and of names are bounded.
"""

import re
from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

from retick.link import layout, packets
from retick.link.packets import ENVELOPE
from retick.packets.formats import Explainer
from retick.snapshot.inspect import PacketReport
from retick.transport.capture import Recorded
from retick.wire.explain import Explanation

# Round trip and loss along a capture, from the sequences and acknowledgements of the link's own datagrams.
#
# A capture is made at one side. A received datagram acknowledges a sent one: the time between the two, without the
# delay that the other side reports, is a round trip. Skipped sequences of received datagrams are losses on the way in;
# for the way out, the other side reports how many arrived.

MOST_PEERS = 64
"""Addresses that are followed; datagrams of further ones are ignored."""
_ACKS = 256
"""Number of acknowledgements: they are the low byte of a sequence."""


class Measured(NamedTuple):
    """What one datagram adds to the measures."""

    round_trip: float | None = None
    """Seconds; None if the datagram measures no round trip."""
    expected_in: int = 0
    """Datagrams that the other side must have sent since the last one."""
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
    """Measures round trip and loss from the datagrams of a capture, given one after the other."""

    def __init__(self) -> None:
        self._peers: dict[str, _Peer] = {}

    def add(self, time: float, *, sent: bool, address: str, data: bytes) -> Measured:
        """The measures of this datagram; all empty unless it has the link's envelope."""
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
                    expected_out = arrived_out = 0  # an older report, or one that counts other connections too
            peer.report = (report.acked, report.received)
        return Measured(round_trip, expected, 1, expected_out, arrived_out)


def _delay_of(kind: int, data: bytes) -> float | None:
    """Seconds by which the other side delayed its acknowledgement; None if it acknowledges nothing."""
    if kind < layout.CONTROL:
        held = kind & layout.PAYLOAD_DELAY_NONE
        return None if held == layout.PAYLOAD_DELAY_NONE else held / layout.PAYLOAD_DELAY_RATE
    if kind == layout.CONTROL and len(data) >= layout.CONTROL_SIZE:
        held = packets.decode_report(data).ack_delay
        return None if held == layout.CONTROL_DELAY_NONE else held / layout.CONTROL_DELAY_RATE
    return None


SLICES = 240
MOST_NAMES = 200
"""Most names of kinds, of components and of fields; further ones are counted as OTHER."""
AROUND = 4
"""Slices on each side whose datagrams count for a slice's loss, too."""
OTHER = "(other)"
VIEWS = ("kind", "component", "field")
_NUMBER = re.compile(r" \d+\b")
_COMPONENTS = ("rbn1", "netrunner", "server", "session")
"""Parts inside a link's datagram, by the first word of their fields."""


def kind_of(explanation: Explanation) -> str:
    """Name the kind of a datagram in two or three words."""
    plain = explanation.format.removeprefix("link ")
    if explanation.format == "NetRunner":
        return explanation.content
    return f"{plain} {explanation.content}" if explanation.content else plain


def costs_of(explanation: Explanation, size: int, report: PacketReport | None) -> dict[tuple[str, str], int]:
    """Bits by component and field, all bits of the datagram together.

    ``report`` is given for a snapshot, whose fields do not begin at byte boundaries.
    """
    costs: dict[tuple[str, str], int] = {}
    if report is not None:
        for label, bits in report.costs.items():
            component = label if label.startswith("(") else label.rpartition(".")[0]
            costs[component, label] = bits
        return costs
    left = 8 * size
    for row in explanation.rows:
        component, _, rest = row.field.partition(" ")
        if component not in _COMPONENTS or not rest:
            component = "link" if explanation.format.startswith("link") else explanation.format
        name = _NUMBER.sub("", row.field)
        costs[component, name] = costs.get((component, name), 0) + 8 * row.size
        left -= 8 * row.size
    if left > 0:
        costs[OTHER, OTHER] = left
    return costs


class CaptureTimeline:
    """Counts the records of a capture, given one after the other."""

    def __init__(self, explainer: Explainer, seconds: float, *, slices: int = SLICES) -> None:
        """``seconds`` is the length of the capture."""
        self._explainer = explainer
        self._slices = slices
        self._slice = max(seconds, 1e-6) / slices
        self._links = LinkMeasures()
        self._bits: dict[str, dict[str, array[int]]] = {view: {} for view in VIEWS}
        self._trips = array("d", bytes(8 * slices))
        self._samples = self._counts()
        self._expected = {"in": self._counts(), "out": self._counts()}
        self._arrived = {"in": self._counts(), "out": self._counts()}
        self.count = 0
        self.bad = 0

    def _counts(self) -> "array[int]":
        return array("Q", bytes(8 * self._slices))

    def add(self, record: Recorded) -> None:
        """Explain one datagram and count it."""
        at = min(max(0, int(record.time / self._slice)), self._slices - 1)
        explanation = self._explainer.explain(record.data)
        self.count += 1
        self.bad += explanation.fault is not None
        self._count("kind", kind_of(explanation), at, 8 * len(record.data))
        report = None
        if explanation.format == "snapshot" and explanation.fault is None:
            report = self._explainer.snapshots.newest
        for (component, field), bits in costs_of(explanation, len(record.data), report).items():
            self._count("component", component, at, bits)
            self._count("field", field, at, bits)
        readable = self._explainer.links.readable(record.data)
        found = self._links.add(record.time, sent=record.sent, address=record.address, data=readable)
        if found.round_trip is not None:
            self._trips[at] += found.round_trip
            self._samples[at] += 1
        self._expected["in"][at] += found.expected_in
        self._arrived["in"][at] += found.arrived_in
        self._expected["out"][at] += found.expected_out
        self._arrived["out"][at] += found.arrived_out

    def _count(self, view: str, name: str, at: int, bits: int) -> None:
        names = self._bits[view]
        if name not in names:
            if len(names) >= MOST_NAMES:
                name = OTHER
            names.setdefault(name, self._counts())
        names[name][at] += bits

    def to_json(self, most: int) -> dict[str, Any]:
        """Plain values for JSON: in each view the ``most`` costly names, and the rest as one, with bits per slice."""
        return {
            "slice": self._slice,
            "count": self.count,
            "bad": self.bad,
            "views": {view: _dearest(names, most, self._slices) for view, names in self._bits.items()},
            "roundTrip": [
                round(1000 * total / samples, 3) if samples else None
                for total, samples in zip(self._trips, self._samples, strict=True)
            ],
            "lossIn": _losses(self._expected["in"], self._arrived["in"]),
            "lossOut": _losses(self._expected["out"], self._arrived["out"]),
        }


def _losses(expected: Sequence[int], arrived: Sequence[int]) -> list[float | None]:
    """Share of lost datagrams for each slice, counted with the slices around it, since one slice may have few."""
    found: list[float | None] = []
    for at in range(len(expected)):
        around = slice(max(0, at - AROUND), at + AROUND + 1)
        wanted, came = sum(expected[around]), sum(arrived[around])
        found.append(round(max(0.0, 1 - came / wanted), 4) if wanted else None)
    return found


def _dearest(names: "dict[str, array[int]]", most: int, slices: int) -> list[dict[str, Any]]:
    ranked = sorted(names.items(), key=lambda item: (item[0] == OTHER, -sum(item[1]), item[0]))
    rows = [{"name": name, "total": sum(bits), "bits": list(bits)} for name, bits in ranked[:most]]
    rest = ranked[most:]
    if rest:
        merged = [sum(bits[at] for _, bits in rest) for at in range(slices)]
        rows.append({"name": OTHER, "total": sum(merged), "bits": merged})
    return rows
