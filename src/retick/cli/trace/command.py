"""``retick trace``: the notes of one or several peers as one trace that Perfetto opens."""

import gzip
from pathlib import Path
from typing import IO, Annotated

import typer

from retick.cli.exit_codes import named
from retick.cli.play.recording import check_new_file
from retick.cli.plurals import count
from retick.cli.read_budget import BudgetOption, raisable, read_limits
from retick.cli.terminal import json_text, say, working
from retick.cli.trace.notes import Notes, read_notes
from retick.cli.trace.perfetto import trace_events
from retick.replay import ReadLimits
from retick.replay.storage import read_bounded

__all__ = ["trace"]


def trace(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Notes of host, join or demo --trace.")],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The trace; a name with .gz is compressed.", show_default="FILE with .json"),
    ] = None,
    align: Annotated[bool, typer.Option(help="Correct clocks that differ, by the datagrams of the peers.")] = True,
    budget: BudgetOption = None,
) -> None:
    """Turn the notes of one or several peers into one trace that Perfetto (ui.perfetto.dev) opens.

    Exit code 0: written. 1: a file has no good notes. 2: misuse.

    Example: retick trace match-host.rtkt match-joiner.rtkt --out match.json
    """
    target = files[0].with_suffix(".json") if out is None else out
    check_new_file(target)
    limits = read_limits(budget)
    with raisable(), working("reading notes"):
        read = [_read(path, limits) for path in files]
    with working("writing the trace"):
        events = _write(read, target, align)
    say(f"{target}: {count(events, 'event')} of {count(len(read), 'peer')}; open it at ui.perfetto.dev")


def _read(path: Path, limits: ReadLimits) -> Notes:
    with named(path):
        return read_notes(bytes(read_bounded(path, limits)))


def _write(files: list[Notes], target: Path, align: bool) -> int:
    """An event a line: a trace may have millions."""
    events = 0
    with _opened(target) as out:
        out.write('{"displayTimeUnit":"ms","traceEvents":[')
        for event in trace_events(files, align=align):
            out.write(",\n" if events else "\n")
            out.write(json_text(event))
            events += 1
        out.write("\n]}\n")
    return events


def _opened(path: Path) -> IO[str]:
    return gzip.open(path, "xt", encoding="utf-8") if path.suffix == ".gz" else path.open("x", encoding="utf-8")
