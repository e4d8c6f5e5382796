"""Commands that go through many replays."""

from pathlib import Path

import pytest

from retick import replay
from tests.cli.conftest import Run


def test_one_bad_file_is_reported_and_the_rest_verified(run: Run, match: Path, tmp_path: Path) -> None:
    whole = replay.load(match)
    (tmp_path / "noise").write_bytes(b"\0" * 50)
    (tmp_path / "cut.rtk").write_bytes(match.read_bytes()[:-10])
    replay.save(tmp_path / "lie.rtk", whole.replace(checkpoints={100: 1, 200: whole.checkpoints[200]}))
    replay.save(tmp_path / "chess.rtk", whole.replace(game_id="chess"))
    replay.save(tmp_path / "state.rtk", whole.replace(start_state=b"no state"))
    bad = ["noise", "missing", "cut.rtk", "lie.rtk", "chess.rtk", "state.rtk"]
    code, out, err = run("replay", "verify", *(tmp_path / name for name in bad), match)
    assert code == 1
    unknown, good = out.splitlines()
    assert unknown.startswith(
        f"unknown  {tmp_path / 'chess.rtk'}: the recording is of 'chess', which is not known here"
    )
    assert good == f"ok   {match}: 300 frames, checksum 0x{whole.final_checksum:08X}, 3 compared"
    complaints = err.splitlines()
    assert len(complaints) == 6
    for name, line in zip((name for name in bad if name != "chess.rtk"), complaints, strict=False):
        assert line.startswith(f"retick: {tmp_path / name}: ")
    assert "frame 100 should be 0x00000001" in complaints[3]
    assert complaints[5] == "retick: of 7 files: 5 bad, 1 unknown"


@pytest.mark.parametrize("command", [("play",), ("diff", "{match}"), ("info",), ("verify",), ("export",)])
@pytest.mark.parametrize(("name", "expected"), [("missing.rtk", 2), ("noise.rtk", 1)])
def test_a_file_that_is_no_good_is_an_answer_and_one_that_is_not_there_is_misuse(
    run: Run, match: Path, tmp_path: Path, command: tuple[str, ...], name: str, expected: int
) -> None:
    (tmp_path / "noise.rtk").write_bytes(b"nothing like it")
    words = [word.format(match=match) for word in command]
    code, _, err = run("replay", *words, tmp_path / name)
    assert code == expected
    assert str(tmp_path / name) in err
    assert err.count("\n") == 1


def test_a_game_that_raises_on_one_file_does_not_stop_the_rest(run: Run, game: str, files: list[Path]) -> None:
    code, out, err = run("replay", "verify", *files, "--game", game)
    assert code == 1
    assert [line[:4] for line in out.splitlines()] == ["unkn", "unkn"]
    assert f"{files[1]}: the game raised KeyError: 'nine' (" in err
    assert "of 3 files: 1 bad, 2 unknown\n" in err
