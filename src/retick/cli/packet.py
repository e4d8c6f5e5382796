"""``retick packet``: shows a datagram, or a capture of many, field by field."""

import os
import sys
from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from retick.cli.arguments import BudgetOption, raisable, read_limits
from retick.cli.exit_codes import NO, complain
from retick.cli.terminal import count, json_text, say
from retick.errors import DecodeError, LimitExceeded, RetickError, UsageError
from retick.packets.formats import MOST_KEYLOG, Explainer, SealedLinks, keylog_in
from retick.packets.sources import Found, datagrams_in, from_hex, other_capture
from retick.replay import ReadLimits
from retick.replay.limits import Budget
from retick.replay.storage import read_bounded, read_stream
from retick.snapshot import Schema, schema_from_json
from retick.snapshot.inspect import SnapshotExplainer
from retick.wire.explain import Explanation

STANDARD_INPUT = ("-", "/dev/stdin")
MOST_SCHEMA = 4 * 1024 * 1024
"""Most bytes of a schema's file."""
Read = TypeVar("Read")
SNAPSHOT_COST = 512
"""Bytes of memory for each byte of a snapshot while its fields are kept for JSON."""


def packet(
    source: Annotated[
        str, typer.Argument(metavar="HEX|FILE|FOLDER|-", help="Hex digits, a file, a folder, or - for standard input.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Show every field of every datagram of a capture.")] = False,
    limit: Annotated[int, typer.Option(min=0, help="Most datagrams of a capture to show; 0 for all.")] = 0,
    schema: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Schema of snapshot packets, as JSON: shows entities, fields and their costs."
        ),
    ] = None,
    last_tick: Annotated[
        int | None,
        typer.Option(min=0, help="Also read compact snapshot frames of a session at this tick."),
    ] = None,
    keylog: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Key log of an endpoint: opens sealed datagrams.")
    ] = None,
    budget: BudgetOption = None,
) -> None:
    """Explain RBN1, link, NetRunner and snapshot datagrams field by field.

    A file holds one raw datagram, hex digits (one datagram per line), or a capture (each datagram is shown in one
    line). Exit code 0: all are good. 1: one is not. 2: misuse.

    Example: retick packet 52424e3101000100000001020000000300

    Example: retick packet match.rtkc --full

    Example: retick packet match.rtkc --keylog keys.txt

    Example: retick packet snapshots/ --schema schema.json
    """
    if not source.strip():
        raise UsageError("nothing to explain: give hex digits, a file, a folder, or - for standard input")
    limits = read_limits(budget)
    snapshots = SnapshotExplainer(_load_schema(schema), last_tick=last_tick, keep_all=as_json)
    links = _load_keylog(keylog)
    explainer = Explainer(snapshots, links)
    seen = _Seen(explainer, Budget(limits, limits.max_bytes) if as_json else None)
    found = seen.explained(_sources(source, limits), limit)
    with raisable():
        if as_json:
            _print_json(found, seen)
        else:
            _print(found, seen, full)
    if links.keylog is not None and not links.keylog.opened:
        complain(f"{keylog} opens no datagram: it is empty, or belongs to another match")
    if seen.bad:
        raise typer.Exit(NO)


class _Seen:
    """Explains and counts datagrams one after the other; it keeps none, since a capture may hold millions."""

    def __init__(self, explainer: Explainer, budget: Budget | None) -> None:
        """``budget`` bounds what the explainer keeps of snapshots, if it keeps everything."""
        self.snapshots = explainer.snapshots
        self._explainer = explainer
        self.count = self.size = 0
        self.bad = False
        self.broken: str | None = None
        """Why a capture could not be read to its end; None if it could."""
        self.formats: dict[str, int] = {}
        self._budget = budget

    def explained(self, datagrams: Iterator[Found], limit: int) -> Iterator[tuple[Found, Explanation]]:
        try:
            for found in islice(datagrams, limit or None):
                explanation = self._explain(found.data)
                self.count += 1
                self.size += len(found.data)
                self.formats[explanation.format] = self.formats.get(explanation.format, 0) + 1
                self.bad = self.bad or explanation.fault is not None
                yield found, explanation
        except LimitExceeded:
            raise
        except DecodeError as error:
            self.broken, self.bad = f"the capture ends here: {error}", True

    def _explain(self, data: bytes) -> Explanation:
        if self._budget is not None and self.snapshots.recognises(data):
            self._budget.spend("bytes", SNAPSHOT_COST * len(data), "a snapshot")
        return self._explainer.explain(data)

    def totals(self) -> str:
        kinds = ", ".join(
            f"{number} {name}" for name, number in sorted(self.formats.items(), key=lambda item: -item[1])
        )
        return f"{count(self.count, 'datagram')}, {count(self.size, 'byte')}: {kinds}"


