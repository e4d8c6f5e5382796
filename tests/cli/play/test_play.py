"""``retick play``: from the arguments to a page. The window itself is tested with the integration."""

import importlib.util
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.integrations.pygame.test_window_module import GAME, WINDOW, here

__all__ = ["here"]

pytest.importorskip("pygame", exc_type=ImportError)

from retick.integrations.pygame import Program


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The pages that a program shows, instead of a window."""
    (tmp_path / "solo.py").write_text(GAME + WINDOW)
    seen: list[str] = []
    monkeypatch.setattr(Program, "match", lambda self, line: seen.append(f"{line.kind} {line.target}".strip()))
    monkeypatch.setattr(Program, "run", lambda self: seen.append(f"run {self.game.title} {self.game.port}"))
    return seen


@pytest.mark.parametrize(
    ("words", "seen"),
    [
        ([], ["run shown 7777"]),
        (["--host", "--port", "7000"], ["host", "run shown 7000"]),
        (["--join", "10.0.0.5"], ["join 10.0.0.5", "run shown 7777"]),
        (["--watch", "10.0.0.5:9"], ["watch 10.0.0.5:9", "run shown 7777"]),
    ],
)
def test_options_lead_to_pages(run: Run, pages: list[str], words: list[str], seen: list[str]) -> None:
    assert run("play", "solo.py:Game", *words) == (0, "", "")
    assert pages == seen


def test_a_bot_and_a_bad_link_are_for_the_window(run: Run, pages: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Program, "run", lambda self: pages.append(f"{self.game.bot} {self.game.bad_link.loss}"))
    assert run("play", "solo.py:Game", "--bot", "--bad-link")[0] == 0
    assert run("play", "solo.py:Game", "--link", "10ms,0ms,20%")[0] == 0
    assert pages == ["True 0.05", "False 0.2"]


def test_a_player_can_be_given_a_name(run: Run, pages: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Program, "run", lambda self: pages.append(self.name))
    assert run("play", "solo.py:Game", "--name", "Ann")[0] == 0
    assert pages == ["Ann"]


def test_without_a_name_it_is_the_game_of_the_project(run: Run, pages: list[str], tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.retick]\ngame = 'solo.py:Game'")
    assert run("play")[0] == 0
    assert pages == ["run shown 7777"]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([], "name the game, as module:Class, or in pyproject.toml"),
        (["retick.fighter"], "retick.fighter has no window: write draw"),
        (["solo.py:Nothing"], "solo has no 'Nothing'"),
        (["solo.py:Game", "--link", "bad"], "a link is round trip, jitter and loss, such as 120ms,10ms,5%"),
        (["solo.py:Game", "--port", "70000"], "--port must be 0 to 65535"),
        (["solo.py:Game", "--host", "--watch", "x"], "give only one of --host, --join and --watch"),
    ],
)
def test_misuse_is_one_line(run: Run, pages: list[str], words: list[str], line: str) -> None:
    code, out, err = run("play", *words)
    assert (code, out) == (2, "")
    assert err.startswith(f"retick: {line}")
    assert err.count("\n") == 1
    assert pages == []


def test_without_pygame_the_line_that_installs_it_is_shown(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *given: None if name == "pygame" else found(name))
    code, _, err = run("play", "solo.py:Game")
    assert code in (1, 2)
    assert err == "retick: a window needs pygame: pip install pygame-ce\n"
