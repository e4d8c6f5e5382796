"""``retick replay play`` in the window of the game."""

from pathlib import Path
from typing import Any

import pytest

from retick import replay
from retick.cli.replay import play as replay_play
from tests.cli.conftest import Run
from tests.integrations.pygame.test_window_module import GAME, WINDOW, here

__all__ = ["here"]

pytest.importorskip("pygame", exc_type=ImportError)

from retick.integrations.pygame import Program


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    """The pages of windows that were opened."""
    (tmp_path / "filmed.py").write_text(GAME + WINDOW)
    rows = [(0, 0)] * 90
    replay.save(tmp_path / "m.rtk", replay.Replay(seed=1, frames=rows, game_id="Game", game_version=0))  # type: ignore[arg-type] # rows are packed
    pages: list[Any] = []
    monkeypatch.setattr(Program, "run", lambda self: pages.append(self.page))
    return pages


def test_a_window_opens_where_it_is_asked_for(run: Run, shown: list[Any]) -> None:
    assert run("replay", "play", "m.rtk", "--game", "filmed.py:Game", "--window", "--from", 30) == (0, "", "")
    assert shown[0].playback.player.frame == 30


def test_the_game_of_the_project_is_used_for_its_own_recordings_if_it_is_asked_for(
    run: Run, shown: list[Any], tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.retick]\ngame = 'filmed.py:Game'")
    assert run("replay", "play", "m.rtk", "--window")[0] == 2
    assert shown == []
    assert run("replay", "play", "m.rtk", "--window", "--project")[0] == 0
    assert len(shown) == 1


def test_a_pipe_gets_lines_as_before(run: Run, shown: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = run("replay", "play", "m.rtk", "--game", "filmed.py:Game")
    assert code == 0
    assert out.startswith("frame      0")
    assert shown == []
    monkeypatch.setattr(replay_play.Screen, "is_terminal", True)
    assert run("replay", "play", "m.rtk", "--game", "filmed.py:Game")[:2] == (0, "")
    assert len(shown) == 1


def test_a_game_without_a_window_is_misuse_if_one_was_asked_for(run: Run, match: Path) -> None:
    code, _, err = run("replay", "play", match, "--window")
    assert code == 2
    assert "has no window" in err
