"""Runs part of a recorded match again, in an interpreter of its own; ``audit.desync.worker`` is what runs there."""

import json
from dataclasses import dataclass
from typing import Any

from retick.audit.desync.line_trace import Executed
from retick.audit.game_loader import locate_game
from retick.audit.interpreter import InterpreterDied, interpreters
from retick.errors import RetickError, UsageError
from retick.replay import Replay

__all__ = ["Rerun", "rerun"]

_WORKER = "retick.audit.desync.worker"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """What a game, run here, makes of the recorded inputs."""

    checksum: int
    """Checksum of the state at the frame that was asked for."""
    diverged_at: int | None
    """The first earlier frame whose checksum is not the one on which all peers agreed."""
    lines: tuple[Executed, ...]
    """Every line that the last step ran; empty if it was not traced."""
    cut: bool
    """There were more lines than are kept."""


def rerun(
    game: str, source: Replay, frame: int, agreed: int, *, watch: tuple[str, ...], trace: bool, timeout: float
) -> Rerun:
    """Run ``game`` (module:Class or file.py:Class) over ``source`` up to the state at ``frame``.

    Frames up to ``agreed`` are compared with the checksums in ``source``. With ``trace`` the game is run from Python
    source, and every line of the last step is watched for changes of the fields in ``watch``. ``timeout``: seconds.
    A UsageError says that this game cannot play the recording, another RetickError that it failed on it.
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
        checksum=answer["checksum"],
        diverged_at=answer["diverged_at"],
        lines=tuple(Executed(*line) for line in answer["lines"]),
        cut=answer["cut"],
    )


def _ask(game: str, job: dict[str, Any], environment: dict[str, str], timeout: float) -> dict[str, Any]:
    try:
        with interpreters(timeout) as start:
            answer: dict[str, Any] = json.loads(start(_WORKER, job, environment).read_line())
    except InterpreterDied as death:
        if death.timed_out:
            raise RetickError(f"{game} did not finish within {timeout:g} seconds") from None
        raise RetickError(f"{game} ended its process with code {death.code}: {death.last_line}") from None
    if "misused" in answer:
        raise UsageError(f"{game} could not be run: {answer['misused']}")
    if "failed" in answer:
        raise RetickError(f"{game} failed when it was run again: {answer['failed']}")
    return answer