def _sources(source: str, limits: ReadLimits) -> Iterator[Found]:
    """The datagrams of a file, or of all files in a folder, in the order of their names."""
    if source in STANDARD_INPUT or not os.path.isdir(source):
        yield from datagrams_in(_read(source, limits))
        return
    for path in sorted(Path(source).iterdir()):
        if path.is_file():
            for found in datagrams_in(bytes(read_bounded(path, limits))):
                yield Found(found.data, f"{path.name} {found.label}".rstrip(), {"file": path.name, **found.facts})


def _read(source: str, limits: ReadLimits) -> bytes:
    """Read a file, or else hex digits: a capture may well be named "cafe"."""
    if source in STANDARD_INPUT:
        return bytes(read_stream(sys.stdin.buffer, limits))
    # Path.exists would raise for digits that are too long for a name.
    if os.path.exists(source):
        data = bytes(read_bounded(source, limits))
        if other := other_capture(data):
            raise UsageError(
                f"{source} is a {other} file: Wireshark and tshark read it, with the dissector of retick export "
                "wireshark; retick packet reads only files of --capture"
            )
        return data
    digits = from_hex(source)
    if digits is None:
        raise UsageError(f"{source[:60]!r} is neither hex digits nor a file")
    return digits


def _load_schema(path: Path | None) -> Schema | None:
    return None if path is None else _load(path, MOST_SCHEMA, schema_from_json)


def _load_keylog(path: Path | None) -> SealedLinks:
    return SealedLinks(None if path is None else _load(path, MOST_KEYLOG, keylog_in))


def _load(path: Path, most: int, read: Callable[[bytes], Read]) -> Read:
    try:
        return read(bytes(read_bounded(path, ReadLimits(max_bytes=most))))
    except RetickError as error:
        raise UsageError(f"{path}: {error}") from None


def _plain(found: Found, explanation: Explanation) -> dict[str, Any]:
    return {
        **found.facts,
        "format": explanation.format,
        "summary": explanation.summary,
        "length": len(found.data),
        "fault": explanation.fault,
        "fields": [row._asdict() for row in explanation.rows],
    }


def _print(explained: Iterator[tuple[Found, Explanation]], seen: _Seen, full: bool) -> None:
    first = list(islice(explained, 2))
    alone = len(first) == 1
    for found, explanation in chain(first, explained):
        head = f"{found.label}  " if found.label else ""
        say(f"{head}{explanation.summary} ({count(len(found.data), 'byte')})")
        if (full or alone) and explanation.rows:
            _print_rows(explanation)
        if explanation.fault:
            say(f"  NOT GOOD: {explanation.fault}")
    if seen.broken:
        say(f"NOT GOOD: {seen.broken}")
    elif not first:
        say("no datagrams")
    if not alone and first:
        say(seen.totals())
    say(*(seen.snapshots.detail_lines() if alone else ()), *seen.snapshots.cost_lines())


def _print_json(explained: Iterator[tuple[Found, Explanation]], seen: _Seen) -> None:
    """Print one JSON document while it is made."""
    mark = '{"datagrams": ['
    for found, explanation in explained:
        say(mark, *json_text(_plain(found, explanation), indent=2).split("\n"))
        mark = ","
    rest: dict[str, Any] = {"fault": seen.broken}
    if "snapshot" in seen.formats:
        rest["snapshots"] = seen.snapshots.to_json()
    opening = [mark] if mark != "," else []
    say(*opening, "],", *json_text(rest, indent=2).removeprefix("{\n").split("\n"))


def _print_rows(explanation: Explanation) -> None:
    rows = [("offset", "size", "field", "value", "meaning")]
    rows += [(str(r.offset), str(r.size), r.field, r.value, r.meaning) for r in explanation.rows]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    for offset, size, field, value, meaning in rows:
        line = f"  {offset:>{widths[0]}}  {size:>{widths[1]}}  {field:{widths[2]}}  {value:{widths[3]}}  {meaning}"
        say(line.rstrip())
