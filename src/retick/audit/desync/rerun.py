"""Runs a stretch of a recorded match again in a process of its own: ``python -m retick.audit.desync.rerun`` there.

The job comes in on stdin and the answer goes out on stdout, each one JSON object. What the game prints goes to stderr.
The game is never imported into the process that asks.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from retick.audit.desync.line_trace import Executed, trace_step
from retick.audit.game_loader import import_game, locate_game
from retick.errors import RetickError, UsageError
from retick.replay import Replay
from retick.replay.running import Run
from retick.rollback.desync.field_values import Value, portable_fields

__all__ = ["Rerun", "main", "rerun"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """What a game, run here, makes of a recorded stretch."""

    game: str
    """As it was named."""
    checksum: int
    """Of the state that was asked for."""
    fields: dict[str, Value]
    """Of that state."""
    departed: int | None
    """The first frame before it whose checksum is not the one on which all machines agreed."""
    lines: tuple[Executed, ...]
    """Every line that the last step ran, where it was traced."""
    cut: bool
    """There were more lines than are kept."""


def rerun(
    game: str, source: Replay, frame: int, agreed: int, *, watch: tuple[str, ...], trace: bool, timeout: float
) -> Rerun:
    """Run ``game`` (module:Class or file.py:Class) over ``source`` up to the state at ``frame``, in its own process.

    Frames up to ``agreed`` are compared with the checksums in ``source``. With ``trace`` the last step is run from
    Python source, every line watched. A UsageError says that this is no game for the recording, another RetickError
    that the game failed on it.
    """
    job = {
        **locate_game(game),
        "replay": {
            "seed": source.seed,
            "frames": source.frames.hex(),
            "num_players": source.num_players,
            "input_size": source.input_size,
            "start_frame": source.start_frame,
            "start_state": None if source.start_state is None else source.start_state.hex(),
        },
        "checks": {number: checksum for number, checksum in source.checkpoints.items() if number <= agreed},
        "frame": frame,
        "watch": watch,
        "trace": trace,
    }
    answer = _ask(game, job, {"RETICK_PURE": "1"} if trace else {}, timeout)
    return Rerun(
        game=game,
        checksum=answer["checksum"],
        fields=dict(answer["fields"]),
        departed=answer["departed"],
        lines=tuple(Executed(*line) for line in answer["lines"]),
        cut=answer["cut"],
    )


def _ask(game: str, job: dict[str, Any], extra: dict[str, str], timeout: float) -> dict[str, Any]:
    try:
        done = subprocess.run(
            [sys.executable, "-m", "retick.audit.desync.rerun"],
            input=json.dumps(job),
            capture_output=True,
            encoding="utf-8",
            env={**os.environ, **extra},
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RetickError(f"{game} did not get there within {timeout:g} seconds") from None
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:]
        raise RetickError(f"{game} ended its process: {' '.join(last)}")
    answer: dict[str, Any] = json.loads(done.stdout)
    if "misused" in answer:
        raise UsageError(f"{game} could not be run: {answer['misused']}")
    if "failed" in answer:
        raise RetickError(f"{game} failed when it was run again: {answer['failed']}")
    return answer


def _answer(job: dict[str, Any]) -> dict[str, Any]:
    sim = import_game(job["root"], job["module"], job["attribute"])()
    raw = job["replay"]
    state_bytes = raw.pop("start_state")
    replay = Replay(
        **{**raw, "frames": bytes.fromhex(raw["frames"])},
        start_state=None if state_bytes is None else bytes.fromhex(state_bytes),
    )
    checks = {int(frame): checksum for frame, checksum in job["checks"].items()}
    state, departed = Run(replay, sim).start(), None
    lines: list[Executed] = []
    cut = False
    for frame in range(replay.start_frame, job["frame"]):
        if departed is None and checks.get(frame, sim.checksum(state)) != sim.checksum(state):
            departed = frame
        inputs = replay.inputs_at(frame)
        if frame == job["frame"] - 1 and job["trace"]:
            state, tracer = trace_step(sim, state, inputs, job["watch"])
            lines, cut = tracer.executed, tracer.cut
        else:
            state = sim.step(state, inputs)
    return {
        "checksum": sim.checksum(state) & 0xFFFFFFFF,
        "fields": portable_fields(sim.fields(state)),
        "departed": departed,
        "lines": lines,
        "cut": cut,
    }


def main() -> None:
    job = json.load(sys.stdin)
    out, sys.stdout = sys.stdout, sys.stderr
    try:
        answer = _answer(job)
    except UsageError as error:
        answer = {"misused": str(error)}
    except Exception as error:  # whatever a game raises is what the one who asked is told
        answer = {"failed": f"{type(error).__name__}: {error}"}
    json.dump(answer, out)


if __name__ == "__main__":
    main()
