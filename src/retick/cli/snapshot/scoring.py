"""Bytes and microseconds of a sequence of snapshots, each coded against one that was acknowledged some frames before.

Every packet is decoded again, and the result compared. Frame i is coded against frame i - lag, and predicted only from
frames up to that one: those that the receiver has acknowledged by then. Statistics are carried along the same chains.
Sizes are those of payloads, in all commands: see :func:`counted`.
"""

import gc
import time
from array import array
from collections.abc import Sequence
from math import inf
from typing import NamedTuple, Protocol

from retick.errors import DeterminismError
from retick.snapshot import Codec, Group, Prior, Schema, Snapshot, pick_history
from retick.snapshot.compact.head import read_head
from retick.snapshot.compact.numbers import OLDEST
from retick.snapshot.compact.statistics import Statistics
from retick.snapshot.inspect import inspect_packet

STRETCH = 64
"""Packets that are encoded, and then decoded, between two looks at the clock."""
PASSES = 3
"""How often a stretch is coded; the fastest time counts, since other programs only add time."""

__all__ = ["Coder", "Score", "costs", "counted", "mean_bytes", "score", "score_lines", "scores", "train"]


class Score(NamedTuple):
    """One way of coding."""

    name: str
    packets: int
    bytes: float
    """A packet, mean."""
    encode_us: float
    """A packet, mean."""
    decode_us: float


def _check(name: str, wanted: Snapshot, found: Snapshot) -> None:
    ids_differ = wanted.ids != found.ids
    if ids_differ or any(
        wanted.column(owner.id, item.id) != found.column(owner.id, item.id) for owner, item in wanted.schema.fields
    ):
        raise DeterminismError(f"{name}: tick {wanted.tick} is not what was encoded", frame=wanted.tick)


class Coder(Protocol):
    """One way of coding a sequence of snapshots, which are named by their places in it."""

    def encode(self, at: int) -> bytes: ...

    def decode(self, at: int, data: bytes) -> Snapshot: ...

    def begin(self, stretch: int) -> None:
        """Packets from this place on are coded several times: what they start from must stay."""


def score(name: str, snapshots: Sequence[Snapshot], lag: int, coder: Coder) -> Score:
    """Code every snapshot from the ``lag``-th on, compare what is decoded, and take the times.

    A stretch of packets is encoded and then decoded, as two machines do it. With one packet at a time, each end would
    find the other's data in the cache, and reading the clock would cost as much as a small packet. Each stretch is
    coded several times, and the fastest counts.
    """
    total, encoding, decoding = 0, 0.0, 0.0
    gc.disable()  # as timeit does: it would walk all snapshots of the trace now and then
    try:
        for start in range(lag, len(snapshots), STRETCH):
            stretch = range(start, min(start + STRETCH, len(snapshots)))
            fastest = inf, inf
            coder.begin(start)
            for _ in range(PASSES):
                first = time.thread_time()
                packets = [coder.encode(at) for at in stretch]
                second = time.thread_time()
                found = [coder.decode(at, data) for at, data in zip(stretch, packets, strict=True)]
                third = time.thread_time()
                fastest = min(fastest[0], second - first), min(fastest[1], third - second)
            for at, snapshot in zip(stretch, found, strict=True):
                _check(name, snapshots[at], snapshot)
            total, encoding, decoding = (
                total + sum(map(len, packets)),
                encoding + fastest[0],
                decoding + fastest[1],
            )
    finally:
        gc.enable()
    count = max(1, len(snapshots) - lag)
    return Score(name, count, total / count, encoding / count * 1e6, decoding / count * 1e6)


def counted(check: bool = False) -> str:
    """What a size is, in the words of all commands."""
    return f"bytes a packet: payload with{'' if check else 'out'} check, without header"


class _Compact:
    """A sender and a receiver whose statistics, if any, are carried."""

    def __init__(self, codec: Codec, snapshots: Sequence[Snapshot], lag: int, carried: bool) -> None:
        self._codec = codec.compact_payloads()
        self._snapshots = snapshots
        self._lag = lag
        ticks = [snapshot.tick for snapshot in snapshots]
        self._by_tick = dict(zip(ticks, snapshots, strict=True))
        self._histories = [
            [self._by_tick[tick] for tick in pick_history(ticks[at], ticks[max(0, at - OLDEST) : at])]
            for at in range(len(ticks) - lag)
        ]
        start = self._codec.prior_statistics() if carried else None
        self._sent: list[Statistics | None] = [start] * len(ticks)
        self._received = self._sent[:]
        self._carried = carried
        self._stretch = 0

    def encode(self, at: int) -> bytes:
        base = at - self._lag
        made = self._codec.encode(self._snapshots[base], self._snapshots[at], self._histories[base], self._sent[base])
        if self._carried:
            self._sent[at] = made.statistics
            self._let_go(self._sent, base)
        return made.payload

    def decode(self, at: int, data: bytes) -> Snapshot:
        base = at - self._lag
        received = self._received[base]
        found, learned = self._codec.decode(
            self._snapshots[base], self._snapshots[at].tick, data, self._by_tick.get, received
        )
        if self._carried:
            self._received[at] = learned
            self._let_go(self._received, base)
        return found

    def begin(self, stretch: int) -> None:
        for at in range(max(0, self._stretch - self._lag), stretch - self._lag):
            self._sent[at] = self._received[at] = None
        self._stretch = stretch

    def _let_go(self, held: list[Statistics | None], base: int) -> None:
        """Of a stretch that is coded again, what it started from stays; the rest is made anew, in the same memory."""
        if base >= self._stretch:
            held[base] = None


