"""``python -m tests.checkers.worlds``: play random programs of declared worlds on several builds, and compare.

A program declares things and a world and does right and wrong things with them. It is played compiled and uncompiled,
and by the build in another folder, each time also with the world saved and loaded after every operation. All that can
be observed must be equal: values, errors with their texts and lines, saved bytes, checksums. The first difference is
shown with the shortest program that has one.

Example: python -m tests.checkers.worlds --seeds 1:5000 --against ../before
"""

import argparse
import sys
import time
from pathlib import Path

from tests.checkers.worlds.judge import Difference, Judge, SideFailed, sides
from tests.checkers.worlds.operations import FAMILIES, drawn

__all__ = ["main"]

EVERY = 50
"""Programs between two lines of progress."""


def _seeds(text: str) -> range:
    first, colon, end = text.partition(":")
    try:
        return range(int(first), int(end) if colon else int(first) + 1)
    except ValueError:
        raise argparse.ArgumentTypeError(f"seeds are A:B, two numbers, or one number, not {text!r}") from None


def _folder(text: str) -> Path:
    folder = Path(text).resolve()
    if not (folder / "src" / "retick").is_dir():
        raise argparse.ArgumentTypeError(f"{text} is no checkout of Retick: it has no src/retick")
    return folder


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0: all stories are equal. 1: a difference. 2: misuse. 130: interrupted."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.checkers.worlds",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--seeds", type=_seeds, default=range(1, 1001), metavar="A:B", help="A to B - 1; default 1:1001"
    )
    parser.add_argument(
        "--against", type=_folder, metavar="FOLDER", help="a checkout with built kernels, such as the commit before"
    )
    parser.add_argument("--pure", action="store_true", help="play on that one uncompiled, too")
    parser.add_argument("--without", default="", metavar="A,B", help=f"leave out operations: {', '.join(FAMILIES)}")
    parser.add_argument("--show", action="store_true", help="print the programs of the seeds, and play nothing")
    parser.add_argument("--all", action="store_true", help="go on after a difference; show the place of each, unshrunk")
    chosen = parser.parse_args(arguments)
    without = frozenset(chosen.without.split(",")) - {""}
    if unknown := sorted(without - set(FAMILIES)):
        parser.error(f"there are no operations {unknown[0]!r}: choose from {', '.join(FAMILIES)}")
    if chosen.show:
        for seed in chosen.seeds:
            print(drawn(seed, without))
        return 0
    try:
        return _play(chosen, without)
    except SideFailed as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        _tell("")
        print("interrupted", file=sys.stderr)
        return 130


def _play(chosen: argparse.Namespace, without: frozenset[str]) -> int:
    started = time.perf_counter()
    wrong = played = 0
    with Judge(sides(chosen.against, pure=chosen.pure)) as judge:
        for seed, found in judge.differences((seed, drawn(seed, without)) for seed in chosen.seeds):
            played += 1
            if found is not None:
                wrong += 1
                _tell("")
                if not chosen.all:
                    print(f"seed {seed} differs; shrinking", flush=True)
                    print(_shown(seed, judge.shrunk(found, _tell)))
                    return 1
                print(f"seed {seed}: {_in_short(found)}", flush=True)
            if played % EVERY == 0:
                rate = played / (time.perf_counter() - started) * 60
                _tell(f"seed {seed}, {played} of {len(chosen.seeds)} programs, {rate:,.0f} a minute, {wrong} differ")
    _tell("")
    took = time.perf_counter() - started
    names = ", ".join(side.name for side in judge.taking_part)
    verdict = f"{wrong} differ" if wrong else "all stories are equal"
    print(f"{played} programs in {took:.1f} s ({names}; never loaded and always): {verdict}")
    return 1 if wrong else 0


def _tell(text: str) -> None:
    """Show how far it is, on a terminal."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def _shown(seed: int, found: Difference) -> str:
    return f"\n{found}\n\nseed {seed}, shrunk to {len(found.program.operations)} operations"


def _in_short(found: Difference) -> str:
    lines = [story[found.line][:200] if found.line < len(story) else "(ends)" for story in found.stories]
    return f"{found.names[0]}: {lines[0]}\n    {found.names[1]}: {lines[1]}"


if __name__ == "__main__":
    sys.exit(main())
