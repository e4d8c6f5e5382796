"""A match in two windows, played by key events: from the waiting room to a rematch, a desync, or a goodbye."""

import os
import sys
import time
from typing import Any

import pygame
import pytest
from pygame.event import Event

from retick import replay
from retick.audit.desync.bundle import load_bundle
from retick.playing.match import WORDS_SECONDS
from retick.playing.match_line import MatchLine
from retick.rollback.session.inside import inside_of
from tests.integrations.pygame import runners
from tests.integrations.pygame.desk import Desk, is_menu, key, key_up, playing
from tests.integrations.pygame.runners import Runners, Slippery, Three

ESCAPE = pygame.K_ESCAPE


def test_keys_in_one_window_move_its_player_in_both(desk: Desk) -> None:
    host, guest = desk.two()
    assert (host.match.session.local_players, guest.match.session.local_players) == ((0,), (1,))
    guest.do(key(pygame.K_RIGHT))
    desk.run(0.05)
    guest.do(key_up(pygame.K_RIGHT))
    desk.run(0.5)
    steps = [[runner.steps for runner in window.world().runners] for window in (host, guest)]
    assert steps[0] == steps[1]
    assert steps[0][0] == 0
    assert 1 <= steps[0][1] < runners.GOAL


def test_a_tap_between_two_frames_is_one_step(desk: Desk) -> None:
    host, guest = desk.two()
    host.do(key(pygame.K_RIGHT), key_up(pygame.K_RIGHT))
    desk.run(0.5)
    assert guest.world().runners[0].steps == 1


def test_the_waiting_room_says_who_is_there_and_escape_cancels(desk: Desk) -> None:
    host = desk.open(game=Three)
    host.choose("Host a match")
    desk.turn()
    assert "player 1:  Ann  (you)" in host.match.room.lines
    assert f":{desk.port}" in host.match.room.lines[0]
    guest = desk.open(game=Three)
    guest.program.show(lambda: guest.program.match(MatchLine("join", f"127.0.0.1:{desk.port}")))
    desk.until(lambda: guest.match.session.local_players)
    desk.run(0.5)
    assert "player 2:  Bob" in host.match.room.lines
    assert "player 1:  Ann" in guest.match.room.lines
    assert "player 2:  Bob  (you)" in guest.match.room.lines
    guest.do(key(ESCAPE))
    desk.run(0.5)
    assert is_menu(guest)
    assert "player 2:  waiting ..." in host.match.room.lines


def test_the_winner_is_named_and_a_rematch_changes_the_seats(desk: Desk) -> None:
    said: list[str] = []
    host, guest = desk.two(say=said.append)
    host.do(key(pygame.K_RIGHT))
    desk.until(lambda: host.match.panel is not None and guest.match.panel is not None)
    host.do(key_up(pygame.K_RIGHT))
    assert host.match.panel is not None
    assert host.match.panel.title == "player 1 wins"
    assert said.count("the result: player 1 wins") == 1
    host.choose("Rematch")
    desk.run(0.5)
    assert host.match.panel.title == "Rematch"
    assert "rematch" in guest.match.notice
    guest.choose("Rematch")
    desk.until(lambda: host.match.panel is None and guest.match.panel is None)
    desk.run(0.5)
    assert host.match.session.local_players == (1,)
    assert [runner.steps for runner in host.world().runners] == [0, 0]


def test_a_key_of_the_game_chooses_nothing_on_a_panel_that_has_just_opened(desk: Desk) -> None:
    def fires(keys: Any) -> int:
        return runners.first(keys) | 0 * keys[pygame.K_RETURN]

    host, guest = desk.two(press=(fires,))
    guest.do(key(pygame.K_RIGHT))
    desk.until(lambda: guest.match.panel is not None)
    desk.run(0.5)
    guest.do(key(pygame.K_RETURN), key_up(pygame.K_RETURN))
    assert guest.match.panel is not None
    assert guest.match.panel.title == "player 2 wins"
    desk.run(0.6)
    guest.do(key(pygame.K_RETURN))
    assert guest.match.panel.title == "Rematch"
    desk.until(lambda: host.match.panel is not None)
    host.do(key(ESCAPE))
    assert is_menu(host) or host.match.panel is None


