"""``python -m benchmarks sim``: the fighter's step in C, compiled and uncompiled; ``sim_measure`` measures it."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from benchmarks.commands.progress import progress
from benchmarks.commands.sim_measure import SEED, Plan, Report, measure
from retick.cli.exit_codes import NO
from retick.cli.terminal import Screen, say_json
from retick.errors import UsageError
from retick.games.fighter.bots import bout

__all__ = ["bench_sim"]

USUAL = Plan()


def bench_sim(
    frames: Annotated[int, typer.Option(help="Frames of the match that each pass plays.")] = USUAL.frames,
    rounds: Annotated[int, typer.Option(help="Passes of each measurement; the best counts.")] = USUAL.rounds,
    memory_frames: Annotated[
        int, typer.Option(help="Frames of the run whose memory is measured.")
    ] = USUAL.memory_frames,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, ratios first.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Exit with 1 if a target is missed.")] = False,
    payload: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the match there, for the C program; measure nothing.")
    ] = None,
) -> None:
    """Time the fighter's step in C, compiled and uncompiled; measure its memory and the import.

    Exit code 0: measured. 1: a target is missed, with --check. 2: misuse.

    Example: python -m benchmarks sim --rounds 30 --check
    """
    for name, value in (("--frames", frames), ("--rounds", rounds), ("--memory-frames", memory_frames)):
        if value < 1:
            raise UsageError(f"{name} must be 1 or more, not {value}")
    if payload is not None:
        payload.write_bytes(bout(SEED, frames))
        return
    plan = Plan(frames=frames, rounds=rounds, memory_frames=memory_frames)
    with progress("bench sim") as tell:
        report = measure(plan, tell)
    if as_json:
        say_json(report.to_json(), indent=2)
    else:
        _print_report(Screen(), report)
    if check and not all(target.kept for target in report.targets()):
        raise typer.Exit(NO)


def _print_report(console: Screen, report: Report) -> None:
    console.print(_targets_table(report))
    console.print(_times_table(report))
    memory = report.memory
    resident = memory["resident_growth"]
    console.print(
        f"memory of one run over {memory['frames']:,} frames: heap {memory['heap_growth']:,} bytes more, "
        f"at most {memory['heap_peak']:,}; resident "
        + ("not known on this system" if resident is None else f"{resident:,} bytes more")
    )
    if "compiled" not in report.nanoseconds:
        console.print("the kernels are not compiled here: to compare both forms, install where there is a C compiler")
    machine = report.machine
    console.print(f"C loop: {machine['c']}")
    console.print(f"all forms end in 0x{report.checksum:08X}; Python {machine['python']}, {machine['system']}")


def _targets_table(report: Report) -> Table:
    table = Table(title="ratios and targets", title_justify="left")
    for name in ("figure", "measured", "target", ""):
        table.add_column(name, justify="left" if name in ("figure", "") else "right")
    if report.run_speedup is not None:
        table.add_row("run, compiled against pure", f"{report.run_speedup:,.2f}", "", "")
    if report.run_against_step is not None:
        table.add_row("step against run, compiled", f"{report.run_against_step:,.2f}", "", "")
    for target in report.targets():
        value = f"{target.value:,}" if isinstance(target.value, int) else f"{target.value:,.2f}"
        bound = f"{'at least' if target.at_least else 'at most'} {target.bound:,.10g}"
        table.add_row(target.name, value, bound, "ok" if target.kept else Text("missed", "bold red"))
    return table


def _times_table(report: Report) -> Table:
    """Nanoseconds per frame in the best pass."""
    table = Table(title="nanoseconds a frame", title_justify="left")
    table.add_column("form")
    for name in ("run", "step", "checksum"):
        table.add_column(name, justify="right")
    for form in ("c", "compiled", "pure"):
        best = report.nanoseconds.get(form)
        if best is not None:
            cells = [f"{best[name]:,.1f}" if name in best else "" for name in ("run", "step", "checksum")]
            table.add_row({"c": "C, -O3"}.get(form, form), *cells)
    return table
