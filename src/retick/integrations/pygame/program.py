"""The program around a game: its window, its menu and its loop."""

import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import pygame
from pygame import Surface
from pygame.event import Event

from retick.errors import RetickError, UsageError
from retick.integrations.pygame.match_page import MatchPage
from retick.integrations.pygame.names import fitting, own_name
from retick.integrations.pygame.pages import AskPage, ChoicePage, Go, HostsPage, MenuPage, Page, copied
from retick.integrations.pygame.panel import Choice
from retick.integrations.pygame.replay_page import ReplayPage, recordings_page
from retick.integrations.pygame.seat_file import LostSeat, lost_seat
from retick.integrations.pygame.watch_page import WatchPage
from retick.integrations.pygame.window_game import WindowGame
from retick.integrations.pygame.wire import Clock, announced_name, hosted, hosted_online, joined, practised, watched
from retick.playing.way_in import OnlineWay, address_text, way_in
from retick.replay import Replay
from retick.transport.discovery import FoundHost

__all__ = ["Program"]

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

    def begin(self, *, host: bool = False, join: str = "", watch: str = "", online: bool = False) -> None:
        """Go on without the menu: host (``online``: at the relay), join with what was pasted, or watch."""
        if host + bool(join) + bool(watch) > 1:
            raise UsageError("give one of host, join and watch")
        if host or join or watch:
            hosting = self.host_online if online else self.host
            self.show(lambda: hosting() if host else self.join(join) if join else self.watch(watch))

    # The pages.

    def menu(self) -> Page:
        """Where the program begins, and where every page leads back to."""
        sim = self.game.make()
        here = "Two at this keyboard" if sim.num_players == 2 else "All at this keyboard"
        choices = [
            Choice("Host a match", self.host),
            Choice("Host for everybody on the local network", lambda: self.host(everybody=True)),
            Choice("Host online", self.ask_for_whom),
            Choice("Join with an invite", lambda: self._ask("Join with an invite", self.join)),
            Choice("Join by code", self.ask_code),
            Choice("Join on the local network", self.find),
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

    def host(self, *, everybody: bool | None = None) -> Page:
        """Wait for others to join: those who have the invite, or everybody."""

        def page() -> Page:
            wire, lines = hosted(self.game, self.clock, name=self.name, everybody=everybody)
            if wire.form.invite is not None and copied(wire.form.invite.text()):
                lines[1:1] = ["It is on the clipboard: paste it to whom you want to play with."]
            again = Choice("Host again", lambda: self.host(everybody=everybody))
            return MatchPage(self.game, wire, back=self.menu, again=again, lines=list(filter(None, lines)))

        return self._or_message(page)

    def ask_for_whom(self) -> Page:
        """Ask who may join a match at the relay."""
        choices = [
            Choice("For those who have the invite: a line to paste", lambda: self.host_online(everybody=False)),
            Choice("For everybody with the code: eight characters to say", lambda: self.host_online(everybody=True)),
            Choice("Back", self.menu),
        ]
        return ChoicePage("Host online", choices, back=self.menu)

    def host_online(self, *, everybody: bool | None = None) -> Page:
        """Wait for others to join by a code, wherever they are: those who have the invite, or everybody."""

        def page() -> Page:
            wire = hosted_online(self.game, self.clock, name=self.name, everybody=everybody)
            wire.on_invite = lambda invite: copied(invite.text())
            again = Choice("Host again", lambda: self.host_online(everybody=everybody))
            return MatchPage(self.game, wire, back=self.menu, again=again, lines=["A match at the relay"])

        return self._or_message(page)

    def ask_code(self) -> Page:
        """Ask for a code of a match at the relay."""
        lines = ["The host says it: eight characters, such as 4XK7-M2QP."]
        return AskPage("Join by code", lambda code: self.join(code, is_code=True), back=self.menu, lines=lines)

    def join(self, way: str, *, is_code: bool = False) -> Page:
        """Ask a host, or any peer of a match with a free seat, for a seat: with an invite, by code, or at an address.

        With ``is_code`` it is a code or an invite, and never the name of a host.
        """

        def page() -> Page:
            typed = way_in(way, default_port=self.game.port, is_online=is_code)
            wire = joined(self.game, typed, self.clock, name=self.name)
            again = Choice("Join again", lambda: self.join(way, is_code=is_code))
            where = typed.code if isinstance(typed, OnlineWay) else address_text(*typed.target)
            return MatchPage(self.game, wire, back=self.menu, again=again, lines=[f"Joining {where}"])

        return self._or_message(page)

    def go_back(self, seat: LostSeat) -> Page:
        """Take the seat again that a window which crashed had."""

        def page() -> Page:
            at = way_in(seat.addresses[0], default_port=self.game.port)
            wire = joined(self.game, at, self.clock, name=self.name, seat=seat)
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
            self._join_found,
            back=self.menu,
            unfound=Choice("Join with an invite", lambda: self._ask("Join with an invite", self.join)),
        )

    def _join_found(self, host: FoundHost) -> Page:
        """Whether it is as announced, the handshake shows; a secret is never announced."""
        if host.link == "invite":
            return self._ask(f"The invite of {host.name}", self.join)
        return self.join(address_text(host.address, host.port))

    def watch(self, way: str) -> Page:
        """Watch a match: with its invite, or through the peer at an address."""

        def page() -> Page:
            return WatchPage(self.game, watched(self.game, way, self.clock), back=self.menu)

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
            "Paste (Ctrl+V) the line that the host shows: retick:192.168.1.20:7777#...",
            "Of a host for everybody the address is enough: 192.168.1.20, or 192.168.1.20:7778",
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
            with _closed_by_signals():
                while self.turn([_scaled(event, window, screen) for event in pygame.event.get()]):
                    self.draw(screen)
                    _show(window, screen)
                    ticks.tick(PICTURES_A_SECOND)
        finally:
            try:
                self.show(None)
            finally:
                pygame.display.quit()


@contextmanager
def _closed_by_signals() -> Iterator[None]:
    """Who ends the process, or closes its terminal, closes the window: the other peers are told. Ctrl-C is Python's."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread may say what signals do
        yield
        return
    before = {}
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None:
            before[number] = signal.signal(number, lambda *_: pygame.event.post(Event(pygame.QUIT)))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


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
