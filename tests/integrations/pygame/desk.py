"""Several windows in one process, on virtual time: the events of each are given by the test, sockets are loopback."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pygame
from pygame.event import Event

from retick.integrations.pygame import Program, WindowGame
from retick.playing.match import PlayedMatch
from retick.playing.pages import ChoicePage, Page
from retick.transport import open_udp
from tests.integrations.pygame import runners

PICTURE = 1 / 120
PEOPLE = ("Ann", "Bob", "Cem", "Dora")


def key(code: int, text: str = "") -> Event:
    return Event(pygame.KEYDOWN, {"key": code, "unicode": text})


def key_up(code: int) -> Event:
    return Event(pygame.KEYUP, {"key": code})


class Window:
    """One program, and what was done to it since its last turn."""

    def __init__(self, desk: "Desk", game: WindowGame, name: str) -> None:
        self.desk = desk
        self.program = Program(game, name=name, clock=desk.clock)
        self.screen = pygame.Surface(game.size)
        self.waiting: list[Event] = []
        self.stopped = False
        """The process gets no time."""

    @property
    def page(self) -> Any:
        return self.program.page

    @property
    def match(self) -> PlayedMatch:
        assert isinstance(self.program.page, PlayedMatch)
        return self.program.page

    def do(self, *events: Event) -> None:
        """Give events and let a picture pass."""
        self.waiting += events
        self.desk.turn()

    def choose(self, label: str) -> None:
        """Go to a line of the menu or panel with the arrows, and press Enter."""
        if isinstance(self.page, PlayedMatch):  # a panel that has just opened takes no key of the game
            self.desk.until(lambda: self.match._now >= self.match._strays_until)
        panel = self.page.panel
        labels = [choice.label for choice in panel.choices]
        away = (labels.index(label) - panel.selected) % len(labels)
        self.do(*[key(pygame.K_DOWN)] * away, key(pygame.K_RETURN))

    def type(self, text: str) -> None:
        self.do(*(Event(pygame.TEXTINPUT, {"text": letter}) for letter in text), key(pygame.K_RETURN))

    def turn(self) -> None:
        if not self.stopped and self.program.page is not None:
            events, self.waiting = self.waiting, []
            self.program.turn(events)
            self.program.draw(self.screen)

    def world(self) -> runners.Runners:
        """The world as this window would draw it."""
        world: runners.Runners = self.match.world
        return world

    def lines(self) -> str:
        """All text of the page that only asks or tells."""
        panel = self.page.panel
        return "\n".join([panel.title, *panel.lines, *(choice.label for choice in panel.choices)])


class Desk:
    """The windows, and the time."""

    def __init__(self, folder: Path) -> None:
        self.now = 100.0
        self.folder = folder / "matches"
        self.windows: list[Window] = []
        with_free_port = open_udp("127.0.0.1")
        self.port = with_free_port.address[1]
        with_free_port.close()

    def clock(self) -> float:
        return self.now

    def select(self, *_given: object) -> None:
        """In place of the system's: a window waits for a goodbye, and the others go on meanwhile."""
        self.turn()

    def open(self, name: str = "", **changes: Any) -> Window:
        """A window of the game, or of one that is changed like this, and of the next of our people."""
        settings: dict[str, Any] = {
            "game": runners.Runners,
            "draw": runners.draw,
            "press": runners.press,
            "title": "runners",
            "result": runners.result,
            "port": self.port,
            "folder": self.folder,
            "everybody": True,
        }
        window = Window(self, WindowGame(**(settings | changes)), name or PEOPLE[len(self.windows)])
        self.windows.append(window)
        return window

    def turn(self) -> None:
        self.now += PICTURE
        for window in self.windows:
            window.turn()

    def until(self, wanted: Callable[[], object], seconds: float = 20.0) -> None:
        """Let time pass until something is true."""
        end = self.now + seconds
        while not wanted():
            assert self.now < end, "it did not happen"
            self.turn()

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        self.until(lambda: self.now >= end, seconds + 1)

    def two(self, **changes: Any) -> tuple[Window, Window]:
        """Two windows in a match; ``changes`` are those of the one that joins."""
        host, guest = self.open(), self.open(**changes)
        host.choose("Host a match")
        guest.choose("Join with an invite")
        guest.type(f"127.0.0.1:{self.port}")
        self.until(lambda: all(playing(each.page) for each in (host, guest)))
        return host, guest

    def close(self) -> None:
        for window in self.windows:
            window.program.show(None)


def playing(page: Page | None) -> bool:
    return isinstance(page, PlayedMatch) and page.session.running and page.session.frame > 5


def is_menu(window: Window) -> bool:
    page = window.page
    return isinstance(page, ChoicePage) and any(choice.label == "Quit" for choice in page.panel.choices)
