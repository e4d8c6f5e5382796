"""Sizes of a sequence of snapshots, each coded against one that was acknowledged some frames before, and priors.

Frame i is coded against frame i - lag, and predicted only from frames up to that one, which the receiver has
acknowledged by then. Statistics are carried along the same chains. All commands measure the sizes of payloads, see
:func:`counted`.
"""

import lzma
import os
from array import array
from collections.abc import Sequence
from pathlib import Path
from sys import byteorder
from typing import BinaryIO, NamedTuple

from retick._regular_files import read_bytes, regular
from retick.errors import DecodeError, InvalidValue, LimitExceeded, SchemaError, SchemaMismatch, UsageError
from retick.replay import ReadLimits
from retick.snapshot import (
    Bool,
    Codec,
    Component,
    Field,
    Fixed,
    Group,
    Motion,
    Prior,
    Rotation,
    Schema,
    Snapshot,
    UInt,
    pick_history,
    schema_from_json,
)
from retick.snapshot.compact.coder import Statistics
from retick.snapshot.compact.head import VERSION as COMPACT_VERSION
from retick.snapshot.compact.head import read_head
from retick.snapshot.compact.numbers import OLDEST
from retick.snapshot.errors import value_error
from retick.snapshot.inspect import PacketReport, inspect_packet, is_snapshot
from retick.verify.xz import XzFile


def counted(check: bool = False) -> str:
    """The unit of sizes, in words."""
    return f"bytes a packet: payload with{'' if check else 'out'} check, without header"


class CompactCoder:
    """A sender and a receiver, with or without carried statistics."""

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
        """Drop statistics inside a stretch, which is coded again; keep those from which it started."""
        if base >= self._stretch:
            held[base] = None


def mean_bytes(schema: Schema, snapshots: Sequence[Snapshot], *, lag: int, prior: Prior, carried: bool) -> float:
    """The mean size of packets without a check; nothing is decoded."""
    coder = CompactCoder(Codec(schema, compact=True, prior=prior, sealed=True), snapshots, lag, carried)
    sizes = [len(coder.encode(at)) for at in range(lag, len(snapshots))]
    return sum(sizes) / max(1, len(sizes))


def train(
    schema: Schema, snapshots: Sequence[Snapshot], *, lag: int, before: Prior, own: bool = True
) -> tuple[Prior, float]:
    """Learn a prior from the snapshots; return it with the mean size of a packet while it was learned.

    Every packet learns from the one before it, as no receiver can, so the size only serves to compare candidates.
    """
    codec = Codec(schema, compact=True, prior=before, sealed=True)
    payloads = codec.compact_payloads()
    statistics, total = payloads.prior_statistics().copy(), 0
    # Weights follow every entity, so the prior gets their mean over the packets.
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
    """Bytes per packet of each group, plain and carried; then of the lists of changed entities, and of the rest.

    The rest are heads, destroys and creates, and packets that were sent plain. The sums are whole packets.
    """
    codec = Codec(schema, compact=True, prior=prior, sealed=True)
    payloads = codec.compact_payloads()
    bits = [0.0] * (len(payloads.groups) + 1)
    payloads.note_costs(bits)
    coder = CompactCoder(codec, snapshots, lag, True)
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


# Snapshots to measure and to train with come from a trace or from a folder of packets.
#
# A trace has no header, only eight little-endian 32-bit numbers per entity and frame. docs/formats/compact.md describes
# its fields and their declarations.

TRACE_ENTITIES = 901
_FIELDS = 8
MOST_TRACE_BYTES = 1 << 30
"""Most bytes of a trace after unpacking."""
MOST_PACKETS = 100_000
"""Most packets in a folder."""


class Source(NamedTuple):
    """A schema and its snapshots, in the order of their ticks."""

    schema: Schema
    snapshots: list[Snapshot]
    left_out: int = 0
    """Number of packets in a folder whose baselines are missing."""


def trace_schema() -> Schema:
    """The schema of a trace, with the gravity (20 m/s²) and damping (0.99 per tick) of its scene."""
    place = Fixed(min_q=-16384, max_q=16383, scale=512)
    small = UInt(9)
    names = ("orientation_largest", "orientation_a", "orientation_b", "orientation_c")
    fields = [Field(1, UInt(2), name=names[0])]
    fields += [Field(at, small, name=names[at - 1]) for at in (2, 3, 4)]
    fields += [Field(5, place, name="position_x"), Field(6, place, name="position_y")]
    fields += [Field(7, Fixed(min_q=0, max_q=8191, scale=512), name="position_z"), Field(8, Bool(), name="interacting")]
    groups = [
        Group(1, (1, 2, 3, 4), Rotation(damping=0.99)),
        Group(1, (7, 5, 6), Motion(damping=0.99, acceleration=(-20 * 512 / 3600, 0.0, 0.0))),
    ]
    return Schema([Component(1, fields, "cube")], groups)


