"""What ``retick watch`` records when what it is shown does not follow what was shown before."""

import os
from pathlib import Path
from typing import Any

from rich.console import Console

from retick import replay
from retick.cli.play.terminal_games import terminal_game_for
from retick.cli.play.watch import _Watcher
from retick.rollback import MatchConfig, SpectatorSession, WatchingStarted


def test_a_recording_ends_where_frames_are_missing(tmp_path: Path) -> None:
    shown_game = terminal_game_for(2)
    session: Any = SpectatorSession(shown_game.game, "there", entropy=os.urandom, config=MatchConfig())
    file = tmp_path / "watched.rtk"
    watcher = _Watcher(Console(quiet=True), shown_game, session, None, file, "nobody")  # type: ignore[arg-type]  # not called
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
