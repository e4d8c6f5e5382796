"""Recordings of rooms: names of their files, and disks that are full or not there."""

import os
from errno import ENOSPC
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.serving.event_log import WRITE_EVERY, RoomFiles, file_stem
from tests.authority.server.clients import Hall
from tests.authority.server.yard import Yard


@given(st.text())
def test_any_name_of_a_room_is_a_part_of_a_file_name(room: str) -> None:
    assert all(letter == "-" or (letter.isascii() and letter.isalnum()) for letter in file_stem(room))


def test_a_room_without_a_place_for_its_recording_runs_and_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hall = Hall(Yard, record=RoomFiles(tmp_path / "none").begin)
    hall.run(0.5)
    assert hall.room.tick > 20
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("retick: room '' goes on without a recording: ")


def test_a_disk_that_becomes_full_ends_the_recording_and_not_the_room_and_that_is_said_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: Any, data: Any) -> None:
        raise OSError(ENOSPC, os.strerror(ENOSPC))

    hall = Hall(Yard, record=RoomFiles(tmp_path).begin)
    hall.run(1.5)
    monkeypatch.setattr("retick.replay.storage._write_all", full)
    hall.run(3.0)
    assert hall.room.tick > 4 * WRITE_EVERY
    hall.server.close_room("")
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("retick: room '' goes on without a recording: ")
    assert [path.suffix for path in tmp_path.iterdir()] == [".part"]
