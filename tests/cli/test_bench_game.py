"""``retick bench game``: what one frame of a game costs; no figure is compared with a clock."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

GAME = """
from retick.sim import Thing, World

class Spark(Thing):
    age: int = 0

class Sparks(World):
    num_players = 2
    sparks: list[Spark]

    def advance(self, inputs):
        if len(self.sparks) < 40:
            self.sparks.append(Spark())
        for spark in self.sparks:
            self.grow(spark)

    def grow(self, spark):
        spark.age += 1

class Broken(Sparks):
    def advance(self, inputs):
        raise ValueError("planned")
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sparks.py").write_text(GAME)


def test_every_figure_is_there_for_both_forms(run: Run) -> None:
    code, out, err = run("bench", "game", "sparks.py:Sparks", "--frames", 60, "--rounds", 1, "--json")
    assert (code, err) == (0, "")
    forms = {name: each for name, each in json.loads(out).items() if isinstance(each, dict)}
    assert "uncompiled" in forms
    for form in forms.values():
        for name in ("advance", "save", "load", "slowest_advance", "rollback_of_8"):
            assert form[f"{name}_us"] > 0
        assert form["deepest_rollback_at_60_hz"] > 0
        assert form["state_bytes"] > 40
        assert (form["things"]["least"], form["things"]["most"]) == (0, 40)
        grow = next(each for each in form["functions"] if each["name"].startswith("grow (sparks.py:"))
        assert grow["calls"] > 20
        assert sum(each["share"] for each in form["functions"]) <= 1.0


def test_the_table_is_in_words_and_the_project_names_the_game(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.retick]\ngame = 'sparks.py:Sparks'")
    code, out, _ = run("bench", "game", "--frames", 60, "--rounds", 1, "--one-form")
    assert code == 0
    assert "a rollback of 8 frames" in out
    assert "with 0 to 40 things" in out
    assert "fits into a frame at 60 Hz" in out


def test_a_game_whose_states_are_values_has_nothing_to_save(run: Run) -> None:
    code, out, _ = run("bench", "game", "retick.fighter", "--frames", 60, "--rounds", 1, "--one-form", "--json")
    assert code == 0
    (form,) = (each for each in json.loads(out).values() if isinstance(each, dict))
    assert (form["save_us"], form["load_us"], form["things"]) == (0.0, 0.0, None)


def test_what_the_game_raises_is_said_in_one_line(run: Run) -> None:
    code, out, err = run("bench", "game", "sparks.py:Broken", "--frames", 60, "--one-form")
    assert (code, out) == (1, "")
    assert "planned" in err
