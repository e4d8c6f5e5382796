"""Watching a match as a spectator."""

import pygame
from pygame import Surface
from pygame.event import Event

from retick.integrations.pygame.names import Seats
from retick.integrations.pygame.pages import BACKGROUND, Bar, ChoicePage, Go, MenuChoice, Page, darken, write
from retick.integrations.pygame.window_game import Drawable, WindowGame
from retick.integrations.pygame.wire import Wire
from retick.playing.link_form import why_not_this_game, why_refused
from retick.playing.story import names_by_seat, names_of
from retick.rollback import MatchEnded, SourceChanged, SpectatorSession, WatchingStarted


class WatchPage(Page):
    """Shows frame after frame, a little late, until the match ends; Esc goes back."""

    def __init__(self, game: WindowGame, wire: Wire, *, back: Go) -> None:
        super().__init__()
        self.session: SpectatorSession = wire.session
        self._game, self._wire, self._back = game, wire, back
        self._drawable: Drawable | None = None
        self._why = ""
        self._bar = Bar()
        self.bar_is_shown = True
        self._num_players = game.make().num_players

    def handle(self, event: Event) -> None:
        self._bar.handle(event)
        if event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE:
            self.go = self._back

    def turn(self, now: float) -> None:
        for event in self._wire.poll(now):
            if isinstance(event, WatchingStarted):
                self._drawable = Drawable(self._game, self._game.make())
            elif isinstance(event, SourceChanged):
                self.session.delay = 0  # show everything that has arrived, since no more may come
            elif isinstance(event, MatchEnded):
                refused, text = self.session.ended_by, event.reason
                self._why = why_refused(refused, text, self._wire.form) or why_not_this_game(refused, text) or text
        while self.session.due(now=now):
            self.session.advance(now=now)
        if self._drawable is not None:
            self.bar_is_shown = self._bar.turn(now)
        if self._why and not self.session.waiting:
            self.go = self._over

    def _over(self) -> Page:
        title = "The match is over" if self._drawable is not None else "There is nothing to watch"
        self._game.say(f"{title.lower()}: {self._why}")
        return ChoicePage(title, [MenuChoice("Back to the menu", self._back)], back=self._back, lines=[self._why])

    def draw(self, screen: Surface) -> None:
        if self._drawable is None:
            screen.fill(BACKGROUND)
            write(screen, "Connecting ...   (Esc: back)", (48, 36), size=28)
            return
        seats = Seats.named((), self._num_players, names_by_seat(self.session.roster))
        self._game.draw(screen, self._drawable(self.session.state), seats)
        if not self.bar_is_shown:
            return
        darken(screen, pygame.Rect(0, screen.get_height() - 24, screen.get_width(), 24))
        write(screen, f"watching {self._players()}   Esc: back", (10, screen.get_height() - 19), size=18)

    def _players(self) -> str:
        names = names_by_seat(self.session.roster)
        return names_of(sorted(names), names) if names else ""

    def leave(self) -> None:
        self._wire.leave()
