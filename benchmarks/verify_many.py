"""A hundred thousand one-minute replays, verified on two cores from files, from tar, from Parquet, and by ray.

``python benchmarks/verify_many.py`` makes them in a folder (a gigabyte and a half, three times), runs each part in a
process of its own, and prints its share of twice the single-core rate of ``Fighter.run``, which is measured before and
after each part. ``--keep FOLDER`` leaves the matches there for the next time. ``python -m benchmarks verify --matches``
is the same with other numbers.
"""

import argparse
import tempfile
from pathlib import Path

from benchmarks.commands.verify.many import PARTS, installed_parts, measure_many


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--parts", nargs="*", choices=PARTS)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    installed = installed_parts()
    for part in PARTS:
        if part not in installed:
            print(f"{part:>8}  left out: its library is not installed")
    parts = tuple(part for part in options.parts or installed if part in installed)
    with tempfile.TemporaryDirectory() as own:
        for figure in measure_many(options.keep or Path(own), options.matches, parts, lambda text: None):
            print(figure, flush=True)


if __name__ == "__main__":
    main()
