"""The measuring end of ``python -m benchmarks sim``: one process for each form of the kernels.

The form is chosen when ``retick`` is imported, so measuring both takes two processes. The parent sends requests as
lines of JSON on standard input and gets one line back for each. It asks the workers in turn, round after round, so
that a time in which the machine is busy disturbs all of them.
"""

import json
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.commands.native import NativeFighter
from retick._kernels import is_compiled
from retick.games.fighter import Fighter, FighterState

__all__ = ["Bench", "main", "resident_bytes"]

SEED = 1
PASSES = 3


class Bench:
    """Times the fighter over one payload, in the imported form."""

    def __init__(self, frames: bytes, library: Path | None) -> None:
        self._game = Fighter()
        self._start = self._game.initial_state(SEED)
        self._frames = frames
        self._count = len(frames) // 4
        words = [int.from_bytes(frames[at : at + 2], "little") for at in range(0, len(frames), 2)]
        self._inputs = list(zip(words[::2], words[1::2], strict=True))
        self._native = NativeFighter(library) if library is not None else None

    def round(self) -> dict[str, float]:
        """The best of a few passes of each measurement, in nanoseconds per frame."""
        work: dict[str, Callable[[], object]] = {"run": self.run, "step": self.step, "checksum": self.digest}
        if self._native is not None:
            # The two compared loops run one after the other.
            work = {"run": self.run, "c": self.run_native} | work
        found: dict[str, float] = {}
        for _ in range(PASSES):
            for name, play in work.items():
                started = time.perf_counter_ns()
                play()
                took = (time.perf_counter_ns() - started) / self._count
                found[name] = min(took, found.get(name, took))
        return found

    def checksums(self) -> dict[str, int]:
        """The final checksum of each way to play the payload."""
        found = {"run": self._game.checksum(self.run()), "step": self._game.checksum(self.step())}
        if self._native is not None:
            self.run_native()
            found["c"] = self._native.checksum()
        return found

    def prefix(self, frames: int) -> int:
        """The checksum after the first ``frames`` of the payload."""
        return self._game.checksum(self._game.run(self._start, self._frames[: 4 * frames]))

    def memory(self, frames: int) -> dict[str, int | None]:
        """Bytes by which one ``run`` over this many frames increases memory, and the peak meanwhile."""
        payload = (self._frames * -(-frames // self._count))[: 4 * frames]
        self.run()
        before = resident_bytes()
        tracemalloc.start()
        state = self._game.run(self._start, payload)
        current, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        after = resident_bytes()
        assert state.frame == frames & 0xFFFFFFFF
        grown = None if before is None or after is None else after - before
        return {"frames": frames, "resident_growth": grown, "heap_growth": current, "heap_peak": peak}

    def run(self) -> FighterState:
        state: FighterState = self._game.run(self._start, self._frames)
        return state

    def run_native(self) -> None:
        assert self._native is not None
        self._native.run(SEED, self._frames)

    def step(self) -> FighterState:
        state, step = self._start, self._game.step
        for inputs in self._inputs:
            state = step(state, inputs)
        return state

    def digest(self) -> None:
        state, checksum = self._start, self._game.checksum
        for _ in self._inputs:
            checksum(state)


def resident_bytes() -> int | None:
    """Resident memory of this process; None without /proc."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        import resource

        return int(pages) * resource.getpagesize()
    except (OSError, ImportError):
        return None


def _answer(bench: Bench, request: dict[str, Any]) -> object:
    match request["ask"]:
        case "form":
            return {"compiled": is_compiled()}
        case "checksums":
            return bench.checksums()
        case "prefix":
            return bench.prefix(request["frames"])
        case "memory":
            return bench.memory(request["frames"])
        case _:
            return bench.round()


def main() -> None:
    """Answer until standard input ends. Arguments: the payload, and the C library or nothing."""
    library = Path(sys.argv[2]) if sys.argv[2] else None
    bench = Bench(Path(sys.argv[1]).read_bytes(), library)
    for line in sys.stdin:
        print(json.dumps(_answer(bench, json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
