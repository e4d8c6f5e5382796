"""``retick replay verify``: good files, bad ones, and ones that were cut off."""

from pathlib import Path

from retick import replay
from tests.cli.conftest import Run


def test_a_cut_recording_is_judged_by_its_good_part_when_asked(run: Run, match: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.rtk"
    cut.write_bytes(match.read_bytes()[:-10])
    assert run("replay", "verify", cut)[0] == 1
    code, out, _ = run("replay", "verify", cut, "--allow-truncated")
    assert code == 0
    assert "cut off" in out
    assert run("replay", "verify", cut, "--allow-truncated", "--quiet")[1] == ""


def test_a_recording_with_nothing_to_compare_is_neither_good_nor_bad(run: Run, match: Path, tmp_path: Path) -> None:
    whole = replay.load(match)
    plain = tmp_path / "plain.rplk"
    replay.save(plain, replay.Replay(seed=whole.seed, frames=whole.frames))
    code, out, err = run("replay", "verify", plain)
    assert (code, err) == (3, "")
    assert out.startswith(f"unknown  {plain}: 300 frames, checksum 0x{whole.final_checksum:08X}, none compared: ")
    assert "--expect" in out
    code, out, _ = run("replay", "verify", plain, "--expect", f"0x{whole.final_checksum:08X}")
    assert code == 0
    assert "1 compared" in out


def test_a_recording_of_an_unknown_game_is_neither_good_nor_bad(run: Run, match: Path, tmp_path: Path) -> None:
    chess = tmp_path / "chess.rtk"
    replay.save(chess, replay.load(match).replace(game_id="chess"))
    code, out, err = run("replay", "verify", chess, "--quiet")
    assert (code, err) == (3, "")
    assert out.startswith(f"unknown  {chess}: the recording is of 'chess', which is not known here: add --game")
    code, out, err = run("replay", "verify", chess, match, tmp_path / "missing")
    assert code == 2
    assert err.endswith("retick: of 3 files: 1 bad, 1 unknown\n")
