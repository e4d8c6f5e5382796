"""The menu, the loop, and a real window of the dummy driver with posted events."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pygame
import pytest
from pygame.event import Event

from retick.errors import RetickError, UsageError
from retick.integrations.pygame import Program, play
from retick.integrations.pygame.match_page import MatchPage
from retick.integrations.pygame.program import _scaled
from tests.integrations.pygame import runners
from tests.integrations.pygame.desk import Desk, is_menu, key, key_up


def test_the_menu_offers_everything_and_escape_ends(desk: Desk) -> None:
    window = desk.open()
    assert [choice.label for choice in window.page.panel.choices] == [
        "Host a match",
        "Join on the local network",
        "Join an address",
        "Watch a match",
        "Replays",
        "Two at this keyboard",
        "Your name: Ann",
        "Quit",
    ]
    window.do(key(pygame.K_ESCAPE))
    assert window.page is None


def test_who_gave_keys_for_one_cannot_play_alone(desk: Desk) -> None:
    window = desk.open(press=(runners.first,))
    assert "keyboard" not in window.lines()


def test_an_address_that_is_none_is_a_message(desk: Desk) -> None:
    window = desk.open()
    window.choose("Join an address")
    window.type("[nonsense")
    assert window.lines().startswith("That did not work\n")
    window.choose("Back")
    assert is_menu(window)


def test_a_name_is_asked_for_in_the_menu_and_what_no_session_takes_is_left_out(desk: Desk) -> None:
    window = desk.open()
    window.choose("Your name: Ann")
    assert window.page.answer == "Ann"
    window.type("a" * 100)
    assert "Your name: Ann" + "a" * 17 in window.lines()
    window.choose("Your name: Ann" + "a" * 17)
    window.page.answer = ""
    window.type(" \x07 ")
    assert "Your name: ?" in window.lines()


def test_a_second_host_on_one_computer_gets_another_port(desk: Desk) -> None:
    first, second = desk.open(), desk.open()
    first.choose("Host a match")
    second.choose("Host a match")
    desk.turn()
    assert isinstance(second.page, MatchPage)
    assert second.page._room_lines[0] != first.match._room_lines[0]


def test_a_host_can_host_again_at_the_same_port(desk: Desk) -> None:
    host, guest = desk.two()
    guest.do(Event(pygame.QUIT))
    desk.until(lambda: host.match.panel is not None)
    host.choose("Host again")
    desk.turn()
    assert f":{desk.port}" in host.match._room_lines[0]


def test_what_is_pressed_after_leaving_a_page_is_not_meant_for_the_next(desk: Desk) -> None:
    window = desk.open()
    window.do(*[key(pygame.K_DOWN)] * 2, key(pygame.K_RETURN), key(pygame.K_ESCAPE), key(pygame.K_ESCAPE))
    assert "address" in window.lines()


def test_the_mouse_points_into_the_picture_of_a_larger_window() -> None:
    window, screen = pygame.Surface((1280, 1000)), pygame.Surface((640, 480))
    moved = _scaled(Event(pygame.MOUSEMOTION, {"pos": (1280, 20 + 480)}), window, screen)
    assert moved.pos == (640, 240)
    pressed = key(pygame.K_a)
    assert _scaled(pressed, window, screen) is pressed


@pytest.mark.parametrize("size", [(640, 480), (900, 500)])
def test_play_opens_a_window_and_runs_a_match_by_posted_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    """The whole program, as a person uses it: to the last line but two, Enter, keys, the window's cross."""
    monkeypatch.chdir(tmp_path)
    pygame.display.init()
    pygame.event.clear()
    for event in [*[key(pygame.K_UP)] * 3, key(pygame.K_RETURN)]:
        pygame.event.post(event)
    seen: list[tuple[tuple[int, ...], list[int]]] = []

    def draw(screen: pygame.Surface, world: runners.Runners, me: tuple[int, ...]) -> None:
        runners.draw(screen, world, me)
        seen.append((me, [runner.steps for runner in world.runners]))
        if len(seen) == 2:
            pygame.display.set_mode(size, pygame.RESIZABLE)
            pygame.event.post(key(pygame.K_RIGHT))
        elif seen[-1][1][0] >= 3:
            pygame.event.post(key_up(pygame.K_RIGHT))
            pygame.event.post(Event(pygame.QUIT))

    play(runners.Runners, draw, runners.press, title="runners", folder=None)
    assert seen[-1][0] == (0, 1)
    assert 3 <= seen[-1][1][0] <= runners.GOAL
    assert seen[-1][1][1] == 0
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_ends_the_program_quietly_and_says_goodbye(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[object] = []
    monkeypatch.setattr(Program, "show", lambda self, go: shown.append(go))

    def interrupted(*_given: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Program, "draw", interrupted)
    play(runners.Runners, runners.draw, runners.press)
    assert shown == [None]


GAME_OVER = """
import os, signal
from retick.integrations.pygame import play
from tests.integrations.pygame import runners

def draw(screen, world, me):
    if world.runners[0].steps >= 3:
        os.kill(os.getpid(), signal.SIGINT)

play(runners.Runners, draw, (lambda keys: 1, lambda keys: 0), folder=None)
print("after")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a signal to oneself ends a process there")
def test_a_real_ctrl_c_lets_the_program_go_on_behind_play() -> None:
    posts = (
        "import pygame\npygame.display.init()\nfor code in (pygame.K_UP, pygame.K_UP, pygame.K_UP, pygame.K_RETURN):\n"
    )
    posts += "    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, {'key': code, 'unicode': ''}))\n"
    ended = subprocess.run(
        [sys.executable, "-c", posts + GAME_OVER],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "after\n", "")


def test_where_there_is_no_screen_the_reason_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    pygame.display.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "nonsense")
    with pytest.raises(RetickError, match="the window cannot be opened: "):
        play(runners.Runners, runners.draw, runners.press)


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"game": runners.Runners()}, "game must be a class or function"),
        ({"draw": None}, "draw must be a function"),
        ({"press": ()}, "press must be a function"),
        ({"press": ("left",)}, "press must be a function"),
    ],
)
def test_wrong_arguments_are_named(wrong: dict[str, Any], text: str) -> None:
    right: dict[str, Any] = {"game": runners.Runners, "draw": runners.draw, "press": runners.press}
    with pytest.raises(UsageError, match=text):
        play(**(right | wrong))
