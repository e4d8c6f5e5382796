"""The program around a game: ``play`` and its command line, the window and the loop."""

import sys
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import pygame
from pygame import Surface
from pygame.event import Event

from retick.errors import RetickError, UsageError
from retick.integrations.page_drawing import Box, Colour, draw_page
from retick.integrations.window_game import WindowGame, closed_by_signals, window_game_of
from retick.playing.keys import Keys
from retick.playing.match import MatchPage
from retick.playing.menu import Menu
from retick.playing.pages import AskPage, Page
from retick.playing.play_settings import Press
from retick.playing.printing import tell
from retick.playing.wire import Clock
from retick.rollback import MatchConfig

PICTURES_A_SECOND = 120
"""Most pictures per second; frames of the match run when they are due."""
PASTES = pygame.KMOD_CTRL | pygame.KMOD_META
KEY_NAMES = {pygame.K_KP_ENTER: "return", pygame.K_KP_PLUS: "plus", pygame.K_KP_MINUS: "minus"}


_fonts: dict[int, pygame.font.Font] = {}


class SurfaceCanvas:
    """Draws pages on a surface."""

    def __init__(self, screen: Surface) -> None:
        self._screen = screen
        self.size = screen.get_size()

    def box(self, place: Box, colour: Colour, *, alpha: int = 255) -> None:
        if alpha == 255:
            self._screen.fill(colour, place)
            return
        shade = Surface(place[2:], pygame.SRCALPHA)
        shade.fill((*colour, alpha))
        self._screen.blit(shade, place)

    def measure(self, text: str, size: int, width: int = 0) -> tuple[int, int]:
        return _rendered(text, size, (0, 0, 0), width).get_size()

    def write(self, text: str, left: int, top: int, size: int, colour: Colour, width: int = 0) -> int:
        line = _rendered(text, size, colour, width)
        self._screen.blit(line, (left, top))
        return line.get_height()


@lru_cache(maxsize=128)
def _rendered(text: str, size: int, colour: Colour, width: int) -> Surface:
    if size not in _fonts:
        _fonts[size] = pygame.font.Font(None, size)
    return _fonts[size].render(text, True, colour, None, width)


def note_key(keys: Keys, event: Event) -> None:
    """Note a keyboard event in ``keys``. A window without focus is not told when keys are released."""
    if event.type == pygame.KEYDOWN:
        keys.down(event.key)
    elif event.type == pygame.KEYUP:
        keys.up(event.key)
    elif event.type == pygame.WINDOWFOCUSLOST:
        keys.release_all()


def hand_on(page: Page, event: Event, paste: Callable[[], str]) -> None:
    """Tell a page of an event of pygame."""
    if event.type == pygame.KEYDOWN:
        if isinstance(page, AskPage) and event.key == pygame.K_v and event.dict.get("mod", 0) & PASTES:
            page.type(paste())
            return
        typed = {"+": "plus", "-": "minus"}.get(event.dict.get("unicode", ""))  # where they are on other keys
        page.key_down(typed or KEY_NAMES.get(event.key) or pygame.key.name(event.key), event.key)
    elif event.type == pygame.KEYUP:
        page.key_up(event.key)
    elif event.type == pygame.WINDOWFOCUSLOST:
        page.release_all()
    elif event.type == pygame.TEXTINPUT:
        page.type(event.text)
    elif event.type in (pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN):
        page.point(*event.pos, clicked=event.type == pygame.MOUSEBUTTONDOWN)


def _is_used(page: Page | None, key: int) -> bool:
    return isinstance(page, MatchPage) and page.keys.is_used(key)


class Program(Menu):
    """The pages of one game. ``run`` opens a window; a test calls ``turn`` with its own events."""

    game: WindowGame

    def __init__(self, game: WindowGame, *, name: str = "", clock: Clock = time.monotonic) -> None:
        """``name`` is the player's name for the others; by default the system's name for the user."""
        super().__init__(replace(game, copy=copied, paste=pasted), name=name, clock=clock)
        self._is_full = self._was_full = game.fullscreen

    def turn(self, events: Iterable[Event]) -> bool:
        """Run one turn of the loop; False when the program is over."""
        page = self.page
        for event in events:
            if event.type == pygame.QUIT:
                self.show(None)
                return False
            if event.type == pygame.KEYDOWN and event.key == pygame.K_F11 and not _is_used(page, event.key):
                self._is_full = not self._is_full
            elif page is not None and page.go is None:  # later events are not meant for the next page
                hand_on(page, event, self.game.paste)
        return self.step()

    def step(self, pressed: Any = None) -> bool:
        page = self.page
        goes_on = super().step(pressed)
        if isinstance(page, MatchPage) and self.game.hear is not None:
            for cue in page.cues():
                self.game.hear(cue)
        return goes_on

    def draw(self, screen: Surface) -> None:
        """Draw the present page."""
        if self.page is not None:
            draw_page(SurfaceCanvas(screen), self.page, partial(self._draw_game, screen))

    def _draw_game(self, screen: Surface, world: Any, me: Any) -> None:
        self.game.draw(screen, world, me)
        screen.set_clip(None)

    def run(self) -> None:
        """Open the window and run until it is closed. However it ends, the other peers get a goodbye."""
        try:
            window = _open_window(self.game)
            pygame.key.start_text_input()
            ticks = pygame.time.Clock()
            screen = Surface(self.game.size)
            with closed_by_signals(lambda: pygame.event.post(Event(pygame.QUIT))):
                while self.turn([_scaled(event, window, screen) for event in pygame.event.get()]):
                    self.draw(screen)
                    if self._is_full != self._was_full:
                        window, self._was_full = _window_of(self.game, self._is_full), self._is_full
                    _show(window, screen)
                    ticks.tick(PICTURES_A_SECOND)
        finally:
            try:
                self.show(None)
            finally:
                pygame.display.quit()


