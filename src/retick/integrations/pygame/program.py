"""The program around a game: its window, its menu and its loop."""

import time
from collections.abc import Callable, Hashable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pygame
from pygame import Surface
from pygame.event import Event

from retick.errors import RetickError
from retick.integrations.pygame.match_page import MatchPage
from retick.integrations.pygame.names import fitting, own_name
from retick.integrations.pygame.pages import AskPage, ChoicePage, Go, HostsPage, MenuPage, Page
from retick.integrations.pygame.panel import Choice
from retick.integrations.pygame.replay_page import ReplayPage, recordings_page
from retick.integrations.pygame.seat_file import LostSeat, lost_seat
from retick.integrations.pygame.watch_page import WatchPage
from retick.integrations.pygame.window_game import Draw, Press, WindowGame
from retick.integrations.pygame.wire import Clock, announced_name, hosted, joined, practised, watched
from retick.replay import Replay
from retick.rollback import MatchConfig

__all__ = ["Program", "play"]

PICTURES_A_SECOND = 120
"""At most; a frame of the match is run when it is due."""


class Program:
    """The pages of one game. A test calls ``turn`` with events of its own; ``run`` opens a window."""

    def __init__(self, game: WindowGame, *, name: str = "", clock: Clock = time.monotonic) -> None:
        """``name`` is what others see of the person here; by default that of the system's user."""
        self.game = game
        self.clock = clock
        self.name = fitting(name) or own_name()
        self.page: Page | None = self.menu()

    # The pages.

    def menu(self) -> Page:
        """Where the program begins, and where every page leads back to."""
        sim = self.game.make()
        here = "Two at this keyboard" if sim.num_players == 2 else "All at this keyboard"
        choices = [
            Choice("Host a match", self.host),
            Choice("Join on the local network", self.find),
            Choice("Join an address", lambda: self._ask("Join an address", self.join)),
            Choice("Watch a match", lambda: self._ask("Watch a match", self.watch)),
            Choice("Replays", lambda: recordings_page(self.game, back=self.menu)),
            *([Choice(here, self.practise)] if len(self.game.press) > 1 or sim.num_players == 1 else []),
            Choice(f"Your name: {self.name or '?'}", self.ask_name),
            Choice("Quit", lambda: None),
        ]
        title = self.game.title or str(getattr(sim, "game_id", ""))
        return MenuPage(
            title, choices, lost=lambda: lost_seat(self.game.folder, announced_name(sim)), back=self.go_back
        )

    def ask_name(self) -> Page:
        """Ask what others are to see."""

        def answered(name: str) -> Page:
            self.name = fitting(name) or self.name
            return self.menu()

        return AskPage("Your name", answered, back=self.menu, lines=["The other players see it."], answer=self.name)

    def host(self) -> Page:
        """Wait for others to join."""

        def page() -> Page:
            wire, lines = hosted(self.game, self.clock, name=self.name)
            return MatchPage(self.game, wire, back=self.menu, again=Choice("Host again", self.host), lines=lines)

        return self._or_message(page)

    def join(self, address: str) -> Page:
        """Ask a host, or any peer of a match with a free seat, for a seat."""

        def page() -> Page:
            wire = joined(self.game, address, self.clock, name=self.name)
            again = Choice("Join again", lambda: self.join(address))
            return MatchPage(self.game, wire, back=self.menu, again=again, lines=[f"Joining {address}"])

        return self._or_message(page)

    def go_back(self, seat: LostSeat) -> Page:
        """Take the seat again that a window which crashed had."""

        def page() -> Page:
            wire = joined(self.game, seat.addresses[0], self.clock, name=self.name, seat_token=seat.token)
            later = seat._replace(addresses=(*seat.addresses[1:], seat.addresses[0]))
            again = Choice("Try again", lambda: self.go_back(later))
            return MatchPage(self.game, wire, back=self.menu, again=again, lines=["Going back to the match"])

        seat.path.unlink(missing_ok=True)
        return self._or_message(page)

    def find(self) -> Page:
        """Search the local network for hosts."""
        return HostsPage(
            "Join on the local network",
            announced_name(self.game.make()),
            lambda host: self.join(
                f"[{host.address}]:{host.port}" if ":" in host.address else f"{host.address}:{host.port}"
            ),
            back=self.menu,
            unfound=Choice("Join an address", lambda: self._ask("Join an address", self.join)),
        )

    def watch(self, address: str) -> Page:
        """Watch the match in which the peer at ``address`` plays."""

        def page() -> Page:
            return WatchPage(self.game, watched(self.game, address, self.clock), back=self.menu)

        return self._or_message(page)

    def practise(self) -> Page:
        """Everybody at this keyboard."""
        again = Choice("Play again", self.practise)
        return self._or_message(
            lambda: MatchPage(self.game, practised(self.game, self.clock), back=self.menu, again=again)
        )

    def replay(self, recorded: Replay, name: str) -> ReplayPage:
        """Play one recording, and then end; RetickError if it is of another game."""
        return ReplayPage(self.game, recorded, name, back=lambda: None)

    def _ask(self, title: str, answered: Callable[[str], Page]) -> Page:
        lines = [
            "The address of the host: a name or number, such as 192.168.1.20,",
            "with its port if that is another than usual: 192.168.1.20:7778",
        ]
        return AskPage(title, answered, back=self.menu, lines=lines)

    def _or_message(self, make: Go) -> Page:
        """What cannot be opened is a message with the reason."""
        try:
            page = make()
            assert page is not None
            return page
        except RetickError as error:
            return ChoicePage("That did not work", [Choice("Back", self.menu)], back=self.menu, lines=[str(error)])

    # The loop.

    def turn(self, events: Iterable[Event]) -> bool:
        """One turn of the loop; False when the program is over."""
        page = self.page
        for event in events:
            if event.type == pygame.QUIT:
                self.show(None)
                return False
            if page is not None and page.go is None:  # what was pressed after that is not meant for the next page
                page.handle(event)
        if page is not None:
            page.turn(self.clock())
            if page.go is not None:
                self.show(page.go)
        return self.page is not None

    def show(self, go: Go | None) -> None:
        """Leave the page that is shown, and only then make the next one: it may need the same port."""
        before, self.page = self.page, None
        if before is not None:
            before.leave()
        self.page = None if go is None else go()

    def draw(self, screen: Surface) -> None:
        """The picture of the page that is shown."""
        if self.page is not None:
            self.page.draw(screen)

    def run(self) -> None:
        """Open the window and run until it is closed. Whatever ends it, the other peers are told."""
        try:
            window = _open_window(self.game)
            pygame.key.start_text_input()
            ticks = pygame.time.Clock()
            screen = Surface(self.game.size)
            while self.turn([_scaled(event, window, screen) for event in pygame.event.get()]):
                self.draw(screen)
                _show(window, screen)
                ticks.tick(PICTURES_A_SECOND)
        finally:
            try:
                self.show(None)
            finally:
                pygame.display.quit()


