"""What ``retick watch`` records when what it is shown does not follow what was shown before."""

import os
from pathlib import Path
from typing import Any

from rich.console import Console

from retick import replay
from retick.cli.play.contests import contest_for
from retick.cli.play.watch import _Watcher
from retick.rollback import MatchConfig, SpectatorSession, WatchingStarted


def test_a_recording_ends_where_frames_are_missing(tmp_path: Path) -> None:
    contest = contest_for(2)
    session: Any = SpectatorSession(contest.game, "there", entropy=os.urandom, config=MatchConfig())
    file = tmp_path / "watched.rtk"
    watcher = _Watcher(Console(quiet=True), contest, session, None, file, "nobody")  # type: ignore[arg-type]  # a part that is not asked
    for seed, first in ((7, 0), (7, 300)):
        session._state, session.frame, session.seed = contest.game.initial_state(seed), first, seed
        watcher._note(WatchingStarted(seed=seed, frame=first))
        for _ in range(20):
            session._rows.append((2, 1))
            session.advance(now=0.0)
            watcher._see(None)
    recorded = replay.load(file)
    assert (recorded.start_frame, recorded.end_frame) == (0, 20)
    assert replay.verify(recorded, contest.game).ok
