"""``retick new tanks``, ``retick play``: two windows of the new game, played by key events and seen on the screens."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pygame
import pytest

from retick import replay
from retick.cli.new import project_files
from retick.integrations.window_module import find_window, window_game
from tests.integrations.pygame.desk import Desk, Window, is_menu, key, key_up, playing

RED, BLUE, WHITE = (232, 98, 74), (74, 163, 232), (240, 240, 240)


@pytest.fixture(params=["world", "record"])
def tanks(
    request: pytest.FixtureRequest, tmp_path: Path, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dict[str, Any]]:
    """The settings of the new game's window, as the command line finds them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for path, text in project_files("tanks", kind=request.param, players=2).items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    module = find_window("game.py:Tanks")
    found = window_game("game.py:Tanks", module)
    yield {name: getattr(found, name) for name in ("game", "draw", "press", "title", "size", "result")}
    for name in ("game", "window"):
        sys.modules.pop(name, None)


def middle_of(window: Window, colour: tuple[int, int, int]) -> tuple[int, int]:
    """Where the tank of this colour is on the screen; scores are above."""
    mask = pygame.mask.from_threshold(window.screen, colour, (4, 4, 4, 255))
    mask.erase(pygame.Mask((640, 30), fill=True), (0, 0))
    x, y = mask.centroid()
    return x, y


def open_two(desk: Desk, settings: dict[str, Any]) -> tuple[Window, Window]:
    host, guest = desk.open(**settings), desk.open(**settings)
    host.choose("Host a match")
    guest.choose("Join with an invite")
    guest.type(f"127.0.0.1:{desk.port}")
    desk.until(lambda: playing(host.page) and playing(guest.page))
    return host, guest


def test_it_is_played_in_two_windows_and_both_show_the_same(desk: Desk, tanks: dict[str, Any]) -> None:
    host, guest = open_two(desk, tanks)
    assert host.program.game.title == "tanks"
    desk.run(5.0)  # the notice of the start is gone
    red, blue = middle_of(host, RED), middle_of(host, BLUE)
    assert red[0] < 100 < 500 < blue[0]
    host.do(key(pygame.K_DOWN))
    guest.do(key(pygame.K_LEFT))
    desk.run(0.5)
    host.do(key_up(pygame.K_DOWN))
    guest.do(key_up(pygame.K_LEFT))
    desk.run(0.5)
    for window in (host, guest):
        assert middle_of(window, RED)[1] > red[1] + 30
        assert middle_of(window, BLUE)[0] < blue[0] - 30
    assert host.screen.get_at((40, 24))[:3] == WHITE, "the own score is underlined"
    assert guest.screen.get_at((40, 24))[:3] != WHITE


def test_a_match_is_won_by_key_events_then_played_again_recorded_and_replayed(
    desk: Desk, tanks: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["game"], "GOAL", 1)
    host, guest = open_two(desk, tanks)
    host.do(key(pygame.K_DOWN))
    desk.until(lambda: middle_of(host, RED)[1] >= 426)  # below the wall, and not yet below the other tank
    host.do(key_up(pygame.K_DOWN), key(pygame.K_RIGHT), key(pygame.K_SPACE))
    desk.until(lambda: host.match.panel is not None and guest.match.panel is not None)
    host.do(key_up(pygame.K_RIGHT), key_up(pygame.K_SPACE))
    assert host.lines().startswith("Red wins")
    host.choose("Rematch")
    guest.choose("Rematch")
    desk.until(lambda: host.match.panel is None and guest.match.panel is None)
    desk.run(0.5)
    host.do(key(pygame.K_ESCAPE))
    host.choose("Leave")
    desk.until(lambda: is_menu(host))
    files = sorted(desk.folder.glob("*.rtk"))
    assert len(files) >= 3
    assert all(replay.verify(replay.load(path), tanks["game"]()).ok for path in files)
