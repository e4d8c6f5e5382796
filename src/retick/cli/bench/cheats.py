"""The cheat matches and the hours of ``retick bench chaos``: who plays them, and what is printed of them."""

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import typer

from retick.cli.exit_codes import NO
from retick.cli.terminal import Screen
from retick.testing.chaos import ChaosFailure
from retick.testing.cheats import CHEATS
from retick.testing.cheats.match import CheatFailure, CheatOutcome, play_cheat
from retick.testing.cheats.scenarios import CheatScenario
from retick.testing.long_play import play_long

__all__ = ["CheatJob", "CheatResult", "bench_cheats", "bench_hours", "cheat_jobs", "run_cheat"]

CheatJob = tuple[str, int, int | None]
"""The name of the cheat, the seed, and the number of players if it is not drawn."""
CheatResult = tuple[CheatJob, CheatOutcome | None, str]
"""The job, what came of it, and what failed or ""."""


def cheat_jobs(matches: int, seed: int, players: int | None, cheat: str | None) -> list[CheatJob]:
    """All cheats in turn with one seed, then with the next; or one of them with seed after seed."""
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
    """What all matches showed together."""

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
    """Play matches with one cheat each, and say what came of them; exit code 1 if a cheat got its way."""
    total = _Total()
    started = time.perf_counter()
    for (name, seed, players), outcome, wrong in results:
        if outcome is not None:
            total.add(name, outcome)
        else:
            total.failed[name] += 1
            drawn = f" --players {players}" if players is not None else ""
            console.print(f"{name}, seed {seed}: {wrong}", soft_wrap=True, markup=False)
            console.print(f"  again: retick bench chaos --cheat {name} --seed {seed}{drawn}", soft_wrap=True)
    _print(console, total, time.perf_counter() - started)
    count = sum(total.failed.values())
    console.print(
        f"in {count} of {matches} matches the cheat got its way" if count else f"all {matches} matches are well"
    )
    if count:
        raise typer.Exit(NO)


def _print(console: Screen, total: _Total, seconds: float) -> None:
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
    """One long match of machines that come and go; exit code 1 unless it has one outcome."""
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
