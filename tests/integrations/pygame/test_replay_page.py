"""Recordings in the window: the list, and the keys."""

from pathlib import Path

import pygame
import pytest
from pygame.event import Event

from retick import replay
from retick.errors import UsageError
from retick.playing.match import ReplayedMatch
from tests.integrations.pygame import runners
from tests.integrations.pygame.desk import Desk, Window, is_menu, key


@pytest.fixture
def recording(desk: Desk) -> Path:
    desk.folder.mkdir()
    path = desk.folder / "match.rtk"
    rows = [(runners.RUN, 0)] * 8 + [(0, 0)] * 600
    whole = replay.Replay(seed=1, frames=rows, game_id="test.runners", game_version=1)  # type: ignore[arg-type] # rows are packed
    replay.save(path, whole)
    return path


def shown(window: Window) -> ReplayedMatch:
    page = window.page
    assert isinstance(page, ReplayedMatch)
    return page


@pytest.mark.usefixtures("recording")
def test_a_recording_is_chosen_played_paused_and_left(desk: Desk) -> None:
    window = desk.open()
    window.choose("Replays")
    window.choose("match.rtk")
    desk.run(1.0)
    assert 55 <= shown(window).playback.player.frame <= 65
    window.do(key(pygame.K_SPACE, " "))
    before = shown(window).playback.player.frame
    desk.run(1.0)
    assert shown(window).playback.player.frame == before
    window.do(key(pygame.K_RIGHT), key(pygame.K_5, "5"), key(pygame.K_PLUS, "+"), key(pygame.K_LSHIFT))
    assert shown(window).playback.player.frame == 304
    assert shown(window).playback.speed == 2.0
    window.do(key(pygame.K_ESCAPE, "\x1b"))
    assert window.lines().startswith("Replays")
    window.choose("Back")
    assert is_menu(window)


@pytest.mark.usefixtures("recording")
def test_the_bar_goes_by_itself_so_that_what_the_game_draws_there_is_seen(desk: Desk) -> None:
    window = desk.open()
    window.choose("Replays")
    window.choose("match.rtk")
    desk.run(1.0)
    assert shown(window).bar.is_shown
    with_bar = window.screen.get_at((0, 479))
    desk.run(3.0)
    assert not shown(window).bar.is_shown
    assert window.screen.get_at((0, 479)) != with_bar
    window.do(Event(pygame.MOUSEMOTION, {"pos": (5, 5)}))
    assert shown(window).bar.is_shown
    window.do(key(pygame.K_SPACE, " "))
    desk.run(9.0)
    assert shown(window).bar.is_shown, "while it is paused"


def test_a_recording_is_played_at_its_own_rate_with_the_names_of_its_players(desk: Desk) -> None:
    seen = []
    window = desk.open(draw=lambda screen, world, me: seen.append(me.names))
    notes = {"tick_rate": "30", "name.1": "B\x07b"}
    recorded = replay.Replay(seed=1, frames=bytes(4000), game_id="test.runners", game_version=1, metadata=notes)
    page = window.program.replay(recorded, "match.rtk")
    window.program.show(lambda: page)
    desk.run(1.0)
    assert 28 <= page.playback.player.frame <= 32
    assert seen[-1] == ("player 1", "B?b")


def test_no_recording_and_a_bad_one_are_said_in_words(desk: Desk) -> None:
    window = desk.open()
    window.choose("Replays")
    assert "There is no recording" in window.lines()
    window.choose("Back")
    desk.folder.mkdir()
    (desk.folder / "bad.rtk").write_bytes(b"nothing")
    window.choose("Replays")
    window.choose("bad.rtk")
    assert window.lines().startswith("This file cannot be played\n")


def test_a_recording_of_another_game_is_refused(desk: Desk) -> None:
    window = desk.open()
    other = replay.Replay(seed=1, frames=bytes(40), game_id="another", game_version=1)
    with pytest.raises(UsageError, match="a match of another, not of test"):
        window.program.replay(other, "match.rtk")


def test_a_game_with_a_state_and_no_world_is_drawn_from_its_state(desk: Desk) -> None:
    from retick.games.fighter import Fighter

    drawn = []
    window = desk.open(game=Fighter, draw=lambda screen, state, me: drawn.append((state.p1.hp, me)), result=None)
    window.choose("Two at this keyboard")
    desk.run(0.2)
    assert drawn[-1][0] > 0
    assert drawn[-1][1] == (0, 1)
