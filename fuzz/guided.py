"""Runs a fuzz target guided by coverage: with atheris when it is installed, else with a small loop of our own.

    python fuzz/fuzz_link.py                       a minute
    python fuzz/fuzz_link.py --seconds 600 --seed 7
    python fuzz/fuzz_link.py --compiled            with the compiled kernels, whose lines cannot be seen
    python fuzz/fuzz_link.py crash.bin ...         try these files

The loop keeps every input that reaches a new line of the package, and mutates the inputs it kept. A target that raises
has found a bug: its bytes are printed.
"""

import argparse
import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

IS_SCRIPT = Path(sys.argv[0]).resolve().parent == Path(__file__).resolve().parent
if IS_SCRIPT and "--compiled" not in sys.argv:
    # Coverage needs Python lines, which compiled kernels do not show. Retick reads this variable when it is imported.
    os.environ.setdefault("RETICK_PURE", "1")

import retick  # noqa: E402 - the variable above must be set first

__all__ = ["main", "run"]

SOURCE = str(Path(retick.__file__).parent)
Target = Callable[[bytes], None]


class Coverage:
    """The lines of retick that were reached, found by tracing."""

    def __init__(self) -> None:
        self.lines: set[tuple[str, int]] = set()

    def of(self, target: Target, data: bytes) -> bool:
        """Run the target; True when it reached a new line."""
        before = len(self.lines)
        sys.settrace(self._call)
        try:
            target(data)
        finally:
            sys.settrace(None)
        return len(self.lines) > before

    def _call(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._line if frame.f_code.co_filename.startswith(SOURCE) else None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self.lines.add((frame.f_code.co_filename, frame.f_lineno))
        return self._line


def mutate(data: bytes, other: bytes, rng: random.Random) -> bytes:
    buffer = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(len(buffer) + 1)
        kind = rng.randrange(5)
        if kind == 0 and buffer:
            buffer[at % len(buffer)] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
        elif kind == 1:
            del buffer[at : at + rng.choice((1, 2, 8))]
        elif kind == 2:
            buffer[at:at] = rng.randbytes(rng.choice((1, 2, 8)))
        elif kind == 3:
            start = rng.randrange(len(other) + 1)
            buffer[at:at] = other[start : start + 32]
        else:
            buffer += rng.randbytes(4)
    return bytes(buffer[:4096])


def run(target: Target, corpus: list[bytes], *, seed: int, go_on: Callable[[int], bool]) -> tuple[int, int, int]:
    """Number of cases, of kept inputs and of lines reached; SystemExit with the bytes if the target raised."""
    rng = random.Random(seed)
    coverage = Coverage()
    kept = list(corpus)
    count = 0
    while go_on(count):
        data = kept[count] if count < len(corpus) else mutate(rng.choice(kept), rng.choice(kept), rng)
        try:
            if coverage.of(target, data) and count >= len(corpus):
                kept.append(data)
        except Exception as error:
            raise SystemExit(f"seed {seed}, case {count}: {type(error).__name__}: {error}\n{data.hex()}") from error
        count += 1
    return count, len(kept), len(coverage.lines)


def _run_atheris(target: Target, corpus: list[bytes], seconds: float, seed: int) -> bool:
    try:
        import atheris
    except ImportError:
        return False
    import tempfile

    atheris.instrument_all()
    with tempfile.TemporaryDirectory() as folder:
        for i, data in enumerate(corpus):
            Path(folder, str(i)).write_bytes(data)
        atheris.Setup(
            [sys.argv[0], f"-max_total_time={int(seconds)}", f"-seed={seed}", "-max_len=4096", folder], target
        )
        atheris.Fuzz()
    return True


def main(target: Target, corpus: list[bytes]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--compiled", action="store_true", help="run the compiled kernels, not their Python source")
    parser.add_argument("--own", action="store_true", help="use the loop in this file even if atheris is installed")
    options = parser.parse_args()
    for path in options.files:
        target(path.read_bytes())
        print(f"{path}: no bug")
    if options.files:
        return
    seed = random.SystemRandom().randrange(1, 2**31) if options.seed is None else options.seed
    if not options.own and _run_atheris(target, corpus, options.seconds, seed):
        return
    end = time.monotonic() + options.seconds
    count, kept, lines = run(target, corpus, seed=seed, go_on=lambda _: time.monotonic() < end)
    print(f"seed {seed}: {count} cases, {kept} kept, {lines} lines reached, no bug")
