"""``retick synctest`` on games that are fine, that cheat, that crash, and that are none."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from retick.cli.app import app
from tests.cli.conftest import Run

BROKEN = """
class Crash:
    num_players = 2
    def initial_state(self, seed): return 0
    def step(self, state, inputs): return state + 1 if state < 5 else 1 // 0
    def checksum(self, state): return state
    def fields(self, state): return [("state", state)]

class Half:
    num_players = 2
"""


def test_a_good_game_passes_and_a_cheat_is_shown_with_its_fields() -> None:
    result = CliRunner().invoke(app, ["synctest", "retick.games.fighter:Fighter", "--frames", "60", "--rounds", "1"])
    assert result.exit_code == 0
    assert "run again after each: all the same\n" in result.output
    result = CliRunner().invoke(app, ["synctest", "tests.toys:CheatsWithAGlobal", "--frames", "60"])
    assert result.exit_code == 1
    assert "totals[0]" in result.output


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("Crash", 1, "the game raised ZeroDivisionError"),
        ("Half", 2, "is no game: it has no initial_state"),
        ("Nobody", 2, "has no 'Nobody'"),
    ],
)
def test_games_that_fail_are_reported_in_a_line(tmp_path: Path, name: str, code: int, words: str) -> None:
    file = tmp_path / "broken_games.py"
    file.write_text(BROKEN)
    result = CliRunner().invoke(app, ["synctest", f"{file}:{name}", "--frames", "30"])
    assert result.exit_code == code
    assert len(result.stderr.splitlines()) == 1
    assert words in result.stderr
    if name == "Crash":
        assert "in frame 5 of the run with seed 1" in result.stderr


def test_a_file_that_is_no_python_is_misuse(tmp_path: Path) -> None:
    file = tmp_path / "no_python.py"
    file.write_text("def (")
    result = CliRunner().invoke(app, ["synctest", f"{file}:Game"])
    assert result.exit_code == 2


def test_the_seed_after_the_last_is_the_first(run: Run) -> None:
    code, _, err = run("synctest", "retick.games.fighter:Fighter", "--frames", 20, "--seed", 0xFFFFFFFF)
    assert (code, err) == (0, "")