def _window_of(game: WindowGame, is_full: bool) -> Surface:
    if is_full:
        return pygame.display.set_mode(pygame.display.get_desktop_sizes()[0], pygame.FULLSCREEN)
    return pygame.display.set_mode(game.size, pygame.RESIZABLE)


def _open_window(game: WindowGame) -> Surface:
    try:
        pygame.display.init()
        pygame.font.init()
        if game.icon is not None:
            pygame.display.set_icon(pygame.image.load(game.icon))
        window = _window_of(game, game.fullscreen)
    except pygame.error as error:
        raise RetickError(f"the window cannot be opened: {error}") from None
    pygame.display.set_caption(game.title)
    if game.load is not None:
        game.load()
    if game.music is not None:
        _play_music(game.music)
    return window


def _has_mixer() -> bool:
    """Whether there is a sound device; without one nothing is heard."""
    with suppress(pygame.error):
        pygame.mixer.init()
    return pygame.mixer.get_init() is not None


def _play_music(file: Path) -> None:
    """Play a file again and again."""
    if _has_mixer():
        try:
            pygame.mixer.music.load(file)
        except pygame.error as error:
            raise UsageError(f"the music {file} cannot be read: {error}") from None
        pygame.mixer.music.play(-1)


def _read_sound(file: Path) -> Any:
    try:
        return pygame.mixer.Sound(file)
    except pygame.error as error:
        raise UsageError(f"the sound {file} cannot be read: {error}") from None


def sound_reader() -> Callable[[Path], Any] | None:
    """A function that makes a sound of a file; None without a sound device."""
    return _read_sound if _has_mixer() else None


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


def _place(window: Surface, screen: Surface) -> pygame.Rect:
    """Where the picture is in the window: as large as possible, in the middle."""
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
    """Convert mouse events to pixels of the picture."""
    if event.type not in (pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
        return event
    place = _place(window, screen)
    x = (event.pos[0] - place.left) * screen.get_width() // max(place.width, 1)
    y = (event.pos[1] - place.top) * screen.get_height() // max(place.height, 1)
    return Event(event.type, {**event.dict, "pos": (x, y)})


def play(
    game: Callable[[], Any],
    draw: Callable[..., object] | None = None,
    press: Press | Sequence[Press] | None = None,
    *,
    title: str | None = None,
    size: tuple[int, int] | None = None,
    result: Callable[[Any], str | None] | None = None,
    hear: Callable[[Hashable], object] | None = None,
    sounds: Mapping[str, Any] | None = None,
    load: Callable[[], object] | None = None,
    music: str | Path | None = None,
    icon: str | Path | None = None,
    fullscreen: bool | None = None,
    config: MatchConfig | None = None,
    port: int = 7777,
    folder: str | Path | None = "matches",
    name: str = "",
    host: bool = False,
    join: str = "",
    watch: str = "",
    link: str = "",
    online: bool = False,
    relay: str = "",
    relay_only: bool = False,
    everybody: bool = False,
    plain: bool = False,
    identity: str | Path | None = None,
    keylog: str | Path | None = None,
    bot: bool = False,
    argv: Sequence[str] | None = None,
) -> None:
    """Play ``game`` in a window, alone or online, until the window is closed; :class:`WindowGame` has the arguments.

    Arguments that are not given are taken from the game's class or its module: ``draw``, ``press``, ``title`` and so
    on. ``name`` is the player's name for the others; the menu can change it. ``host``, ``join`` and ``watch`` skip the
    menu. ``link`` makes the network of this window bad: round trip, jitter and loss, ``"120ms,10ms,5%"``. ``bot`` lets
    the game's ``bot(player, world)`` (or ``bot(player, state)``) play here, or random buttons.

    Only players with the invite, which the window shows, can join a hosted match; with ``everybody`` all who know the
    address can. ``join`` and ``watch`` take an invite, a code or an address. With ``online``, ``host`` waits at the
    ``relay`` (or at RETICK_RELAY), where others join by a code; ``relay_only`` hides players' addresses.

    ``argv`` has the words of a command line, as :class:`retick.playing.Match` reads them: --host, --join INVITE, --name
    and so on. If it is not given and the main program calls ``play``, the program's own arguments are used.
    """
    if argv is None:
        started = sys._getframe(1).f_globals.get("__name__") == "__main__"
        argv = sys.argv[1:] if started else ()
    window_game = pygame_game_of(
        game,
        draw=draw,
        press=press,
        title=title,
        size=size,
        result=result,
        hear=hear,
        sounds=sounds,
        load=load,
        music=music,
        icon=icon,
        fullscreen=fullscreen,
        config=config,
        port=port,
        bot=bot,
        relay=relay,
        relay_only=relay_only,
        everybody=everybody,
        plain=plain,
        identity=identity,
        keylog=keylog,
        bad_link=link or None,
        folder=folder,
        name=name,
        say=tell,
    )
    program = Program(window_game)
    with suppress(KeyboardInterrupt):
        program.begin(argv, host=host, join=join, watch=watch, online=online)
        program.run()


def pygame_game_of(game: Callable[[], Any], *modules: Any, **given: Any) -> WindowGame:
    """Make a WindowGame that draws with pygame; ``given`` and ``modules`` are as in ``window_game_of``."""
    return window_game_of(game, *modules, sound_reader=sound_reader, canvas="screen", **given)
