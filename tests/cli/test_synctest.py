"""``retick synctest`` on games that are fine, that cheat, that crash, and that are none."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from retick.cli.app import app
from tests.cli.conftest import Run

TANKS = Path(__file__).parents[1] / "audit" / "tank_games.py"

BROKEN = """
class Crash:
    num_players = 2
    def initial_state(self, seed): return 0
    def step(self, state, inputs): return state + 1 if state < 5 else 1 // 0
    def checksum(self, state): return state
    def fields(self, state): return [("state", state)]

class Half:
    num_players = 2

from typing import Annotated
from retick.sim import Most, Thing, U8, World

class Shot(Thing):
    x: U8 = 0

class Full(World):
    num_players = 2
    shots: Annotated[list[Shot], Most(3)]
    def advance(self, inputs):
        self.shots.append(Shot())
"""


def test_without_a_name_the_game_of_the_project_is_tested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = run("synctest")
    assert (code, err.startswith("retick: name the game, as module:Class, or in pyproject.toml")) == (2, True)
    (tmp_path / "lonely.py").write_text(BROKEN.partition("from typing")[2].join(["from typing", ""]))
    (tmp_path / "pyproject.toml").write_text("[tool.retick]\ngame = 'lonely.py'\n")
    code, _, err = run("synctest", "--frames", 20, "--rounds", 1, "--seconds", 0)
    assert (code, "Full.shots holds at most 3, not 4" in err) == (1, True)


def test_a_good_game_passes_and_a_cheat_is_shown_with_its_fields() -> None:
    result = CliRunner().invoke(
        app, ["synctest", "retick.games.fighter:Fighter", "--frames", "60", "--rounds", "1", "--seconds", "0"]
    )
    assert result.exit_code == 0
    assert "1 round of 60 frames" in result.output
    assert "run again after each: all the same\n" in result.output
    result = CliRunner().invoke(app, ["synctest", "tests.toys:CheatsWithAGlobal", "--frames", "60"])
    assert result.exit_code == 1
    assert "totals[0]" in result.output


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("Crash", 1, "the game raised ZeroDivisionError"),
        ("Full", 1, "in Full.advance: self.shots.append(Shot()), in frame 3 of the run with seed 1, with the inputs ("),
        ("Half", 2, "is not a game: it has no initial_state"),
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
    code, _, err = run("synctest", "retick.games.fighter:Fighter", "--frames", 20, "--seed", 0xFFFFFFFF, "--seconds", 0)
    assert (code, err) == (0, "")


def test_a_random_respawn_after_a_hit_is_found_with_no_option(run: Run) -> None:
    code, out, _ = run("synctest", f"{TANKS}:RandomRespawn")
    assert code == 1
    assert "came out differently when it was run again" in out
    assert "].x" in out
    assert "Shortest run found: seed " in out


def test_random_numbers_in_the_initial_state_are_found(run: Run) -> None:
    code, out, _ = run("synctest", f"{TANKS}:RandomStart", "--seconds", 0)
    assert code == 1
    assert out.startswith("initial_state(1) gave two different states")
    assert "tanks[0].x" in out
    assert "frame 0" not in out


def test_a_state_that_is_changed_in_place_is_shown_before_and_after(run: Run) -> None:
    code, out, _ = run("synctest", f"{TANKS}:InPlace")
    assert code == 1
    assert out.startswith("step changed the state that it was given in frame 0")
    assert "before step" in out
    assert "tanks[1].x" in out
    assert "1 frame." in out


def test_lines_that_never_ran_are_listed(run: Run) -> None:
    code, out, _ = run("synctest", f"{TANKS}:Tanks", "--frames", 40, "--seconds", 0.001)
    assert code == 0
    first, second, *places, last = out.splitlines()
    assert first.endswith("all the same")
    assert "of step and of what it calls ran; nothing is known about those that never ran:" in second
    assert all(".py:" in place and " in Tanks." in place for place in places)
    assert last == "the search ended at its time limit: --seconds gives it more"


def test_a_bot_that_the_game_brings_plays_the_rounds(run: Run) -> None:
    code, out, _ = run("synctest", f"{TANKS}:WithBot", "--frames", 40, "--seconds", 0)
    assert code == 0
    assert "3 rounds of 40 frames by its own bot, 7 run again after each: all the same" in out


@pytest.mark.compiled_only
def test_it_says_when_lines_cannot_be_seen(run: Run) -> None:
    code, out, _ = run("synctest", "retick.games.fighter:Fighter", "--frames", 20)
    assert code == 0
    assert "its lines cannot be seen (compiled code)" in out


def test_the_longest_time_of_the_search_is_in_the_help(run: Run) -> None:
    _, out, _ = run("synctest", "--help")
    assert "--seconds" in out
    assert "20.0" in out


SLEEPER = """
class Sleeper:
    num_players = 2
    def initial_state(self, seed): return 0
    def step(self, state, inputs):
        if state > 99:
            state += 1
            state += 2
            state += 3
            state += 4
        return (state + 1) % 50
    def checksum(self, state): return state
    def fields(self, state): return [("state", state)]
"""


def test_a_game_of_which_hardly_half_ran_is_not_called_all_the_same(tmp_path: Path) -> None:
    file = tmp_path / "sleeper_game.py"
    file.write_text(SLEEPER)
    result = CliRunner().invoke(app, ["synctest", f"{file}:Sleeper", "--frames", "30", "--seconds", "1"])
    assert result.exit_code == 0
    first, *rest = result.stdout.splitlines()
    assert "only 2 of 6 lines of the game ran, so little is known" in first
    assert "all the same" not in result.stdout
    assert any("in Sleeper.step: state += 1" in line for line in rest)


def test_a_state_that_never_changes_is_no_proof_of_anything(tmp_path: Path) -> None:
    path = tmp_path / "outside.py"
    path.write_text(
        "from retick.sim import World\n\nCARS = [0]\n\n\nclass Race(World):\n    num_players = 1\n    laps: int\n\n"
        "    def advance(self, inputs):\n        CARS[0] += inputs[0]\n",
        encoding="utf-8",
    )
    result = CliRunner().invoke(app, ["synctest", f"{path}:Race", "--seconds", "0"])
    assert result.exit_code == 1
    assert "the state stayed the same for 120 frames" in " ".join(result.output.split())