def test_escape_on_the_result_shows_the_last_picture_with_a_word_and_again_the_ways_on(desk: Desk) -> None:
    host, guest = desk.two()
    guest.do(key(pygame.K_RIGHT))
    desk.until(lambda: guest.match.panel is not None)
    desk.run(WORDS_SECONDS)
    guest.do(key_up(pygame.K_RIGHT), key(ESCAPE))
    assert guest.match.panel is None
    assert guest.match.line() == "player 2 wins   Esc: rematch or leave"
    desk.run(1.0)
    guest.do(key(ESCAPE))
    assert guest.match.panel is not None
    assert guest.match.panel.title == "player 2 wins"
    for window in (guest, host):
        window.choose("Rematch")
    desk.until(lambda: guest.match.panel is None and host.match.panel is None)
    desk.run(WORDS_SECONDS + 1)
    assert guest.match.line() == ""


def test_who_draws_is_told_the_names_of_all(desk: Desk) -> None:
    seen: list[Any] = []
    desk.two(draw=lambda screen, world, me: seen.append((me, me.names)))
    assert seen[-1] == ((1,), ("Ann", "Bob"))


def test_every_match_is_recorded_and_the_recordings_are_true(desk: Desk) -> None:
    host, guest = desk.two()
    host.do(key(pygame.K_DOWN))
    desk.run(1.5)
    host.do(key(ESCAPE))
    host.choose("Leave")
    desk.until(lambda: is_menu(host) and guest.match.panel is not None)
    guest.do(key(ESCAPE))
    files = sorted(desk.folder.glob("*.rtk"))
    assert len(files) == 2
    for path in files:
        recorded = replay.load(path)
        verdict = replay.verify(recorded, Runners())
        assert verdict.ok
        assert verdict.compared >= 1
        assert verdict.frames > 60
        assert (recorded.tick_rate, recorded.names) == (60, {0: "Ann", 1: "Bob"})


@pytest.mark.parametrize("way", ["close", "escape", "exception"])
def test_on_every_way_out_the_other_is_told_at_once(desk: Desk, way: str) -> None:
    host, guest = desk.two()
    if way == "close":
        host.do(Event(pygame.QUIT))
    elif way == "escape":
        host.do(key(ESCAPE))
        host.choose("Leave")
    else:
        host.program.show(None)  # what ``run`` does finally
    desk.run(0.5)
    assert guest.match.panel is not None
    assert guest.match.panel.title == "The match is over"
    assert guest.match.panel.lines[0] == "Ann left"
    assert guest.match.panel.lines[2].startswith("Recorded in ")
    assert host.page is None or is_menu(host)


def test_a_panel_takes_the_keys_and_the_match_goes_on(desk: Desk) -> None:
    host, guest = desk.two()
    host.do(key(ESCAPE))
    before = host.match.session.frame
    host.do(key(pygame.K_RIGHT))
    desk.run(1.0)
    assert host.match.session.frame > before + 30
    assert guest.world().runners[0].steps == 0
    host.do(key(ESCAPE))
    assert host.match.panel is None


def test_a_window_that_waits_says_for_whom(desk: Desk) -> None:
    host, guest = desk.two()
    guest.stopped = True
    desk.run(1.5)
    assert host.match.story.waiting == "waiting for Bob ..."
    before = pygame.image.tobytes(host.screen, "RGB")
    guest.stopped = False
    desk.run(1.0)
    assert not host.match.story.waiting
    assert pygame.image.tobytes(host.screen, "RGB") != before


def test_f3_shows_the_network_and_hides_it(desk: Desk) -> None:
    host, _ = desk.two()
    desk.run(5.0)  # the notice of the start is gone
    plain = pygame.image.tobytes(host.screen, "RGB")
    host.do(key(pygame.K_F3))
    desk.run(0.2)
    assert pygame.image.tobytes(host.screen, "RGB") != plain
    host.do(key(pygame.K_F3))
    assert pygame.image.tobytes(host.screen, "RGB") == plain


