"""``python -m benchmarks verify``: frames verified per second, and the time of a jump in a replay."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.commands.progress import progress
from benchmarks.commands.verify.many import PARTS, installed_parts, measure_many
from retick._kernels import is_compiled
from retick.cli.exit_codes import NO
from retick.cli.terminal import say
from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.replay import Replay, ReplayPlayer, dumps, loads, sealed, verify
from retick.sim.prng import XorShift32

__all__ = ["bench_verify"]

JUMPS = 200
LEAST_MILLIONS = 60
LONGEST_JUMP_MS = 20


def bench_verify(
    frames: Annotated[int, typer.Option(help="Length of the match; 36000 is ten minutes.")] = 36_000,
    rounds: Annotated[int, typer.Option(help="Passes of each measurement; the best counts.")] = 15,
    matches: Annotated[
        int | None,
        typer.Option(min=1, help="Instead, verify this many one-minute replays on all cores, from files and archives."),
    ] = None,
    part: Annotated[
        list[str] | None, typer.Option(help=f"With --matches only this, of {', '.join(PARTS)}; may be repeated.")
    ] = None,
    keep: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="With --matches: leave the replays here for the next time.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Exit with 1 if a target is missed.")] = False,
) -> None:
    """Time verifying, loading and seeking in a replay of bots, on one core; or verifying many, with --matches.

    Exit code 0: measured. 1: a target is missed, with --check. 2: misuse.

    Example: python -m benchmarks verify --rounds 50
    """
    if frames < 1 or rounds < 1:
        raise UsageError("--frames and --rounds must be 1 or more")
    if matches is not None:
        _bench_many(matches, part, keep, check)
        return
    if part or keep:
        raise UsageError("--part and --keep go with --matches")
    sim = Fighter()
    plain = Replay(seed=1, frames=bout(1, frames))
    rich = sealed(plain, sim)
    noise = Replay(seed=1, frames=_noise(frames))
    rplk, rtk = dumps(plain), dumps(rich)
    start = sim.initial_state(1)
    say(f"{frames} frames, {'compiled' if is_compiled() else 'pure Python'} kernels, best of {rounds}")
    _show("the game's own loop", frames, rounds, lambda: sim.run(start, plain.frames))
    rate = _show("verify", frames, rounds, lambda: verify(plain, sim))
    _show("verify, a checksum every 600", frames, rounds, lambda: verify(rich, sim))
    _show("loads RPLK, then verify", frames, rounds, lambda: verify(loads(rplk), sim))
    _show("loads RTK, then verify", frames, rounds, lambda: verify(loads(rtk), sim))
    _show("verify, buttons at random", frames, rounds, lambda: verify(noise, sim))
    say(f"{'size':>30}  {len(rplk)} bytes RPLK, {len(rtk)} bytes RTK")
    longest = _show_jumps(plain, sim)
    kept = rate >= LEAST_MILLIONS and longest <= LONGEST_JUMP_MS
    say(f"targets: {LEAST_MILLIONS} million frames/s and {LONGEST_JUMP_MS} ms, {'kept' if kept else 'missed'}")
    if check and not kept:
        raise typer.Exit(NO)


def _bench_many(matches: int, part: list[str] | None, keep: Path | None, check: bool) -> None:
    parts = tuple(part or installed_parts())
    unknown = [name for name in parts if name not in PARTS]
    if unknown:
        raise UsageError(f"--part must be one of {', '.join(PARTS)}, not {unknown[0]}")
    kept = True
    with progress("bench verify") as tell, tempfile.TemporaryDirectory() as own:
        for figure in measure_many(keep or Path(own), matches, parts, tell):
            say(str(figure))
            kept = kept and figure.kept is not False
    if check and not kept:
        raise typer.Exit(NO)


def _show(name: str, frames: int, rounds: int, work: Callable[[], object]) -> float:
    """Print the best of several runs, and return its million frames per second."""
    best = min(_timed(work) for _ in range(rounds))
    say(f"{name:>30}  {frames / best / 1e6:7.1f} million frames/s  {best * 1e3:8.3f} ms")
    return frames / best / 1e6


def _show_jumps(replay: Replay, sim: Fighter) -> float:
    """Print the times of jumps, and return the longest in milliseconds."""
    player = ReplayPlayer(replay, sim)
    first = _timed(lambda: player.seek(replay.end_frame))
    say(f"{'first jump, start to end':>30}  {first * 1e3:.3f} ms")
    rng = XorShift32.seeded(1)
    took = []
    for _ in range(JUMPS):
        frame, rng = rng.below(len(replay) + 1)
        took.append(_timed(lambda frame=frame: player.seek(frame)))  # type: ignore[misc]  # bound now
    say(f"{f'{JUMPS} jumps after that':>30}  {max(took) * 1e3:.3f} ms at most, {sum(took) / JUMPS * 1e3:.4f} ms each")
    return max(first, *took) * 1e3


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _noise(frames: int) -> bytes:
    """New random buttons in every frame, the worst case for branch prediction."""
    rng = XorShift32.seeded(1)
    packed = bytearray()
    for _ in range(frames):
        draw, rng = rng.next()
        packed += bytes((draw >> 8 & 15, 0, draw >> 16 & 15, 0))
    return bytes(packed)
