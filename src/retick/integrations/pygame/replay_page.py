"""Recorded matches: the list of files, and a page that plays one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pygame
from pygame import Surface
from pygame.event import Event

from retick import replay
from retick.errors import RetickError, UsageError
from retick.integrations.pygame.names import Seats
from retick.integrations.pygame.pages import ACCENT, DIM, Bar, ChoicePage, Go, MenuChoice, Page, darken, plain, write
from retick.integrations.pygame.window_game import Drawable, WindowGame

HELP = "space: pause   arrows: step   + -: speed   0-9: jump   Esc: back"
MOST_FILES = 200
BAR = 4
KEY_NAMES = {"space": " ", "escape": "\x1b", "return": "\r"}


class ReplayPage(Page):
    """Plays one recording, at the speed of the match."""

    def __init__(self, game: WindowGame, recorded: replay.Replay, name: str, *, back: Go) -> None:
        """RetickError if the recording belongs to another game."""
        super().__init__()
        sim: Any = game.make()
        own = getattr(sim, "game_id", "")
        if recorded.game_id and own and recorded.game_id != own:
            raise UsageError(f"{name} is a match of {recorded.game_id}, not of {own}")
        self.playback = replay.Playback(replay.ReplayPlayer(recorded, sim))
        self._game, self._back = game, back
        self._drawable = Drawable(game, sim)
        self._seats = Seats.named((), sim.num_players, {player: plain(name) for player, name in recorded.names.items()})
        self._tick_rate = recorded.tick_rate or game.config.tick_rate
        self._before: float | None = None
        self._bar = Bar()
        self.bar_is_shown = True

    def handle(self, event: Event) -> None:
        self._bar.handle(event)
        if event.type != pygame.KEYDOWN:
            return
        name = pygame.key.name(event.key)
        self.playback.press(
            event.unicode if event.unicode in ("+", "-") and event.unicode else KEY_NAMES.get(name, name)
        )
        if self.playback.quit:
            self.go = self._back

    def turn(self, now: float) -> None:
        if self._before is not None:
            self.playback.tick((now - self._before) * self._tick_rate)
        self._before = now
        player = self.playback.player
        self.bar_is_shown = self._bar.turn(now) or self.playback.paused or player.finished

    def draw(self, screen: Surface) -> None:
        player, width, bottom = self.playback.player, screen.get_width(), screen.get_height()
        self._game.draw(screen, self._drawable(player.state), self._seats)
        if not self.bar_is_shown:
            return
        darken(screen, pygame.Rect(0, bottom - 28, width, 28))
        done = (player.frame - self.playback.first) / max(self.playback.length, 1)
        pygame.draw.rect(screen, DIM, (0, bottom - BAR, width, BAR))
        pygame.draw.rect(screen, ACCENT, (0, bottom - BAR, round(width * done), BAR))
        mode = "paused" if self.playback.paused else f"{self.playback.speed:g}x"
        write(screen, f"{mode}   {HELP}", (10, bottom - 22), size=18)


def recordings_page(game: WindowGame, *, back: Go) -> Page:
    """Make a page with the newest recordings in the game's folder."""

    def shown(path: Path) -> Callable[[], Page | None]:
        return lambda: _page_of(game, path, back=lambda: recordings_page(game, back=back))

    folder = game.folder or Path()
    found = [*folder.glob("*.rtk"), *folder.glob("*.rtk.*.part")]
    newest = sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)[:MOST_FILES]
    lines = [] if newest else [f"There is no recording in {folder}: play a match first."]
    choices = [MenuChoice(path.name, shown(path)) for path in newest]
    return ChoicePage("Replays", [*choices, MenuChoice("Back", back)], back=back, lines=lines)


def _page_of(game: WindowGame, path: Path, *, back: Go) -> Page:
    try:
        return ReplayPage(game, replay.load(path), path.name, back=back)
    except (RetickError, OSError) as error:
        return ChoicePage("This file cannot be played", [MenuChoice("Back", back)], back=back, lines=[str(error)])