def test_a_desync_is_explained_in_both_windows_and_saved(desk: Desk) -> None:
    host, guest = desk.two(game=Slippery)
    host.do(key(pygame.K_DOWN))
    desk.run(0.2)
    host.do(key_up(pygame.K_DOWN))
    desk.until(lambda: host.match._diverged and guest.match._diverged)
    for window in (host, guest):
        assert window.match.panel is not None
        text = window.lines()
        assert "The peers have diverged" in text
        assert "runners[id 1].falls" in text
        assert "Saved in" in text
    saved = sorted(desk.folder.glob("*.desync"))
    assert len(saved) == 2
    for window, build in ((host, "Runners"), (guest, "Slippery")):
        commands = [f"retick desync explain {path} --game tests.integrations.pygame.runners:{build}" for path in saved]
        assert any(command in window.lines() for command in commands)
    assert all(load_bundle(path).report.first_differing for path in saved)
    guest.choose("Leave")
    desk.run(0.5)
    assert "Bob left" in host.lines()
    assert "New match" not in host.lines()


def test_after_a_desync_a_new_match_can_begin(desk: Desk) -> None:
    host, guest = desk.two(game=Slippery)
    host.do(key(pygame.K_DOWN), key_up(pygame.K_DOWN))
    desk.until(lambda: host.match._diverged and guest.match._diverged)
    host.choose("New match")
    guest.choose("New match")
    desk.until(lambda: host.match.panel is None and guest.match.panel is None)
    desk.run(1.0)
    assert playing(host.page)
    assert playing(guest.page)


def test_who_leaves_a_match_of_three_is_named_and_the_others_play_on(desk: Desk) -> None:
    windows = [desk.open(game=Three) for _ in range(3)]
    windows[0].choose("Host a match")
    for window in windows[1:]:
        window.program.show(lambda window=window: window.program.match(MatchLine("join", f"127.0.0.1:{desk.port}")))
    desk.until(lambda: all(playing(window.page) for window in windows))
    windows[2].do(Event(pygame.QUIT))
    desk.until(lambda: windows[0].match.notice == f"{windows[2].program.name} left")
    before = windows[0].match.session.frame
    desk.run(1.0)
    assert windows[0].match.session.frame > before + 50


def test_two_play_at_one_keyboard_and_each_has_keys_of_its_own(desk: Desk) -> None:
    window = desk.open()
    window.choose("Two at this keyboard")
    desk.until(lambda: playing(window.page))
    assert window.match.session.local_players == (0, 1)
    window.do(key(pygame.K_d))
    desk.run(0.05)
    window.do(key_up(pygame.K_d), key(pygame.K_RIGHT), key_up(pygame.K_RIGHT))
    desk.run(0.3)
    steps = [runner.steps for runner in window.world().runners]
    assert steps[0] == 1
    assert steps[1] > 1


def test_a_cue_is_heard_once_by_each(desk: Desk) -> None:
    heard: list[object] = []
    host, _ = desk.two(hear=heard.append)
    host.do(key(pygame.K_DOWN), key_up(pygame.K_DOWN))
    desk.run(1.0)
    assert heard == [("fall",)]


def test_a_host_that_is_not_there_is_said_in_words(desk: Desk) -> None:
    guest = desk.open()
    guest.program.show(lambda: guest.program.match(MatchLine("join", f"127.0.0.1:{desk.port}")))
    desk.until(lambda: guest.page.panel is not None, seconds=60)
    assert guest.lines().startswith("No match\nThere is no answer.")
    guest.choose("Join again")
    assert inside_of(guest.match.session).match is None


def test_a_host_that_cancels_is_said_in_words(desk: Desk) -> None:
    host, guest = desk.open(game=Three), desk.open(game=Three)
    host.choose("Host a match")
    guest.program.show(lambda: guest.program.match(MatchLine("join", f"127.0.0.1:{desk.port}")))
    desk.until(lambda: guest.match.session.local_players)
    host.do(key(ESCAPE))
    desk.until(lambda: guest.page.panel is not None)
    assert guest.lines().startswith("No match\nthe host left\n")


def test_a_match_that_is_full_is_said_in_words(desk: Desk) -> None:
    desk.two()
    third = desk.open()
    third.program.show(lambda: third.program.match(MatchLine("join", f"127.0.0.1:{desk.port}")))
    desk.until(lambda: third.page.panel is not None)
    assert third.lines().startswith("No match\n1 seat asked for, 0 free\n")