class _Plain:
    def __init__(self, codec: Codec, snapshots: Sequence[Snapshot], lag: int) -> None:
        self._codec = codec
        self._snapshots = snapshots
        self._lag = lag

    def encode(self, at: int) -> bytes:
        return self._codec.encode_payload(self._snapshots[at - self._lag], self._snapshots[at])

    def decode(self, at: int, data: bytes) -> Snapshot:
        return self._codec.decode_payload(self._snapshots[at - self._lag], self._snapshots[at].tick, data)

    def begin(self, stretch: int) -> None:
        """Nothing is carried."""


def scores(schema: Schema, snapshots: Sequence[Snapshot], lag: int, prior: Prior | None, check: bool) -> list[Score]:
    """Carried, stateless, and both plain forms."""
    found = []
    for name, carried in (("carried", True), ("stateless", False)):
        codec = Codec(schema, compact=True, prior=prior, sealed=not check)
        found.append(score(name, snapshots, lag, _Compact(codec, snapshots, lag, carried)))
    for version in (2, 0):
        codec = Codec(schema, version=version)
        found.append(score(f"plain v{version}", snapshots, lag, _Plain(codec, snapshots, lag)))
    return found


def mean_bytes(schema: Schema, snapshots: Sequence[Snapshot], *, lag: int, prior: Prior, carried: bool) -> float:
    """The size that :func:`scores` finds without a check, but nothing is decoded."""
    coder = _Compact(Codec(schema, compact=True, prior=prior, sealed=True), snapshots, lag, carried)
    sizes = [len(coder.encode(at)) for at in range(lag, len(snapshots))]
    return sum(sizes) / max(1, len(sizes))


def score_lines(
    schema: Schema, snapshots: Sequence[Snapshot], *, lag: int, prior: Prior | None = None, check: bool = False
) -> list[str]:
    """The scores as lines of text."""
    lines = [f"  {'':12} {'bytes':>9} {'encode µs':>10} {'decode µs':>10}"]
    for one in scores(schema, snapshots, lag, prior, check):
        lines.append(f"  {one.name:12} {one.bytes:9.1f} {one.encode_us:10.1f} {one.decode_us:10.1f}")
    return lines


def train(
    schema: Schema, snapshots: Sequence[Snapshot], *, lag: int, before: Prior, own: bool = True
) -> tuple[Prior, float]:
    """A prior of everything that these snapshots teach, and the mean bytes of a packet while it was learned.

    Every packet learns from the one before it, as no receiver can: the size is only for comparing candidates.
    """
    codec = Codec(schema, compact=True, prior=before, sealed=True)
    payloads = codec.compact_payloads()
    statistics, total = payloads.prior_statistics().copy(), 0
    # Weights follow every entity; their mean over the packets is what they follow.
    sums, packets = [0] * len(statistics.weights), 0
    ticks = [snapshot.tick for snapshot in snapshots]
    by_tick = dict(zip(ticks, snapshots, strict=True))
    for at in range(lag, len(snapshots)):
        base = snapshots[at - lag]
        history = [by_tick[tick] for tick in pick_history(base.tick, ticks[max(0, at - lag - 64) : at - lag])]
        made = payloads.encode(base, snapshots[at], history, statistics)
        statistics, total = made.statistics, total + len(made.payload)
        if at >= len(snapshots) // 4:
            sums, packets = [a + b for a, b in zip(sums, statistics.weights, strict=True)], packets + 1
    if packets:
        mean = array("i", [round(a / packets) for a in sums])
        statistics = Statistics(statistics.models, mean, statistics.lineage)
    learned = Prior.learned(payloads.plan, statistics, before=before, own=own)
    return learned, total / max(1, len(snapshots) - lag)


def costs(
    schema: Schema, snapshots: Sequence[Snapshot], *, lag: int, prior: Prior
) -> tuple[list[float], list[float], tuple[Group, ...]]:
    """Bytes a packet of each group, plain and carried; then of what says which entities changed, and of the rest.

    The rest are heads, destroys and creates, and packets that went the plain way. The sums are those of :func:`scores`.
    """
    codec = Codec(schema, compact=True, prior=prior, sealed=True)
    payloads = codec.compact_payloads()
    bits = [0.0] * (len(payloads.groups) + 1)
    payloads.note_costs(bits)
    coder = _Compact(codec, snapshots, lag, True)
    plain_codec = Codec(schema, version=2)
    places = {
        f"{schema.label(at, index)}": number
        for number, group in enumerate(payloads.groups)
        for at in [schema.by_id[group.component]]
        for index, item in enumerate(schema.components[at].fields)
        if item.id in group.fields
    }
    plain, total = [0.0] * len(bits), 0.0
    for at in range(lag, len(snapshots)):
        before = bits[:]
        payload = coder.encode(at)
        total += 8 * len(payload)
        if read_head(payload)[0].plain:
            bits[:] = before
        report = inspect_packet(plain_codec.encode_delta(snapshots[at - lag], snapshots[at]), schema)
        for label, cost in report.costs.items():
            if label != "(header)":
                plain[places.get(label, -1)] += cost
    count = 8 * max(1, len(snapshots) - lag)
    plain, bits = [*plain, 0.0], [*bits, total - sum(bits)]
    return [cost / count for cost in plain], [cost / count for cost in bits], payloads.groups
