"""``python -m benchmarks things``: what declared worlds cost, beside another build; ``things_worker`` measures it."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.commands.builds import Row, builds, checkout, in_turns, print_rows
from benchmarks.commands.native import c_loop_ns, yardstick
from benchmarks.commands.progress import progress
from retick.cli.terminal import say, say_json
from retick.errors import UsageError

__all__ = ["bench_things"]


def bench_things(
    against: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="A checkout with built kernels, such as the commit before.")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of each measurement; the best counts.")] = 5,
    pure: Annotated[bool, typer.Option("--pure", help="Measure the kernels uncompiled.")] = False,
    only: Annotated[
        str, typer.Option(metavar="WORDS", help="Measure only the rows whose names have these words.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Time the things of declared worlds: fields, advance, rollbacks, saving, loading, memory; beside another build.

    Exit code 0: measured. 1: the builds do not play the same match. 2: misuse.

    Example: python -m benchmarks things --against ../before
    """
    other = checkout(against)
    with progress("bench things") as tell:
        loop = c_loop_ns()
        with builds("things_worker", other, pure=pure) as taking_part:
            tell("making the worlds")
            figures = [build.ask("figures") for build in taking_part][-1]
            chosen = [(name, unit) for name, unit in figures if only in name]
            rows = in_turns(taking_part, chosen, rounds, tell)
        tell("memory")
        if only in MEMORY:
            rows += _memory_row(other, pure=pure)
        if not rows:
            raise UsageError(f"no row has {only!r} in its name")
    if as_json:
        shown = [asdict(row) | {"ratio": row.ratio} for row in rows]
        say_json({"c_loop_ns": loop, "pure": pure, "figures": shown}, indent=2)
        return
    say(f"{'uncompiled' if pure else 'compiled'} kernels; the best of {rounds} rounds, the builds in turns")
    print_rows(rows, taking_part)
    say(yardstick(loop))


MEMORY = "a session with 1,000 things"


def _memory_row(other: Path | None, *, pure: bool) -> list[Row]:
    """The row of memory, from processes that have done nothing else; empty where it is not known."""
    with builds("things_worker", other, pure=pure) as taking_part:
        found = [build.ask("memory") for build in taking_part]
    return [] if None in found else [Row(name=MEMORY, unit="MB", values=tuple(found))]
