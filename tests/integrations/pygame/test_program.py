"""The menu and the loop."""

import pygame
import pytest
from pygame.event import Event

from retick.errors import UsageError
from retick.integrations.pygame.program import _scaled
from retick.playing import menu as program
from retick.playing.match import PlayedMatch
from tests.integrations.pygame import runners
from tests.integrations.pygame.desk import Desk, is_menu, key

ONLINE = ["Host online", "Join by code"]


def test_the_menu_offers_everything_and_escape_ends(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "can_search", lambda: True)
    window = desk.open(relay="127.0.0.1:9")
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


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({}, ONLINE),
        ({"relay": "127.0.0.1:9", "plain": True}, ONLINE),
        ({"relay": "127.0.0.1:9", "folder": None}, ["Replays"]),
        ({"relay": "127.0.0.1:9"}, ["Join on the local network"]),
    ],
)
def test_the_menu_leaves_out_what_cannot_work(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, changes: dict[str, object], missing: list[str]
) -> None:
    monkeypatch.delenv("RETICK_RELAY", raising=False)
    whole = ["Join on the local network", *ONLINE, "Replays"]
    monkeypatch.setattr(program, "can_search", lambda: missing != ["Join on the local network"])
    labels = [choice.label for choice in desk.open(**changes).page.panel.choices]
    assert [label for label in whole if label not in labels] == missing


def test_a_relay_in_the_environment_brings_its_entries_back(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETICK_RELAY", "127.0.0.1:9")
    assert set(ONLINE) <= {choice.label for choice in desk.open().page.panel.choices}


class Alone(runners.Runners):
    num_players = 1


def test_a_game_for_one_has_nobody_to_host_or_to_join(desk: Desk) -> None:
    labels = [choice.label for choice in desk.open(game=Alone, relay="127.0.0.1:9").page.panel.choices]
    assert labels == ["Play", "Replays", "Your name: Ann", "Quit"]


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


def test_what_did_not_work_is_said_in_the_terminal_too(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RETICK_RELAY", raising=False)
    said: list[str] = []
    window = desk.open(say=said.append)
    window.program.begin(host=True, online=True)
    assert window.lines().startswith("That did not work\nno relay is configured")
    assert said == ["that did not work: " + window.page.panel.lines[0]]


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
    assert isinstance(second.page, PlayedMatch)
    assert second.page._room_lines[0] != first.match._room_lines[0]


def test_a_host_whose_port_was_taken_says_so_and_which_one_it_has(desk: Desk) -> None:
    said: list[str] = []
    first, second = desk.open(), desk.open(say=said.append)
    first.choose("Host a match")
    assert "in use" not in "".join(first.match._room_lines)
    second.choose("Host a match")
    line = f"port {desk.port} is in use, so this host has port {second.match._wire.socket.address[1]}"
    assert line in second.match._room_lines
    assert line in said


class Others(runners.Runners):
    game_id = "test.others"


def test_a_joiner_and_a_spectator_are_told_which_other_game_they_have_met(desk: Desk) -> None:
    desk.open().program.begin(host=True)
    guest, watcher = desk.open(game=Others), desk.open(game=Others)
    guest.program.begin(join=f"127.0.0.1:{desk.port}")
    watcher.program.begin(watch=f"127.0.0.1:{desk.port}")
    desk.until(lambda: isinstance(guest.page, PlayedMatch) and guest.page.panel is not None)
    assert "The host there plays another game: test.runners." in guest.match.panel.lines[0]
    desk.until(lambda: watcher.page.panel is not None)
    assert "the host there plays another game: test.runners." in watcher.lines()


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


def test_a_program_can_begin_without_its_menu_in_one_way(desk: Desk) -> None:
    host, guest = desk.open(), desk.open()
    host.program.begin()
    assert is_menu(host)
    host.program.begin(host=True)
    guest.program.begin(join=f"127.0.0.1:{desk.port}")
    desk.until(lambda: host.match.session.running and guest.match.session.running)
    with pytest.raises(UsageError, match="give only one of host, join and watch"):
        host.program.begin(host=True, watch="127.0.0.1")
