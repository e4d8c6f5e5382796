"""Files of a match: names that are free, and disks that are full."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from retick.playing import match_files as files
from retick.playing.match_files import new_file, recording_of, save_desync
from tests.integrations.pygame.desk import Desk, playing
from tests.integrations.pygame.runners import Runners


def test_a_name_says_game_and_time_and_is_never_used_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    letters = iter(["aaaa", "aaaa", "bbbb"])
    monkeypatch.setattr(files.time, "strftime", lambda _form: "20260102-030405")
    monkeypatch.setattr(files.secrets, "token_hex", lambda _size: next(letters))
    path = new_file(tmp_path, Runners(), "rtk")
    assert path.name == "test-runners-20260102-030405-aaaa.rtk"
    path.touch()
    assert new_file(tmp_path, Runners(), "rtk").name == "test-runners-20260102-030405-bbbb.rtk"


def test_without_a_folder_nothing_is_recorded_and_a_folder_is_made(tmp_path: Path) -> None:
    assert recording_of(None, Runners(), 60) is None
    made = recording_of(tmp_path / "new" / "folder", Runners(), 60)
    assert made is not None
    assert made.path.parent.is_dir()


def test_a_folder_that_cannot_be_written_ends_the_recording_and_not_the_match(desk: Desk, tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.touch()
    _host, guest = desk.two(folder=place)
    desk.run(0.5)
    assert playing(guest.page)
    assert guest.match.notice.startswith("not recorded: ")


def test_a_report_that_cannot_be_saved_says_why(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.touch()
    event: Any = SimpleNamespace(investigation=None)
    assert save_desync(tmp_path, Runners(), event) == ["There was nothing to save."]
    event = SimpleNamespace(investigation=object())
    assert "could not be saved" in save_desync(place, Runners(), event)[0]
