"""A title, lines of text and choices: a whole page, or a box over a match."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pygame
from pygame import Surface
from pygame.event import Event

__all__ = ["BACKGROUND", "Choice", "Panel", "darken", "plain", "write"]

BACKGROUND = (18, 20, 26)
BOX = (32, 36, 46)
BRIGHT, DIM, ACCENT = (235, 235, 230), (150, 155, 165), (255, 196, 64)
MARGIN = 24
MOST_LETTERS = 300
"""Of a line: texts come from other peers, too."""
SHOWN = 11
"""Choices that are shown at a time."""
_fonts: dict[int, pygame.font.Font] = {}


class Choice(NamedTuple):
    """A line that can be chosen."""

    label: str
    action: Callable[[], Any]


def plain(text: str) -> str:
    """``text`` with what cannot be printed replaced, and not too long: it may come from another peer."""
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
    """Write a text with its top left corner at a place, wrapped at ``width`` pixels if that is given; its height."""
    line = _rendered(text, size, colour, width)
    screen.blit(line, at)
    return line.get_height()


def _rendered(text: str, size: int, colour: tuple[int, int, int], width: int) -> Surface:
    return _font(size).render(plain(text) or " ", True, colour, None, width)


def darken(screen: Surface, place: pygame.Rect, *, alpha: int = 170) -> None:
    """Make a part of the picture darker, so that text on it can be read."""
    shade = Surface(place.size, pygame.SRCALPHA)
    shade.fill((0, 0, 0, alpha))
    screen.blit(shade, place)


class Panel:
    """Up and down and Enter, or the mouse, choose; ``handle`` returns what was chosen, and its caller acts."""

    def __init__(self, title: str, choices: Sequence[Choice] = (), *, lines: Sequence[str] = ()) -> None:
        self.title = title
        self.lines = list(lines)
        self.choices = list(choices)
        self.selected = 0
        self._places: list[tuple[pygame.Rect, int]] = []

    def handle(self, event: Event) -> Choice | None:
        """The choice that an event makes, None if it makes none."""
        count = len(self.choices)
        if not count:
            return None
        self.selected = min(self.selected, count - 1)
        if event.type == pygame.KEYDOWN and event.key in (pygame.K_UP, pygame.K_DOWN):
            self.selected = (self.selected + (1 if event.key == pygame.K_DOWN else -1)) % count
        elif event.type == pygame.KEYDOWN and event.key in (pygame.K_RETURN, pygame.K_KP_ENTER):
            # Not the space bar: in many games it fires, and a panel may open while somebody still plays.
            return self.choices[self.selected]
        elif event.type in (pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN):
            for place, number in self._places:
                if place.collidepoint(event.pos) and number < count:
                    self.selected = number
                    return self.choices[number] if event.type == pygame.MOUSEBUTTONDOWN else None
        return None

    def draw(self, screen: Surface) -> None:
        """Fill the screen."""
        screen.fill(BACKGROUND)
        self._write(screen, screen.get_rect().inflate(-4 * MARGIN, -3 * MARGIN))

    def draw_over(self, screen: Surface) -> None:
        """A box in the middle of what is drawn already."""
        width = min(screen.get_width() - 2 * MARGIN, 520)
        sketch = Surface((width, screen.get_height()))
        height = min(self._write(sketch, sketch.get_rect().inflate(-2 * MARGIN, -2 * MARGIN)), screen.get_height())
        box = pygame.Rect(0, 0, width, height + MARGIN)
        box.center = screen.get_rect().center
        darken(screen, screen.get_rect(), alpha=120)
        pygame.draw.rect(screen, BOX, box, border_radius=8)
        self._write(screen, box.inflate(-2 * MARGIN, -2 * MARGIN))

    def _write(self, screen: Surface, room: pygame.Rect) -> int:
        """Write everything into ``room``; where it ends."""
        y = room.top
        y += write(screen, self.title, (room.left, y), size=40, width=room.width) + 10
        lowest = room.bottom - (_font(28).get_height() + 12) * min(len(self.choices), SHOWN) - 10
        for text in self.lines:
            line = _rendered(text, 22, DIM, room.width)
            if y + line.get_height() + 4 > lowest:  # the choices have room in any case
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
