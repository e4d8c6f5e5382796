"""Names of new games, and the words in their files."""

import re

import pytest

from retick.cli.new import LONGEST_NAME, TEMPLATES, class_name, project_files
from retick.errors import UsageError


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tanks", "Tanks"),
        ("my-tanks_2", "MyTanks2"),
        ("MyGame", "MyGame"),
        ("tank", "TankGame"),
        ("WIDTH", "WIDTHGame"),
        ("none", "NoneGame"),
        ("x", "XGame"),
    ],
)
def test_the_class_is_called_after_the_game(name: str, expected: str) -> None:
    assert class_name(name) == expected


@pytest.mark.parametrize("name", ["", "2d", "-x", "a/b", "../x", "a b", "ä", "x" * (LONGEST_NAME + 1), "a\n"])
def test_a_name_that_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="NAME must start with a letter"):
        class_name(name)


@pytest.mark.parametrize("kind", ["world", "record"])
def test_no_word_is_left_to_replace_and_all_sources_compile(kind: str) -> None:
    texts = project_files("my-tanks", kind=kind, players=3)
    assert set(texts) == set(TEMPLATES)
    assert len(texts) <= 12
    for path, text in texts.items():
        assert re.search("@[A-Z]+@", text) is None
        if path.endswith(".py"):
            compile(text, path, "exec")
    assert "class MyTanks(" in texts["game.py"]
    assert 'game = "game.py:MyTanks"' in texts["pyproject.toml"]


@pytest.mark.parametrize("players", [1, 9])
def test_players_are_two_to_eight(players: int) -> None:
    with pytest.raises(UsageError, match="--players must be 2 to 8"):
        project_files("tanks", kind="world", players=players)
