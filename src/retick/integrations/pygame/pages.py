"""Pages, of which the window shows one at a time: their base class, panels, menus and questions.

What the main menu offers is in ``program``.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias

import pygame
from pygame import Surface
from pygame.event import Event

from retick.errors import MissingExtra
from retick.integrations.pygame.files import LostSeat
from retick.transport.discovery import FoundHost, HostSearch

# A title, lines of text and choices: a whole page, or a box over a match.

BACKGROUND = (18, 20, 26)
BOX = (32, 36, 46)
BRIGHT, DIM, ACCENT = (235, 235, 230), (150, 155, 165), (255, 196, 64)
MARGIN = 24
MOST_LETTERS = 300
"""Most letters of a line, since texts come from other peers, too."""
SHOWN = 11
"""Choices that are shown at the same time."""
_fonts: dict[int, pygame.font.Font] = {}


class MenuChoice(NamedTuple):
    """A line that can be chosen."""

    label: str
    action: Callable[[], Any]


def plain(text: str) -> str:
    """Shorten a text that may come from another peer, and replace what cannot be printed."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:MOST_LETTERS])


def _font(size: int) -> pygame.font.Font:
    if size not in _fonts:
        _fonts[size] = pygame.font.Font(None, size)
    return _fonts[size]


def write(
    screen: Surface,
    text: str,
    at: tuple[int, int],
    *,
    size: int = 24,
    colour: tuple[int, int, int] = BRIGHT,
    width: int = 0,
) -> int:
    """Write a text with its top left corner at ``at``, wrapped at ``width`` pixels if given; return its height."""
    line = _rendered(text, size, colour, width)
    screen.blit(line, at)
    return line.get_height()


def _rendered(text: str, size: int, colour: tuple[int, int, int], width: int) -> Surface:
    return _font(size).render(plain(text) or " ", True, colour, None, width)


def darken(screen: Surface, place: pygame.Rect, *, alpha: int = 170) -> None:
    """Darken a part of the picture, so that text on it can be read."""
    shade = Surface(place.size, pygame.SRCALPHA)
    shade.fill((0, 0, 0, alpha))
    screen.blit(shade, place)


