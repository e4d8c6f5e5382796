"""Replays that are written during a match."""

from pathlib import Path

import pytest

from retick.cli.play.recording import check_recording
from retick.errors import UsageError


def test_a_live_recording_has_rules_for_its_name(tmp_path: Path) -> None:
    check_recording(None, live=True)
    check_recording(tmp_path / "new.rtk", live=True)
    (tmp_path / "old.rtk").write_bytes(b"")
    for name, words in (("old.rtk", "exists already"), ("a.rplk", "name the file"), ("no/a.rtk", "no folder")):
        with pytest.raises(UsageError, match=words):
            check_recording(tmp_path / name, live=True)
