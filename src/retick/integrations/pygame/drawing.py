"""Draws pages with pygame: panels, a line over a match, the bar of a replay, the netgraph."""

import pygame
from pygame import Surface

from retick.integrations.window_game import WindowGame
from retick.playing.match import Bar, MatchPage
from retick.playing.network_report import DEEPEST, FRAMES, NetGraph
from retick.playing.pages import SHOWN, AskPage, Page, Panel, plain

BACKGROUND = (18, 20, 26)
BOX = (32, 36, 46)
BRIGHT, DIM, ACCENT = (235, 235, 230), (150, 155, 165), (255, 196, 64)
MARGIN = 24
WIDTH, HEIGHT, BARS = FRAMES + 40, 156, 30
"""Pixels of the netgraph; a bar is one pixel wide for each frame. With more figures than fit it is taller."""
LINE = 16
"""Pixels from one figure to the next."""
PROGRESS = 4
_fonts: dict[int, pygame.font.Font] = {}


def draw_page(screen: Surface, page: Page, game: WindowGame) -> None:
    """Draw a whole page."""
    if not isinstance(page, MatchPage):
        if page.panel is not None:
            draw_panel(screen, page.panel)
        if isinstance(page, AskPage):
            write(screen, page.shown, (MARGIN * 2, screen.get_height() // 2), size=36, colour=ACCENT)
        return
    if page.world is None:
        draw_panel(screen, page.room)
    else:
        game.draw(screen, page.world, page.me)
        screen.set_clip(None)
        if page.graph.shown:
            draw_graph(screen, page.graph)
        if page.bar is not None and page.bar.is_shown:
            draw_bar(screen, page.bar)
    if page.panel is not None:
        draw_over(screen, page.panel)
    if line := page.line():
        write_notice(screen, line)


def draw_graph(screen: Surface, graph: NetGraph) -> None:
    """Draw in the upper right corner a bar for the frames resimulated with each frame, and the figures."""
    left, top = screen.get_width() - WIDTH - 8, 8
    darken(screen, pygame.Rect(left, top, WIDTH, max(HEIGHT, BARS + 8 + LINE * len(graph.lines))))
    bottom = top + BARS + 4
    for x, depth in enumerate(graph.depths, left + 6):
        if depth:
            pygame.draw.line(screen, ACCENT, (x, bottom), (x, bottom - min(depth, DEEPEST) * BARS // DEEPEST))
    for number, line in enumerate(graph.lines):
        write(screen, line, (left + 6, bottom + 4 + LINE * number), size=18, colour=BRIGHT)


def draw_bar(screen: Surface, bar: Bar) -> None:
    """Draw the line at the bottom of a replay or of a match that is watched."""
    width, bottom = screen.get_size()
    darken(screen, pygame.Rect(0, bottom - 28, width, 28))
    if bar.done is not None:
        pygame.draw.rect(screen, DIM, (0, bottom - PROGRESS, width, PROGRESS))
        pygame.draw.rect(screen, ACCENT, (0, bottom - PROGRESS, round(width * bar.done), PROGRESS))
    write(screen, bar.text, (10, bottom - 22), size=18)


def draw_panel(screen: Surface, panel: Panel) -> None:
    """Draw a panel on the whole screen."""
    screen.fill(BACKGROUND)
    _write_panel(screen, panel, screen.get_rect().inflate(-4 * MARGIN, -3 * MARGIN))


def draw_over(screen: Surface, panel: Panel) -> None:
    """Draw a panel in a box in the middle of the present picture."""
    width = min(screen.get_width() - 2 * MARGIN, 520)
    sketch = Surface((width, screen.get_height()))
    height = _write_panel(sketch, panel, sketch.get_rect().inflate(-2 * MARGIN, -2 * MARGIN))
    box = pygame.Rect(0, 0, width, min(height, screen.get_height()) + MARGIN)
    box.center = screen.get_rect().center
    darken(screen, screen.get_rect(), alpha=120)
    pygame.draw.rect(screen, BOX, box, border_radius=8)
    _write_panel(screen, panel, box.inflate(-2 * MARGIN, -2 * MARGIN))


def _write_panel(screen: Surface, panel: Panel, room: pygame.Rect) -> int:
    """Write everything into ``room``; return where it ends."""
    y = room.top
    y += write(screen, panel.title, (room.left, y), size=40, width=room.width) + 10
    lowest = room.bottom - (_font(28).get_height() + 12) * min(len(panel.choices), SHOWN) - 10
    for text in panel.lines:
        line = _rendered(text, 22, DIM, room.width)
        if y + line.get_height() + 4 > lowest:  # leave room for the choices
            break
        screen.blit(line, (room.left, y))
        y += line.get_height() + 4
    y += 10 if panel.lines else 0
    panel.places = []
    for number, choice in panel.shown():
        chosen = number == panel.selected
        if chosen:
            pygame.draw.polygon(screen, ACCENT, [(room.left, y + 3), (room.left, y + 17), (room.left + 9, y + 10)])
        label = write(screen, choice.label, (room.left + 20, y), size=28, colour=ACCENT if chosen else BRIGHT)
        panel.places.append(((room.left, y - 4, room.width, label + 8), number))
        y += label + 12
    return y


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