def write_notice(screen: Surface, text: str) -> None:
    """Write a line over a match, at the bottom; it darkens no more of the picture than it needs."""
    line = _rendered(text, 26, ACCENT, screen.get_width() - MARGIN)
    place = line.get_rect(midbottom=(screen.get_width() // 2, screen.get_height() - 8))
    darken(screen, place.inflate(MARGIN, 12))
    screen.blit(line, place)


class Panel:
    """A title, lines and choices. Up, Down and Enter choose, or the mouse; ``handle`` returns the choice."""

    def __init__(self, title: str, choices: Sequence[MenuChoice] = (), *, lines: Sequence[str] = ()) -> None:
        self.title = title
        self.lines = list(lines)
        self.choices = list(choices)
        self.selected = 0
        self._places: list[tuple[pygame.Rect, int]] = []

    def handle(self, event: Event) -> MenuChoice | None:
        """Handle an event; return the choice that it makes, None if it makes none."""
        count = len(self.choices)
        if not count:
            return None
        self.selected = min(self.selected, count - 1)
        if event.type == pygame.KEYDOWN and event.key in (pygame.K_UP, pygame.K_DOWN):
            self.selected = (self.selected + (1 if event.key == pygame.K_DOWN else -1)) % count
        elif event.type == pygame.KEYDOWN and event.key in (pygame.K_RETURN, pygame.K_KP_ENTER):
            # The space bar fires in many games, and a panel may open while somebody still plays.
            return self.choices[self.selected]
        elif event.type in (pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN):
            for place, number in self._places:
                if place.collidepoint(event.pos) and number < count:
                    self.selected = number
                    return self.choices[number] if event.type == pygame.MOUSEBUTTONDOWN else None
        return None

    def draw(self, screen: Surface) -> None:
        """Draw on the whole screen."""
        screen.fill(BACKGROUND)
        self._write(screen, screen.get_rect().inflate(-4 * MARGIN, -3 * MARGIN))

    def draw_over(self, screen: Surface) -> None:
        """Draw in a box in the middle of the present picture."""
        width = min(screen.get_width() - 2 * MARGIN, 520)
        sketch = Surface((width, screen.get_height()))
        height = min(self._write(sketch, sketch.get_rect().inflate(-2 * MARGIN, -2 * MARGIN)), screen.get_height())
        box = pygame.Rect(0, 0, width, height + MARGIN)
        box.center = screen.get_rect().center
        darken(screen, screen.get_rect(), alpha=120)
        pygame.draw.rect(screen, BOX, box, border_radius=8)
        self._write(screen, box.inflate(-2 * MARGIN, -2 * MARGIN))

    def _write(self, screen: Surface, room: pygame.Rect) -> int:
        """Write everything into ``room``; return where it ends."""
        y = room.top
        y += write(screen, self.title, (room.left, y), size=40, width=room.width) + 10
        lowest = room.bottom - (_font(28).get_height() + 12) * min(len(self.choices), SHOWN) - 10
        for text in self.lines:
            line = _rendered(text, 22, DIM, room.width)
            if y + line.get_height() + 4 > lowest:  # leave room for the choices
                break
            screen.blit(line, (room.left, y))
            y += line.get_height() + 4
        y += 10 if self.lines else 0
        self._places = []
        first = max(min(self.selected - SHOWN // 2, len(self.choices) - SHOWN), 0)
        for number, choice in list(enumerate(self.choices))[first : first + SHOWN]:
            chosen = number == self.selected
            if chosen:
                pygame.draw.polygon(screen, ACCENT, [(room.left, y + 3), (room.left, y + 17), (room.left + 9, y + 10)])
            label = write(screen, choice.label, (room.left + 20, y), size=28, colour=ACCENT if chosen else BRIGHT)
            self._places.append((pygame.Rect(room.left, y - 4, room.width, label + 8), number))
            y += label + 12
        return y


BAR_SECONDS = 3.0
"""Seconds for which the bar at the bottom stays after a key or a move of the mouse."""


class Bar:
    """Decides when the bar at the bottom of a replay or a watched match is shown, since the game draws there too."""

    def __init__(self) -> None:
        self._now = 0.0
        self._until: float | None = None

    def handle(self, event: Event) -> None:
        """Show the bar for a while if somebody is at this window."""
        if event.type in (pygame.KEYDOWN, pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN):
            self._until = self._now + BAR_SECONDS

    def turn(self, now: float) -> bool:
        """Let time pass; whether the bar is shown, as it is in the first seconds."""
        self._now = now
        if self._until is None:
            self._until = now + BAR_SECONDS
        return now < self._until


LONGEST_ANSWER = 300
"""Most letters of an answer: an invite with the longest address."""
LETTERS_SHOWN = 36
"""Letters of an answer's end that are shown."""
PASTES = pygame.KMOD_CTRL | pygame.KMOD_META
LOOKED_EVERY = 1.0
"""Seconds between two searches of the menu for a match to go back to."""
Go: TypeAlias = Callable[[], "Page | None"]
"""Makes the page to go to; None ends the program."""


def pasted() -> str:
    """The first line on the system's clipboard; empty without a clipboard."""
    with suppress(pygame.error, AttributeError, NotImplementedError):  # this pygame or screen has no clipboard
        return next(iter(pygame.scrap.get_text().strip().splitlines()), "")
    return ""


def copied(text: str) -> bool:
    """Put a text on the system's clipboard; return whether that worked."""
    with suppress(pygame.error, AttributeError, NotImplementedError):
        pygame.scrap.put_text(text)
        return pygame.scrap.get_text() == text
    return False


class Page:
    """Base class of pages; every hook is optional."""

    def __init__(self) -> None:
        self.go: Go | None = None
        """Set this to leave the page: it makes the next page, or returns None to end the program."""

    def handle(self, event: Event) -> None:
        """Handle an event of the window."""

    def turn(self, now: float) -> None:
        """Called once for each picture."""

    def draw(self, screen: Surface) -> None:
        """Draw the picture."""

    def leave(self) -> None:
        """Called once, on every way out of this page."""


class ChoicePage(Page):
    """A menu, or a message with ways to go on; Esc goes back."""

    def __init__(self, title: str, choices: Sequence[MenuChoice], *, back: Go, lines: Sequence[str] = ()) -> None:
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
    """The menu, which also offers the way back to a match if there is one. Esc ends the program."""

    def __init__(
        self,
        title: str,
        choices: Sequence[MenuChoice],
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
        way = [] if seat is None else [MenuChoice("Go back to the match", lambda: self._go_back(seat))]
        self.panel.choices = [*way, *self._usual]
        if self._looked is not None:  # keep the selection, which is the way back only at first
            self.panel.selected = max(self.panel.selected + len(self.panel.choices) - before, 0)
        self._looked = now


class AskPage(ChoicePage):
    """Asks for a line of text; Enter accepts it."""

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
    """Lists the hosts on the local network while they come and go."""

    def __init__(
        self, title: str, game: str, chosen: Callable[[FoundHost], Page | None], *, back: Go, unfound: MenuChoice
    ) -> None:
        """``unfound`` is the choice for somebody whose host is not in the list."""
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

    def _choice(self, host: FoundHost) -> MenuChoice:
        needs = "   (with its invite)" if host.link == "invite" else ""
        return MenuChoice(f"{host.name}   {host.address}{needs}", lambda: self._chosen(host))

    def leave(self) -> None:
        if self.search is not None:
            self.search.close()
