"""A game with everything that its window needs."""

import inspect
import sys
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import pygame
from pygame import Surface

from retick.errors import UsageError
from retick.integrations.pygame.keys import Keys
from retick.integrations.pygame.names import Seats
from retick.rollback import MatchConfig
from retick.sim import Simulation, WorldSimulation
from retick.sim.world import SimulatedWorld
from retick.transport import Conditions


class Sounds:
    """``sounds(cue)`` plays the sound that has the cue's name: ``self.cue("hit", 3)`` plays ``hit``.

    Files are searched in the working directory, as pygame does, and then in ``folder``. Without a sound device nothing
    is heard.
    """

    def __init__(
        self, sounds: Mapping[str, Any], folder: Path, *, also: Callable[[Hashable], object] | None = None
    ) -> None:
        """``sounds`` maps cues to files, pygame sounds or functions that make one; ``also`` is called with every cue.

        A function is called once, when the mixer is open.

        UsageError for a file that is missing or cannot be read.
        """
        if not isinstance(sounds, Mapping):
            raise UsageError(f"sounds must map cues to files, such as {{'hit': 'hit.wav'}}, not {sounds!r}")
        self._also = also
        self._sounds: dict[str, Any] = {}
        files = {name: _found(sound, folder) for name, sound in sounds.items() if isinstance(sound, (str, Path))}
        try:
            pygame.mixer.init()
        except pygame.error:
            return
        try:
            self._sounds = {
                name: pygame.mixer.Sound(files[name]) if name in files else sound() if callable(sound) else sound
                for name, sound in sounds.items()
            }
        except pygame.error as error:
            raise UsageError(f"a sound cannot be read: {error}") from None

    def __call__(self, cue: Hashable) -> None:
        name = cue[0] if isinstance(cue, tuple) and cue else cue
        if sound := self._sounds.get(str(name)):
            sound.play()
        if self._also is not None:
            self._also(cue)


def _found(name: str | Path, folder: Path) -> Path:
    for path in (Path(name), folder / name):
        if path.is_file():
            return path
    raise UsageError(f"there is no sound file {name}, neither in the working directory nor in {folder}")


Draw: TypeAlias = Callable[[Surface, Any, Seats], object]
Press: TypeAlias = Callable[[Keys], int]

OF_THE_CLASS = ("press", "result")
OF_A_MODULE = ("draw", "press", "result", "title", "size", "hear", "sounds", "config")
"""Arguments that are taken from a game's class, and from its module, if not given; a class may also have ``draw``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowGame:
    """The arguments of :func:`retick.integrations.pygame.play`, checked."""

    game: Callable[[], Any]
    """Class or function that makes the game."""
    draw: Draw
    """``draw(screen, world, me)`` draws the world, or the state of a game that has no world, on the whole screen.
    ``me`` has the seats played here: one, several at one keyboard, or none for a spectator and a replay; ``me.names``
    has the name of each seat's player."""
    press: tuple[Press, ...]
    """``press(keys)`` returns the buttons of one person, with one function for each person at this keyboard. Online, a
    person who plays alone here may use everybody's keys."""
    title: str = ""
    """Title of the window and the menu; "" for the game's id."""
    size: tuple[int, int] = (640, 480)
    """Width and height of the picture in pixels; a larger window scales it."""
    result: Callable[[Any], str | None] | None = None
    """``result(world)`` says in a few words how the match ended; None before. Without it a match has no end."""
    hear: Callable[[Hashable], object] | None = None
    """``hear(cue)`` is called once when a cue of the game begins, to play its sound."""
    config: MatchConfig = field(default_factory=MatchConfig)
    """Settings of all matches."""
    port: int = 7777
    """UDP port of a host."""
    folder: Path | None = Path("matches")
    """Folder for recordings and desync reports; None to write nothing."""
    bot: bool = False
    """Let the game's own bot, or random buttons, play here."""
    everybody: bool = False
    """Host open matches: sealed, for all who know the address, with words to compare aloud. Otherwise only players
    with the invite can join."""
    plain: bool = False
    """Leave links unsealed, so that others can read and forge them; all players must say it."""
    relay: str = ""
    """Address of the relay for online matches; "" for the one in RETICK_RELAY."""
    relay_only: bool = False
    """Send online matches only through the relay, so that no player learns another's address."""
    identity: Path | None = None
    """File with a lasting key of this machine, made at first use; others recognise it by its fingerprint."""
    keylog: Path | None = None
    """File to which the keys of all links are appended, to read captures."""
    bad_link: Conditions | None = None
    """Makes the network of this window bad, in both directions."""
    say: Callable[[str], object] = lambda _line: None
    """Called with a line for the terminal about each event."""

    def __post_init__(self) -> None:
        if not callable(self.game):
            raise UsageError(f"game must be a class or function that makes a game, not a {type(self.game).__name__}")
        if not callable(self.draw):
            raise UsageError(
                "draw must be a function draw(screen, world, me), or a method draw(self, screen) of the game"
            )
        if not self.press or not all(callable(each) for each in self.press):
            raise UsageError("press must be a function press(keys), or several, one for each person at the keyboard")
        if not isinstance(self.title, str):
            raise UsageError(f"title must be a text, not a {type(self.title).__name__}")
        if not (isinstance(self.size, tuple) and [type(each) for each in self.size] == [int, int]):
            raise UsageError(f"size must be the width and height of the window, such as (640, 480), not {self.size!r}")
        if not isinstance(self.config, MatchConfig):
            raise UsageError(f"config must be a MatchConfig, not a {type(self.config).__name__}")

    def make(self) -> Simulation[Any]:
        """Make a new game; a world gets its adapter."""
        made = self.game()
        return made if hasattr(made, "step") else WorldSimulation(made)


