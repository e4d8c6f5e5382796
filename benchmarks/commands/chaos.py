"""``python -m benchmarks chaos``: thousands of seeded matches with all the faults that networks and machines have."""

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from typing import Annotated, TypeVar

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from tests.checkers.arenas import arena_for
from tests.checkers.both_forms import play_both_forms
from tests.checkers.chaos import ChaosFailure, Outcome, play, play_planted
from tests.checkers.long_play import play_long
from tests.checkers.nat_chaos import play_online

from retick.audit.game_failure import game_failure
from retick.cli.exit_codes import NO
from retick.cli.terminal import Screen
from retick.testing.scenarios import Scenario

__all__ = [
    "bench_chaos",
    "bench_hours",
    "run_online_seed",
    "run_seed",
    "run_seeds",
    "with_progress",
]


def bench_hours(console: Screen, hours: float, seed: int, players: int) -> None:
    """Play one long match with peers that come and go; exit code 1 unless all agree on the outcome."""
    started = time.perf_counter()
    try:
        played = play_long(3600.0 * hours, seed=seed, players=players)
    except Exception as error:  # whatever it is, its seed must be reported
        wrong = str(error) if isinstance(error, ChaosFailure) else f"{type(error).__name__}: {error}"
        console.print(f"seed {seed}: {wrong}", soft_wrap=True, markup=False)
        raise typer.Exit(NO) from error
    seconds = time.perf_counter() - started
    departures = f"{played.goodbyes} goodbyes, {played.crashes} crashes"
    console.print(f"{hours:g} h of {players} machines: {played.frames:,} frames, {departures}, one outcome")
    console.print(f"{seconds:.1f} s, {3600.0 * hours / seconds:,.0f} times as fast as time", soft_wrap=True)


PLANT_EVERY = 8
"""One of so many matches is played again with an error planted in the game of one peer."""

Job = tuple[int, int, int, bool]
Result = tuple[int, Outcome, str]
J = TypeVar("J")
R = TypeVar("R")


def run_seed(job: Job) -> Result:
    """Play one match; return seed, outcome and failure or "". With ``plant`` also play it with an error in it, and over
    sealed and plain links."""
    seed, players, frames, plant = job
    total = Outcome()
    try:
        scenario = Scenario.drawn(seed, peers=players, frames=frames)
        total.add(play(scenario, arena_for(players)))
        if plant:
            total.add(play_planted(scenario, arena_for(players)))
            total.add(play_both_forms(scenario, arena_for(players)))
    except ChaosFailure as failure:
        return seed, total, str(failure)
    except Exception as error:  # whatever it is, its seed must be reported
        return seed, total, game_failure(error)
    return seed, total, ""


def run_online_seed(job: Job) -> Result:
    """Play one online match behind routers; return seed, outcome and failure or ""."""
    seed, players, frames, _ = job
    try:
        return seed, play_online(seed, arena_for(players), peers=players, frames=frames), ""
    except ChaosFailure as failure:
        return seed, Outcome(), str(failure)
    except Exception as error:  # whatever it is, its seed must be reported
        return seed, Outcome(), game_failure(error)


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def run_seeds(run: Callable[[J], R], jobs: list[J], processes: int) -> Iterator[R]:
    """Yield the results as they come, in any order; a single process runs them here."""
    if processes == 1 or len(jobs) == 1:
        yield from map(run, jobs)
        return
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes, initializer=_leave_interrupts_to_the_parent) as pool:
        yield from pool.imap_unordered(run, jobs, chunksize=4)


