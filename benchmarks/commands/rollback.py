"""``python -m benchmarks rollback``: the time that the engine adds to a game's own steps.

Theory of operation. All passes play the same match of two bots. For a rollback in every frame the remote inputs come
eight frames late and carry a bit that changes every frame, so that every prediction is wrong; the fighter's rules do
not read that bit, so the match is a real one. The game's own share is the same number of steps in its own loop. Rounds
go through all measurements in turn and the best of each counts, so that a busy machine disturbs all of them alike.
"""

import importlib.util
import struct
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer

import retick.games.fighter
from benchmarks.commands.native import c_loop_ns, slowness, yardstick
from benchmarks.commands.progress import progress
from retick._kernels import is_compiled
from retick.cli.exit_codes import NO
from retick.cli.terminal import say, say_json
from retick.errors import RetickError
from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.rollback.engine.engine import RollbackEngine, SyncTest
from retick.sim.checksum import fnv1a
from retick.sim.contract import Simulation

__all__ = ["Figure", "UncompiledFighter", "bench_rollback", "measure_rollback"]

SEED = 1
LATE = 8
UNREAD_BIT = 0x100
TARGETS = {"sync test, 7 frames": 0.88, "sync test, 2 frames": 0.393, "8-frame rollback, every tick": 0.9}
"""Most microseconds per frame, on a machine where the fighter's C loop takes TARGETS_NS per step."""
MOST_ADDED = 1.2
"""Most time with an uncompiled game, as a multiple of the game's own steps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measurement, the best of all rounds."""

    name: str
    microseconds: float
    """Microseconds per frame."""
    steps: int
    """Steps of the game per frame."""
    own: float
    """Microseconds of the game's own steps per frame."""
    bound: float | None
    """The target in microseconds on this machine; None without one."""

    @property
    def kept(self) -> bool:
        return self.bound is None or self.microseconds <= self.bound


class UncompiledFighter:
    """The fighter's rules as plain Python, whether or not the kernels are compiled."""

    num_players = 2
    input_size = 2

    def __init__(self) -> None:
        self._tick = _source_of_the_kernel()._tick
        self._first = Fighter()

    def initial_state(self, seed: int) -> tuple[int, ...]:
        return tuple(value for _, value in self._first.fields(self._first.initial_state(seed)))

    def step(self, state: tuple[int, ...], inputs: Sequence[int]) -> tuple[int, ...]:
        row = list(state)
        row[0] = row[0] + 1 & 0xFFFFFFFF
        self._tick(row, inputs[0] & 15, inputs[1] & 15, False)
        return tuple(row)

    def checksum(self, state: tuple[int, ...]) -> int:
        return fnv1a(state)

    def fields(self, state: tuple[int, ...]) -> Iterator[tuple[str, int]]:
        return ((str(place), value) for place, value in enumerate(state))


