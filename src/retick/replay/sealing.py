"""Adds a game's own checksums to a recording, so that it can be verified elsewhere."""

from typing import Any

from retick.errors import UsageError
from retick.replay.running import Run
from retick.replay.value import Replay
from retick.sim.contract import NamesItself, Simulation

__all__ = ["sealed"]


def sealed(replay: Replay, sim: Simulation[Any], *, every: int = 600) -> Replay:
    """The recording with the game's name, a checksum every so many frames (0: none), and the final one."""
    if every < 0:
        raise UsageError(f"checksums come every 1 frame or more, or 0 for none, not {every}")
    run = Run(replay, sim)
    state, frame = run.start(), replay.start_frame
    stops = [*range(frame + every, replay.end_frame, every), replay.end_frame] if every else [replay.end_frame]
    checkpoints = {}
    for stop in stops:
        state, frame = run.between(state, frame, stop), stop
        checkpoints[stop] = sim.checksum(state)
    named = {"game_id": sim.game_id, "game_version": sim.game_version} if isinstance(sim, NamesItself) else {}
    return replay.replace(checkpoints=checkpoints, **named)
