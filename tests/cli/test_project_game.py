"""The game that a project names in its pyproject.toml."""

from pathlib import Path

import pytest

from retick.cli.arguments import PROJECT, project_game
from retick.errors import UsageError


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("text", ["", "tool = 3", "[tool]\nretick = 3", "[tool.retick]\nother = 1", "[project]"])
def test_a_project_need_not_name_a_game(text: str) -> None:
    assert project_game() is None
    PROJECT.write_text(text)
    assert project_game() is None


def test_the_game_is_a_setting_of_retick() -> None:
    PROJECT.write_text("[tool.retick]\ngame = 'game.py:Tanks'")
    assert project_game() == "game.py:Tanks"


@pytest.mark.parametrize("data", [b"[tool.retick]\ngame = 3", b"[tool", b"\xff"])
def test_what_is_wrong_in_the_file_is_named(data: bytes) -> None:
    PROJECT.write_bytes(data)
    with pytest.raises(UsageError, match=r"^pyproject\.toml: "):
        project_game()
