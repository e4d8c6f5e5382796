"""``retick audit``: exit codes, plain lines, JSON."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from retick.cli.app import app

CHEATS = Path(__file__).parents[1] / "audit" / "cheating_games.py"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["audit", *arguments])


@pytest.fixture
def floating(tmp_path: Path) -> Path:
    file = tmp_path / "game.py"
    file.write_text("SPEED = 0.5\nHALF = 1 / 2  # retick: allow division -- shown on screen only\n")
    return file


def test_a_clean_game_leaves_with_0() -> None:
    result = run("retick.games.fighter:Fighter", "--frames", "50", "--interpreters", "2")
    assert result.exit_code == 0
    assert "source  clean  0 findings" in result.output
    assert "match   clean  50 frames of seed 1" in result.output


def test_a_finding_leaves_with_1_and_is_one_line_when_piped(floating: Path) -> None:
    result = run(str(floating))
    assert result.exit_code == 1
    line, summary = result.output.splitlines()
    assert line.startswith(f"{floating}:1:9: float: the literal 0.5: ")
    assert summary == "source  found  1 finding, 1 allowed, in 1 file"


def test_a_divergence_leaves_with_1_and_names_frame_and_field() -> None:
    result = run(f"{CHEATS}:TextHash", "--frames", "5")
    assert result.exit_code == 1
    assert "interpreters: frame 0 differs" in result.output
    assert "score: " in result.output


ONE_WORLD = """
from retick import Thing, World
class Ball(Thing):
    x: float = 0.0
class Pong(World):
    num_players = 2
    balls: list[Ball]
    def advance(self, inputs):
        self.balls = [Ball(x=inputs[0] / 2)]
"""


def test_the_game_of_the_project_and_the_one_world_of_a_file_are_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("--frames", "20")
    assert result.exit_code == 2
    (tmp_path / "pong.py").write_text(ONE_WORLD)
    (tmp_path / "pyproject.toml").write_text("[tool.retick]\ngame = 'pong.py:Pong'\n")
    for words in ((), ("pong.py",), ("pong.py:Pong",)):
        result = run(*words, "--frames", "20", "--interpreters", "2")
        assert result.exit_code == 0, result.output
        assert "match   clean  20 frames of seed 1" in result.output
    assert "match" not in run("pong.py", "--static-only").output


def test_static_only_runs_nothing() -> None:
    result = run("retick.games.fighter:Fighter", "--static-only")
    assert result.exit_code == 0
    assert "match" not in result.output


def test_json_holds_both_halves(floating: Path) -> None:
    report = json.loads(run(str(floating), "--json").output)
    assert report["ok"] is False
    assert report["dynamic"] is None
    (finding,) = report["static"]["findings"]
    assert set(finding) == {"file", "line", "column", "rule", "what", "reason", "advice"}
    (allowed,) = report["static"]["allowed"]
    assert allowed["because"] == "shown on screen only"
    report = json.loads(run(f"{CHEATS}:TextHash", "--json", "--frames", "5").output)
    (found,) = report["dynamic"]["divergences"]
    assert (found["check"], found["frame"], found["differences"][0]["field"]) == ("interpreters", 0, "score")


@pytest.mark.parametrize(
    "arguments",
    [
        ["no_such_module"],
        [f"{CHEATS}:Nowhere"],
        [f"{CHEATS}:Honest", "--mask", "four"],
        [str(CHEATS), "--mask", "zz"],
        [str(CHEATS), "--mask", "0x0F"],
        [f"{CHEATS}:Honest", "--mask", "0x0F", "--static-only"],
    ],
)
def test_misuse_leaves_with_2_and_one_line(arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1


def test_a_wrong_option_leaves_with_2() -> None:
    assert run("retick.sim", "--frames", "0").exit_code == 2
