"""A hundred thousand one-minute replays, verified on two cores from files, from tar, from Parquet, and by ray.

``python benchmarks/verify_many.py`` makes them in a folder (a gigabyte and a half, three times), runs each part in a
process of its own, and prints its share of twice the single-core rate of ``Fighter.run``, which is measured before and
after each part. ``--keep FOLDER`` leaves the matches there for the next time.
"""

import argparse
import importlib.util
import tempfile
from pathlib import Path

from retick.cli.bench.verify_many import PARTS, measure_many


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--parts", nargs="*", default=None, choices=PARTS)
    parser.add_argument("--keep", type=Path, default=None)
    options = parser.parse_args()
    needs = {"parquet": "pyarrow", "ray": "ray"}
    missing = {part for part, module in needs.items() if importlib.util.find_spec(module) is None}
    for part in sorted(missing):
        print(f"{part:>8}  left out: {needs[part]} is not installed")
    parts = tuple(part for part in options.parts or PARTS if part not in missing)
    with tempfile.TemporaryDirectory() as own:
        for figure in measure_many(options.keep or Path(own), options.matches, parts, lambda text: None):
            print(
                f"{figure.part:>8}  {figure.matches} matches in {figure.seconds:6.2f} s  "
                f"{figure.matches / figure.seconds:8.0f} a second  share {figure.share:.0%} "
                f"(of CPU time {figure.cpu_share:.0%})  {figure.mib:.0f} MiB",
                flush=True,
            )


if __name__ == "__main__":
    main()
