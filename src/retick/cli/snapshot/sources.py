"""Snapshots to measure and to train with: a trace of numbers, or a folder of packets.

A trace has no header: frame after frame, entity after entity, eight little-endian 32-bit numbers each. Its fields, and
what is declared of them, are in docs/formats/compact.md.
"""

import lzma
from array import array
from pathlib import Path
from sys import byteorder
from typing import NamedTuple

from retick.errors import DecodeError, InvalidValue, SchemaError, SchemaMismatch, UsageError
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
    schema_from_json,
)
from retick.snapshot.compact.header import VERSION as COMPACT_VERSION
from retick.snapshot.compact.numbers import OLDEST
from retick.snapshot.inspect import PacketReport, inspect_packet, is_snapshot
from retick.snapshot.kernels.errors import value_error

__all__ = ["TRACE_ENTITIES", "Source", "read_source", "trace_schema"]

TRACE_ENTITIES = 901
_FIELDS = 8
MOST_TRACE_BYTES = 1 << 30
"""Bytes of a trace after unpacking."""
MOST_PACKETS = 100_000
"""Packets of a folder."""


class Source(NamedTuple):
    """A schema and its snapshots, in the order of their ticks."""

    schema: Schema
    snapshots: list[Snapshot]
    left_out: int = 0
    """Packets of a folder whose baselines are not in it."""


def trace_schema() -> Schema:
    """The fields of a trace, with what its scene declares: gravity of 20 m/s², damping of 0.99 a tick."""
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
    """A folder of packets with its schema, and the prior of compact ones; or a trace, whose schema may be another."""
    declared = None
    if schema is not None:
        try:
            declared = schema_from_json(schema.read_bytes())
        except SchemaError as error:
            raise UsageError(f"{schema}: {error}") from None
    if path.is_dir():
        if declared is None:
            raise UsageError(f"{path} is a folder of packets, which needs its schema: --schema FILE")
        return _packets(path, declared, prior)
    if declared is not None and declared.hash != trace_schema().hash:
        raise UsageError(f"{schema}: {path} is a trace, and the schema has other fields than traces have")
    return _trace(path, entities, declared or trace_schema())


def _trace(path: Path, entities: int, schema: Schema) -> Source:
    if entities < 1:
        raise UsageError(f"a trace has 1 entity or more, not {entities}")
    try:
        with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as file:
            data = file.read(MOST_TRACE_BYTES + 1)
    except (lzma.LZMAError, EOFError) as error:
        raise UsageError(f"{path}: {error}") from None
    row = 4 * _FIELDS * entities
    if not data or len(data) > MOST_TRACE_BYTES or len(data) % row:
        raise UsageError(
            f"{path}: {len(data)} bytes are no frames of {entities} entities (see --entities; packets are read from "
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


def _check_frame(path: Path, frame: int, cube: Component, columns: "list[array[int]]") -> None:
    for item, column in zip(cube.fields, columns, strict=True):
        if item.codec.lowest <= min(column) and max(column) <= item.codec.highest:
            continue
        entity = next(at for at, value in enumerate(column) if not item.codec.lowest <= value <= item.codec.highest)
        raise UsageError(f"{path}: frame {frame}: {value_error(entity, cube, item, column[entity])}")


def _packets(folder: Path, schema: Schema, prior: Prior | None) -> Source:
    """Full packets and deltas, also compact ones of no carried statistics, in the order of the files' names."""
    codecs = {version: Codec(schema, version=version) for version in (0, 2)}
    # A sealed one reads packets with a check too, and compares it.
    codecs[COMPACT_VERSION] = Codec(schema, compact=True, prior=prior, sealed=True)
    seen = left_out = 0
    found: dict[int, Snapshot] = {}
    for number, path in enumerate(sorted(folder.iterdir())):
        if number >= MOST_PACKETS:
            raise UsageError(f"{folder} has more than {MOST_PACKETS} files")
        data = path.read_bytes() if path.is_file() else b""
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
            "a carried packet, which only its own receiver can read: record what Codec(schema, compact=True) or a "
            "plain codec encodes"
        )
