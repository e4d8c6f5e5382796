"""``python -m tests.checkers.membership``: search the model, and print how many states there are.

Without names every setup is searched. The exit code is 1 if an invariant does not hold, and the shortest way to that
state is printed. The sessions must be uncompiled: where they are not, another interpreter is started that takes the
sources.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from retick._kernels import is_compiled
from tests.checkers.membership.run import Job, run_all
from tests.checkers.membership.setups import SETUPS, WALKS

__all__ = ["main"]

ROOT = Path(__file__).parents[3]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.checkers.membership", description=__doc__)
    parser.add_argument("setups", nargs="*", metavar="SETUP", help=f"one of {', '.join(SETUPS)}, walks; default all")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--states", type=int, default=None, help="stop each part after so many states")
    parser.add_argument("--faults", type=int, default=2, help="how many faults in a run, where a setup has any")
    parser.add_argument("--walks", type=int, default=200, help="how many random walks with four machines")
    parser.add_argument("--seed", type=int, default=1, help="of the random walks")
    chosen = parser.parse_args(arguments)
    unknown = [name for name in chosen.setups if name not in SETUPS and name != WALKS.name]
    if unknown:
        parser.error(f"there is no setup {unknown[0]!r}: choose from {', '.join(SETUPS)}, {WALKS.name}")
    if is_compiled():
        command = [sys.executable, "-m", "tests.checkers.membership", *(arguments or sys.argv[1:])]
        return subprocess.run(command, cwd=ROOT, env={**os.environ, "RETICK_PURE": "1"}, check=False).returncode
    names = chosen.setups or [*SETUPS, WALKS.name]
    setups = [WALKS if name == WALKS.name else SETUPS[name] for name in names]
    jobs: list[Job] = [(setup.with_faults(chosen.faults), chosen.states, chosen.walks, chosen.seed) for setup in setups]
    return 0 if run_all(jobs, chosen.processes) else 1


if __name__ == "__main__":
    sys.exit(main())
