"""One interpreter of the dynamic audit: ``python -m retick.audit.runs.worker``, with its job on stdin.

Lines that it writes, each a letter and its values::

    F frame checksum digest   one state; frame -1 is the initial one
    B                         the end of a block; the worker waits for a command
    V json                    the fields of the requested frame, as pairs of name and text
    S json                    the first save that failed a comparison: frame, what, differences
    E json                    the game failed: kind (import, game), frame, message; the worker waits for a command if
                              it has written states since the last ``go``
    D                         the match is over

Commands that it reads: ``go``, ``fields N`` for a frame of the last block, ``stop``.
"""

import json
from collections.abc import Callable
from contextlib import nullcontext
from typing import IO, Any

from retick.audit.game_failure import game_failure
from retick.audit.game_loader import import_game
from retick.audit.interpreter import job_and_streams
from retick.audit.runs.saves import first_broken_save
from retick.sim.contract import Simulation, located
from retick.sim.prng import seeded_inputs
from retick.testing.determinism import Observation, observe
from retick.testing.elsewhere import Elsewhere

BLOCK = 256
"""Frames between two commands, until which their fields are kept."""


class _Stopped(Exception):
    """The parent needs no more frames."""


class _Worker:
    def __init__(self, job: dict[str, Any], lines_in: IO[str], lines_out: IO[str]) -> None:
        self._job = job
        self._in = lines_in
        self._out = lines_out
        self._frame = -1
        self._block: dict[int, Observation] = {}

    def run(self) -> None:
        kind = "import"
        try:
            factory = import_game(self._job["root"], self._job["module"], self._job["attribute"])
            kind = "game"
            if self._job["mode"] == "saves":
                self._check_saves(factory)
            else:
                self._play(factory())
            self._say("D")
        except _Stopped:
            pass
        except BaseException as error:  # everything that a game raises, even an exit, is reported to the parent
            text = str(error) if kind == "import" else game_failure(error)
            self._say("E " + json.dumps({"kind": kind, "frame": self._frame, "message": text}))
            if self._block:
                self._answer()  # the interpreters may differ in a frame before the one that failed

    def _say(self, line: str) -> None:
        self._out.write(line + "\n")
        self._out.flush()

    def _match(self) -> dict[str, Any]:
        return {name: self._job[name] for name in ("seed", "frames", "mask")}

    def _play(self, game: Simulation[Any]) -> None:
        seed = self._job["seed"]
        with located(-1, seed):
            state = game.initial_state(seed)
        self._show(-1, observe(game, state))
        for frame, inputs in enumerate(seeded_inputs(game, **self._match())):
            self._frame = frame
            with located(frame, seed, inputs):
                state = game.step(state, inputs)
            self._show(frame, observe(game, state))
            if len(self._block) >= BLOCK:
                self._await_command()
        self._await_command()

    def _show(self, frame: int, seen: Observation) -> None:
        self._block[frame] = seen
        self._out.write(f"F {frame} {seen.checksum} {seen.digest}\n")

    def _await_command(self) -> None:
        self._say("B")
        if self._answer() != "go":
            raise _Stopped
        self._block.clear()

    def _answer(self) -> str:
        """Read a command and, if it asks for fields, write them; returns its name."""
        command, *values = self._in.readline().split() or ["stop"]
        if command == "fields":
            self._say("V " + json.dumps(self._block[int(values[0])].fields))
        return command

    def _check_saves(self, factory: Callable[[], Simulation[Any]]) -> None:
        def note(frame: int) -> None:
            self._frame = frame

        broken = first_broken_save(factory, **self._match(), on_frame=note)
        if broken is not None:
            differences = broken.first.differences(broken.second)
            self._say("S " + json.dumps({"frame": broken.frame, "what": broken.what, "differences": differences}))


def main() -> None:
    job, lines_in, lines_out = job_and_streams()
    # Allocate objects, so that addresses differ between interpreters even where the system does not randomise them.
    ballast = [bytes(16 + number % 480) for number in range(job["ballast"])]
    with Elsewhere(job["elsewhere"]) if job["elsewhere"] else nullcontext():
        _Worker(job, lines_in, lines_out).run()
    ballast.clear()


if __name__ == "__main__":
    main()
