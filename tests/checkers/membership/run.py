"""Runs searches in several processes, and prints how many states each has."""

import multiprocessing
import time
from functools import partial

from tests.checkers.membership.search import Found, search
from tests.checkers.membership.setups import WALKS, Setup
from tests.checkers.membership.state import Budget
from tests.checkers.membership.walks import walk

__all__ = ["Job", "run_all", "run_part"]

WALK_LENGTH = 120
"""Steps of one random walk."""

Job = tuple[Setup, int | None, int, int]
"""A search, how many states to visit at most, how many walks, and the seed of the walks."""


def run_all(jobs: list[Job], processes: int) -> bool:
    """Print each result as it comes; whether all invariants hold."""
    holds = True
    with multiprocessing.get_context("spawn").Pool(min(processes, len(jobs)), maxtasksperchild=1) as pool:
        for setup, found, words, seconds in pool.imap_unordered(run_part, jobs):
            ends = "every state" if found.is_complete else "not every state"
            print(
                f"{setup.name}: {found.states:,} states, {found.transitions:,} transitions, "
                f"{found.runs:,} runs of the code, {ends}, {seconds:.0f} s",
                flush=True,
            )
            if words:
                holds = False
                print(words, flush=True)
    return holds


def _report(name: str, states: int, waiting: int, budget: Budget) -> None:
    print(f"{name}: {states:,} states, {waiting:,} of them to go on from, {budget.faults} faults left", flush=True)


def run_part(job: Job) -> tuple[Setup, Found, str, float]:
    """One search; the counterexample is in words too."""
    setup, states, walks, seed = job
    before = time.process_time()
    world, start = setup.begin()
    if setup.name == WALKS.name:
        found = walk(world, start, walks=walks, length=WALK_LENGTH, seed=seed)
    else:
        found = search(world, start, most_states=states, progress=partial(_report, setup.name))
    words = found.counterexample.describe(world) if found.counterexample is not None else ""
    return setup, found, words, time.process_time() - before
