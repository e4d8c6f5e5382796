"""``retick bench chaos``: thousands of seeded matches with all the faults that networks and machines have."""

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from typing import Annotated, TypeVar

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from retick.audit.game_failure import game_failure
from retick.cli.bench.cheats import bench_cheats, bench_hours, cheat_jobs, run_cheat
from retick.cli.exit_codes import NO
from retick.cli.terminal import Screen
from retick.testing.arenas import arena_for
from retick.testing.both_forms import play_both_forms
from retick.testing.chaos import ChaosFailure, Outcome, play, play_planted
from retick.testing.cheats import CHEATS
from retick.testing.nat_chaos import play_online
from retick.testing.scenarios import Scenario

__all__ = ["bench_chaos", "run_online_seed", "run_seed", "run_seeds"]

PLANT_EVERY = 8
"""One match in so many is played a second time, with an error planted in the game of one peer."""

Job = tuple[int, int, int, bool]
Result = tuple[int, Outcome, str]
J = TypeVar("J")
R = TypeVar("R")


def run_seed(job: Job) -> Result:
    """Play one match: seed, outcome, and what failed or "". With ``plant`` once more with an error in it, and over
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
    """The same of one online match, behind routers."""
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
    """The results as they come, in any order; one process runs them here."""
    if processes == 1 or len(jobs) == 1:
        yield from map(run, jobs)
        return
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes, initializer=_leave_interrupts_to_the_parent) as pool:
        yield from pool.imap_unordered(run, jobs, chunksize=4)


def bench_chaos(
    matches: Annotated[int, typer.Option(min=1, help="How many matches.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first match; the others have the next ones.")] = 1,
    players: Annotated[
        int | None, typer.Option(min=2, max=8, help="Players in each match: 2 if not given; with cheats 2 to 8, drawn.")
    ] = None,
    frames: Annotated[int, typer.Option(min=180, help="Least frames of each match.")] = 600,
    planted: Annotated[
        bool, typer.Option(help="One match of eight also with a planted error, and sealed and plain.")
    ] = True,
    cheats: Annotated[int, typer.Option(min=0, help="Play so many matches with one cheat each instead.")] = 0,
    cheat: Annotated[
        str | None, typer.Option(help="The cheat of these matches, by name; all in turn if not given.")
    ] = None,
    nat: Annotated[
        bool, typer.Option("--nat", help="Play online instead, behind routers, with a relay; paths come and go.")
    ] = False,
    hours: Annotated[float, typer.Option(min=0.0, help="Play so many hours of one match instead.")] = 0.0,
    processes: Annotated[int, typer.Option(min=0, help="Processes; 0: one for each core.")] = 0,
) -> None:
    """Play seeded matches of bots on bad links, with cuts, pauses, crashes and returns, in simulated time.

    Every match must end with equal checksums, equal to a run of the game without a network, without a hang and without
    a false alarm; every planted error must be found. With --cheats, one machine of each match breaks a rule, and the
    honest ones must end as one. With --nat, machines are behind routers and meet at a relay. With --hours,
    machines come and go in one long match.
    Exit code 0: all is well. 1: a match failed. 2: misuse.

    Example: retick bench chaos --matches 5000 --players 4
    """
    cores = processes or os.cpu_count() or 1
    if hours:
        bench_hours(Screen(), hours, seed, players or 4)
        return
    if cheats or cheat is not None:
        if cheat is not None and cheat not in CHEATS:
            raise typer.BadParameter(f"there is no cheat {cheat!r}; there are: {', '.join(CHEATS)}")
        cheating = cheat_jobs(cheats or 1, seed, players, cheat)
        results = _with_progress(run_seeds(run_cheat, cheating, cores), len(cheating))
        bench_cheats(Screen(), len(cheating), results)
        return
    players = players or 2
    jobs = [(seed + n, players, frames, planted and n % PLANT_EVERY == 0) for n in range(matches)]
    run = run_online_seed if nat else run_seed
    total = Outcome()
    failures: list[tuple[int, str]] = []
    console = Screen()
    started = time.perf_counter()
    try:
        for found, outcome, wrong in _with_progress(run_seeds(run, jobs, cores), matches):
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
    again = f"retick bench chaos {'--nat ' * nat}--matches 1 --players {players} --frames {frames} --seed {seed}"
    return f"seed {seed}: {wrong}\n  again: {again}"


def _with_progress(results: Iterator[R], matches: int) -> Iterator[R]:
    columns = (TextColumn("chaos"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Screen(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("chaos", total=matches)
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
