"""A recorded match run again in an interpreter of its own: its checksum, its lines, and how it can fail."""

from pathlib import Path

import pytest

from retick.audit.desync.explain import rerun
from retick.errors import RetickError, UsageError
from retick.replay import Replay, sealed
from tests.audit.desync.desync_builds import BOX, write_build
from tests.audit.desync.desyncs import build_and_load

INPUTS = [(frame % 4, frame % 5) for frame in range(30)]


def test_a_rerun_has_the_checksum_of_a_run_here_and_traces_only_on_request(tmp_path: Path) -> None:
    game = build_and_load(tmp_path, "box", BOX, "Game")
    match = sealed(Replay(seed=3, frames=INPUTS), game, every=1)  # type: ignore[arg-type]  # packed there
    name = str(tmp_path / "box" / "rules.py") + ":Game"
    plain = rerun(name, match, 20, 19, watch=("x",), trace=False, timeout=60)
    traced = rerun(name, match, 20, 19, watch=("x",), trace=True, timeout=60)
    assert plain.checksum == traced.checksum == match.checkpoints[20]
    assert (plain.diverged_at, plain.lines) == (None, ())
    assert traced.lines


def test_the_first_frame_that_differs_although_it_was_agreed_is_named(tmp_path: Path) -> None:
    game = build_and_load(tmp_path, "box", BOX, "Game")
    match = sealed(Replay(seed=3, frames=INPUTS), game, every=1)  # type: ignore[arg-type]  # packed there
    other = write_build(tmp_path, "other", BOX, ("y - 1", "y - 2")) + ":Game"
    found = rerun(other, match, 20, 19, watch=(), trace=False, timeout=60)
    assert found.diverged_at == 1


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (("y = y - 1", "raise KeyError(y)"), RetickError, "failed when it was run again: KeyError"),
        (("y = y - 1", "raise SystemExit(3)"), RetickError, "ended its process with code 3"),
        (("y = y - 1", "while True: pass"), RetickError, "did not finish within 2 seconds"),
        (("num_players = 2", "num_players = 3"), UsageError, "the recording has 2 players"),
    ],
)
def test_each_failure_has_its_own_message(
    tmp_path: Path, change: tuple[str, str], error: type[RetickError], words: str
) -> None:
    game = write_build(tmp_path, "bad", BOX, change) + ":Game"
    match = Replay(seed=3, frames=INPUTS)  # type: ignore[arg-type]  # packed there
    with pytest.raises(error, match=words):
        # Only the game that never ends waits for the timeout; the others get as long as a busy machine may need.
        rerun(game, match, 5, -1, watch=(), trace=False, timeout=2 if "while True" in change[1] else 60)
