"""``retick replay verify``: good files, bad ones, and ones that were cut off."""

from pathlib import Path

import pytest

from retick import replay
from retick.audit.game_loader import load_game
from tests.cli.conftest import Run

COUNTING = """
from retick.sim import U8, World

class Count(World):
    num_players, game_id, game_version = 2, "somebody.count", 1
    total: U8 = 0
    def advance(self, inputs):
        self.total += inputs[0]
"""


def test_a_cut_recording_is_judged_by_its_good_part_when_asked(run: Run, match: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.rtk"
    cut.write_bytes(match.read_bytes()[:-10])
    code, _, err = run("replay", "verify", cut)
    assert code == 1
    assert "--allow-truncated" in err
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


def test_the_game_of_the_project_is_found_by_its_id_if_it_is_asked_for_and_its_errors_name_frame_and_line(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "counting_game.py").write_text(COUNTING)
    (tmp_path / "pyproject.toml").write_text("[tool.retick]\ngame = 'counting_game.py:Count'")
    monkeypatch.chdir(tmp_path)
    good = replay.sealed(replay.Replay(seed=1, frames=[(1, 0)] * 3), load_game("counting_game.py:Count")())
    replay.save(tmp_path / "good.rtk", good)
    assert run("replay", "verify", "good.rtk")[0] == 3
    assert run("replay", "verify", "good.rtk", "--project")[0] == 0
    assert run("replay", "diff", "good.rtk", "good.rtk", "--project")[0] == 0
    replay.save(tmp_path / "bad.rtk", good.replace(frames=[(1, 0), (1, 0), (1, 0), (255, 0)], checkpoints={4: 4}))
    code, _, err = run("replay", "verify", "bad.rtk", "--project")
    assert code == 1
    assert err == (
        "retick: bad.rtk: the game raised UsageError: Count.total: 258 is not a U8 (0 to 255) (counting_game.py:8 in "
        "Count.advance: self.total += inputs[0], in frame 3 of the run with seed 1, with the inputs (255, 0))\n"
    )
