"""A whole online game in a window of pyglet: menu, waiting room, match, spectator, replay, netgraph.

A game only calls ``play(game, draw, press)``. A program with a window of its own shows a match in it by a MatchScreen.
"""

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from retick.errors import MissingExtra, RetickError, UsageError
from retick.integrations.page_drawing import Box, Colour, draw_page
from retick.integrations.window_game import WindowGame, closed_by_signals, window_game_of
from retick.playing.keys import Buttons, Keyboard, Keys, name_keys
from retick.playing.match import Match, MatchPage
from retick.playing.menu import Menu
from retick.playing.pages import Page
from retick.playing.play_settings import Press
from retick.playing.printing import tell

try:
    import pyglet

    pyglet.options.shadow_window = False  # so that an import needs no screen, as arcade does it
    from pyglet.window import key
except ModuleNotFoundError:
    raise MissingExtra("a window of pyglet needs pyglet: pip install pyglet") from None

__all__ = ["Buttons", "Keyboard", "Keys", "MatchScreen", "WindowGame", "play"]

NAMES = {
    key.RETURN: "return", key.NUM_ENTER: "return", key.PLUS: "plus", key.NUM_ADD: "plus", key.MINUS: "minus",
    key.NUM_SUBTRACT: "minus", key.PAGEUP: "page up", key.PAGEDOWN: "page down",
}  # fmt: skip
"""Keys that pages know by other names than pyglet."""
POINTS = 0.6
"""Points of a font for each unit of a text's size."""


def name_of(symbol: int) -> str:
    """The name of a key, as pages know it."""
    return NAMES.get(symbol) or str(key.symbol_string(symbol)).lower().removeprefix("_")


name_keys(lambda symbol: "" if (name := name_of(symbol)) == str(symbol) or name.startswith("user_key") else name)


@lru_cache(maxsize=128)
def _label(text: str, size: int, colour: Colour, width: int) -> Any:
    return pyglet.text.Label(
        text, font_size=size * POINTS, color=(*colour, 255), anchor_y="top", width=width or None, multiline=width > 0
    )


class WindowCanvas:
    """Draws pages into the window that is open."""

    def __init__(self, size: tuple[int, int]) -> None:
        self.size = size

    def box(self, place: Box, colour: Colour, *, alpha: int = 255) -> None:
        left, top, width, height = place
        bottom = self.size[1] - top - height
        pyglet.shapes.Rectangle(left, bottom, width, height, color=(*colour, alpha)).draw()

    def measure(self, text: str, size: int, width: int = 0) -> tuple[int, int]:
        label = _label(text, size, (0, 0, 0), width)
        return label.content_width, label.content_height

    def write(self, text: str, left: int, top: int, size: int, colour: Colour, width: int = 0) -> int:
        label = _label(text, size, colour, width)
        label.position = (left, self.size[1] - top, 0)
        label.draw()
        return int(label.content_height)


