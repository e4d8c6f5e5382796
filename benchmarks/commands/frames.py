"""``python -m benchmarks frames``: a session's frame of the tutorial's game, beside another build."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.commands.builds import Row, builds, checkout, print_rows
from benchmarks.commands.native import c_loop_ns, yardstick
from benchmarks.commands.progress import progress
from retick.cli.terminal import say, say_json
from retick.errors import RetickError, UsageError

__all__ = ["bench_frames"]

BESIDE = "beside the user's own advance"


def bench_frames(
    beside: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="A checkout with built kernels, such as the commit before.")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds; the best counts.")] = 7,
    pure: Annotated[bool, typer.Option("--pure", help="Measure the kernels uncompiled.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Time a frame of a session of the tutorial's tanks at three frames of latency, with its cues and its world.

    Exit code 0: measured. 1: the builds do not play the same match. 2: misuse.

    Example: python -m benchmarks frames --beside ../before
    """
    other = checkout(beside)
    with progress("bench frames") as tell:
        loop = c_loop_ns()
        with builds("frames_worker", other, pure=pure) as taking_part:
            tell("playing a match")
            played = [build.ask("play") for build in taking_part]
            if None in played:
                raise UsageError("the tutorial's game needs pygame: pip install retick[pygame]")
            if any(each != played[0] for each in played):
                raise RetickError(f"the same match ends differently: {played}")
            best: list[dict[str, float]] = [{} for _ in taking_part]
            for number in range(1, rounds + 1):
                tell(f"round {number} of {rounds}")
                for found, build in zip(best, taking_part, strict=True):
                    for what, questions in (("measure", build.ask("measure")), ("calls", build.ask("calls"))):
                        for name, value in questions.items():
                            key = name if what == "measure" else f"in {name}"
                            found[key] = min(value, found.get(key, value))
    rows = _rows(best)
    frames, steps, _ = played[0]
    if as_json:
        shown = [asdict(row) | {"ratio": row.ratio} for row in rows]
        say_json({"c_loop_ns": loop, "pure": pure, "frames": frames, "steps": steps, "figures": shown}, indent=2)
        return
    say(f"{'uncompiled' if pure else 'compiled'} kernels; {frames} frames of tanks, {steps:.2f} advances a frame")
    print_rows(rows, taking_part)
    say(yardstick(loop))


def _rows(best: list[dict[str, Any]]) -> list[Row]:
    def row(name: str, values: list[float]) -> Row:
        return Row(name=name, unit="µs", values=tuple(values))

    rows = [
        row("a session's frame", [found["frame"] for found in best]),
        row("of it the user's own advance", [found["own"] for found in best]),
        row(BESIDE, [found["frame"] - found["own"] for found in best]),
    ]
    calls = [name for name in best[0] if name.startswith("in ")]
    return [*rows, *(row(name, [found[name] for found in best]) for name in calls)]
