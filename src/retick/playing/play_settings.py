"""What a match needs beside its line: the game, who presses, the network, files. Knows no window."""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from retick.errors import UsageError
from retick.playing.keys import Keys
from retick.playing.match_files import of_the_user
from retick.rollback import MatchConfig
from retick.sim import Simulation, WorldSimulation
from retick.transport import Conditions

Press: TypeAlias = Callable[[Keys], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaySettings:
    """The keyword arguments of :class:`retick.playing.Match`, checked."""

    game: Callable[[], Any]
    """Class or function that makes the game."""
    press: tuple[Press, ...] = ()
    """``press(keys)`` returns the buttons of one person, with one function for each person at this keyboard. Online, a
    person who plays alone here may use everybody's keys."""
    title: str = ""
    """Title of the window, the menu and the waiting room."""
    result: Callable[[Any], str | None] | None = None
    """``result(world)`` says in a few words how the match ended; None before. Without it a match has no end."""
    name: str = ""
    """What the other players call this one; "" for the system's name of the user."""
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
    copy: Callable[[str], bool] = lambda _text: False
    """Puts a text on the clipboard; whether that worked."""
    paste: Callable[[], str] = lambda: ""
    """The first line on the clipboard."""

    def __post_init__(self) -> None:
        if not callable(self.game):
            raise UsageError(f"game must be a class or function that makes a game, not a {type(self.game).__name__}")
        if not all(callable(each) for each in self.press):
            raise UsageError("press must be a function press(keys), or several, one for each person at the keyboard")
        if not isinstance(self.title, str):
            raise UsageError(f"title must be a text, not a {type(self.title).__name__}")
        if not isinstance(self.config, MatchConfig):
            raise UsageError(f"config must be a MatchConfig, not a {type(self.config).__name__}")

    def make(self) -> Simulation[Any]:
        """Make a new game; a world gets its adapter."""
        made = self.game()
        return made if hasattr(made, "step") else WorldSimulation(made)


def title_of(kind: type) -> str:
    """The name of a game's class in words: SpaceTanks becomes Space Tanks."""
    name = kind.__name__
    pairs = zip(" " + name, name, name[1:] + " ", strict=False)
    begins = (f" {it}" if it.isupper() and (before.islower() or after.islower()) else it for before, it, after in pairs)
    return "".join(begins).strip().replace("_", " ")


def functions(press: Press | Sequence[Press] | None) -> tuple[Press, ...]:
    """The ``press`` of one or several people, as a tuple."""
    return () if press is None else (press,) if callable(press) else tuple(press)


OF_THE_CLASS = ("press", "result")
OF_A_MODULE = ("press", "result", "title", "config")
"""Settings that are taken from a game's class, and from its module, if not given."""


def settings_of(game: Callable[[], Any] | PlaySettings, **given: Any) -> PlaySettings:
    """Make settings of a game and what is given, or change settings."""
    if isinstance(game, PlaySettings):
        return replace(game, **given)
    if not callable(game):
        raise UsageError(f"game must be a class or function that makes a game, not a {type(game).__name__}")
    made = game()
    found = looked_up(
        made, {name: value for name, value in given.items() if value is not None or name not in OF_A_MODULE}
    )
    return PlaySettings(game=game, **plain_settings(found, type(getattr(made, "world", made))))


def looked_up(made: Any, given: dict[str, Any], *modules: Any, names: Iterable[str] = OF_A_MODULE) -> dict[str, Any]:
    """What is given, and the rest of ``names`` from the game's class, ``modules``, or its own module."""
    kind = type(getattr(made, "world", made))
    own = sys.modules.get(kind.__module__)
    found = dict(given)
    for place, wanted in ((kind, OF_THE_CLASS), *((module, names) for module in (*modules, own))):
        for name in wanted:
            value = getattr(place, name, None)
            is_field = place is kind and not callable(value) and not isinstance(value, tuple)
            if name not in found and value is not None and not is_field:
                found[name] = value
    return found


def plain_settings(found: dict[str, Any], kind: type) -> dict[str, Any]:
    """Settings as the dataclass has them: texts become paths and conditions, and a game without a title gets one."""
    made = {"title": title_of(kind), **found, "press": functions(found.get("press"))}
    for name in ("folder", "identity", "keylog"):
        if made.setdefault(name, Path("matches") if name == "folder" else None) is not None:
            made[name] = of_the_user(Path(made[name]), str(made["title"]))
    if isinstance(made.get("bad_link"), str):
        made["bad_link"] = Conditions.from_text(made["bad_link"])
    return made
