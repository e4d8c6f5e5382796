"""Where the window of a game is looked for."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from retick.errors import UsageError
from retick.integrations.window_module import find_window, window_game

GAME = """
from retick.sim import World
class Game(World):
    num_players = 2
    laps: int
    def advance(self, inputs): ...
"""
WINDOW = """
title, size = "shown", (100, 50)
def draw(screen, world, me): ...
def press(keys): return 0
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if not name.startswith(("pygame", "retick")):
            del sys.modules[name]


def test_the_own_module_is_looked_at_first(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(GAME + WINDOW)
    (tmp_path / "window.py").write_text("raise RuntimeError")
    assert find_window("own.py:Game").title == "shown"


def test_then_window_py_beside_it(tmp_path: Path) -> None:
    (tmp_path / "plain_game.py").write_text(GAME)
    assert find_window("plain_game:Game") is None
    (tmp_path / "window.py").write_text(WINDOW)
    assert find_window("plain_game:Game").title == "shown"


def test_a_game_that_draws_itself_needs_no_other_module(tmp_path: Path) -> None:
    pytest.importorskip("pygame", exc_type=ImportError)
    (tmp_path / "drawn.py").write_text(
        GAME + "    def draw(self, screen): ...\n    press = staticmethod(lambda keys: 0)"
    )
    found = window_game("drawn.py:Game", find_window("drawn.py:Game"))
    assert found.title == "Game"
    assert len(found.press) == 1


def test_in_a_package_it_is_the_one_of_the_package(tmp_path: Path) -> None:
    package = tmp_path / "packed"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "rules.py").write_text(GAME)
    (package / "window.py").write_text("from packed.rules import Game\n" + WINDOW)
    assert find_window("packed.rules:Game").__name__ == "packed.window"


def test_what_the_module_has_is_used_and_the_command_line_comes_last(tmp_path: Path) -> None:
    pytest.importorskip("pygame", exc_type=ImportError)
    (tmp_path / "whole.py").write_text(GAME + WINDOW)
    found = window_game("whole.py:Game", find_window("whole.py:Game"), port=5)
    assert (found.title, found.size, found.port, len(found.press)) == ("shown", (100, 50), 5, 1)


def test_a_window_without_press_is_an_error_in_one_line(tmp_path: Path) -> None:
    pytest.importorskip("pygame", exc_type=ImportError)
    (tmp_path / "half.py").write_text(GAME + "def draw(screen, world, me): ...")
    with pytest.raises(UsageError, match="Game has no press: write press"):
        window_game("half.py:Game", find_window("half.py:Game"))


def test_a_window_that_cannot_be_imported_is_an_error_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "a_game.py").write_text(GAME)
    (tmp_path / "window.py").write_text("import no_such_module")
    with pytest.raises(UsageError, match="window cannot be imported: ModuleNotFoundError"):
        find_window("a_game.py:Game")
