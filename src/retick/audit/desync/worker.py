"""The interpreter that runs part of a recorded match again: ``python -m retick.audit.desync.worker``.

It gets its job and gives its answer as one line of JSON each; ``audit.desync.explain`` is the other side.
"""

import json
from contextlib import nullcontext
from typing import Any

from retick.audit.desync.line_trace import Executed, trace_step
from retick.audit.game_loader import import_game, made_for
from retick.audit.interpreter import job_and_streams
from retick.errors import UsageError
from retick.replay import Replay
from retick.replay.running import GameRun
from retick.testing.elsewhere import Elsewhere


def _answer(job: dict[str, Any]) -> dict[str, Any]:
    make = import_game(job["root"], job["module"], job["attribute"])
    raw = job["replay"]
    sim = made_for(make, raw["num_players"])
    state_bytes = raw.pop("start_state")
    replay = Replay(
        **{**raw, "frames": bytes.fromhex(raw["frames"])},
        start_state=None if state_bytes is None else bytes.fromhex(state_bytes),
    )
    checks = {int(frame): checksum for frame, checksum in job["checks"].items()}
    state, diverged_at = GameRun(replay, sim).start(), None
    lines: list[Executed] = []
    cut = False
    for frame in range(replay.start_frame, job["frame"]):
        if diverged_at is None and checks.get(frame, sim.checksum(state)) != sim.checksum(state):
            diverged_at = frame
        inputs = replay.inputs_at(frame)
        if frame == job["frame"] - 1 and job["trace"]:
            state, tracer = trace_step(sim, state, inputs, job["watch"])
            lines, cut = tracer.executed, tracer.cut
        else:
            state = sim.step(state, inputs)
    return {
        "checksum": sim.checksum(state) & 0xFFFFFFFF,
        "diverged_at": diverged_at,
        "lines": lines,
        "cut": cut,
    }


def main() -> None:
    job, _, out = job_and_streams()
    try:
        with Elsewhere(job["elsewhere"]) if job["elsewhere"] else nullcontext():
            answer = _answer(job)
    except UsageError as error:
        answer = {"misused": str(error)}
    except Exception as error:  # whatever a game raises is reported to the parent
        answer = {"failed": f"{type(error).__name__}: {error}"}
    out.write(json.dumps(answer) + "\n")
    out.flush()


if __name__ == "__main__":
    main()
