"""``retick replay verify``: good files, bad ones, and ones that were cut off."""

from pathlib import Path

from tests.cli.conftest import Run


def test_a_cut_recording_is_judged_by_its_good_part_when_asked(run: Run, match: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.rtk"
    cut.write_bytes(match.read_bytes()[:-10])
    assert run("replay", "verify", cut)[0] == 1
    code, out, _ = run("replay", "verify", cut, "--allow-truncated")
    assert code == 0
    assert "cut off" in out
    assert run("replay", "verify", cut, "--allow-truncated", "--quiet")[1] == ""
