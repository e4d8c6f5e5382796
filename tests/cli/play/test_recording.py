"""Replays that are written during a match."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from retick.cli.play.files import check_recording
from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.replay import load, verify
from tests.full_disk import NO_BYTECODE


def test_a_live_recording_has_rules_for_its_name(tmp_path: Path) -> None:
    check_recording(None, live=True)
    check_recording(tmp_path / "new.rtk", live=True)
    (tmp_path / "old.rtk").write_bytes(b"")
    for name, words in (("old.rtk", "exists already"), ("a.rplk", "name the file"), ("no/a.rtk", "no folder")):
        with pytest.raises(UsageError, match=words):
            check_recording(tmp_path / name, live=True)


LIMITED = """import resource
resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))
from retick.__main__ import main
main()"""
ROOM = 250
"""Bytes for each file: enough for the head of a recording and a few seconds."""


def run_limited(*words: str) -> "subprocess.Popen[str]":
    """A command all of whose files find the disk full after ``ROOM`` bytes."""
    return subprocess.Popen(
        [sys.executable, "-c", LIMITED.format(room=ROOM), *words],
        env=os.environ | NO_BYTECODE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="files have no limit there")
def test_host_and_join_play_on_when_the_disk_is_full_and_answer_no(tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.rtk" for name in ("host", "join")]
    fast = ["--bot", "--rate", "150"]
    with run_limited("host", "--bind", "127.0.0.1", "--port", "0", *fast, "--record", str(files[0])) as host:
        assert host.stdout is not None
        way = re.search(r"retick join (\S+)", host.stdout.readline())
        assert way is not None
        capture = tmp_path / "join.rtkc"
        to_host = ("join", way[1], *fast)
        with run_limited(*to_host, "--record", str(files[1]), "--capture", str(capture)) as joiner:
            said = [process.communicate(timeout=120)[0] for process in (host, joiner)]
            assert (host.returncode, joiner.returncode) == (1, 1), said
    for output in said:
        assert "Traceback" not in output
        assert "recording has ended: File too large" in output
        assert "where it could not be written: File too large" in output
    ends = [re.search(r"(0x\w{8}) at frame (\d+) on both peers", output) for output in said]
    assert len({end and end.groups() for end in ends}) == 1
    assert f"captured in {capture} up to where it could not be written" in said[1]
    for file in files:
        assert not file.exists()
        kept = load(file.with_name(f"{file.name}.1.part"))
        assert kept.truncated
        assert len(kept) > 0
        assert verify(kept, Fighter()).ok


@pytest.mark.skipif(sys.platform == "win32", reason="files have no limit there")
def test_a_demo_shows_its_proof_although_the_disk_is_full(tmp_path: Path) -> None:
    file = tmp_path / "demo.rplk"
    fast = ("--rtt", "0", "--loss", "0", "--rate", "500")
    with run_limited("demo", *fast, "--frames", "300", "--record", str(file)) as process:
        output, _ = process.communicate(timeout=120)
    assert "run again" in output
    assert f"retick: {file}: File too large" in output
    assert "Traceback" not in output
    assert list(tmp_path.iterdir()) == []
