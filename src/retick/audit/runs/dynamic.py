"""The dynamic half of the audit: one match in several fresh interpreters, and once through save and load.

The interpreters have different hash seeds, and all but the first are at another time, with another user. They run side
by side and report one line for each frame; after each block of frames their lines are compared. At the first difference
both are asked for their fields of that frame while they still have them, since a second run could differ in another
way. The game is never imported into this process.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from retick.audit.game_loader import locate_game
from retick.audit.interpreter import Interpreter, InterpreterDied, interpreters
from retick.audit.report import EXCEPTION, DynamicReport, RunDivergence
from retick.errors import UsageError
from retick.sim.fields import FieldDifference
from retick.sim.prng import check_seed
from retick.testing.determinism import Observation

_WORKER = "retick.audit.runs.worker"
_BALLAST = 4099
"""Objects that each interpreter allocates before the match, times its hash seed, so that their addresses differ."""


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
    """Play ``game`` (``module:Class`` or ``file.py:Class``) with random inputs in each interpreter, and compare.

    ``mask`` keeps only some bits of each input; ``timeout`` is in seconds and covers everything. ``progress`` is called
    with the last frame that was compared. UsageError if the game cannot be run at all.
    """
    names = locate_game(game)
    if frames < 1 or interpreters < 2:
        raise UsageError(f"the audit needs at least 1 frame and 2 interpreters, not {frames} and {interpreters}")
    check_seed(seed)
    job = {**names, "seed": seed, "frames": frames, "mask": mask}
    hash_seeds = tuple(range(1, interpreters + 1))
    with _players(job, hash_seeds, timeout) as (players, saver):
        found = _compare(players, progress)
        if not any(divergence.check == EXCEPTION for divergence in found):  # the one that saves raises it too
            found += _save_divergences(saver)
    return DynamicReport(
        game=game,
        seed=seed,
        frames=frames,
        hash_seeds=hash_seeds,
        divergences=tuple(found),
    )


class _Player(NamedTuple):
    """One interpreter that plays the match."""

    interpreter: Interpreter
    hash_seed: int
    """The interpreter's PYTHONHASHSEED."""

    def lines(self) -> list[str]:
        """Read lines up to the next one that ends a block: B, D, E, V or S."""
        found = [self.interpreter.read_line()]
        while not found[-1].startswith(("B", "D", "E", "V", "S")):
            found.append(self.interpreter.read_line())
        return found


@contextmanager
def _players(
    job: dict[str, Any], hash_seeds: tuple[int, ...], timeout: float
) -> Iterator[tuple[list[_Player], _Player]]:
    """Start the interpreters that are compared with each other, and the one that saves and loads."""
    try:
        with interpreters(timeout) as start:

            def player(mode: str, hash_seed: int) -> _Player:
                # The first plays here, the others each at a time of their own, before the game is imported.
                own = {**job, "mode": mode, "ballast": hash_seed * _BALLAST, "elsewhere": hash_seed - 1}
                return _Player(start(_WORKER, own, {"PYTHONHASHSEED": str(hash_seed)}), hash_seed)

            compared = [player("play", hash_seed) for hash_seed in hash_seeds]
            yield compared, player("saves", hash_seeds[0])
    except InterpreterDied as death:
        if death.timed_out:
            raise UsageError(
                f"the match did not end within {timeout:g} seconds: play fewer frames, or allow more seconds"
            ) from None
        raise UsageError(f"an interpreter died with code {death.code}: {death.last_line}") from None


def _compare(players: list[_Player], progress: Callable[[int], None]) -> list[RunDivergence]:
    """The first frame at which any interpreter differs from the first one, and what all of them raised."""
    while True:
        said = [player.lines() for player in players]
        _raise_if_never_started(said)
        first = said[0]
        at = min((_first_difference(first, other) for other in said[1:]), default=len(first))
        if at < len(first):
            which = next(index for index, lines in enumerate(said) if _first_difference(first, lines) == at)
            different = _divergence(players[0], players[which], first, said[which], at)
            ends = [lines[-1] for lines in said if lines[-1].startswith("E") and len(lines) > at + 1]
            return [different, *([_raised_everywhere(ends[0])] if len(ends) == len(said) else [])]
        if first[-1] == "D":
            return []
        if first[-1].startswith("E"):
            return [_raised_everywhere(first[-1])]
        progress(int(first[-2].split()[1]))
        for player in players:
            player.interpreter.send("go")


def _first_difference(first: list[str], second: list[str]) -> int:
    for index, (ours, theirs) in enumerate(zip(first, second, strict=False)):
        if ours != theirs:
            return index
    return len(first) if len(first) == len(second) else min(len(first), len(second))


def _raise_if_never_started(said: list[list[str]]) -> None:
    for lines in said:
        if lines[-1].startswith("E") and json.loads(lines[-1][2:])["kind"] == "import":
            raise UsageError(json.loads(lines[-1][2:])["message"])


def _raised_everywhere(line: str) -> RunDivergence:
    failure = json.loads(line[2:])
    what = f"{failure['message']}; any bit of an input may be set: if the game accepts only some bits, give a mask"
    return RunDivergence(check=EXCEPTION, frame=failure["frame"], what=what, differences=())


def _divergence(first: _Player, second: _Player, ours: list[str], theirs: list[str], at: int) -> RunDivergence:
    what = f"PYTHONHASHSEED {first.hash_seed} and {second.hash_seed}, the second at another time, by another user"
    failures = [_failure(lines, at) for lines in (ours, theirs)]
    if any(failures):
        frame = next(json.loads(lines[at][2:])["frame"] for lines in (ours, theirs) if _failure(lines, at))
        raised = FieldDifference("exception", failures[0] or "none", failures[1] or "none")
        return RunDivergence(check="interpreters", frame=frame, what=what, differences=(raised,))
    frame = int(ours[at].split()[1])
    seen = []
    for player in (first, second):
        player.interpreter.send(f"fields {frame}")
        pairs = json.loads(player.lines()[-1][2:])
        seen.append(Observation(0, tuple((name, value) for name, value in pairs)))
    differences = seen[0].differences(seen[1])
    return RunDivergence(check="interpreters", frame=frame, what=what, differences=differences)


def _failure(lines: list[str], at: int) -> str | None:
    failed = at < len(lines) and lines[at].startswith("E")
    return str(json.loads(lines[at][2:])["message"]) if failed else None


def _save_divergences(saver: _Player) -> list[RunDivergence]:
    last = saver.lines()[-1]
    if last == "D":
        return []
    broken = json.loads(last[2:])
    if last.startswith("E"):
        # The match played straight did not fail, or failed in another way.
        broken["what"] = "the match played straight and through save and load"
        broken["differences"] = [("exception", "none", broken["message"])]
    differences = tuple(FieldDifference(*one) for one in broken["differences"])
    return [RunDivergence(check="save-load", frame=broken["frame"], what=broken["what"], differences=differences)]
