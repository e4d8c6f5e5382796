"""Snapshot packets in words, as ``retick packet`` shows them: the parts of one, and what each field costs in many."""

import dataclasses
from collections.abc import Iterator
from typing import Any

from retick.errors import DecodeError
from retick.snapshot.inspect import (
    PacketReport,
    component_costs,
    inspect_frame,
    inspect_packet,
    is_snapshot,
    total_costs,
)
from retick.snapshot.kernels import layout
from retick.snapshot.schema import Schema
from retick.wire.explain import Explanation, Row, RowReader

__all__ = ["SnapshotExplainer"]

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
    """Explains packets one after the other, and adds up what each field costs in all of them.

    Without a schema, or with another one than the packet's, only sections are shown, not entities and fields.
    """

    def __init__(self, schema: Schema | None = None, *, last_tick: int | None = None, keep_all: bool = True) -> None:
        """With ``last_tick``, compact frames are read too, of a session that is at this tick.

        Without ``keep_all`` only the newest packet and the sum of the others are kept, however many there are.
        """
        self._schema = schema
        self._last_tick = last_tick
        self._keep_all = keep_all
        self._reports: list[PacketReport] = []
        self._count = 0

    def recognises(self, data: bytes) -> bool:
        """Whether this is a snapshot packet or, where the session's tick is known, looks like a compact frame."""
        return is_snapshot(data) or (self._last_tick is not None and data[:1] in (b"\x01", b"\x02"))

    def explain(self, data: bytes) -> Explanation:
        """One packet; whatever is wrong with it is in the explanation's ``fault``."""
        if not is_snapshot(data):
            return self._explain_frame(data)
        rows = [
            Row(offset, size, name, _hex_or_number(name, data[offset : offset + size]))
            for offset, size, name in _HEADER
            if offset + size <= len(data)
        ]
        try:
            report = inspect_packet(data, self._schema)
        except DecodeError as error:
            return Explanation("snapshot", "snapshot packet", rows, f"{error.code}: {error}")
        self._add(report)
        sections = [
            Row(part.offset, part.size, f"section {part.tag}", part.name, _items(part.count))
            for part in report.sections
        ]
        if report.compact is not None:
            reader = RowReader(data, layout.HEADER_BYTES)
            report.compact.read_rows(reader)
            # Its sections in place of the bytes that they are.
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
        rows = [Row(part.offset, part.size, f"section {part.tag}", part.name) for part in report.sections]
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
        """The good packet explained last."""
        return self._reports[-1] if self._reports else None

    def detail_lines(self, limit: int = 200) -> list[str]:
        """Every entity and field of the packet explained last, with bit offsets."""
        if not self._reports or not self._reports[-1].understood:
            return []
        lines = list(_detail_lines(self._reports[-1]))
        rest = len(lines) - limit
        return lines[:limit] + ([f"  and {rest} more lines: --json has them all"] if rest > 0 else [])

    def cost_lines(self) -> list[str]:
        """The share of each field, and of what is not fields, in all packets explained."""
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
