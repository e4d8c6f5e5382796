"""Sizes and times of a sequence of snapshots, each coded against one that was acknowledged some frames before.

Every packet is decoded again, and the result compared.
"""

import gc
import time
from collections.abc import Sequence
from math import inf
from typing import NamedTuple, Protocol

from retick.cli.snapshot_scoring import CompactCoder
from retick.errors import DeterminismError
from retick.snapshot import Codec, Prior, Schema, Snapshot

STRETCH = 64
"""Packets that are encoded, and then decoded, between two readings of the clock."""
PASSES = 3
"""How often a stretch is coded; the fastest time counts, since other programs can only add time."""


class Score(NamedTuple):
    """The result for one way of coding."""

    name: str
    packets: int
    """Number of packets."""
    bytes: float
    """Mean size of a packet."""
    encode_us: float
    """Mean time to encode a packet, in microseconds."""
    decode_us: float
    """Mean time to decode a packet, in microseconds."""


def _check(name: str, wanted: Snapshot, found: Snapshot) -> None:
    ids_differ = wanted.ids != found.ids
    if ids_differ or any(
        wanted.column(owner.id, item.id) != found.column(owner.id, item.id) for owner, item in wanted.schema.fields
    ):
        raise DeterminismError(f"{name}: tick {wanted.tick} is not what was encoded", frame=wanted.tick)


class ScoredCoder(Protocol):
    """One way of coding a sequence of snapshots, which are named by their indexes."""

    def encode(self, at: int) -> bytes: ...

    def decode(self, at: int, data: bytes) -> Snapshot: ...

    def begin(self, stretch: int) -> None:
        """Called before packets from this index on are coded several times, from the same start."""


def score(name: str, snapshots: Sequence[Snapshot], lag: int, coder: ScoredCoder) -> Score:
    """Code every snapshot from the ``lag``-th on, compare what is decoded, and take the times.

    A stretch of packets is encoded and then decoded, as two machines do. With one packet at a time, each end would find
    the other's data in the cache, and reading the clock would cost as much as a small packet. Each stretch is coded
    several times, and the fastest time counts.
    """
    total, encoding, decoding = 0, 0.0, 0.0
    gc.disable()  # as timeit does, since it would now and then walk all snapshots of the trace
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
    """The scores of carried and stateless compact coding, and of both plain forms."""
    found = []
    for name, carried in (("carried", True), ("stateless", False)):
        codec = Codec(schema, compact=True, prior=prior, sealed=not check)
        found.append(score(name, snapshots, lag, CompactCoder(codec, snapshots, lag, carried)))
    for version in (2, 0):
        codec = Codec(schema, version=version)
        found.append(score(f"plain v{version}", snapshots, lag, _Plain(codec, snapshots, lag)))
    return found


def score_lines(
    schema: Schema, snapshots: Sequence[Snapshot], *, lag: int, prior: Prior | None = None, check: bool = False
) -> list[str]:
    """The scores as lines of text."""
    lines = [f"  {'':12} {'bytes':>9} {'encode µs':>10} {'decode µs':>10}"]
    for one in scores(schema, snapshots, lag, prior, check):
        lines.append(f"  {one.name:12} {one.bytes:9.1f} {one.encode_us:10.1f} {one.decode_us:10.1f}")
    return lines
