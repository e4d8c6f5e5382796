"""Draws the pages of a match on a canvas: panels, a line over the match, the bar of a replay, the netgraph.

Knows no framework: a canvas is a few lines for each, with pixels from the upper left corner.
"""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from retick.playing.match import Bar, MatchPage
from retick.playing.network_report import DEEPEST, FRAMES, NetGraph
from retick.playing.pages import SHOWN, AskPage, Page, Panel, plain

Colour: TypeAlias = tuple[int, int, int]
Box: TypeAlias = tuple[int, int, int, int]
"""Left, top, width and height."""
BACKGROUND: Colour = (18, 20, 26)
PANEL: Colour = (32, 36, 46)
BRIGHT: Colour = (235, 235, 230)
DIM: Colour = (150, 155, 165)
ACCENT: Colour = (255, 196, 64)
BLACK: Colour = (0, 0, 0)
MARGIN = 24
WIDEST = 520
"""Most pixels of a panel over a match."""
WIDTH, HEIGHT, BARS = FRAMES + 40, 156, 30
"""Pixels of the netgraph; a bar is one pixel wide for each frame. With more figures than fit it is taller."""
LINE = 16
"""Pixels from one figure to the next."""
PROGRESS = 4


class PageCanvas(Protocol):
    """What pages are drawn on."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""

    def box(self, place: Box, colour: Colour, *, alpha: int = 255) -> None:
        """Fill a part of the picture; with ``alpha`` below 255 what was there shines through."""

    def measure(self, text: str, size: int, width: int = 0) -> tuple[int, int]:
        """Width and height of a text in pixels; it is wrapped at ``width`` pixels if given."""

    def write(self, text: str, left: int, top: int, size: int, colour: Colour, width: int = 0) -> int:
        """Write a text; return its height."""


def draw_page(canvas: PageCanvas, page: Page, draw: Callable[[Any, Any], object]) -> None:
    """Draw a whole page; ``draw(world, me)`` draws the game."""
    if not isinstance(page, MatchPage):
        if page.panel is not None:
            draw_panel(canvas, page.panel)
        if isinstance(page, AskPage):
            canvas.write(page.shown, MARGIN * 2, canvas.size[1] // 2, 36, ACCENT)
        return
    if page.world is None:
        draw_panel(canvas, page.room)
    else:
        draw(page.world, page.me)
        if page.graph.shown:
            draw_graph(canvas, page.graph)
        if page.bar is not None and page.bar.is_shown:
            draw_bar(canvas, page.bar)
    if page.panel is not None:
        draw_over(canvas, page.panel)
    if line := plain(page.line()):
        draw_notice(canvas, line)


def draw_notice(canvas: PageCanvas, line: str) -> None:
    """Write a line over a match, at the bottom; it darkens no more of the picture than it needs."""
    most = canvas.size[0] - MARGIN
    width, height = canvas.measure(line, 26)
    wrapped = most if width > most else 0
    width, height = canvas.measure(line, 26, wrapped) if wrapped else (width, height)
    left, top = (canvas.size[0] - width) // 2, canvas.size[1] - 8 - height
    canvas.box((left - MARGIN // 2, top - 6, width + MARGIN, height + 12), BLACK, alpha=170)
    canvas.write(line, left, top, 26, ACCENT, wrapped)


def draw_graph(canvas: PageCanvas, graph: NetGraph) -> None:
    """Draw in the upper right corner a bar for the frames resimulated with each frame, and the figures."""
    left, top = canvas.size[0] - WIDTH - 8, 8
    canvas.box((left, top, WIDTH, max(HEIGHT, BARS + 8 + LINE * len(graph.lines))), BLACK, alpha=170)
    bottom = top + BARS + 4
    for x, depth in enumerate(graph.depths, left + 6):
        if depth:
            height = min(depth, DEEPEST) * BARS // DEEPEST
            canvas.box((x, bottom - height, 1, height), ACCENT)
    for number, line in enumerate(graph.lines):
        canvas.write(plain(line), left + 6, bottom + 4 + LINE * number, 18, BRIGHT)


def draw_bar(canvas: PageCanvas, bar: Bar) -> None:
    """Draw the line at the bottom of a replay or of a match that is watched."""
    width, bottom = canvas.size
    canvas.box((0, bottom - 28, width, 28), BLACK, alpha=170)
    if bar.done is not None:
        canvas.box((0, bottom - PROGRESS, width, PROGRESS), DIM)
        canvas.box((0, bottom - PROGRESS, round(width * bar.done), PROGRESS), ACCENT)
    canvas.write(plain(bar.text), 10, bottom - 22, 18, BRIGHT)


def draw_panel(canvas: PageCanvas, panel: Panel) -> None:
    """Draw a panel on the whole picture."""
    width, height = canvas.size
    canvas.box((0, 0, width, height), BACKGROUND)
    _write_panel(canvas, panel, _inside((0, 0, width, height), 2 * MARGIN, 3 * MARGIN // 2))


def draw_over(canvas: PageCanvas, panel: Panel) -> None:
    """Draw a panel in a box in the middle of the present picture."""
    across, down = canvas.size
    width = min(across - 2 * MARGIN, WIDEST)
    needed = _write_panel(canvas, panel, _inside((0, 0, width, down), MARGIN, MARGIN), is_sketch=True)
    height = min(needed, down) + MARGIN
    box = ((across - width) // 2, (down - height) // 2, width, height)
    canvas.box((0, 0, across, down), BLACK, alpha=120)
    canvas.box(box, PANEL)
    _write_panel(canvas, panel, _inside(box, MARGIN, MARGIN))


def _inside(box: Box, across: int, down: int) -> Box:
    left, top, width, height = box
    return (left + across, top + down, width - 2 * across, height - 2 * down)


def _write_panel(canvas: PageCanvas, panel: Panel, room: Box, *, is_sketch: bool = False) -> int:
    """Write everything into ``room``; return where it ends. A sketch only measures."""
    left, y, width, height = room
    choice_height = canvas.measure("X", 28)[1]

    def put(text: str, x: int, size: int, colour: Colour, wrap: int = 0) -> int:
        shown = plain(text) or " "
        return canvas.measure(shown, size, wrap)[1] if is_sketch else canvas.write(shown, x, y, size, colour, wrap)

    lowest = y + height - (choice_height + 12) * min(len(panel.choices), SHOWN) - 10
    y += put(panel.title, left, 40, BRIGHT, width) + 10
    for text in panel.lines:
        if y + canvas.measure(plain(text) or " ", 22, width)[1] + 4 > lowest:  # leave room for the choices
            break
        y += put(text, left, 22, DIM, width) + 4
    y += 10 if panel.lines else 0
    places = []
    for number, choice in panel.shown():
        chosen = number == panel.selected
        if chosen and not is_sketch:
            canvas.box((left, y + 4, 6, choice_height - 8), ACCENT)
        places.append(((left, y - 4, width, choice_height + 8), number))
        y += put(choice.label, left + 20, 28, ACCENT if chosen else BRIGHT) + 12
    if not is_sketch:
        panel.places = places
    return y
