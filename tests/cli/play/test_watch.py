"""What ``retick watch`` records when what it is shown does not follow what was shown before."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from retick import replay
from retick.cli.app import app
from retick.cli.play.terminal_games import terminal_game_for
from retick.cli.play.watch import _Watcher
from retick.cli.terminal import Screen
from retick.games.fighter import Fighter
from retick.rollback import MatchConfig, SpectatorSession, WatchingStarted
from tests.cli.play.hosting import hosting, last_words


def test_a_recording_ends_where_frames_are_missing(tmp_path: Path) -> None:
    shown_game = terminal_game_for(2)
    session: Any = SpectatorSession(shown_game.game, "there", entropy=os.urandom, config=MatchConfig())
    file = tmp_path / "watched.rtk"
    watcher = _Watcher(Screen(), shown_game, session, None, file, "nobody")  # type: ignore[arg-type]  # not called
    for seed, first in ((7, 0), (7, 300)):
        session._state, session.frame, session.seed = shown_game.game.initial_state(seed), first, seed
        watcher._handle(WatchingStarted(seed=seed, frame=first))
        for _ in range(20):
            session._rows.append((2, 1))
            session.advance(now=0.0)
            watcher._show(None)
    recorded = replay.load(file)
    assert (recorded.start_frame, recorded.end_frame) == (0, 20)
    assert replay.verify(recorded, shown_game.game).ok


RUNNER = CliRunner()


def test_a_spectator_sees_the_same_end_and_records_it(tmp_path: Path) -> None:
    file = tmp_path / "watched.rtk"
    slow = ["--rate", "200"]
    with hosting(*slow) as (process, port):
        command = [sys.executable, "-m", "retick", "join", f"127.0.0.1:{port}", "--bot", *slow]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as joiner:
            assert process.stdout is not None
            assert "frame" in process.stdout.readline()
            result = RUNNER.invoke(app, ["watch", f"127.0.0.1:{port}", *slow, "--delay", "5", "--record", str(file)])
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
    with hosting() as (_, port):
        result = RUNNER.invoke(app, ["watch", f"127.0.0.1:{port}", "--rate", "500"])
    assert result.exit_code == 1
    assert "the match has not begun" in result.stderr
