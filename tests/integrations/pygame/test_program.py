"""The menu and the loop."""

import pygame
import pytest
from pygame.event import Event

from retick.errors import UsageError
from retick.integrations.pygame.match_page import MatchPage
from retick.integrations.pygame.program import _scaled
from tests.integrations.pygame import runners
from tests.integrations.pygame.desk import Desk, is_menu, key


def test_the_menu_offers_everything_and_escape_ends(desk: Desk) -> None:
    window = desk.open()
    assert [choice.label for choice in window.page.panel.choices] == [
        "Host a match",
        "Host for everybody on the local network",
        "Host online",
        "Join with an invite",
        "Join by code",
        "Join on the local network",
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
    window.choose("Join with an invite")
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
    window.do(*[key(pygame.K_DOWN)] * 3, key(pygame.K_RETURN), key(pygame.K_ESCAPE), key(pygame.K_ESCAPE))
    assert "address" in window.lines()


def test_the_mouse_points_into_the_picture_of_a_larger_window() -> None:
    window, screen = pygame.Surface((1280, 1000)), pygame.Surface((640, 480))
    moved = _scaled(Event(pygame.MOUSEMOTION, {"pos": (1280, 20 + 480)}), window, screen)
    assert moved.pos == (640, 240)
    pressed = key(pygame.K_a)
    assert _scaled(pressed, window, screen) is pressed


def test_a_program_can_begin_without_its_menu_in_one_way(desk: Desk) -> None:
    host, guest = desk.open(), desk.open()
    host.program.begin()
    assert is_menu(host)
    host.program.begin(host=True)
    guest.program.begin(join=f"127.0.0.1:{desk.port}")
    desk.until(lambda: host.match.session.running and guest.match.session.running)
    with pytest.raises(UsageError, match="give only one of host, join and watch"):
        host.program.begin(host=True, watch="127.0.0.1")