def bench_chaos(
    matches: Annotated[int, typer.Option(min=1, help="Number of matches.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first match; the others have the next ones.")] = 1,
    players: Annotated[
        int | None, typer.Option(min=2, max=8, help="Players in each match: 2 if not given; 4 with --hours.")
    ] = None,
    frames: Annotated[int, typer.Option(min=180, help="Minimum frames of each match.")] = 600,
    planted: Annotated[
        bool, typer.Option(help="Play one of eight matches also with a planted error, and sealed and plain.")
    ] = True,
    nat: Annotated[
        bool, typer.Option("--nat", help="Play online instead, behind routers, with a relay; paths come and go.")
    ] = False,
    hours: Annotated[float, typer.Option(min=0.0, help="Play one match of this many hours instead.")] = 0.0,
    processes: Annotated[int, typer.Option(min=0, help="Processes; 0: one for each core.")] = 0,
) -> None:
    """Play seeded matches of bots on bad links, with cuts, pauses, crashes and returns, in simulated time.

    Every match must end with equal checksums, equal to those of a run without a network, without a hang and without
    a false alarm; every planted error must be found. With --nat, machines are behind routers and meet at a relay. With
    --hours, machines come and go in one long match.
    Exit code 0: all is well. 1: a match failed. 2: misuse.

    Example: python -m benchmarks chaos --matches 5000 --players 4
    """
    cores = processes or os.cpu_count() or 1
    if hours:
        bench_hours(Screen(), hours, seed, players or 4)
        return
    players = players or 2
    jobs = [(seed + n, players, frames, planted and n % PLANT_EVERY == 0) for n in range(matches)]
    run = run_online_seed if nat else run_seed
    total = Outcome()
    failures: list[tuple[int, str]] = []
    console = Screen()
    started = time.perf_counter()
    try:
        for found, outcome, wrong in with_progress("chaos", run_seeds(run, jobs, cores), matches):
            total.add(outcome)
            if wrong:
                failures.append((found, wrong))
                console.print(_failure(found, players, frames, wrong, nat=nat), soft_wrap=True)
    finally:
        _print(console, total, time.perf_counter() - started)
    console.print(
        f"{len(failures)} of {matches} matches failed" if failures else f"all {matches} matches ended with equal states"
    )
    if failures:
        raise typer.Exit(NO)


def _failure(seed: int, players: int, frames: int, wrong: str, *, nat: bool) -> str:
    again = f"chaos {'--nat ' * nat}--matches 1 --players {players} --frames {frames} --seed {seed}"
    return f"seed {seed}: {wrong}\n  again: python -m benchmarks {again}"


def with_progress(what: str, results: Iterator[R], matches: int) -> Iterator[R]:
    """Yield the results, with a bar for people who wait for them."""
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Screen(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=matches)
        for result in results:
            progress.advance(task)
            yield result


def _print(console: Screen, total: Outcome, seconds: float) -> None:
    if not total.matches:
        return
    each = total.matches
    depths = ", ".join(f"{depth}: {total.depths[depth]:,}" for depth in sorted(total.depths))
    lines = [
        ("matches", f"{each:,} of {total.frames // each} frames, {total.idle_matches} without a hit"),
        ("simulated time", f"{total.seconds:,.0f} s in {seconds:,.1f} s: {total.seconds / seconds:,.0f} times"),
        ("hits", f"{total.hits:,}, {total.hits / each:.1f} a match"),
        ("rollbacks", f"{total.rollbacks:,}, {total.resimulated:,} frames resimulated"),
        ("depths", depths),
        ("stalls", f"{total.stalls:,}"),
        ("packets", f"{total.packets:,}, {total.bytes:,} bytes"),
        ("checksums compared", f"{total.compared:,}"),
        ("crashes", f"{total.crashes:,}, {total.drops:,} drops, {total.returns:,} returns"),
        ("alone and back", f"{total.comings:,}, {total.holds:,} pauses, {total.rematches:,} second matches"),
        ("watched", f"{total.watched:,} frames"),
        ("moves of paths", f"{total.moves:,}, {total.direct:,} direct at the end"),
        ("planted and found", f"{total.planted:,}"),
        ("sealed as plain", f"{total.both_forms:,}"),
    ]
    for name, text in lines:
        console.print(f"{name:>20}  {text}", soft_wrap=True)
