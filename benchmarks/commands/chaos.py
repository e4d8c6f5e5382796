"""``python -m benchmarks chaos``: thousands of seeded matches with all the faults that networks and machines have."""

import multiprocessing
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Annotated, TypeVar

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from tests.checkers.arenas import arena_for
from tests.checkers.both_forms import play_both_forms
from tests.checkers.chaos import ChaosFailure, Outcome, play, play_planted
from tests.checkers.cheats import CHEATS
from tests.checkers.cheats.match import CheatFailure, CheatOutcome, play_cheat
from tests.checkers.cheats.scenarios import CheatScenario
from tests.checkers.long_play import play_long
from tests.checkers.nat_chaos import play_online

from retick.audit.game_failure import game_failure
from retick.cli.exit_codes import NO
from retick.cli.terminal import Screen
from retick.testing.scenarios import Scenario

__all__ = [
    "CheatJob",
    "CheatResult",
    "bench_chaos",
    "bench_cheats",
    "bench_hours",
    "cheat_jobs",
    "run_cheat",
    "run_online_seed",
    "run_seed",
    "run_seeds",
]


# The cheat matches and the long matches of ``python -m benchmarks chaos``.

CheatJob = tuple[str, int, int | None]
"""Name of the cheat, seed, and number of players unless it is drawn."""
CheatResult = tuple[CheatJob, CheatOutcome | None, str]
"""The job, its outcome, and the failure or ""."""


def cheat_jobs(matches: int, seed: int, players: int | None, cheat: str | None) -> list[CheatJob]:
    """All cheats with one seed, then with the next; or one cheat with seed after seed."""
    names = [cheat] if cheat is not None else list(CHEATS)
    return [(names[number % len(names)], seed + number // len(names), players) for number in range(matches)]


def run_cheat(job: CheatJob) -> CheatResult:
    name, seed, players = job
    try:
        return job, play_cheat(CheatScenario.drawn(name, seed, peers=players)), ""
    except CheatFailure as failure:
        return job, None, str(failure)


@dataclass
class _Total:
    """The sum of all matches' outcomes."""

    matches: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    hold: float = 0.0
    memory: int = 0
    calls: int = 0

    def add(self, name: str, outcome: CheatOutcome) -> None:
        self.matches["played"] += 1
        self.matches["not begun"] += not outcome.begun
        self.matches["with the cheat to the end"] += outcome.with_cheat
        self.matches["shown out"] += outcome.shown_out
        self.matches["split, noticed and resynced"] += outcome.resynced
        self.broken[name] += outcome.broken
        self.seconds += outcome.seconds
        self.hold = max(self.hold, outcome.longest_hold)
        self.memory = max(self.memory, outcome.memory)
        self.calls = max(self.calls, outcome.calls_at_once)


def bench_cheats(console: Screen, matches: int, results: Iterable[CheatResult]) -> None:
    """Play matches with one cheat each and print their outcomes; exit code 1 if a cheat succeeded."""
    total = _Total()
    started = time.perf_counter()
    for (name, seed, players), outcome, wrong in results:
        if outcome is not None:
            total.add(name, outcome)
        else:
            total.failed[name] += 1
            drawn = f" --players {players}" if players is not None else ""
            console.print(f"{name}, seed {seed}: {wrong}", soft_wrap=True, markup=False)
            console.print(f"  again: python -m benchmarks chaos --cheat {name} --seed {seed}{drawn}", soft_wrap=True)
    _print_cheats(console, total, time.perf_counter() - started)
    count = sum(total.failed.values())
    console.print(
        f"in {count} of {matches} matches the cheat got its way" if count else f"all {matches} matches are well"
    )
    if count:
        raise typer.Exit(NO)


def _print_cheats(console: Screen, total: _Total, seconds: float) -> None:
    idle = [name for name, count in total.broken.items() if not count]
    lines = [
        ("cheats", f"{len(total.broken)}, rules broken {sum(total.broken.values()):,} times"),
        ("without a chance", ", ".join(idle) or "none"),
        ("matches", ", ".join(f"{count:,} {what}" for what, count in total.matches.items())),
        ("simulated time", f"{total.seconds:,.0f} s in {seconds:,.1f} s"),
        ("longest hold", f"{total.hold:.1f} s"),
        ("largest session", f"{total.memory / 1024:,.0f} KiB"),
        ("calls at once", f"{total.calls:,}"),
        ("failed", ", ".join(f"{name} {count}" for name, count in total.failed.most_common()) or "none"),
    ]
    for name, text in lines:
        console.print(f"{name:>20}  {text}", soft_wrap=True)


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
        int | None, typer.Option(min=2, max=8, help="Players in each match: 2 if not given; with cheats 2 to 8, drawn.")
    ] = None,
    frames: Annotated[int, typer.Option(min=180, help="Minimum frames of each match.")] = 600,
    planted: Annotated[
        bool, typer.Option(help="Play one of eight matches also with a planted error, and sealed and plain.")
    ] = True,
    cheats: Annotated[int, typer.Option(min=0, help="Play this many matches with one cheat each instead.")] = 0,
    cheat: Annotated[
        str | None, typer.Option(help="The cheat of these matches, by name; all in turn if not given.")
    ] = None,
    nat: Annotated[
        bool, typer.Option("--nat", help="Play online instead, behind routers, with a relay; paths come and go.")
    ] = False,
    hours: Annotated[float, typer.Option(min=0.0, help="Play one match of this many hours instead.")] = 0.0,
    processes: Annotated[int, typer.Option(min=0, help="Processes; 0: one for each core.")] = 0,
) -> None:
    """Play seeded matches of bots on bad links, with cuts, pauses, crashes and returns, in simulated time.

    Every match must end with equal checksums, equal to those of a run without a network, without a hang and without
    a false alarm; every planted error must be found. With --cheats, one machine of each match breaks a rule, and the
    honest ones must end as one. With --nat, machines are behind routers and meet at a relay. With --hours,
    machines come and go in one long match.
    Exit code 0: all is well. 1: a match failed. 2: misuse.

    Example: python -m benchmarks chaos --matches 5000 --players 4
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
    again = f"chaos {'--nat ' * nat}--matches 1 --players {players} --frames {frames} --seed {seed}"
    return f"seed {seed}: {wrong}\n  again: python -m benchmarks {again}"


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
