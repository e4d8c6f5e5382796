"""``retick packet``: a datagram, or a capture of many, field by field.

The explanations come from the packages that own the formats; a new format is one line in ``FORMATS``.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from retick.errors import DecodeError, RetickError, UsageError
from retick.link.explain import explain_link, is_link
from retick.replay import rplk, rtk
from retick.snapshot import Schema, schema_from_json
from retick.snapshot.explain import SnapshotExplainer
from retick.transport.capture import MAGIC as CAPTURE_MAGIC
from retick.transport.capture import read_capture
from retick.wire.explain import Explanation, explain_lan, explain_rbn1, is_lan, is_rbn1

__all__ = ["packet"]

FORMATS: tuple[tuple[Callable[[bytes], bool], Callable[[bytes], Explanation]], ...] = (
    (is_rbn1, explain_rbn1),
    (is_lan, explain_lan),
    (is_link, explain_link),
)

REPLAYS = (rplk.MAGIC, rtk.MAGIC)
"""First bytes of files that --record wrote: easily given here in place of those that --capture wrote."""


class Found(NamedTuple):
    """A datagram and, when it is from a capture, its address and time."""

    data: bytes
    label: str
    facts: dict[str, Any]


def packet(
    source: Annotated[
        str, typer.Argument(metavar="HEX|FILE|FOLDER|-", help="Hex digits, a file, a folder, or - for standard input.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Every field of every datagram of a capture.")] = False,
    limit: Annotated[int, typer.Option(min=0, help="Datagrams of a capture to show; 0 for all.")] = 0,
    schema: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Schema of snapshot packets, as JSON: shows entities, fields and their costs."
        ),
    ] = None,
    last_tick: Annotated[
        int | None,
        typer.Option(min=0, help="Also read compact snapshot frames; the session is at this tick."),
    ] = None,
) -> None:
    """Explain RBN1, link and snapshot datagrams field by field.

    A file holds one raw datagram, hex digits (one datagram a line), or a capture (each datagram is shown in one line).
    Exit code 0: all are good. 1: one is not. 2: misuse.

    Example: retick packet 52424e3101000100000001020000000300

    Example: retick packet match.rtkc --full

    Example: retick packet snapshots/ --schema schema.json
    """
    if not source.strip():
        raise UsageError("nothing to explain: give hex digits, a file, a folder, or - for standard input")
    snapshots = SnapshotExplainer(_load_schema(schema), last_tick=last_tick)
    explained: list[tuple[Found, Explanation]] = []
    broken = None
    try:
        for found in _sources(source):
            if limit and len(explained) >= limit:
                break
            explained.append((found, _explain(found.data, snapshots)))
    except DecodeError as error:
        broken = f"the capture ends here: {error}"
    if as_json:
        document: dict[str, Any] = {"datagrams": [_plain(f, e) for f, e in explained], "fault": broken}
        if any(explanation.format == "snapshot" for _, explanation in explained):
            document["snapshots"] = snapshots.to_json()
        typer.echo(json.dumps(document, indent=2))
    else:
        _print(explained, broken, full or len(explained) == 1)
        for line in (*(snapshots.detail_lines() if len(explained) == 1 else ()), *snapshots.cost_lines()):
            typer.echo(line)
    if broken or any(explanation.fault for _, explanation in explained):
        raise typer.Exit(1)


def _sources(source: str) -> Iterator[Found]:
    """The datagrams of a file, or of every file in a folder, in the order of their names."""
    if source == "-" or not os.path.isdir(source):
        yield from _datagrams(_read(source))
        return
    for path in sorted(Path(source).iterdir()):
        if path.is_file():
            for found in _datagrams(path.read_bytes()):
                yield Found(found.data, f"{path.name} {found.label}".rstrip(), {"file": path.name, **found.facts})


def _read(source: str) -> bytes:
    """A file comes before hex digits: a capture may well be named "cafe"."""
    if source == "-":
        return sys.stdin.buffer.read()
    # Not Path.is_file, which raises for digits that are too long to be a name.
    if os.path.isfile(source):
        return Path(source).read_bytes()
    digits = _from_hex(source)
    if digits is None:
        raise UsageError(f"{source[:60]!r} is neither hex digits nor a file")
    return digits


def _load_schema(path: Path | None) -> Schema | None:
    if path is None:
        return None
    try:
        return schema_from_json(path.read_bytes())
    except RetickError as error:
        raise UsageError(f"{path}: {error}") from None


def _from_hex(text: str) -> bytes | None:
    cleaned = text.replace(":", " ").replace(",", " ").removeprefix("0x")
    try:
        return bytes.fromhex(cleaned) or None
    except ValueError:
        return None


def _datagrams(data: bytes) -> Iterator[Found]:
    if data[:4] == CAPTURE_MAGIC:
        for record in read_capture(data):
            arrow = "to  " if record.sent else "from"
            facts = {"time": record.time, "sent": record.sent, "address": record.address}
            yield Found(record.data, f"{record.time:10.6f} {arrow} {record.address}", facts)
        return
    lines = _hex_lines(data)
    if lines is None:
        yield Found(data, "", {})
        return
    for line in lines:
        yield Found(line, "", {})


def _hex_lines(data: bytes) -> list[bytes] | None:
    """The datagrams of a text in which every line is hex digits; None when it is not such a text."""
    try:
        lines = [line for line in data.decode("ascii").splitlines() if line.strip()]
    except UnicodeDecodeError:
        return None
    found = [_from_hex(line.strip()) for line in lines]
    good = [line for line in found if line is not None]
    return good if good and len(good) == len(lines) else None


def _explain(data: bytes, snapshots: SnapshotExplainer) -> Explanation:
    if snapshots.recognises(data):
        return snapshots.explain(data)
    for recognises, explain in FORMATS:
        if recognises(data):
            return explain(data)
    if data[:4] in REPLAYS:
        return Explanation("unknown", "a replay", [], "a recorded match and no datagram: see retick replay info FILE")
    return Explanation("unknown", "unknown", [], "not RBN1, link or snapshot: no known first bytes")


def _plain(found: Found, explanation: Explanation) -> dict[str, Any]:
    return {
        **found.facts,
        "format": explanation.format,
        "summary": explanation.summary,
        "length": len(found.data),
        "fault": explanation.fault,
        "fields": [row._asdict() for row in explanation.rows],
    }


def _print(explained: list[tuple[Found, Explanation]], broken: str | None, full: bool) -> None:
    for found, explanation in explained:
        head = f"{found.label}  " if found.label else ""
        typer.echo(f"{head}{explanation.summary} ({len(found.data)} bytes)")
        if full and explanation.rows:
            _print_rows(explanation)
        if explanation.fault:
            typer.echo(f"  NOT GOOD: {explanation.fault}")
    if broken:
        typer.echo(f"NOT GOOD: {broken}")
    elif not explained:
        typer.echo("no datagrams")
    if len(explained) > 1:
        _print_totals(explained)


def _print_rows(explanation: Explanation) -> None:
    rows = [("offset", "size", "field", "value", "meaning")]
    rows += [(str(r.offset), str(r.size), r.field, r.value, r.meaning) for r in explanation.rows]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    for offset, size, field, value, meaning in rows:
        line = f"  {offset:>{widths[0]}}  {size:>{widths[1]}}  {field:{widths[2]}}  {value:{widths[3]}}  {meaning}"
        typer.echo(line.rstrip())


def _print_totals(explained: list[tuple[Found, Explanation]]) -> None:
    counts: dict[str, int] = {}
    for _, explanation in explained:
        counts[explanation.format] = counts.get(explanation.format, 0) + 1
    total = sum(len(found.data) for found, _ in explained)
    kinds = ", ".join(f"{count} {name}" for name, count in sorted(counts.items(), key=lambda item: -item[1]))
    typer.echo(f"{len(explained)} datagrams, {total} bytes: {kinds}")
