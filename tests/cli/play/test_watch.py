"""What ``retick watch`` records when what it is shown does not follow what was shown before."""

import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from retick import replay
from retick.cli.app import app
from retick.cli.play.terminal_games import terminal_game_for
from retick.cli.play.watch import _Watcher
from retick.cli.terminal import Screen
from retick.games.fighter import Fighter
from retick.playing.link_form import PLAIN
from retick.replay import LiveRecording
from retick.rollback import MatchConfig, SpectatorSession, WatchingStarted
from retick.rollback.spectate.spectator import _Beginning
from tests.cli.play.hosting import hosting, last_words, line_of_play
from tests.full_disk import full_after

GAME = terminal_game_for(2)


def watching(file: Path) -> tuple[_Watcher, Any]:
    recording = LiveRecording(file)
    session: Any = SpectatorSession(GAME.game, "there", entropy=os.urandom, config=MatchConfig(), record=recording)
    return _Watcher(Screen(), GAME, session, None, recording, "nobody", PLAIN), session  # type: ignore[arg-type]  # not called


def show(watcher: _Watcher, session: Any, first: int, frames: int) -> None:
    """A match that is watched from frame ``first`` on."""
    state: Any = GAME.game.initial_state(7)
    welcome: Any = SimpleNamespace(seed=7, frame=first, match=0)
    session._show(_Beginning(welcome, state, b""))
    watcher._handle(WatchingStarted(seed=7, frame=first))
    for _ in range(frames):
        session._rows.append((2, 1))
        session.advance(now=0.0)
        watcher._show(None)


def test_where_frames_are_missing_a_recording_goes_on_from_the_next_state(tmp_path: Path) -> None:
    file = tmp_path / "watched.rtk"
    watcher, session = watching(file)
    for first in (0, 300):
        show(watcher, session, first, 20)
    session.close()
    recorded = replay.load(file)
    assert (recorded.start_frame, recorded.end_frame) == (0, 40)
    assert list(recorded.resyncs) == [20]
    assert replay.verify(recorded, GAME.game).ok


def test_the_fingerprint_of_the_source_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    watcher, session = watching(tmp_path / "watched.rtk")
    watcher._tell_of_source(None)
    session._connection.fingerprint = "ab" * 16
    for _ in range(2):
        watcher._tell_of_source(None)
    assert capsys.readouterr().out == f"connected, the source's fingerprint is {'ab' * 16}\n"


@pytest.mark.parametrize("first", [0, 300])
def test_a_full_disk_ends_the_recording_and_not_the_watching(
    first: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "watched.rtk"
    watcher, session = watching(file)
    with full_after(330):
        show(watcher, session, first, 500)
        assert watcher.confirmed is not None
        session.close()
        watcher._conclude(watcher.confirmed)
    said = capsys.readouterr().out
    assert said.count("the recording has ended: No space left on device") == 1
    assert "where it could not be written: No space left on device" in said
    assert f"at frame {first + 500}" in said
    kept = replay.load(file.with_name("watched.rtk.1.part"))
    assert kept.truncated
    assert 0 < len(kept) < 500
    assert replay.verify(kept, GAME.game).ok


RUNNER = CliRunner()


def test_a_spectator_sees_the_same_end_and_records_it(tmp_path: Path) -> None:
    file = tmp_path / "watched.rtk"
    slow = ["--rate", "100"]  # the watching is to begin before the knock-out
    with hosting(*slow) as (process, way):
        command = [sys.executable, "-m", "retick", "join", way, "--bot", *slow]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as joiner:
            assert process.stdout is not None
            assert "frame" in line_of_play(process)
            result = RUNNER.invoke(app, ["watch", way, *slow, "--delay", "5", "--record", str(file)])
            output, _ = last_words(process)
            last_words(joiner)
    end = re.search(r"(0x\w{8}) at frame (\d+) on both peers", output)
    assert end is not None, output
    assert result.exit_code == 0, result.output
    assert f"{end[1]} at frame {end[2]}" in result.output
    watched = replay.load(file)
    assert watched.start_frame > 0
    assert watched.end_frame == int(end[2])
    assert replay.verify(watched, Fighter(), expected_checksum=int(end[1], 16)).ok


def test_a_match_that_has_not_begun_cannot_be_watched() -> None:
    with hosting() as (_, way):
        result = RUNNER.invoke(app, ["watch", way, "--rate", "500"])
    assert result.exit_code == 1
    assert "the match has not begun" in result.stderr
