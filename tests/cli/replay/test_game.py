"""The game that a recording is played with."""

from pathlib import Path

from retick import replay
from tests.cli.conftest import Run


def test_a_recording_is_not_taken_for_another_game(run: Run, tmp_path: Path) -> None:
    nameless = replay.Replay(seed=1, frames=[(0, 0)] * 9, checkpoints={9: 1})
    replay.save(tmp_path / "nameless.rtk", nameless)
    code, out, err = run("replay", "verify", tmp_path / "nameless.rtk")
    assert code != 0
    assert "does not name its game" in out + err
    replay.save(tmp_path / "fight.rtk", nameless.replace(game_id="retick.fighter"))
    code, out, err = run("replay", "verify", tmp_path / "fight.rtk", "--game", "tests.toys:Tally")
    assert code != 0
    assert "the recording is of 'retick.fighter', and tests.toys:Tally is another game" in out + err
    replay.save(tmp_path / "other.rtk", nameless.replace(game_id="somebody.else"))
    assert run("replay", "diff", tmp_path / "fight.rtk", tmp_path / "other.rtk")[0] == 2
