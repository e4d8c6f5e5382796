"""``retick bench``: figures that a user can measure again, one command for each part of the library."""

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from retick.cli.bench.authority import bench_authority
from retick.cli.bench.chaos import bench_chaos
from retick.cli.bench.rollback import bench_rollback
from retick.cli.bench.sessions import bench_sessions
from retick.cli.bench.sim import Plan, Report, measure
from retick.cli.bench.snapshot import bench_snapshot
from retick.cli.bench.verify import bench_verify
from retick.errors import UsageError

__all__ = ["bench_app"]

INTERRUPTED = 130
USUAL = Plan()

bench_app = typer.Typer(
    name="bench", help="Measure the library on this machine. Example: retick bench sim", no_args_is_help=True
)


@bench_app.callback()
def bench() -> None:
    """Measure the library on this machine. Example: retick bench sim --json"""


bench_app.command("verify")(bench_verify)
bench_app.command("snapshot")(bench_snapshot)
bench_app.command("chaos")(bench_chaos)
bench_app.command("rollback")(bench_rollback)
bench_app.command("sessions")(bench_sessions)
bench_app.command("authority")(bench_authority)


@bench_app.command()
def sim(
    frames: Annotated[int, typer.Option(help="Frames of the match that each pass plays.")] = USUAL.frames,
    rounds: Annotated[int, typer.Option(help="Passes of each measurement; the best counts.")] = USUAL.rounds,
    memory_frames: Annotated[
        int, typer.Option(help="Frames of the call whose memory is watched.")
    ] = USUAL.memory_frames,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, ratios first.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Exit with 1 if a target is missed.")] = False,
) -> None:
    """Time the fighter's step: in C, compiled, uncompiled; its memory; the import.

    Example: retick bench sim --rounds 30 --check
    """
    for name, value in (("--frames", frames), ("--rounds", rounds), ("--memory-frames", memory_frames)):
        if value < 1:
            raise UsageError(f"{name} must be 1 or more, not {value}")
    plan = Plan(frames=frames, rounds=rounds, memory_frames=memory_frames)
    try:
        with Console(stderr=True).status("bench sim") as status:
            report = measure(plan, lambda text: status.update(f"bench sim: {text}"))
    except KeyboardInterrupt:
        typer.echo("retick: interrupted, nothing was measured to the end", err=True)
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        typer.echo(json.dumps(report.to_json(), indent=2))
    else:
        _print_report(Console(highlight=False), report)
    if check and not all(target.kept for target in report.targets()):
        raise typer.Exit(1)


def _print_report(console: Console, report: Report) -> None:
    console.print(_targets_table(report))
    console.print(_times_table(report))
    memory = report.memory
    resident = memory["resident_growth"]
    console.print(
        f"memory of one run over {memory['frames']:,} frames: heap {memory['heap_growth']:,} bytes more, "
        f"at most {memory['heap_peak']:,}; resident "
        + ("not told by this system" if resident is None else f"{resident:,} bytes more")
    )
    if "compiled" not in report.nanoseconds:
        console.print("the kernels are not compiled here: install where a C compiler is to compare both forms")
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
        table.add_row(target.name, value, bound, "ok" if target.kept else "[bold red]missed[/]")
    return table


def _times_table(report: Report) -> Table:
    """Nanoseconds a frame, best pass."""
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
