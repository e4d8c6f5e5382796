"""A spectator's window."""

import pygame
from pygame.event import Event

from retick.playing.match import WatchedMatch
from retick.playing.match_line import MatchLine
from tests.integrations.pygame.desk import Desk, is_menu, key


def test_a_spectator_sees_the_match_and_is_told_of_its_end(desk: Desk) -> None:
    host, guest = desk.two()
    watcher = desk.open()
    watcher.choose("Watch a match")
    watcher.type(f"127.0.0.1:{desk.port}")
    host.do(key(pygame.K_RIGHT))
    page = watcher.page
    assert isinstance(page, WatchedMatch)
    desk.until(lambda: page.session.frame > 60)
    assert pygame.image.tobytes(watcher.screen, "RGB") != bytes(640 * 480 * 3)
    assert page.world.runners[0].steps == 10
    desk.run(3.0)
    assert not page.bar.is_shown
    watcher.do(key(pygame.K_SPACE))
    assert page.bar.is_shown
    guest.do(Event(pygame.QUIT))
    desk.until(lambda: page.over, seconds=40)
    assert watcher.lines().startswith("The match is over\n")
    watcher.choose("Back to the menu")
    assert is_menu(watcher)


def test_escape_stops_watching_and_nothing_to_watch_is_said(desk: Desk) -> None:
    watcher = desk.open()
    watcher.program.show(lambda: watcher.program.match(MatchLine("watch", f"127.0.0.1:{desk.port}")))
    desk.turn()
    watcher.do(key(pygame.K_ESCAPE))
    assert is_menu(watcher)
    watcher.program.show(lambda: watcher.program.match(MatchLine("watch", f"127.0.0.1:{desk.port}")))
    desk.until(lambda: watcher.page.over, seconds=60)
    assert watcher.lines().startswith("There is nothing to watch\n")
