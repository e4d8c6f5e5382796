"""Files of a match: names that are free, and disks that are full."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from retick.integrations.pygame import recording
from retick.integrations.pygame.recording import MatchFile, new_file, save_desync
from retick.replay import storage
from retick.rollback import RollbackSession
from tests.integrations.pygame.runners import Runners


def session() -> RollbackSession:
    return RollbackSession(Runners(), entropy=os.urandom, seats=2)


def test_a_name_says_game_time_and_seats_and_is_never_used_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording.time, "strftime", lambda _form: "20260102-030405")
    path = new_file(tmp_path / "new" / "folder", session(), "rtk")
    assert path.name == "test-runners-20260102-030405-p12.rtk"
    path.touch()
    assert new_file(path.parent, session(), "rtk").name == "test-runners-20260102-030405-p12-2.rtk"


def test_a_disk_that_becomes_full_ends_the_recording_and_not_the_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    playing = session()
    file = MatchFile(tmp_path, playing)

    def full(*_given: Any) -> None:
        raise OSError(28, "No space left on device")

    now = 0.0
    for frame in range(200):
        now += 1 / 60
        playing.advance((1, 0), now=now)
        if frame == 100:
            monkeypatch.setattr(storage, "_write_all", full)
        file.add()
    assert file.failure == "No space left on device"
    file.finish()
    assert [path.suffix for path in tmp_path.iterdir()] == [".part"]


def test_a_report_that_cannot_be_saved_says_why(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.touch()
    event: Any = SimpleNamespace(investigation=None)
    assert save_desync(tmp_path, session(), event) == ["There was nothing to save."]
    event = SimpleNamespace(investigation=object())
    assert "could not be saved" in save_desync(place, session(), event)[0]
