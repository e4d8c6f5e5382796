"""The dynamic half: one match in several fresh interpreters with different hash seeds, and through save/load.

The interpreters run side by side and report a line a frame; after each block of frames their lines are compared.
At the first difference both are asked for their fields of that frame, while they still have them: a
second run would differ in yet another way. The game is never imported into this process.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from retick.audit.report import Divergence, DynamicReport
from retick.audit.runs.play import Observation
from retick.audit.targets import find_target
from retick.errors import UsageError
from retick.sim.fields import FieldDifference
from retick.sim.prng import check_seed

__all__ = ["audit_dynamic"]

_BALLAST = 4099


def audit_dynamic(
    game: str,
    *,
    frames: int = 600,
    seed: int = 1,
    mask: int | None = None,
    interpreters: int = 4,
    timeout: float = 120.0,
    progress: Callable[[int], None] = lambda frame: None,
) -> DynamicReport:
    """Play ``game`` (``module:Class`` or ``file.py:Class``) with random inputs, again and again, and compare.

    ``mask`` keeps only some bits of each input; ``timeout`` is in seconds and covers everything. ``progress`` is told
    the frame that has been compared last. A UsageError says that the game cannot be run at all.
    """
    target = find_target(game)
    names = target.import_names()
    if frames < 1 or interpreters < 2:
        raise UsageError(f"a run takes 1 frame and 2 interpreters at least, not {frames} and {interpreters}")
    check_seed(seed)
    job = {**names, "seed": seed, "frames": frames, "mask": mask}
    hash_seeds = tuple(range(1, interpreters + 1))
    with _workers(job, hash_seeds, timeout) as (players, saver):
        found = [_compare(players, progress), _saved(saver)]
    return DynamicReport(
        game=game,
        seed=seed,
        frames=frames,
        hash_seeds=hash_seeds,
        divergences=tuple(divergence for divergence in found if divergence is not None),
    )


class _Process:
    """A worker, and what it has said last."""

    def __init__(self, job: dict[str, Any], hash_seed: int) -> None:
        self.hash_seed = hash_seed
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process
        self._process = subprocess.Popen(
            [sys.executable, "-m", "retick.audit.runs.worker", json.dumps({**job, "ballast": hash_seed * _BALLAST})],
            env={**os.environ, "PYTHONHASHSEED": str(hash_seed)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            encoding="utf-8",
        )
        self.killed_by_timer = False

    def lines(self) -> list[str]:
        """What it says up to the next word that ends something: B, D, E, V or S."""
        assert self._process.stdout is not None
        found = []
        for line in self._process.stdout:
            found.append(line.rstrip("\n"))
            if line[0] in "BDEVS":
                return found
        raise self._death()

    def tell(self, command: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()
        except OSError:
            raise self._death() from None

    def _death(self) -> UsageError:
        if self.killed_by_timer:
            return UsageError("the match did not end in time: play fewer frames, or allow more seconds")
        self._process.wait()
        self._errors.seek(0)
        last = self._errors.read().decode(errors="replace").strip().splitlines()[-1:]
        return UsageError(f"an interpreter died with code {self._process.returncode}: {' '.join(last)}")

    def kill(self) -> None:
        self.killed_by_timer = True
        self._process.kill()

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            if stream is not None:
                _close_quietly(stream)


def _close_quietly(stream: Any) -> None:
    try:
        stream.close()
    except OSError:
        return  # a command that a dead process never read


@contextmanager
def _workers(
    job: dict[str, Any], hash_seeds: tuple[int, ...], timeout: float
) -> Iterator[tuple[list[_Process], _Process]]:
    started: list[_Process] = []

    def kill_all() -> None:
        for process in list(started):
            process.kill()

    timer = threading.Timer(timeout, kill_all)
    timer.daemon = True
    try:
        timer.start()
        for hash_seed in hash_seeds:
            started.append(_Process({**job, "mode": "play"}, hash_seed))
        started.append(_Process({**job, "mode": "saves"}, hash_seeds[0]))
        yield started[:-1], started[-1]
    finally:
        timer.cancel()
        for process in started:
            process.close()


def _compare(players: list[_Process], progress: Callable[[int], None]) -> Divergence | None:
    """The first frame at which any interpreter differs from the first one."""
    while True:
        said = [player.lines() for player in players]
        _raise_if_never_started(said)
        first = said[0]
        at = min((_first_difference(first, other) for other in said[1:]), default=len(first))
        if at < len(first):
            which = next(index for index, lines in enumerate(said) if _first_difference(first, lines) == at)
            return _explain(players[0], players[which], first, said[which], at)
        if first[-1] == "D":
            return None
        if first[-1].startswith("E"):
            _raise_failed(first[-1])
        progress(int(first[-2].split()[1]))
        for player in players:
            player.tell("go")


def _first_difference(first: list[str], second: list[str]) -> int:
    for index, (ours, theirs) in enumerate(zip(first, second, strict=False)):
        if ours != theirs:
            return index
    return len(first) if len(first) == len(second) else min(len(first), len(second))


def _raise_if_never_started(said: list[list[str]]) -> None:
    for lines in said:
        if lines[-1].startswith("E") and json.loads(lines[-1][2:])["kind"] == "import":
            raise UsageError(json.loads(lines[-1][2:])["message"])


def _raise_failed(line: str) -> NoReturn:
    failure = json.loads(line[2:])
    where = "before frame 0" if failure["frame"] < 0 else f"at frame {failure['frame']}"
    raise UsageError(
        f"the game failed {where}: {failure['message']} (inputs are random in all bits; a mask keeps some)"
    )


def _explain(first: _Process, second: _Process, ours: list[str], theirs: list[str], at: int) -> Divergence:
    what = f"PYTHONHASHSEED {first.hash_seed} and {second.hash_seed}"
    failures = [_failure(lines, at) for lines in (ours, theirs)]
    if any(failures):
        frame = next(json.loads(lines[at][2:])["frame"] for lines in (ours, theirs) if _failure(lines, at))
        raised = FieldDifference("exception", failures[0] or "none", failures[1] or "none")
        return Divergence(check="interpreters", frame=frame, what=what, differences=(raised,))
    frame = int(ours[at].split()[1])
    seen = []
    for process in (first, second):
        process.tell(f"fields {frame}")
        pairs = json.loads(process.lines()[-1][2:])
        seen.append(Observation(0, tuple((name, value) for name, value in pairs)))
    differences = seen[0].differences(seen[1])
    return Divergence(check="interpreters", frame=frame, what=what, differences=differences)


def _failure(lines: list[str], at: int) -> str | None:
    failed = at < len(lines) and lines[at].startswith("E")
    return str(json.loads(lines[at][2:])["message"]) if failed else None


def _saved(saver: _Process) -> Divergence | None:
    last = saver.lines()[-1]
    if last == "D":
        return None
    broken = json.loads(last[2:])
    if last.startswith("E"):
        # Played straight, the match went well or went wrong otherwise.
        broken["what"] = "the match played straight and through save and load"
        broken["differences"] = [("exception", "none", broken["message"])]
    return Divergence(
        check="save-load",
        frame=broken["frame"],
        what=broken["what"],
        differences=tuple(FieldDifference(*one) for one in broken["differences"]),
    )