class MatchScreen:
    """Shows pages in an open window of pyglet: it draws them, and hands the window's events on."""

    def __init__(
        self,
        window: Any,
        game: Callable[[], Any] | WindowGame,
        line: str | Sequence[str] | None = "",
        *,
        back: Callable[[], object] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
        **given: Any,
    ) -> None:
        """``line`` is as in ``Match``; None shows the menu. ``back`` is called once when the person has left.

        ``given`` has arguments of ``play``. RetickError if the match cannot be opened.
        """
        made = game if isinstance(game, WindowGame) else pyglet_game_of(game, **given)
        self.window, self._back = window, back
        self.game = replace(made, copy=self._copied, paste=self._pasted)
        self.menu = Menu(self.game, clock=clock)
        if self.game.load is not None:
            self.game.load()
        if line is not None:
            again = self._again_of(line)
            self.menu.show(lambda: again)
        self._is_left = False

    def _again_of(self, line: Any) -> MatchPage:
        def again(way: Any) -> Page:
            return Match(self.game, way, back=self._end, again=again, clock=self.menu.clock)

        return Match(self.game, line, back=self._end, again=again, clock=self.menu.clock)

    def _end(self) -> None:
        return None

    @property
    def page(self) -> Page | None:
        """The page that is shown: a MatchPage, or one of the menu; None when the person has left."""
        return self.menu.page

    def _copied(self, text: str) -> bool:
        with suppress(Exception):  # not every window of pyglet has a clipboard
            self.window.set_clipboard_text(text)
            return True
        return False

    def _pasted(self) -> str:
        with suppress(Exception):
            return next(iter(str(self.window.get_clipboard_text()).strip().splitlines()), "")
        return ""

    # What the window calls.

    def update(self, _seconds: float = 0.0) -> None:
        """Run the frames that are due; call it for every picture."""
        page = self.page
        goes_on = self.menu.step()
        if isinstance(page, MatchPage) and self.game.hear is not None:
            for cue in page.cues():
                self.game.hear(cue)
        if not goes_on and not self._is_left:
            self._is_left = True
            self._back()

    def leave(self) -> None:
        """Say goodbye and close everything; call it when the window closes."""
        self._is_left = True
        self.menu.show(None)

    def draw(self) -> None:
        """Draw the page into the window, which was cleared."""
        if self.page is not None:
            draw_page(WindowCanvas(self.game.size), self.page, self.game.draw)

    def on_draw(self) -> bool:
        """Draw the page, as large as the window allows. True, so that nothing is drawn over it."""
        width, height = self.game.size
        self.window.clear()
        self.window.viewport = self.place()
        self.window.projection = pyglet.math.Mat4.orthogonal_projection(0, width, 0, height, -255, 255)
        self.draw()
        return True

    def on_key_press(self, symbol: int, modifiers: int) -> bool:
        """Hand a key on. True, so that pyglet does not close the window at Esc."""
        if self.page is not None and self.page.go is None:
            if symbol == key.V and modifiers & (key.MOD_CTRL | key.MOD_COMMAND):
                self.page.type(self.game.paste())
            else:
                self.page.key_down(name_of(symbol), symbol)
        return True

    def on_key_release(self, symbol: int, _modifiers: int) -> None:
        """Hand on that a key was released."""
        if self.page is not None:
            self.page.key_up(symbol)

    def on_text(self, text: str) -> None:
        """Hand typed text on."""
        if self.page is not None and text.isprintable():
            self.page.type(text)

    def on_deactivate(self) -> None:
        """Forget held keys: a window without focus is not told when they are released."""
        if self.page is not None:
            self.page.release_all()

    def on_mouse_motion(self, x: float, y: float, _dx: float, _dy: float) -> None:
        """Hand the mouse on."""
        self._point(x, y, clicked=False)

    def on_mouse_press(self, x: float, y: float, _button: int, _modifiers: int) -> None:
        """Hand a click on."""
        self._point(x, y, clicked=True)

    def _point(self, x: float, y: float, *, clicked: bool) -> None:
        if self.page is not None and self.page.go is None:
            left, bottom, width, height = self.place()
            across, down = self.game.size
            self.page.point((x - left) * across / width, down - (y - bottom) * down / height, clicked=clicked)

    def place(self) -> Box:
        """Where the picture is in the window: as large as possible, in the middle."""
        (wide, high), (across, down) = self.window.get_size(), self.game.size
        scale = min(wide / across, high / down)
        width, height = max(round(across * scale), 1), max(round(down * scale), 1)
        return ((wide - width) // 2, (high - height) // 2, width, height)


def _read_sound(file: Path) -> Any:
    try:
        return pyglet.media.load(str(file), streaming=False)
    except Exception as error:
        raise UsageError(f"the sound {file} cannot be read: {error}") from None


def pyglet_game_of(game: Callable[[], Any], *modules: Any, **given: Any) -> WindowGame:
    """Make a WindowGame that draws with pyglet; ``given`` and ``modules`` are as in ``window_game_of``."""
    return window_game_of(game, *modules, sound_reader=lambda: _read_sound, **given)


def play(
    game: Callable[[], Any],
    draw: Callable[..., object] | None = None,
    press: Press | Sequence[Press] | None = None,
    *,
    host: bool = False,
    join: str = "",
    watch: str = "",
    online: bool = False,
    link: str = "",
    argv: Sequence[str] | None = None,
    **given: Any,
) -> None:
    """Play ``game`` in a window of pyglet until it is closed; the arguments are those of pygame's ``play``.

    ``draw(world, me)`` draws into the window, which was cleared. ``given`` are fields of :class:`WindowGame`, and
    ``sounds``.
    """
    if argv is None:
        argv = sys.argv[1:] if sys._getframe(1).f_globals.get("__name__") == "__main__" else ()
    made = pyglet_game_of(game, draw=draw, press=press, bad_link=link or None, **{"say": tell, **given})
    run(made, argv, host=host, join=join, watch=watch, online=online)


def run(game: WindowGame, argv: Sequence[str], **begin: Any) -> None:
    """Open a window and show the menu, or the match that ``argv`` or ``begin`` asks for, until it is closed."""
    try:
        window = pyglet.window.Window(
            *game.size, caption=game.title, resizable=not game.fullscreen, fullscreen=game.fullscreen
        )
    except Exception as error:  # each system has errors of its own
        raise RetickError(f"the window cannot be opened: {error}") from None
    if game.icon is not None:
        window.set_icon(pyglet.image.load(str(game.icon)))
    screen = MatchScreen(window, game, None, back=window.close)
    music = play_music(game.music)

    def on_key_press(symbol: int, modifiers: int) -> bool:
        page = screen.page
        if symbol == key.F11 and not (isinstance(page, MatchPage) and page.keys.is_used(symbol)):
            window.set_fullscreen(not window.fullscreen)
        return screen.on_key_press(symbol, modifiers)

    window.push_handlers(screen)
    window.push_handlers(on_key_press=on_key_press)
    pyglet.clock.schedule_interval(screen.update, 1 / 120)
    try:
        with suppress(KeyboardInterrupt), closed_by_signals(pyglet.app.exit):
            screen.menu.begin(argv, **begin)
            pyglet.app.run(1 / 60)
    finally:
        pyglet.clock.unschedule(screen.update)
        screen.leave()
        window.close()
        if music is not None:
            music.delete()


def play_music(file: Path | None) -> Any:
    """Play a file again and again; None without one."""
    if file is None:
        return None
    player = pyglet.media.Player()
    player.queue(_read_sound(file))
    player.loop = True
    player.play()
    return player
