"""A game with everything that its window needs: what it draws, its size, sounds, music and pictures.

Knows no framework: pygame draws into a screen, arcade and pyglet into the window that is open.
"""

import inspect
import signal
import sys
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from retick.errors import UsageError
from retick.playing.play_settings import OF_A_MODULE, PlaySettings, looked_up, plain_settings
from retick.sim.world import SimulatedWorld


class Sounds:
    """``sounds(cue)`` plays the sound that has the cue's name: ``self.cue("hit", 3)`` plays ``hit``.

    Files are searched in the working directory, and then in ``folder``. Without a sound device nothing
    is heard.
    """

    def __init__(
        self,
        sounds: Mapping[str, Any],
        folder: Path,
        *,
        read: Callable[[Path], Any] | None,
        also: Callable[[Hashable], object] | None = None,
    ) -> None:
        """``sounds`` maps cues to files, sounds of the framework or functions that make one.

        ``read`` makes a sound of a file; None where there is no sound device.
        ``also`` is called with every cue. UsageError for a file that is missing.
        """
        if not isinstance(sounds, Mapping):
            raise UsageError(f"sounds must map cues to files, such as {{'hit': 'hit.wav'}}, not {sounds!r}")
        self._also = also
        self._sounds: dict[str, Any] = {}
        files = {name: found_file(sound, folder) for name, sound in sounds.items() if isinstance(sound, (str, Path))}
        self._sounds = (
            {}
            if read is None
            else {
                name: read(files[name]) if name in files else sound() if callable(sound) else sound
                for name, sound in sounds.items()
            }
        )

    def __call__(self, cue: Hashable) -> None:
        name = cue[0] if isinstance(cue, tuple) and cue else cue
        if (sound := self._sounds.get(str(name))) is not None:
            sound.play()
        if self._also is not None:
            self._also(cue)


def found_file(name: str | Path, folder: Path) -> Path:
    for path in (Path(name), folder / name):
        if path.is_file():
            return path
    raise UsageError(f"there is no file {name}, neither in the working directory nor in {folder}")


OF_A_WINDOW = (*OF_A_MODULE, "draw", "size", "hear", "sounds", "load", "music", "icon", "fullscreen")
"""Arguments that are taken from the module of a game if they are not given; its class may have ``draw`` too."""


def _needs_nothing(value: Any) -> bool:
    try:
        return not any(each.default is each.empty for each in inspect.signature(value).parameters.values())
    except (TypeError, ValueError):
        return False


MEANT: dict[str, Callable[[Any], bool]] = {
    "load": _needs_nothing,
    "music": lambda value: isinstance(value, (str, Path)),
    "icon": lambda value: isinstance(value, (str, Path)),
    "fullscreen": lambda value: isinstance(value, bool),
}
"""Names that a module may use for something else: which values are meant for the window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowGame(PlaySettings):
    """The arguments of ``play``, checked."""

    draw: Callable[..., object]
    """``draw(screen, world, me)`` draws the world, or the state of a game that has no world, on the whole screen; with
    arcade and pyglet ``draw(world, me)``. ``me`` has the seats played here: one, several at one keyboard, or none for a
    spectator and a replay; ``me.names`` has the name of each seat's player."""
    size: tuple[int, int] = (640, 480)
    """Width and height of the picture in pixels; a larger window scales it."""
    hear: Callable[[Hashable], object] | None = None
    """``hear(cue)`` is called once when a cue of the game begins, to play its sound."""
    load: Callable[[], object] | None = None
    """Called once when the window is open, to make pictures that need it."""
    music: Path | None = None
    """A file that is played again and again while the window is open."""
    icon: Path | None = None
    """A picture for the window's corner and the list of programs."""
    fullscreen: bool = False
    """Open the window on the whole screen; F11 changes it."""

    def __post_init__(self) -> None:
        # No super(): a dataclass with slots is made twice, and the first one is meant by it.
        PlaySettings.__post_init__(self)
        if not callable(self.draw):
            raise UsageError(
                "draw must be a function draw(screen, world, me), or a method draw(self, screen) of the game"
            )
        if not self.press:
            raise UsageError("press must be a function press(keys), or several, one for each person at the keyboard")
        if not (isinstance(self.size, tuple) and [type(each) for each in self.size] == [int, int]):
            raise UsageError(f"size must be the width and height of the window, such as (640, 480), not {self.size!r}")


