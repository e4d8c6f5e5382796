"""Takes a packet apart: sections, entities and fields, each with its first bit and its size in bits.

The decoder checks the packet first, so that the reader here can trust it. It is a second reader of the format, in plain
Python; tests compare the two. Every bit is counted once: the costs of a packet add up to its size.
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from retick.errors import DecodeError
from retick.snapshot import layout
from retick.snapshot.compact.defaults import prediction_of
from retick.snapshot.compact.head import VERSION as COMPACT_VERSION
from retick.snapshot.compact.head import CompactParts, compact_hash, compact_parts, open_header
from retick.snapshot.compact.prior import generic_prior
from retick.snapshot.decoder import Decoder
from retick.snapshot.limits import Limits
from retick.snapshot.model import Snapshot
from retick.snapshot.schema import Component, Schema
from retick.wire.bits import BitReader
from retick.wire.explain import Explanation, PacketRow, RowReader

KINDS = {layout.FULL: "full", layout.DELTA: "delta", layout.SESSION_INIT: "session init"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldPart:
    """One value of a packet."""

    component: int
    """The id of its component."""
    index: int
    """The field's index in the component."""
    label: str
    """``component.field``, by name if the schema has names."""
    value: int | bool
    bit: int
    """Where it starts, from the first bit of the packet; padding before a varint belongs to it."""
    bits: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityPart:
    """One entity of a section, or one entry of a sparse section."""

    id: int
    bit: int
    bits: int
    fields: tuple[FieldPart, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionPart:
    """One section of a packet."""

    tag: int
    name: str
    offset: int
    """The offset of its tag."""
    size: int
    """Its size in bytes, with tag and length."""
    count: int | None = None
    """How many items it holds; None if the schema to read them is missing."""
    entities: tuple[EntityPart, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketReport:
    """A packet in parts."""

    kind: str
    version: int
    schema_hash: int | None
    """The schema hash; None in a compact frame, which does not carry it."""
    tick: int
    baseline_tick: int
    size: int
    """The size of the whole packet in bytes."""
    sections: tuple[SectionPart, ...]
    costs: dict[str, int] = field(default_factory=dict)
    """Bits by field label, and by ``(header)``, ``(framing)``, ``(counts)``, ``(ids)``, ``(masks)``, ``(padding)``, and
    ``(trailing)`` for bytes after a frame that a lenient reader ignores."""
    compact: CompactParts | None = None
    """The head of a compact delta; ``sections`` are those of its structure, or all if it is plain. None otherwise."""
    understood: bool = True
    """Whether the bodies were read: a schema was given, and its hash is the packet's."""


def is_snapshot(data: bytes) -> bool:
    """Whether these are the first bytes of a packet with the standard header."""
    return data[: len(layout.MAGIC)] == layout.MAGIC


def inspect_packet(
    data: bytes, schema: Schema | None = None, *, limits: Limits | None = None, strict: bool = True
) -> PacketReport:
    """Take a packet with the standard header apart, or raise the decoder's DecodeError.

    Without a schema, or with another one than the packet's, only header and sections are shown.
    """
    version = int.from_bytes(data[layout.VERSION_AT : layout.FLAGS_AT], "little")
    if version == COMPACT_VERSION:
        return _compact_report(data, schema, limits or Limits(), strict)
    version = 2 if version == 2 else 0
    decoder = Decoder(schema or Schema([]), version, limits or Limits(), strict, Snapshot)
    framing = decoder.packet_header(data)
    return _report(decoder, data, schema, version, framing.schema_hash)


def _compact_report(data: bytes, schema: Schema | None, limits: Limits, strict: bool) -> PacketReport:
    """Report on a compact packet: sections of version 2, and a delta's head. The body needs other snapshots."""
    header = open_header(data, limits, schema or Schema([]))
    known = schema if schema is not None and _hash_of(schema) == header.hash else None
    parts = None
    start, sections = layout.HEADER_BYTES, header.payload
    if header.flags == layout.DELTA:
        parts = compact_parts(header.payload, header.tick, header.baseline_tick)
        start += parts.body_at if parts.head.plain else parts.structure_at
        sections = header.payload[parts.body_at :] if parts.head.plain else parts.head.structure
    decoder = Decoder(known or Schema([]), 2, limits, strict, Snapshot)
    made = layout.HEADER.pack(
        layout.MAGIC, 2, header.flags, known.hash if known else 0, header.tick, header.baseline_tick, len(sections)
    )
    decoder.packet_header(made + sections)
    report = _report(decoder, made + sections, known, COMPACT_VERSION, header.hash, moved=start - layout.HEADER_BYTES)
    if parts is None:
        return report
    costs = dict(report.costs)
    costs["(compact head)"] = 8 * (start - layout.HEADER_BYTES)
    if not parts.head.plain:
        costs["(compact body)"] = 8 * (parts.size - parts.body_at)
    return replace(report, size=len(data), costs=costs, compact=parts)


def _hash_of(schema: Schema) -> int:
    """The schema hash of a compact codec with the library's prior."""
    return compact_hash(schema, prediction_of(schema), generic_prior())


def has_sections(payload: bytes) -> bool:
    """Whether these bytes are sections of version 2 from end to end, whatever they contain."""
    decoder = Decoder(Schema([]), 2, Limits(), True, Snapshot)
    header = layout.HEADER.pack(layout.MAGIC, 2, layout.DELTA, 0, 2, 1, len(payload))
    try:
        decoder.packet_header(header + payload)
    except DecodeError:
        return False
    return True


def inspect_frame(
    data: bytes, schema: Schema | None = None, *, last_tick: int, limits: Limits | None = None, strict: bool = True
) -> PacketReport:
    """Take apart a compact frame of a session that is at ``last_tick``."""
    decoder = Decoder(schema or Schema([]), 2, limits or Limits(), strict, Snapshot)
    framing = decoder.frame_header(data, last_tick)
    if framing.flags == layout.FULL:
        decoder.full_frame(data, last_tick)
    return _report(decoder, data, schema, 2, None)


def total_costs(reports: Iterable[PacketReport]) -> list[tuple[str, int]]:
    """Bits by label over many packets, most expensive first."""
    totals: dict[str, int] = {}
    for report in reports:
        for label, bits in report.costs.items():
            totals[label] = totals.get(label, 0) + bits
    return sorted(totals.items(), key=lambda item: (-item[1], item[0]))


def component_costs(reports: Iterable[PacketReport]) -> list[tuple[str, int]]:
    """Bits by component over many packets, fields only, most expensive first."""
    totals: dict[str, int] = {}
    for label, bits in total_costs(reports):
        if not label.startswith("("):
            component = label.rpartition(".")[0]
            totals[component] = totals.get(component, 0) + bits
    return sorted(totals.items(), key=lambda item: (-item[1], item[0]))


def _report(
    decoder: Decoder,
    data: bytes,
    schema: Schema | None,
    version: int,
    schema_hash: int | None,
    moved: int | None = None,
) -> PacketReport:
    """Report on the packet that the decoder opened. ``moved``: its schema is right, but sections start further on."""
    after = moved or 0
    understood = schema is not None and (moved is not None or schema_hash in (None, schema.hash))
    framing = decoder.framing
    if framing.flags == layout.SESSION_INIT:
        _check_session(decoder)
    elif understood:
        decoder.check_bodies()
    costs: dict[str, int] = {}
    header = framing.header_bytes()
    costs["(header)"] = 8 * header
    trailing = len(data) - header - framing.payload_bytes()
    if trailing:
        costs["(trailing)"] = 8 * trailing
    sections = []
    at = header
    for index in range(framing.section_count):
        tag, start, end = framing.section(index)
        costs["(framing)"] = costs.get("(framing)", 0) + 8 * (start - at)
        walk = _Walk(schema if understood else None, data[start:end], 8 * (start + after), costs)
        count, entities = walk.section(tag)
        sections.append(
            SectionPart(
                tag=tag,
                name=layout.SECTION_NAMES[tag],
                offset=at + after,
                size=end - at,
                count=count,
                entities=tuple(entities),
            )
        )
        at = end
    return PacketReport(
        kind=KINDS[framing.flags],
        version=version,
        schema_hash=schema_hash,
        tick=framing.tick,
        baseline_tick=framing.baseline_tick,
        size=len(data),
        sections=tuple(sections),
        costs=costs,
        understood=understood,
    )


def _check_session(decoder: Decoder) -> None:
    framing = decoder.framing
    for index in range(framing.section_count):
        if framing.section(index)[0] != layout.SESSION:
            raise decoder.section_error(layout.UNEXPECTED_SECTION, index)


class _Walk:
    """Reads one body again, noting every bit."""

    def __init__(self, schema: Schema | None, body: bytes, first_bit: int, costs: dict[str, int]) -> None:
        self._schema = schema
        self._reader = BitReader(body, strict=False)
        self._first_bit = first_bit
        self._costs = costs

    def section(self, tag: int) -> tuple[int | None, list[EntityPart]]:
        if tag == layout.SESSION or self._schema is None:
            self._note("(session)" if tag == layout.SESSION else "(not understood)", self._reader.remaining)
            return None, []
        count: int = self._cost("(counts)", self._reader.read_varuint)
        read = {
            layout.CREATES: self._masked,
            layout.DESTROYS: self._destroyed,
            layout.MASKED: self._masked,
            layout.SPARSE: self._sparse,
            layout.PACKED: self._packed,
        }[tag]
        entities = [read(self._schema) for _ in range(count)]
        self._cost("(padding)", self._reader.align)
        return count, entities

    def _note(self, label: str, bits: int) -> None:
        if bits:
            self._costs[label] = self._costs.get(label, 0) + bits

    def _cost(self, label: str, read: Callable[[], Any]) -> Any:
        before = self._reader.position
        value = read()
        self._note(label, self._reader.position - before)
        return value

    def _mask(self, bits: int) -> list[bool]:
        return [self._cost("(masks)", self._reader.read_bit) for _ in range(bits)]

    def _destroyed(self, _schema: Schema) -> EntityPart:
        bit = self._reader.position
        identity = self._cost("(ids)", self._reader.read_u32)
        return EntityPart(id=identity, bit=self._first_bit + bit, bits=32)

    def _masked(self, schema: Schema) -> EntityPart:
        self._cost("(padding)", self._reader.align)
        bit = self._reader.position
        identity = self._cost("(ids)", self._reader.read_u32)
        fields: list[FieldPart] = []
        present = self._mask(len(schema.components))
        for number, component in enumerate(schema.components):
            if present[number]:
                mask = self._mask(len(component.fields))
                fields += [self._field(schema, number, index) for index, wanted in enumerate(mask) if wanted]
        return self._entity(identity, bit, fields)

    def _sparse(self, schema: Schema) -> EntityPart:
        self._cost("(padding)", self._reader.align)
        bit = self._reader.position
        identity = self._cost("(ids)", self._reader.read_u32)
        number = schema.by_id[self._cost("(ids)", self._reader.read_u16)]
        count = self._cost("(counts)", self._reader.read_varuint)
        fields = []
        for _ in range(count):
            self._cost("(padding)", self._reader.align)
            index = self._cost("(masks)", self._reader.read_varuint)
            fields.append(self._field(schema, number, index))
        return self._entity(identity, bit, fields)

    def _packed(self, schema: Schema) -> EntityPart:
        self._cost("(padding)", self._reader.align)
        bit = self._reader.position
        identity = self._cost("(ids)", self._reader.read_varuint)
        number = schema.by_id[self._cost("(ids)", self._reader.read_varuint)]
        count = self._cost("(counts)", self._reader.read_varuint)
        index_bits = (len(schema.components[number].fields) - 1).bit_length()
        fields = []
        for _ in range(count):
            index = self._cost("(masks)", lambda: self._reader.read_bits(index_bits))
            fields.append(self._field(schema, number, index))
        return self._entity(identity, bit, fields)

    def _entity(self, identity: int, bit: int, fields: list[FieldPart]) -> EntityPart:
        bits = self._reader.position - bit
        return EntityPart(id=identity, bit=self._first_bit + bit, bits=bits, fields=tuple(fields))

    def _field(self, schema: Schema, number: int, index: int) -> FieldPart:
        component: Component = schema.components[number]
        label = schema.label(number, index)
        bit = self._reader.position
        value = self._cost(label, lambda: component.fields[index].codec.read(self._reader))
        return FieldPart(
            component=component.id,
            index=index,
            label=label,
            value=value,
            bit=self._first_bit + bit,
            bits=self._reader.position - bit,
        )


# Explains snapshot packets, as ``retick packet`` shows them: the parts of one, and what each field costs in many.

_HEADER = (
    (0, 4, "magic"),
    (4, 2, "version"),
    (6, 2, "flags"),
    (8, 8, "schema hash"),
    (16, 4, "tick"),
    (20, 4, "baseline tick"),
    (24, 4, "payload bytes"),
)


class SnapshotExplainer:
    """Explains packets one after another, and adds up what each field costs in all of them.

    Without a schema, or with another one than the packet's, only sections are shown, not entities and fields.
    """

    def __init__(self, schema: Schema | None = None, *, last_tick: int | None = None, keep_all: bool = True) -> None:
        """With ``last_tick``, also reads compact frames of a session that is at this tick.

        Without ``keep_all``, keeps only the newest packet and the sum of the others, however many there are.
        """
        self._schema = schema
        self._last_tick = last_tick
        self._keep_all = keep_all
        self._reports: list[PacketReport] = []
        self._count = 0

    def recognises(self, data: bytes) -> bool:
        """Whether this is a snapshot packet or, if the session's tick is known, looks like a compact frame."""
        return is_snapshot(data) or (self._last_tick is not None and data[:1] in (b"\x01", b"\x02"))

    def explain(self, data: bytes) -> Explanation:
        """Explain one packet; whatever is wrong with it is in the explanation's ``fault``."""
        if not is_snapshot(data):
            return self._explain_frame(data)
        rows = [
            PacketRow(offset, size, name, _hex_or_number(name, data[offset : offset + size]))
            for offset, size, name in _HEADER
            if offset + size <= len(data)
        ]
        try:
            report = inspect_packet(data, self._schema)
        except DecodeError as error:
            return Explanation("snapshot", "snapshot packet", rows, f"{error.code}: {error}")
        self._add(report)
        sections = [
            PacketRow(part.offset, part.size, f"section {part.tag}", part.name, _items(part.count))
            for part in report.sections
        ]
        if report.compact is not None:
            reader = RowReader(data, layout.HEADER_BYTES)
            report.compact.read_rows(reader)
            # Show its sections instead of their bytes.
            named = "sections" if report.compact.head.plain else "structure"
            at = next((at for at, row in enumerate(reader.rows) if sections and row.field == named), None)
            sections = reader.rows if at is None else [*reader.rows[:at], *sections, *reader.rows[at + 1 :]]
        rows += sections
        return Explanation("snapshot", _summary(report), rows, None)

    def _explain_frame(self, data: bytes) -> Explanation:
        try:
            report = inspect_frame(data, self._schema, last_tick=self._last_tick or 0)
        except DecodeError as error:
            return Explanation("snapshot", "compact frame", [], f"{error.code}: {error}")
        self._last_tick = report.tick
        self._add(report)
        rows = [PacketRow(part.offset, part.size, f"section {part.tag}", part.name) for part in report.sections]
        return Explanation("snapshot", f"compact {_summary(report)}", rows, None)

    def _add(self, report: PacketReport) -> None:
        self._count += 1
        if not self._keep_all and len(self._reports) == 2:
            first, second = self._reports
            costs = dict(total_costs(self._reports))
            self._reports = [
                dataclasses.replace(
                    first,
                    size=first.size + second.size,
                    costs=costs,
                    sections=(),
                    understood=first.understood or second.understood,
                )
            ]
        self._reports.append(report)

    @property
    def newest(self) -> PacketReport | None:
        """The good packet explained last; None before."""
        return self._reports[-1] if self._reports else None

    def detail_lines(self, limit: int = 200) -> list[str]:
        """Lines for every entity and field of the packet explained last, with bit offsets."""
        if not self._reports or not self._reports[-1].understood:
            return []
        lines = list(_detail_lines(self._reports[-1]))
        rest = len(lines) - limit
        return lines[:limit] + ([f"  and {rest} more lines: --json has them all"] if rest > 0 else [])

    def cost_lines(self) -> list[str]:
        """Lines with the share of each field, and of everything else, in all packets explained."""
        if not any(report.understood for report in self._reports):
            return ["entities and fields are shown with the packet's schema: --schema FILE"] if self._reports else []
        total = 8 * sum(report.size for report in self._reports)
        lines = [f"  {'share':>6}  {'bits':>8}  of {self._count} snapshot packets, {total // 8} bytes"]
        lines += [f"  {bits / total:6.1%}  {bits:8}  {label}" for label, bits in total_costs(self._reports)]
        components = component_costs(self._reports)
        if len(components) > 1:
            lines += [f"  {bits / total:6.1%}  {bits:8}  all of {name}" for name, bits in components]
        return lines

    def to_json(self) -> dict[str, Any]:
        """All packets explained and their costs, as plain values."""
        return {
            "packets": [_plain(report) for report in self._reports],
            "costs": dict(total_costs(self._reports)),
            "component_costs": dict(component_costs(self._reports)),
        }


def _plain(report: PacketReport) -> dict[str, Any]:
    found = dataclasses.asdict(dataclasses.replace(report, compact=None))
    return found if report.compact is None else {**found, "compact": report.compact.to_json()}


def _hex_or_number(name: str, data: bytes) -> str:
    if name == "magic":
        return data.hex(" ")
    number = int.from_bytes(data, "little")
    return f"{number:016x}" if name == "schema hash" else str(number)


def _items(count: int | None) -> str:
    return "" if count is None else f"{count} item{'' if count == 1 else 's'}"


def _summary(report: PacketReport) -> str:
    base = f" from {report.baseline_tick}" if report.kind == "delta" else ""
    parts = ", ".join(
        f"{part.name} {part.count if part.count is not None else ''}".rstrip() for part in report.sections
    )
    if report.compact is not None:
        parts = ", ".join(filter(None, (f"compact, {report.compact.summary}", parts)))
    return f"snapshot {report.kind} v{report.version} tick {report.tick}{base}: {parts or 'no sections'}"


def _detail_lines(report: PacketReport) -> Iterator[str]:
    yield "      bit   bits"
    for section in report.sections:
        yield f"  {8 * section.offset:7}  {8 * section.size:5}  {section.name}"
        for entity in section.entities:
            yield f"  {entity.bit:7}  {entity.bits:5}    entity {entity.id}"
            for part in entity.fields:
                yield f"  {part.bit:7}  {part.bits:5}      {part.label} = {part.value}"
