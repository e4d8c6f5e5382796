"""``python -m benchmarks agents``: match-steps per second of the fighter in arrays, with and without observations."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import typer

from benchmarks.commands.native import c_loop_ns
from benchmarks.commands.progress import progress
from retick._kernels import is_compiled
from retick.cli.exit_codes import NO
from retick.cli.terminal import say, say_json
from retick.errors import RetickError, UsageError
from retick.games.fighter import Fighter

__all__ = ["AgentsReport", "bench_agents", "measure_agents"]

LEAST_STEPPED = 80.0
LEAST_OBSERVED = 20.0
"""Targets in million match-steps per second, on two cores, for 100,000 matches."""
FRAMES = 8
"""Number of random frames of buttons, which are pressed over and over."""
CHECKED = 64
"""Matches that are compared with the game itself before any time is measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentsReport:
    """Million match-steps per second in the best round."""

    stepped: float
    stepped_alone: float
    """The result with one thread."""
    observed: float
    observed_alone: float
    c_loop: float | None
    """The C loop's rate, match after match on one core with the same buttons; None without a C compiler."""
    matches: int
    threads: int

    @property
    def kept(self) -> bool:
        return self.stepped >= LEAST_STEPPED and self.observed >= LEAST_OBSERVED


def bench_agents(
    matches: Annotated[int, typer.Option(help="Matches that are played at once.")] = 100_000,
    threads: Annotated[int, typer.Option(help="Threads that share them.")] = 2,
    rounds: Annotated[int, typer.Option(help="Passes of each measurement; the best counts.")] = 40,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Exit with 1 if a target is missed.")] = False,
) -> None:
    """Time thousands of matches of the fighter in arrays, buttons at random, beside the C loop.

    Exit code 0: measured. 1: a target is missed, with --check. 2: misuse.

    Example: python -m benchmarks agents --rounds 30 --check
    """
    for name, value in (("--matches", matches), ("--threads", threads), ("--rounds", rounds)):
        if value < 1:
            raise UsageError(f"{name} must be 1 or more, not {value}")
    with progress("bench agents") as tell:
        report = measure_agents(matches, threads, rounds, tell)
    if as_json:
        say_json(asdict(report) | {"kept": report.kept}, indent=2)
    else:
        _say_report(report)
    if check and not report.kept:
        raise typer.Exit(NO)


def _say_report(report: AgentsReport) -> None:
    form = "compiled" if is_compiled() else "pure Python"
    say(f"{report.matches:,} matches, {report.threads} threads, {form} kernels, million match-steps a second")
    for name, value, alone, least in (
        ("steps", report.stepped, report.stepped_alone, LEAST_STEPPED),
        ("steps with observations", report.observed, report.observed_alone, LEAST_OBSERVED),
    ):
        beside = "" if report.c_loop is None else f"  {alone / report.c_loop:5.2f} times the C loop on one core"
        verdict = "ok" if value >= least else "missed"
        say(f"{name:>24}  {value:7.1f}  {alone:7.1f} with one thread{beside}  at least {least:.0f}: {verdict}")
    if report.c_loop is None:
        say("the C loop is left out: no C compiler found")
    else:
        say(f"{'the C loop':>24}  {report.c_loop:7.1f}  one match after the other, the same buttons")


def measure_agents(matches: int, threads: int, rounds: int, tell: Callable[[str], None]) -> AgentsReport:
    """Make one pass of each measurement in every round, so that a busy moment disturbs all of them."""
    # Imported here, since the other benchmarks need no NumPy.
    from retick.integrations.vector import VectorFighter  # isort: skip - says what to install where there is no NumPy
    import numpy as np

    actions = np.random.default_rng(1).integers(0, 16, (FRAMES, matches, 2), np.uint16)
    tell("comparing with the game itself")
    _compare(VectorFighter, actions)
    best: dict[str, float] = {}
    with (
        _played(VectorFighter, matches, threads, False) as stepped,
        _played(VectorFighter, matches, 1, False) as alone,
        _played(VectorFighter, matches, threads, True) as observed,
        _played(VectorFighter, matches, 1, True) as observed_alone,
    ):
        work = {
            "stepped": stepped,
            "stepped_alone": alone,
            "observed": observed,
            "observed_alone": observed_alone,
        }
        for number in range(1, rounds + 1):
            tell(f"round {number} of {rounds}")
            for name, play in work.items():
                play(actions[:1])  # what the others left in the cache is not its own
                started = time.perf_counter()
                play(actions)
                took = time.perf_counter() - started
                best[name] = max(best.get(name, 0.0), FRAMES * matches / took / 1e6)
    tell("the C loop")
    nanoseconds = c_loop_ns(frames=actions[:, :60_000].astype("<u2").tobytes(), passes=rounds)
    return AgentsReport(
        **best, c_loop=None if nanoseconds is None else 1e3 / nanoseconds, matches=matches, threads=threads
    )


@contextmanager
def _played(kind: Any, matches: int, threads: int, observe: bool) -> Iterator[Callable[[Any], None]]:
    with kind(matches, threads=threads, observe=observe) as many:

        def play(actions: Any) -> None:
            for frame in actions:
                many.step(frame)

        yield play


def _compare(kind: Any, actions: Any) -> None:
    game = Fighter()
    count = min(actions.shape[1], CHECKED)
    with kind(count) as many:
        starts = [many.state(match) for match in range(count)]
        for frame in actions[:, :count]:
            many.step(frame)
        for match, start in enumerate(starts):
            if many.state(match) != game.run(start, actions[:, match].astype("<u2").tobytes()):
                raise RetickError(f"match {match} in arrays is not the match of the game")