def _source_of_the_kernel() -> ModuleType:
    source = Path(retick.games.fighter.__file__).with_name("kernel.py")
    spec = importlib.util.spec_from_file_location("retick_uncompiled_fighter", source)
    if spec is None or spec.loader is None:
        raise RetickError(f"{source} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _rows(frames: int) -> list[tuple[int, int]]:
    payload = bout(SEED, frames)
    return list(struct.iter_unpack("<HH", payload))


def _synctest(sim: Simulation[Any], rows: list[tuple[int, int]], distance: int) -> int:
    test = SyncTest(sim, sim.initial_state(SEED), distance=distance)
    advance = test.advance
    for row in rows:
        advance(row)
    return int(sim.checksum(test.state))


def _rollbacks(sim: Simulation[Any], rows: list[tuple[int, int]]) -> int:
    """Play a match in which every remote input is LATE frames late and was predicted wrongly."""
    engine = RollbackEngine(sim, sim.initial_state(SEED), local_player=0, history=64)
    late = [(theirs | UNREAD_BIT * (frame & 1),) for frame, (_, theirs) in enumerate(rows)]
    advance, add = engine.advance, engine.add_remote_inputs
    for frame, (ours, _) in enumerate(rows):
        advance(ours)
        if frame >= LATE - 1:
            first = frame - LATE + 1
            add(1, first, late[first])
    for frame in range(max(len(rows) - LATE + 1, 0), len(rows)):
        add(1, frame, late[frame])
    stats = engine.stats
    if len(rows) > 2 * LATE and stats.rollbacks < len(rows) - 2 * LATE:
        raise RetickError(f"only {stats.rollbacks} rollbacks in {len(rows)} frames: they are not what was measured")
    return int(sim.checksum(engine.state))


def _steps(sim: Simulation[Any], rows: list[tuple[int, int]]) -> int:
    step, state = sim.step, sim.initial_state(SEED)
    for row in rows:
        state = step(state, row)
    return int(sim.checksum(state))


def measure_rollback(
    frames: int, rounds: int, tell: Callable[[str], None] = lambda _: None, *, slow: float = 1.0
) -> list[Figure]:
    """All figures, with targets times ``slow``; RetickError if two ways to play the same match end differently."""
    rows = _rows(frames)
    few = rows[: max(frames // 20, 3 * LATE)]
    payload = bout(SEED, frames)
    fast, plain = Fighter(), UncompiledFighter()
    start = fast.initial_state(SEED)
    work: dict[str, tuple[Callable[[], int], int]] = {
        "own": (lambda: fast.checksum(fast.run(start, payload)), frames),
        "sync test, 7 frames": (lambda: _synctest(fast, rows, 7), frames),
        "sync test, 2 frames": (lambda: _synctest(fast, rows, 2), frames),
        "8-frame rollback, every tick": (lambda: _rollbacks(fast, rows), frames),
        "own, uncompiled": (lambda: _steps(plain, few), len(few)),
        "8-frame rollback, uncompiled game": (lambda: _rollbacks(plain, few), len(few)),
    }
    best = dict.fromkeys(work, float("inf"))
    ends: dict[str, int] = {}
    for number in range(1, rounds + 1):
        tell(f"round {number} of {rounds}")
        for name, (run, count) in work.items():
            started = time.perf_counter()
            ends[name] = run()
            best[name] = min(best[name], (time.perf_counter() - started) / count * 1e6)
    _check_ends(ends)
    return _figures(best, slow)


def _check_ends(ends: dict[str, int]) -> None:
    long = {checksum for name, checksum in ends.items() if "uncompiled" not in name}
    short = {checksum for name, checksum in ends.items() if "uncompiled" in name}
    if len(long) != 1 or len(short) != 1:
        raise RetickError(f"the same match ends differently: {ends}")


def _figures(best: dict[str, float], slow: float) -> list[Figure]:
    steps = {"sync test, 7 frames": 8, "sync test, 2 frames": 3, "8-frame rollback, every tick": 1 + LATE}
    figures = [
        Figure(name=name, microseconds=best[name], steps=count, own=best["own"] * count, bound=slow * TARGETS[name])
        for name, count in steps.items()
    ]
    own = best["own, uncompiled"] * (1 + LATE)
    name = "8-frame rollback, uncompiled game"
    return [
        *figures,
        Figure(name=name, microseconds=best[name], steps=1 + LATE, own=own, bound=MOST_ADDED * own),
    ]


def bench_rollback(
    frames: Annotated[int, typer.Option(min=100, help="Frames of the match that each pass plays.")] = 20_000,
    rounds: Annotated[int, typer.Option(min=1, help="Passes of each measurement; the best counts.")] = 15,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Exit with 1 if a target is missed.")] = False,
) -> None:
    """Time the rollback engine with the fighter: sync tests, a rollback in every frame, and a game in plain Python.

    Exit code 0: measured. 1: a target is missed, with --check. 2: misuse.

    Example: python -m benchmarks rollback --rounds 30 --check
    """
    with progress("bench rollback") as tell:
        loop = c_loop_ns()
        figures = measure_rollback(frames, rounds, tell, slow=slowness(loop))
    if as_json:
        say_json({"c_loop_ns": loop, "figures": [asdict(each) for each in figures]}, indent=2)
    else:
        _print(figures, loop)
    if check and not all(figure.kept for figure in figures):
        raise typer.Exit(NO)


def _print(figures: list[Figure], loop: float | None) -> None:
    say(f"{'compiled' if is_compiled() else 'pure Python'} kernels; microseconds a frame, best pass")
    for each in figures:
        bound = "" if each.bound is None else f"at most {each.bound:.3f}  {'ok' if each.kept else 'MISSED'}"
        say(f"{each.name:>34}  {each.microseconds:8.3f}  {each.steps} steps: {each.own:8.3f}  {bound}")
    slow = figures[-1]
    say(f"{'the engine adds to plain Python':>34}  {100 * (slow.microseconds / slow.own - 1):7.1f} %  at most 20 %")
    say(yardstick(loop))
    if loop is not None:
        steps = figures[2].microseconds * 1000 / loop
        say(f"{'8-frame rollback, every tick':>34}  costs as much as {steps:.0f} steps of the C loop")