def _open_window(game: WindowGame) -> Surface:
    try:
        pygame.display.init()
        pygame.font.init()
        window = pygame.display.set_mode(game.size, pygame.RESIZABLE)
    except pygame.error as error:
        raise RetickError(f"the window cannot be opened: {error}") from None
    pygame.display.set_caption(game.title)
    return window


def _place(window: Surface, screen: Surface) -> pygame.Rect:
    """Where the picture is in the window: as large as it fits, in the middle."""
    return screen.get_rect().fit(window.get_rect())


def _show(window: Surface, screen: Surface) -> None:
    place = _place(window, screen)
    if place.size == screen.get_size():
        window.blit(screen, place)
    else:
        window.fill((0, 0, 0))
        window.blit(pygame.transform.scale(screen, place.size), place)
    pygame.display.flip()


def _scaled(event: Event, window: Surface, screen: Surface) -> Event:
    """Mouse events in pixels of the picture."""
    if event.type not in (pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
        return event
    place = _place(window, screen)
    x = (event.pos[0] - place.left) * screen.get_width() // max(place.width, 1)
    y = (event.pos[1] - place.top) * screen.get_height() // max(place.height, 1)
    return Event(event.type, {**event.dict, "pos": (x, y)})


def play(
    game: Callable[[], Any],
    draw: Draw,
    press: Press | tuple[Press, ...],
    *,
    title: str = "",
    size: tuple[int, int] = (640, 480),
    result: Callable[[Any], str | None] | None = None,
    hear: Callable[[Hashable], object] | None = None,
    config: MatchConfig | None = None,
    port: int = 7777,
    folder: str | Path | None = "matches",
    name: str = "",
) -> None:
    """Play ``game`` in a window, alone or online, until the window is closed; :class:`WindowGame` has the arguments.

    ``name`` is what others see of the person here; the menu can change it.
    """
    window_game = WindowGame(
        game=game,
        draw=draw,
        press=(press,) if callable(press) else tuple(press),
        title=title,
        size=size,
        result=result,
        hear=hear,
        config=config or MatchConfig(),
        port=port,
        folder=None if folder is None else Path(folder),
    )
    with suppress(KeyboardInterrupt):
        Program(window_game, name=name).run()
