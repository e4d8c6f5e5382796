"""Measures how much of the decoders the corpora reach, in lines and branches of the uncompiled source.

Counted are the modules that hold a decoder of the targets or read for one, and in them the functions that a target
enters. What writes is not what is fuzzed, and is left out. A decoder that nothing enters counts with 0 lines.
"""

import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from fuzz import corpus
from fuzz.search import flood
from fuzz.target import Target, run_one
from fuzz.tracing import SOURCE

__all__ = ["Row", "measure", "missing_lines", "table"]

READ_FOR_DECODERS = (
    "retick.snapshot.decoder", "retick.snapshot.decoder", "retick.snapshot.errors",
    "retick.snapshot.stream", "retick.snapshot.decoder", "retick.snapshot.stream",
    "retick.snapshot.stream", "retick.snapshot.decoder", "retick.link.address_proof",
    "retick.link.connection", "retick.link.goodbye", "retick.link.handshake.acceptor", "retick.link.handshake.dialler",
    "retick.link.connection", "retick.link.reliable", "retick.rollback.match.match",
    "retick.rollback.session.messages.routes",
)  # fmt: skip
WRITES = re.compile(r"_*(encode|write|pack|dumps|save|send|drain|datagrams|init|post_init|dial|close|queue|split_into)")


class Row(NamedTuple):
    """The coverage of one module."""

    module: str
    functions: int
    """Functions that were entered."""
    lines: int
    all_lines: int
    branches: int
    all_branches: int
    missing: list[str]
    """Lines that were not reached, by function."""


def measure(targets: list[Target], packets: int) -> list[Row]:
    """Run the corpora and some mutants of each, and count. Needs ``coverage`` from the extra ``dev``."""
    import coverage

    meter = coverage.Coverage(branch=True, data_file=None, include=[f"{SOURCE}/*"], check_preimported=False)
    meter.start()
    for target in targets:
        for data in corpus.kept(target):
            run_one(target, data)
        if packets and not target.is_script:
            flood(target, seed=1, go_on=lambda done: done < packets)
    meter.stop()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "coverage.json")
        meter.json_report(outfile=str(path))
        report = json.loads(path.read_text("utf-8"))
    wanted = {decoder for target in targets for decoder in target.decoders}
    rows = [_row(Path(name).resolve(), found, wanted) for name, found in report["files"].items()]
    shown = {decoder.partition(":")[0] for decoder in wanted} | set(READ_FOR_DECODERS)
    return sorted(row for row in rows if row.functions and row.module in shown)


def _row(path: Path, found: dict[str, Any], wanted: set[str]) -> Row:
    module = ".".join(("retick", *path.relative_to(Path(SOURCE).resolve()).with_suffix("").parts))
    entered = {
        name: one
        for name, one in found["functions"].items()
        if name
        and not WRITES.match(name.rpartition(".")[2])
        and (one["summary"]["covered_lines"] or f"{module}:{name}" in wanted)
    }
    sums = [one["summary"] for one in entered.values()]
    return Row(
        module,
        len(entered),
        sum(one["covered_lines"] for one in sums),
        sum(one["num_statements"] for one in sums),
        sum(one["covered_branches"] for one in sums),
        sum(one["num_branches"] for one in sums),
        [f"{name}: {_ranges(one['missing_lines'])}" for name, one in entered.items() if one["missing_lines"]],
    )


def _ranges(lines: list[int]) -> str:
    return ", ".join(map(str, lines))


def table(rows: list[Row]) -> str:
    """Write the rows and their sum as text."""
    total = Row(
        "all",
        sum(row.functions for row in rows),
        sum(row.lines for row in rows),
        sum(row.all_lines for row in rows),
        sum(row.branches for row in rows),
        sum(row.all_branches for row in rows),
        [],
    )
    width = max(len(row.module) for row in rows)
    lines = [f"{'module':{width}}  functions          lines            branches"]
    for row in (*rows, total):
        lines.append(
            f"{row.module:{width}}  {row.functions:9}  {_share(row.lines, row.all_lines)}  "
            f"{_share(row.branches, row.all_branches)}"
        )
    return "\n".join(lines)


def missing_lines(rows: list[Row]) -> str:
    """Write the functions with lines that were not reached."""
    return "\n".join(f"{row.module}\n" + "\n".join(f"  {each}" for each in row.missing) for row in rows if row.missing)


def _share(part: int, whole: int) -> str:
    return f"{part:5} of {whole:5} {part / whole:6.1%}" if whole else f"{'':14}    none"


def main(targets: list[Target], packets: int, show_missing: bool) -> None:
    rows = measure(targets, packets)
    print(table(rows))
    if show_missing:
        print(missing_lines(rows), file=sys.stderr)
