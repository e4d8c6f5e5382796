"""``retick bench sim`` as a script, and the payload that it measures with: for trying the C program by hand."""

import argparse
from pathlib import Path

from benchmarks.commands.sim_measure import SEED, Plan
from retick.cli.app import app
from retick.games.fighter.bots import bout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--payload", type=Path, help="write the payload here and measure nothing")
    known, rest = parser.parse_known_args()
    if known.payload is not None:
        known.payload.write_bytes(bout(SEED, Plan().frames))
    else:
        app(["bench", "sim", *rest])


if __name__ == "__main__":
    main()