def window_game_of(game: Callable[[], Any], *modules: Any, **given: Any) -> WindowGame:
    """Make a WindowGame of what is given; the rest comes from the game's class, ``modules`` or its own module.

    ``given`` has fields of :class:`WindowGame`, and ``sounds``; None counts as not given if a module can have it.
    """
    if not callable(game):
        raise UsageError(f"game must be a class or function that makes a game, not a {type(game).__name__}")
    found = {name: value for name, value in given.items() if value is not None or name not in OF_A_MODULE}
    made = game()
    kind = type(getattr(made, "world", made))
    own = sys.modules.get(kind.__module__)
    if "draw" not in found and _is_world(made) and callable(method := getattr(kind, "draw", None)):
        found["draw"] = partial(_draw_itself, _three_arguments(method, is_method=True))
    for place, names in ((kind, OF_THE_CLASS), *((module, OF_A_MODULE) for module in (*modules, own))):
        for name in names:
            value = getattr(place, name, None)
            is_field = place is kind and not callable(value) and not isinstance(value, tuple)
            if name not in found and value is not None and not is_field:
                found[name] = value
    for name, how in (("draw", "draw(screen, world, me), or a method draw(self, screen)"), ("press", "press(keys)")):
        if name not in found:
            raise UsageError(f"{kind.__name__} has no {name}: write {how} in it or in its module, or give it to play")
    if not isinstance(found["draw"], partial) and callable(found["draw"]):
        found["draw"] = _three_arguments(found["draw"])
    if callable(found["press"]):
        found["press"] = (found["press"],)
    if sounds := found.pop("sounds", None):
        folder = Path(getattr(own, "__file__", None) or ".").parent
        found["hear"] = Sounds(sounds, folder, also=found.get("hear"))
    title = {"title": str(getattr(made, "game_id", "")) or kind.__name__}
    return WindowGame(game=game, **{**title, **found, "press": tuple(found["press"])})


def _is_world(made: Any) -> bool:
    return isinstance(made, SimulatedWorld) or not hasattr(made, "step")


def _draw_itself(method: Callable[[Any, Surface, Seats], object], screen: Surface, world: Any, me: Seats) -> object:
    return method(world, screen, me)


def _three_arguments(draw: Callable[..., object], *, is_method: bool = False) -> Callable[..., object]:
    """Let ``draw`` take a third argument, ``me``, which it may lack."""
    try:
        parameters = list(inspect.signature(draw).parameters.values())
    except (TypeError, ValueError):  # written in C
        return draw
    if any(each.kind is each.VAR_POSITIONAL for each in parameters):
        return draw
    more = parameters[2:]
    takes_me = bool(more) and (not is_method or more[0].name == "me")
    if len(parameters) < 2 or any(each.default is each.empty for each in more[takes_me:]):
        rule = "draw(self, screen) or draw(self, screen, me)" if is_method else "draw(screen, world, me)"
        names = ", ".join(each.name for each in parameters)
        raise UsageError(f"draw({names}) must be {rule}: fonts and pictures are made once, at the top of the module")
    return draw if takes_me else lambda first, second, _me: draw(first, second)


class Drawable:
    """Turns a state into what is drawn: the state itself, or a second world that is never in the middle of a step."""

    def __init__(self, game: WindowGame, sim: Any) -> None:
        self._sim = sim
        other: Any = game.make() if isinstance(sim, SimulatedWorld) else None
        self._world = None if other is None else other.world

    def __call__(self, state: Any) -> Any:
        if self._world is None:
            return state
        self._sim.load_into(self._world, state)
        return self._world