def window_game_of(
    game: Callable[[], Any],
    *modules: Any,
    sound_reader: Callable[[], Callable[[Path], Any] | None],
    canvas: str = "",
    **given: Any,
) -> WindowGame:
    """Make a WindowGame of what is given; the rest comes from the game's class, ``modules`` or its own module.

    ``given`` has fields of :class:`WindowGame`, and ``sounds``; None counts as not given if a module can have it.
    ``canvas`` is what ``draw`` gets first, by its name; "" for nothing. ``sound_reader`` returns the ``read`` of
    :class:`Sounds`.
    """
    if not callable(game):
        raise UsageError(f"game must be a class or function that makes a game, not a {type(game).__name__}")
    made = game()
    kind = type(getattr(made, "world", made))
    own = sys.modules.get(kind.__module__)
    found = {name: value for name, value in given.items() if value is not None or name not in OF_A_WINDOW}
    if "draw" not in found and _is_world(made) and callable(method := getattr(kind, "draw", None)):
        found["draw"] = partial(_draw_itself, _with_me(method, canvas, is_method=True), 1 if canvas else 0)
    asked = set(found)
    found = looked_up(made, found, *modules, names=OF_A_WINDOW)
    for name, is_meant in MEANT.items():
        if name in found and name not in asked and not is_meant(found[name]):
            del found[name]
    first = f"{canvas}, " if canvas else ""
    drawn = f"draw({first}world, me), or a method draw(self{', ' + canvas if canvas else ''})"
    for name, how in (("draw", drawn), ("press", "press(keys)")):
        if name not in found:
            raise UsageError(f"{kind.__name__} has no {name}: write {how} in it or in its module, or give it to play")
    if not isinstance(found["draw"], partial) and callable(found["draw"]):
        found["draw"] = _with_me(found["draw"], canvas)
    folder = Path(getattr(own, "__file__", None) or ".").parent
    if sounds := found.pop("sounds", None):
        found["hear"] = Sounds(sounds, folder, read=sound_reader(), also=found.get("hear"))
    for name in ("music", "icon"):
        if found.get(name) is not None:
            found[name] = found_file(found[name], folder)
    return WindowGame(game=game, **plain_settings(found, kind))


def _is_world(made: Any) -> bool:
    return isinstance(made, SimulatedWorld) or not hasattr(made, "step")


def _draw_itself(method: Callable[..., object], at: int, *given: Any) -> object:
    """Call a method of the world that is the argument number ``at``."""
    return method(given[at], *given[:at], *given[at + 1 :])


def _with_me(draw: Callable[..., object], canvas: str, *, is_method: bool = False) -> Callable[..., object]:
    """Let ``draw`` take a last argument, ``me``, which it may lack."""
    try:
        parameters = list(inspect.signature(draw).parameters.values())
    except (TypeError, ValueError):  # written in C
        return draw
    if any(each.kind is each.VAR_POSITIONAL for each in parameters):
        return draw
    needed = 2 if canvas else 1
    more = parameters[needed:]
    takes_me = bool(more) and (not is_method or more[0].name == "me")
    if len(parameters) < needed or any(each.default is each.empty for each in more[takes_me:]):
        names = ", ".join(each.name for each in parameters)
        before, behind = (f"{canvas}, ", f", {canvas}") if canvas else ("", "")
        rule = f"draw(self{behind}) or draw(self{behind}, me)" if is_method else f"draw({before}world, me)"
        raise UsageError(f"draw({names}) must be {rule}: fonts and pictures are made once, in load() or in the module")
    return draw if takes_me else lambda *given: draw(*given[:-1])


@contextmanager
def closed_by_signals(close: Callable[[], object]) -> Iterator[None]:
    """Call ``close`` when the process or its terminal is ended, so that the other peers get a goodbye."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread may set signal handlers
        yield
        return
    before = {}
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None:
            before[number] = signal.signal(number, lambda *_: close())
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
