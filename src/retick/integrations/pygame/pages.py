"""What the window shows at one time: the base of all pages, and those that only ask something."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeAlias

import pygame
from pygame import Surface
from pygame.event import Event

from retick.errors import MissingExtra
from retick.integrations.pygame.panel import ACCENT, MARGIN, Choice, Panel, plain, write
from retick.integrations.pygame.seat_file import LostSeat
from retick.transport.discovery import FoundHost, HostSearch

__all__ = ["AskPage", "ChoicePage", "Go", "HostsPage", "Page"]

LONGEST_ANSWER = 300
"""Letters: an invite with the longest address."""
LETTERS_SHOWN = 36
"""Of an answer, its end."""
PASTES = pygame.KMOD_CTRL | pygame.KMOD_META
LOOKED_EVERY = 1.0
"""Seconds after which the menu looks again for a match to go back to."""
Go: TypeAlias = Callable[[], "Page | None"]
"""Makes the page to go to; None ends the program."""


def pasted() -> str:
    """The first line of the system's clipboard; empty where there is none."""
    with suppress(pygame.error, AttributeError, NotImplementedError):  # a pygame, or a screen, that has none
        return next(iter(pygame.scrap.get_text().strip().splitlines()), "")
    return ""


def copied(text: str) -> bool:
    """Put a text on the system's clipboard; whether that worked."""
    with suppress(pygame.error, AttributeError, NotImplementedError):
        pygame.scrap.put_text(text)
        return pygame.scrap.get_text() == text
    return False


class Page:
    """One page."""

    def __init__(self) -> None:
        self.go: Go | None = None
        """Set to leave this page: makes the next one, or None to end the program, after ``leave`` was called."""

    def handle(self, event: Event) -> None:
        """A key, the mouse, or something else that happened to the window."""

    def turn(self, now: float) -> None:
        """Called once for each picture."""

    def draw(self, screen: Surface) -> None:
        """Draw the picture."""

    def leave(self) -> None:
        """Called once, on every way out of this page."""


class ChoicePage(Page):
    """A menu, or a message with ways to go on; Esc goes back."""

    def __init__(self, title: str, choices: Sequence[Choice], *, back: Go, lines: Sequence[str] = ()) -> None:
        super().__init__()
        self.panel = Panel(title, choices, lines=lines)
        self.back = back

    def handle(self, event: Event) -> None:
        if event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE:
            self.go = self.back
            return
        chosen = self.panel.handle(event)
        if chosen is not None:
            self.go = chosen.action

    def draw(self, screen: Surface) -> None:
        self.panel.draw(screen)


class MenuPage(ChoicePage):
    """The menu; it also offers the way back to a match when there is one. Esc ends the program."""

    def __init__(
        self,
        title: str,
        choices: Sequence[Choice],
        *,
        lost: Callable[[], LostSeat | None],
        back: Callable[[LostSeat], Page | None],
    ) -> None:
        super().__init__(title, choices, back=lambda: None)
        self._usual, self._lost, self._go_back = list(choices), lost, back
        self._looked: float | None = None

    def turn(self, now: float) -> None:
        if self._looked is not None and now < self._looked + LOOKED_EVERY:
            return
        seat = self._lost()
        before = len(self.panel.choices)
        way = [] if seat is None else [Choice("Go back to the match", lambda: self._go_back(seat))]
        self.panel.choices = [*way, *self._usual]
        if self._looked is not None:  # what was chosen stays chosen; at first the way back is
            self.panel.selected = max(self.panel.selected + len(self.panel.choices) - before, 0)
        self._looked = now


class AskPage(ChoicePage):
    """A line of text to fill in; Enter takes it."""

    def __init__(
        self, title: str, answered: Callable[[str], Page | None], *, back: Go, lines: Sequence[str], answer: str = ""
    ) -> None:
        super().__init__(title, [], back=back, lines=[*lines, "", "Enter: go on    Esc: back"])
        self._answered = answered
        self.answer = answer

    def handle(self, event: Event) -> None:
        if event.type == pygame.TEXTINPUT:
            self._write(event.text)
        elif event.type == pygame.KEYDOWN and event.key == pygame.K_v and event.dict.get("mod", 0) & PASTES:
            self._write(pasted())
        elif event.type == pygame.KEYDOWN and event.key == pygame.K_BACKSPACE:
            self.answer = self.answer[:-1]
        elif event.type == pygame.KEYDOWN and event.key in (pygame.K_RETURN, pygame.K_KP_ENTER):
            if answer := self.answer.strip():
                self.go = lambda: self._answered(answer)
        else:
            super().handle(event)

    def _write(self, text: str) -> None:
        self.answer = (self.answer + plain(text))[:LONGEST_ANSWER]

    def draw(self, screen: Surface) -> None:
        super().draw(screen)
        write(
            screen, f"{self.answer[-LETTERS_SHOWN:]}_", (MARGIN * 2, screen.get_height() // 2), size=36, colour=ACCENT
        )


class HostsPage(ChoicePage):
    """The hosts on the local network, as they come and go."""

    def __init__(
        self, title: str, game: str, chosen: Callable[[FoundHost], Page | None], *, back: Go, unfound: Choice
    ) -> None:
        """``unfound`` is what one chooses who does not find a host here."""
        super().__init__(title, [unfound], back=back)
        self._chosen, self._unfound = chosen, unfound
        self.search: HostSearch | None = None
        self._why = ""
        try:
            self.search = HostSearch(game)
        except MissingExtra as error:
            self._why = str(error)
        except OSError as error:
            self._why = f"the local network cannot be searched: {error.strerror or error}"

    def turn(self, now: float) -> None:
        hosts = self.search.hosts() if self.search is not None else []
        self.panel.choices = [*map(self._choice, hosts), self._unfound]
        self.panel.lines = [self._why or ("Choose a host:" if hosts else "Searching the local network ...")]

    def _choice(self, host: FoundHost) -> Choice:
        needs = "   (with its invite)" if host.link == "invite" else ""
        return Choice(f"{host.name}   {host.address}{needs}", lambda: self._chosen(host))

    def leave(self) -> None:
        if self.search is not None:
            self.search.close()