def read_source(path: Path, schema: Path | None, entities: int = TRACE_ENTITIES, prior: Prior | None = None) -> Source:
    """Read a folder of packets with its schema and prior, or a trace, which may have another schema."""
    declared = None
    if schema is not None:
        try:
            declared = schema_from_json(read_bytes(schema))
        except SchemaError as error:
            raise UsageError(f"{schema}: {error}") from None
    if path.is_dir():
        if declared is None:
            raise UsageError(f"{path} is a folder of packets, which needs its schema: --schema FILE")
        return _packets(path, declared, prior)
    if declared is not None and declared.hash != trace_schema().hash:
        raise UsageError(f"{schema}: {path} is a trace, and the schema does not have the fields of traces")
    return _trace(path, entities, declared or trace_schema())


def _trace(path: Path, entities: int, schema: Schema) -> Source:
    if entities < 1:
        raise UsageError(f"a trace has 1 entity or more, not {entities}")
    try:
        with open(path, "rb", opener=regular) as file:
            most = _most_of(file) if path.suffix == ".xz" else MOST_TRACE_BYTES
            data = (XzFile(file) if path.suffix == ".xz" else file).read(most + 1)
    except (lzma.LZMAError, EOFError, LimitExceeded) as error:
        raise UsageError(f"{path}: {error}") from None
    row = 4 * _FIELDS * entities
    if len(data) > most:
        raise UsageError(f"{path}: it unpacks to more than the {most} bytes that a file of this size may have")
    if not data or len(data) % row:
        raise UsageError(
            f"{path}: {len(data)} bytes are not frames of {entities} entities (see --entities; packets are read from "
            "their folder)"
        )
    numbers = array("i", data)
    if byteorder == "big":
        numbers.byteswap()
    ids = array("I", range(entities))
    snapshots = []
    for tick in range(len(data) // row):
        start = tick * entities * _FIELDS
        frame = numbers[start : start + entities * _FIELDS]
        columns = [array("q", frame[at::_FIELDS]) for at in range(_FIELDS)]
        _check_frame(path, tick, schema.components[0], columns)
        made = Snapshot.from_columns(schema, tick=tick + 1, ids=ids, columns={1: columns})
        snapshots.append(made.copy())
    return Source(schema, snapshots)


def _most_of(packed: BinaryIO) -> int:
    """The most bytes that a packed trace may unpack to: as much as any other file of its size."""
    limits = ReadLimits()
    return min(MOST_TRACE_BYTES, limits.free_bytes + limits.growth * os.fstat(packed.fileno()).st_size)


def _check_frame(path: Path, frame: int, cube: Component, columns: "list[array[int]]") -> None:
    for item, column in zip(cube.fields, columns, strict=True):
        if item.codec.lowest <= min(column) and max(column) <= item.codec.highest:
            continue
        entity = next(at for at, value in enumerate(column) if not item.codec.lowest <= value <= item.codec.highest)
        raise UsageError(f"{path}: frame {frame}: {value_error(entity, cube, item, column[entity])}")


def _packets(folder: Path, schema: Schema, prior: Prior | None) -> Source:
    """Read full packets and deltas, also compact ones without carried statistics, in the order of file names."""
    codecs = {version: Codec(schema, version=version) for version in (0, 2)}
    # A sealed codec also reads packets with a check, and compares it.
    codecs[COMPACT_VERSION] = Codec(schema, compact=True, prior=prior, sealed=True)
    seen = left_out = 0
    found: dict[int, Snapshot] = {}
    for number, path in enumerate(sorted(folder.iterdir())):
        if number >= MOST_PACKETS:
            raise UsageError(f"{folder} has more than {MOST_PACKETS} files")
        data = read_bytes(path) if path.is_file() else b""
        if not is_snapshot(data):
            continue
        seen += 1
        try:
            report = inspect_packet(data)
            _needs_nothing_carried(report)
            codec = codecs[report.version]
            if report.kind == "full":
                found[report.tick] = codec.decode_full(data)
            elif report.kind != "delta" or report.baseline_tick not in found:
                left_out += 1
            else:
                found[report.tick] = codec.apply_delta(
                    found[report.baseline_tick], data, history=list(found.values())[-OLDEST:]
                )
        except SchemaMismatch as error:
            needed = " (--schema, and --prior for compact packets)" if report.version == COMPACT_VERSION else ""
            raise UsageError(f"{path}: {error}{needed}") from None
        except DecodeError as error:
            raise UsageError(f"{path}: {error}") from None
    if not found:
        why = "no full snapshot that the others start from" if seen else "no snapshot packets"
        raise UsageError(f"{folder} has {why}")
    return Source(schema, [found[tick] for tick in sorted(found)], left_out)


def _needs_nothing_carried(report: PacketReport) -> None:
    if report.compact is not None and report.compact.head.carried:
        raise InvalidValue(
            "a packet with carried statistics, which only its own receiver can read: record packets of "
            "Codec(schema, compact=True) or of a plain codec"
        )