def test_a_folder_that_cannot_be_written_is_no_reason_not_to_play(desk: Desk) -> None:
    desk.folder.write_text("a file, not a folder")
    host, _ = desk.two()
    assert "not recorded" in host.match.notice
    desk.run(1.5)
    assert playing(host.page)


def test_p_pauses_for_all_and_the_page_says_who_until_nobody_wants_it(desk: Desk) -> None:
    host, guest = desk.two()
    host.do(key(pygame.K_p))
    desk.until(lambda: host.match.panel is not None and guest.match.panel is not None)
    desk.turn()
    assert host.lines() == "Paused\nby you\nGo on\nLeave"
    assert guest.lines() == "Paused\nby Ann\nKeep waiting\nLeave"
    guest.do(key(ESCAPE))
    guest.choose("Keep waiting")
    guest.do(key(pygame.K_p))
    desk.run(0.5)
    assert "by you and Bob" in host.lines()
    frame = host.match.session.frame
    host.choose("Go on")
    desk.run(1.0)
    assert "by Bob" in host.lines()
    assert host.match.session.frame == frame
    guest.do(key(ESCAPE))
    desk.until(lambda: host.match.panel is None and guest.match.panel is None)
    desk.run(0.5)
    assert host.match.session.frame > frame


def test_a_game_that_uses_p_keeps_it_and_the_menu_of_escape_still_pauses(desk: Desk) -> None:
    window = desk.open(press=(lambda keys: runners.RUN * keys[pygame.K_p], runners.second))
    window.choose("Two at this keyboard")
    desk.run(0.5)
    window.do(key(pygame.K_p), key_up(pygame.K_p))
    desk.run(1.0)
    assert window.match.panel is None
    assert window.world().runners[0].steps == 1
    window.do(key(ESCAPE))
    window.choose("Pause")
    desk.until(lambda: window.match.panel is not None)
    frame = window.match.session.frame
    desk.run(0.5)
    assert window.match.session.frame == frame
    window.choose("Go on")
    desk.run(0.5)
    assert window.match.session.frame > frame


def test_after_a_desync_all_go_on_from_the_state_that_one_has_chosen(desk: Desk) -> None:
    host, guest = desk.two(game=Slippery)
    host.do(key(pygame.K_DOWN), key_up(pygame.K_DOWN))
    desk.until(lambda: host.match._diverged and guest.match._diverged)
    assert "Go on from Bob's state" in host.lines()
    assert "Go on from your state" in host.lines()
    host.choose("Go on from Bob's state")
    desk.run(0.5)
    assert guest.match.notice == "Ann wants to go on from your state"
    assert "Ann's state" not in guest.lines()
    guest.choose("Go on from your state")
    desk.until(lambda: host.match.panel is None and guest.match.panel is None)
    desk.run(1.0)
    assert host.world().runners[0].falls == guest.world().runners[0].falls > 0
    assert playing(host.page)
    assert playing(guest.page)


def test_a_window_that_crashed_offers_the_way_back_and_gets_its_seat(desk: Desk) -> None:
    host, guest = desk.two()
    guest.do(key(pygame.K_RIGHT), key_up(pygame.K_RIGHT))
    desk.run(0.5)
    (crashed,) = desk.folder.glob(f"{guest.match._seat._path.stem}.seat")  # type: ignore[union-attr] # it has a folder
    assert crashed.stat().st_mode & 0o077 == 0 or sys.platform == "win32"
    guest.stopped = True
    desk.run(0.5)
    again = desk.open("root")
    assert "Go back" not in again.lines(), "a window that runs touches its file"
    os.utime(crashed, (0, time.time() - 3))
    desk.run(1.5)
    again.choose("Go back to the match")
    desk.until(lambda: playing(again.page))
    assert again.match.session.local_players == (1,)
    desk.run(0.5)
    assert host.match.notice == "Bob joined", "by the name that was played under, not by that of the system"
    assert again.program.name == "Bob"
    assert [runner.steps for runner in again.world().runners] == [0, 1]
    assert not crashed.exists()
    again.do(Event(pygame.QUIT))
    host.do(Event(pygame.QUIT))
    assert not list(desk.folder.glob("*.seat"))
