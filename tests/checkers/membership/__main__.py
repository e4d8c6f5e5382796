"""``python -m tests.checkers.membership``: search the agreement, and print how many states there are.

Without names everything is searched. The exit code is 1 if anything is wrong, and the shortest way there, or the seed
of the plan, is printed.
"""

import argparse
import multiprocessing
import os
import sys

from tests.checkers.membership.run import CUTS, Job, run_job
from tests.checkers.membership.setups import PLANS, SEARCHES

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    names = [*SEARCHES, *PLANS, CUTS]
    parser = argparse.ArgumentParser(prog="python -m tests.checkers.membership", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(names)}; default all")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--states", type=int, default=None, help="stop each search after so many states")
    parser.add_argument("--plans", type=int, default=60_000, help="how many plans of each kind")
    parser.add_argument("--seed", type=int, default=0, help="of the first plan")
    chosen = parser.parse_args(arguments)
    unknown = [name for name in chosen.names if name not in names]
    if unknown:
        parser.error(f"there is no search {unknown[0]!r}: choose from {', '.join(names)}")
    # The longest first.
    jobs: list[Job] = [(name, chosen.states, chosen.plans, chosen.seed) for name in reversed(chosen.names or names)]
    holds = True
    with multiprocessing.get_context("spawn").Pool(min(chosen.processes, len(jobs)), maxtasksperchild=1) as pool:
        for words, is_right in pool.imap_unordered(run_job, jobs):
            print(words, flush=True)
            holds = holds and is_right
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
