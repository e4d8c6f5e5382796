"""``python -m benchmarks cheats``: matches with composed cheats, from seeds; and the shortest of those that fail."""

import os
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated

import typer
from tests.checkers.cheats.flaws import FLAWS, seeds_until_found
from tests.checkers.cheats.match import CheatFailure, CheatOutcome, play_cheats
from tests.checkers.cheats.scenarios import CheatScenario
from tests.checkers.cheats.shrink import failure_of, shrunk

from retick.cli.exit_codes import NO
from retick.cli.terminal import Screen

from .chaos import run_seeds, with_progress

__all__ = ["MOST_LOSSES", "CheatJob", "CheatResult", "bench_cheats", "print_cheats", "run_cheats"]

MOST_LOSSES = 0.02
"""The largest share of matches in which two colluding cheats may throw an honest machine out."""
CheatJob = tuple[int, int | None, bool]
"""Seed, number of players unless it is drawn, and whether two cheats collude."""
CheatResult = tuple[CheatJob, CheatOutcome | None, str]
"""The job, its outcome, and the failure or ""."""


def run_cheats(job: CheatJob) -> CheatResult:
    seed, players, colluding = job
    try:
        return job, play_cheats(CheatScenario.drawn(seed, peers=players, colluding=colluding)), ""
    except CheatFailure as failure:
        return job, None, str(failure)


@dataclass
class _Total:
    """The sum of all matches' outcomes."""

    matches: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    hold: float = 0.0
    memory: int = 0
    calls: int = 0

    def add(self, outcome: CheatOutcome) -> None:
        self.matches["played"] += 1
        self.matches["without a chance to cheat"] += not outcome.broken
        self.matches["not begun"] += not outcome.begun
        self.matches["with a cheat to the end"] += outcome.with_cheat
        self.matches["shown out"] += outcome.shown_out
        self.matches["split, noticed and resynced"] += outcome.resynced
        self.matches["with an honest machine out"] += bool(outcome.losses)
        self.seconds += outcome.seconds
        self.hold = max(self.hold, outcome.longest_hold)
        self.memory = max(self.memory, outcome.memory)
        self.calls = max(self.calls, outcome.calls_at_once)


def print_cheats(console: Screen, matches: int, results: Iterable[CheatResult], *, shrink: bool = False) -> None:
    """Print the outcomes of matches as they come; exit code 1 if a cheat succeeded, or too many honest ones are out."""
    total = _Total()
    started = time.perf_counter()
    for job, outcome, wrong in results:
        if outcome is not None:
            total.add(outcome)
            continue
        seed, players, colluding = job
        total.failed[wrong.partition(":")[0]] += 1
        drawn = f" --players {players}" if players is not None else ""
        again = f"{' --colluding' * colluding}{drawn} --seed {seed}"
        console.print(f"seed {seed}: {wrong}", soft_wrap=True, markup=False)
        console.print(f"  again: python -m benchmarks cheats --matches 1{again} --shrink", soft_wrap=True)
        if shrink:
            _print_shortest(console, CheatScenario.drawn(seed, peers=players, colluding=colluding), wrong)
    _print_total(console, total, time.perf_counter() - started)
    count, losses = sum(total.failed.values()), total.matches["with an honest machine out"]
    console.print(
        f"in {count} of {matches} matches a cheat got its way" if count else f"all {matches} matches are well"
    )
    if count or losses > MOST_LOSSES * matches + 1:
        raise typer.Exit(NO)


def _print_shortest(console: Screen, scenario: CheatScenario, wrong: str) -> None:
    kind = wrong.partition(":")[0]
    found = shrunk(scenario, lambda shorter: failure_of(shorter).startswith(kind))
    console.print(found.describe(), soft_wrap=True, markup=False)


def _print_total(console: Screen, total: _Total, seconds: float) -> None:
    lines = [
        ("matches", ", ".join(f"{count:,} {what}" for what, count in total.matches.items())),
        ("simulated time", f"{total.seconds:,.0f} s in {seconds:,.1f} s"),
        ("longest hold", f"{total.hold:.1f} s"),
        ("largest session", f"{total.memory / 1024:,.0f} KiB"),
        ("calls at once", f"{total.calls:,}"),
        ("failed", ", ".join(f"{kind} {count}" for kind, count in total.failed.most_common()) or "none"),
    ]
    for name, text in lines:
        console.print(f"{name:>20}  {text}", soft_wrap=True)


def bench_cheats(
    matches: Annotated[int, typer.Option(min=1, help="Number of matches.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first match; the others have the next ones.")] = 1,
    players: Annotated[
        int | None, typer.Option(min=3, max=8, help="Players in each match; 3 to 8 are drawn if not given.")
    ] = None,
    colluding: Annotated[bool, typer.Option("--colluding", help="Two cheats together, among 5 to 8.")] = False,
    shrink: Annotated[bool, typer.Option("--shrink", help="Print the shortest match that fails as well.")] = False,
    flaw: Annotated[
        str | None, typer.Option(help="Plant this error in the session, and play until it is found.")
    ] = None,
    processes: Annotated[int, typer.Option(min=0, help="Processes; 0: one for each core.")] = 0,
) -> None:
    """Play matches in which one machine, or two, break rules, composed from the seed.

    Honest machines leave, crash, come back, pause, play again and go on from a state meanwhile. They must end as one:
    none is out, accused, held for longer than the bounds, or driven.
    Exit code 0: all is well. 1: a cheat got its way, or a planted error was not found. 2: misuse.

    Example: python -m benchmarks cheats --matches 1500
    """
    console = Screen()
    if flaw is not None:
        if flaw not in FLAWS:
            raise typer.BadParameter(f"there is no flaw {flaw!r}; there are: {', '.join(FLAWS)}")
        count, wrong = seeds_until_found(flaw, first=seed, most=matches)
        console.print(f"{flaw}: found by seed {seed + count - 1}: {wrong}" if count else f"{flaw}: not found")
        if not count:
            raise typer.Exit(NO)
        return
    jobs: list[CheatJob] = [(seed + number, players, colluding) for number in range(matches)]
    results = with_progress("cheats", run_seeds(run_cheats, jobs, processes or os.cpu_count() or 1), matches)
    print_cheats(console, matches, results, shrink=shrink)
