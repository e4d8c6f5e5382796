"""``retick replay record``: bots, scripts and games."""

import sys
from pathlib import Path

import pytest

from retick import replay
from retick.sim import fnv1a
from tests.cli.conftest import Run


def test_bots_are_recorded_and_verify(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "new.rtk"
    code, out, _ = run("replay", "record", path, "--frames", 700, "--seed", 5, "--p1", "hopper", "--every", 200)
    assert code == 0
    recorded = replay.load(path, strict=True)
    assert (len(recorded), recorded.seed, recorded.game_id) == (700, 5, "retick.fighter")
    assert sorted(recorded.checkpoints) == [200, 400, 600, 700]
    assert f"700 frames, seed 5, checksum 0x{recorded.final_checksum:08X}" in out
    assert run("replay", "verify", path)[0] == 0


def test_the_golden_script_is_recorded_and_verified(run: Run, tmp_path: Path) -> None:
    script = tmp_path / "golden.txt"
    jumps = "".join(
        f"1 {'attack' if f % 15 == 0 else '.'} {'attack' if f % 17 == 0 else '.'}\n" for f in range(400, 450)
    )
    turns = "".join(
        f"1 {'left' if f // 20 % 2 == 0 else 'right'} {'attack' if f < 500 and f % 17 == 0 else '.'}\n"
        for f in range(450, 1000)
    )
    script.write_text(
        "# the pinned script of the fighter's contract\n"
        f"200 right left\n20 jump left\n80 RIGHT 0x0001\n\n100 right jump  # then they fight\n{jumps}{turns}"
    )
    path = tmp_path / "golden.rplk"
    assert run("replay", "record", path, "--script", script)[0] == 0
    assert path.stat().st_size == 32 + 4 * 1000
    code, out, _ = run("replay", "verify", path, "--expect", "0x41B73DB7")
    assert (code, out) == (0, f"ok   {path}: 1000 frames, checksum 0x41B73DB7, 1 compared\n")
    code, _, err = run("replay", "verify", path, "--expect", "41b73db8")
    assert code == 1
    assert "should be 0x41B73DB8 and is 0x41B73DB7" in err


def test_an_export_can_be_recorded_again(run: Run, match: Path, tmp_path: Path) -> None:
    text = run("replay", "export", match)[1]
    lines = tmp_path / "lines.jsonl"
    lines.write_text(text)
    again = tmp_path / "again.rtk"
    assert run("replay", "record", again, "--script", lines, "--seed", 2)[0] == 0
    assert run("replay", "diff", match, again)[:2] == (0, "the same match, up to frame 300\n")


def test_a_game_without_a_name_is_recorded_under_the_one_it_was_given(run: Run, tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("30 1 2\n")
    game = ("--game", "tests.toys:Tally")
    assert run("replay", "record", tmp_path / "t.rtk", *game, "--script", tmp_path / "s.txt")[0] == 0
    assert replay.load(tmp_path / "t.rtk").game_id == "tests.toys:Tally"
    assert run("replay", "verify", tmp_path / "t.rtk", *game)[0] == 0
    assert run("replay", "verify", tmp_path / "t.rtk")[0] != 0


class Duel:
    """A game that lives in a test: what ``--game`` is for."""

    num_players = 1
    input_size = 1

    def initial_state(self, seed: int) -> int:
        return seed

    def step(self, state: int, inputs: tuple[int, ...], /) -> int:
        return (state * 3 + inputs[0]) & 0xFFFF

    def checksum(self, state: int) -> int:
        return fnv1a((state,))

    def fields(self, state: int) -> list[tuple[str, int]]:
        return [("total", state)]


def test_any_game_is_recorded_played_and_verified(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duel_for_tests", sys.modules[__name__])
    game = ("--game", "duel_for_tests:Duel")
    script = tmp_path / "s.txt"
    script.write_text("3 0x07\n2 200\n")
    path = tmp_path / "duel.rtk"
    assert run("replay", "record", path, "--script", script, *game, "--seed", 1, "--frames", 4)[0] == 0
    assert (len(replay.load(path)), replay.load(path).num_players) == (4, 1)
    assert run("replay", "verify", path, *game)[0] == 0
    assert run("replay", "play", path, *game)[1].splitlines()[0].endswith("total=1")
    code, _, err = run("replay", "record", tmp_path / "x.rtk", *game)
    assert (code, "give --script" in err) == (2, True)
    assert run("replay", "verify", path)[0] == 3


def test_a_file_that_is_there_is_overwritten_only_by_force(run: Run, match: Path) -> None:
    before = match.read_bytes()
    assert run("replay", "record", match, "--frames", 10)[0] == 2
    assert match.read_bytes() == before
    assert run("replay", "record", match, "--frames", 10, "--force")[0] == 0
    assert len(replay.load(match)) == 10


def test_a_script_that_is_missing_or_no_text_is_no_crash(run: Run, tmp_path: Path) -> None:
    (tmp_path / "noise").write_bytes(b"\xff\xfe\xff")
    for name in ("missing", "noise"):
        code, _, err = run("replay", "record", tmp_path / "x.rtk", "--script", tmp_path / name)
        assert code == 2
        assert err.startswith(f"retick: {tmp_path / name}: ")


def test_a_folder_that_is_not_there_is_no_crash(run: Run, tmp_path: Path) -> None:
    code, _, err = run("replay", "record", tmp_path / "no" / "x.rtk", "--frames", 10)
    assert code == 2
    assert f"there is no folder {tmp_path / 'no'}" in err
