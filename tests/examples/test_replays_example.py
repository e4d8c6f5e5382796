"""The example in the page on replays runs, and what it prints is true."""

import runpy
from pathlib import Path

import pytest

from retick import replay
from retick.games.fighter import Fighter

EXAMPLE = Path(__file__).parents[2] / "examples" / "replays.py"


def test_the_example_records_verifies_and_seeks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLE))["main"](tmp_path)
    out = capsys.readouterr().out
    match = replay.load(tmp_path / "match.rtk", strict=True)
    assert f"verified: 3600 frames, checksum 0x{match.final_checksum:08X}, 6 compared" in out
    state = replay.ReplayPlayer(match, Fighter()).seek(1800)
    assert f"frame 1800: player 1 at {state.p1.x}, player 2 with {state.p2.hp} hp" in out
    assert "14432 bytes of inputs alone" in out
