"""Measurements of ``python -m benchmarks sim``: the fighter in C, compiled and uncompiled, its memory, the import.

Theory of operation. Other programs disturb the figures. So each form of the kernels has a worker process; every round
asks each worker for one pass of everything, in turn, and the best pass of each counts. The C loop is timed inside the
compiled worker, right after the loop it is compared with. Before any timing the final checksums of all ways of
playing the same match must agree.
"""

import json
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from benchmarks.commands.native import build, find_compiler
from benchmarks.commands.processes import start_benchmark
from retick.errors import RetickError
from retick.games.fighter.bots import bout

__all__ = ["Plan", "Report", "Target", "measure"]

SEED = 1
RUN_AGAINST_C = 1.3
STEP_SPEEDUP = 8.0
IMPORT_MS = 60.0
FLAT_BYTES = 1 << 20
"""Most bytes of growth over the memory run, within which pages come and go."""

_IMPORT = """
import sys, time
before = set(sys.modules)
started = time.perf_counter()
import retick
took = time.perf_counter() - started
tops = {name.partition(".")[0] for name in set(sys.modules) - before}
print(took * 1e3, *sorted(tops - set(sys.stdlib_module_names) - {"retick"}))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The sizes of the measurement."""

    frames: int = 60_000
    """Frames of the match between two bots that every pass plays."""
    rounds: int = 15
    """Passes of each measurement; the best counts."""
    memory_frames: int = 10_000_000
    """Frames of the one call of ``run`` whose memory is watched."""

    @property
    def pure_frames(self) -> int:
        """Number of first frames that are played uncompiled."""
        return max(self.frames // 12, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A figure and its bound."""

    name: str
    value: float
    bound: float
    at_least: bool = False
    """Whether the bound is a minimum instead of a maximum."""

    @property
    def kept(self) -> bool:
        return self.value >= self.bound if self.at_least else self.value <= self.bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All measurements; None for those that need a compiler or compiled kernels."""

    run_against_c: float | None
    """Time of the compiled ``run``, divided by the C loop's."""
    step_speedup: float | None
    """How many times faster ``step`` is compiled."""
    run_speedup: float | None
    """How many times faster ``run`` is compiled."""
    run_against_step: float | None
    """How many times cheaper a frame is inside ``run`` than by ``step``, compiled."""
    nanoseconds: dict[str, dict[str, float]]
    """For each form (compiled, pure, c), nanoseconds per frame of ``run``, ``step`` and ``checksum``."""
    memory: dict[str, int | None]
    """Bytes by which one call of ``run`` increased memory, and the peak meanwhile."""
    import_ms: float
    """Milliseconds of ``import retick``."""
    import_extras: tuple[str, ...]
    """Packages outside the standard library that ``import retick`` imports."""
    checksum: int
    """Checksum of the final state, the same in every form."""
    machine: dict[str, str]
    """Python, the system, and the compiler of the C loop, or why there was none."""

    def targets(self) -> list[Target]:
        """The measured figures that have a bound."""
        found = []
        if self.run_against_c is not None:
            found.append(Target(name="run against the C loop", value=self.run_against_c, bound=RUN_AGAINST_C))
        if self.step_speedup is not None:
            found.append(
                Target(name="step, compiled against pure", value=self.step_speedup, bound=STEP_SPEEDUP, at_least=True)
            )
        for name in ("resident_growth", "heap_growth"):
            grown = self.memory[name]
            if grown is not None:
                found.append(Target(name=f"memory, {name.replace('_', ' ')} in bytes", value=grown, bound=FLAT_BYTES))
        found.append(Target(name="import retick, ms", value=self.import_ms, bound=IMPORT_MS))
        found.append(Target(name="extras imported by it", value=len(self.import_extras), bound=0))
        return found

    def to_json(self) -> dict[str, Any]:
        """All values for JSON, ratios first."""
        targets = [asdict(target) | {"kept": target.kept} for target in self.targets()]
        return asdict(self) | {"targets": targets}


class _Worker:
    """The parent's end of one measuring process."""

    def __init__(self, process: subprocess.Popen[str], form: str) -> None:
        self.form = form
        self.best: dict[str, float] = {}
        self._process = process

    def ask(self, what: str, **details: int) -> Any:
        stdin, stdout = _pipes(self._process)
        try:
            stdin.write(json.dumps({"ask": what, **details}) + "\n")
            stdin.flush()
            return json.loads(stdout.readline())
        except (OSError, ValueError):
            raise RetickError(f"the process that measures the {self.form} form ended; its error is above") from None

    def measure_round(self) -> None:
        for name, nanoseconds in self.ask("round").items():
            self.best[name] = min(nanoseconds, self.best.get(name, nanoseconds))


def _pipes(process: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


@contextmanager
def _worker(form: str, payload: Path, library: Path | None) -> Iterator[_Worker]:
    with start_benchmark(
        "sim_worker",
        str(payload),
        str(library or ""),
        environment={"RETICK_PURE": "1" if form == "pure" else "0"},
        stdin=subprocess.PIPE,
    ) as process:
        try:
            yield _Worker(process, form)
        finally:
            _pipes(process)[0].close()
            process.wait()


def measure(plan: Plan, progress: Callable[[str], None] = lambda _: None) -> Report:
    """Run the whole benchmark; ``progress`` is called with the present measurement."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="retick-bench-")))
        progress("playing a match to measure with")
        payload = folder / "frames.bin"
        payload.write_bytes(bout(SEED, plan.frames))
        library, c_loop = _c_loop(folder)
        compiled = stack.enter_context(_worker("compiled", payload, library))
        workers = [compiled]
        if compiled.ask("form")["compiled"]:
            # Uncompiled, a pass takes a hundred times as long; fewer frames give the same figure.
            fewer = folder / "fewer.bin"
            fewer.write_bytes(payload.read_bytes()[: 4 * plan.pure_frames])
            workers.append(stack.enter_context(_worker("pure", fewer, None)))
        else:
            compiled.form = "pure"
        checksum = _agreed(workers, plan.pure_frames)
        for number in range(1, plan.rounds + 1):
            for worker in workers:
                progress(f"round {number} of {plan.rounds}, {worker.form}")
                worker.measure_round()
        progress("memory")
        memory = compiled.ask("memory", frames=plan.memory_frames)
        progress("import")
        import_ms, extras = _import_cost(plan.rounds)
        nanoseconds = {worker.form: worker.best for worker in workers}
    return _report(nanoseconds, memory, (import_ms, extras), checksum, c_loop)


def _c_loop(folder: Path) -> tuple[Path | None, str]:
    """The C library and its compiler, or None and the reason."""
    compiler = find_compiler()
    if compiler is None:
        return None, "left out: no C compiler found (cc, gcc or clang)"
    try:
        return build(compiler, folder), compiler
    except RetickError as error:
        return None, f"left out: {error}"


def _agreed(workers: list[_Worker], shared: int) -> int:
    """The checksum of the whole match; RetickError if two ways of playing it, or its beginning, disagree."""
    ends = [worker.ask("checksums") for worker in workers]
    beginnings = {worker.form: worker.ask("prefix", frames=shared) for worker in workers}
    for found in (*ends, beginnings):
        if len(set(found.values())) != 1:
            different = ", ".join(f"{way} 0x{checksum:08X}" for way, checksum in found.items())
            raise RetickError(f"the same match ends differently: {different}")
    return int(ends[0]["run"])


def _import_cost(rounds: int) -> tuple[float, tuple[str, ...]]:
    best = float("inf")
    extras: tuple[str, ...] = ()
    for _ in range(rounds):
        command = [sys.executable, "-P", "-c", _IMPORT]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        took, *names = done.stdout.split()
        best, extras = min(best, float(took)), tuple(names)
    return best, extras


def _report(
    nanoseconds: dict[str, dict[str, float]],
    memory: dict[str, int | None],
    imported: tuple[float, tuple[str, ...]],
    checksum: int,
    c_loop: str,
) -> Report:
    fast, slow = nanoseconds.get("compiled"), nanoseconds.get("pure")
    loop = next((best.pop("c") for best in nanoseconds.values() if "c" in best), None)
    if loop is not None:
        nanoseconds = nanoseconds | {"c": {"run": loop}}
    return Report(
        run_against_c=fast["run"] / loop if fast and loop else None,
        step_speedup=slow["step"] / fast["step"] if fast and slow else None,
        run_speedup=slow["run"] / fast["run"] if fast and slow else None,
        run_against_step=fast["step"] / fast["run"] if fast else None,
        nanoseconds=nanoseconds,
        memory=memory,
        import_ms=imported[0],
        import_extras=imported[1],
        checksum=checksum,
        machine={
            "python": platform.python_version(),
            "system": f"{platform.system()} {platform.machine()}",
            "c": c_loop,
        },
    )
