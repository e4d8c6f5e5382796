"""A game of the user in the play room: its fields, its picture if it has one, its keys, and its bots."""

import importlib.util
import re
import sys
from collections.abc import Callable, Hashable
from enum import IntFlag
from itertools import islice
from typing import Any

from retick.audit.game_loader import load_game, press_function_of
from retick.errors import UsageError
from retick.integrations.window_module import find_window, window_game
from retick.playing.confirmed_match import ConfirmedMatch
from retick.playing.controllers import Controller, Restless
from retick.playing.keys import Buttons, Keyboard
from retick.rollback import RollbackSession
from retick.rollback.session.application import Drawn
from retick.sim.contract import input_size_of
from retick.sim.world import SimulatedWorld
from retick.studio.play.shown_game import ShownFighter, ShownGame
from retick.studio.shown import shown_fields

# A canvas that records the shapes that a game draws; the page gets them as a list and draws them.
MOST_SHAPES = 2000
"""Most shapes of a picture; further ones are left out."""
LONGEST_TEXT = 200
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


class Drawing:
    """Records shapes: coordinates are pixels from the upper left corner, colours ``#rrggbb`` or a tuple."""

    def __init__(self, size: tuple[int, int]) -> None:
        self.size = size
        self.shapes: list[list[Any]] = []

    def rect(self, x: float, y: float, width: float, height: float, colour: object) -> None:
        """Fill a rectangle, given its upper left corner."""
        self._add("rect", (x, y, width, height), colour)

    def circle(self, x: float, y: float, radius: float, colour: object) -> None:
        """Fill a circle, given its centre."""
        self._add("circle", (x, y, max(radius, 0)), colour)

    def line(self, x1: float, y1: float, x2: float, y2: float, width: float, colour: object) -> None:
        """Draw a line of a width."""
        self._add("line", (x1, y1, x2, y2, width), colour)

    def text(self, x: float, y: float, text: object, size: float, colour: object) -> None:
        """Write a text ``size`` pixels high, given its upper left corner."""
        if len(self.shapes) < MOST_SHAPES:
            shown = str(text)[:LONGEST_TEXT]
            self.shapes.append(["text", *_numbers((x, y)), shown, *_numbers((size,)), _colour(colour)])

    def _add(self, kind: str, numbers: tuple[float, ...], colour: object) -> None:
        if len(self.shapes) < MOST_SHAPES:
            self.shapes.append([kind, *_numbers(numbers), _colour(colour)])


def _numbers(values: tuple[float, ...]) -> list[float]:
    try:
        return [_bounded(value) for value in values]
    except (TypeError, ValueError):
        raise UsageError(f"coordinates and sizes must be numbers, not {values!r}"[:LONGEST_TEXT]) from None


def _bounded(value: float) -> float:
    if value != value:
        raise ValueError("not a number")
    return round(float(min(max(value, -1e6), 1e6)), 1)


def _colour(value: object) -> str:
    if isinstance(value, str) and _COLOUR.fullmatch(value):
        return value
    if isinstance(value, tuple) and len(value) == 3 and all(isinstance(one, int) and 0 <= one <= 255 for one in value):
        return "#{:02x}{:02x}{:02x}".format(*value)
    raise UsageError(f"a colour must be '#rrggbb' or (red, green, blue) from 0 to 255, not {value!r}")


MOST_FIELDS = 500
"""Most rows of the table."""
SIZE = (640, 480)
LARGEST_SIDE = 4096
"""Largest width and height of a picture, in pixels."""
ARROWS = {"left": ["ArrowLeft", "KeyA"], "right": ["ArrowRight", "KeyD"], "up": ["ArrowUp", "KeyW"],
          "down": ["ArrowDown", "KeyS"]}  # fmt: skip
OTHERS = (["Space", "KeyJ"], ["KeyK"], ["KeyL"], ["KeyU"], ["KeyI"], ["KeyO"])
"""Keys of the buttons that are not directions, in order."""
NAMES = ("LEFT", "RIGHT", "UP", "DOWN", "JUMP", "FIRE", "SHOOT", "ATTACK", "STRIKE", "DASH", "THRUST", "BRAKE", "USE")
"""Names of constants that a module may have for its buttons."""


def shown_game_for(name: str | None) -> ShownGame:
    """Make the game named on the command line, or the fighter."""
    return ShownFighter() if name is None else OwnGame(name)


class OwnGame:
    """The user's game, named as module:Class or file.py:Class."""

    styles: tuple[str, ...] = ()

    def __init__(self, name: str) -> None:
        self._make = load_game(name)
        sim = self._make()
        self._kind = type(sim.world) if isinstance(sim, SimulatedWorld) else type(sim)
        self._module = sys.modules.get(self._kind.__module__)
        self._draw_page = self._find_draw_page()
        self._window = None if importlib.util.find_spec("pygame") is None else self._find_window(name)
        self._surface: Any = None
        if self._draw_page is None and self._window is not None:
            from retick.studio.play.surface import SurfacePicture  # imports pygame, which a window found has

            self._surface = SurfacePicture(self._window)
        self.has_table = True
        self.has_jpeg = self._surface is not None
        self._title = name
        self._buttons = self._find_buttons(sim)

    def make(self) -> Any:
        return self._make()

    def hello(self) -> dict[str, Any]:
        pictures = "canvas" if self._draw_page is not None else "jpeg" if self.has_jpeg else "none"
        return {
            "kind": "own",
            "title": self._title,
            "fields": [],
            "first": [],
            "rules": {},
            "pictures": pictures,
            "size": self._size() if pictures != "none" else None,
            "buttons": self._buttons,
        }

    def bot(self, sim: Any, seed: int, player: int, style: str) -> Controller:
        press = press_function_of(sim) or Restless(input_size_of(sim)).press
        return lambda state, _now, /: press(player, state)

    def confirmed(self, sim: Any, seed: int, state: Any, frame: int) -> ConfirmedMatch:
        result = None if self._window is None else self._window.result
        return _ConfirmedOwn(self._make(), seed, state, frame, result)

    def outcome(self, confirmed: ConfirmedMatch, names: list[str]) -> str:
        assert isinstance(confirmed, _ConfirmedOwn)
        return confirmed.said

    def values(self, session: RollbackSession) -> Any:
        if self._draw_page is None:
            return None
        drawing = Drawing(self._size())
        self._draw_page(drawing, _shown(session))
        return drawing.shapes

    def ghost(self, sim: Any, state: Any) -> None:
        return None

    def table(self, session: RollbackSession) -> dict[str, Any]:
        rows = iter(session.sim.fields(session.state))
        fields, _ = shown_fields(islice(rows, MOST_FIELDS))
        return {"fields": fields, "more": sum(1 for _ in rows)}

    def jpeg(self, session: RollbackSession) -> bytes:
        picture: bytes = self._surface.jpeg(_shown(session), session.local_players, session.sim.num_players)
        return picture

    def _size(self) -> tuple[int, int]:
        if self._draw_page is None and self._window is not None:
            found: Any = self._window.size
        else:
            found = getattr(self._kind, "size", None) or getattr(self._module, "size", None)
        if (
            isinstance(found, tuple)
            and [type(each) for each in found] == [int, int]
            and min(found) > 0
            and max(found) <= LARGEST_SIDE
        ):
            return found[0], found[1]
        return SIZE

    def _find_draw_page(self) -> Callable[[Drawing, Any], object] | None:
        method = getattr(self._kind, "draw_page", None)
        if callable(method):
            return lambda drawing, world: method(world, drawing)
        found = getattr(self._module, "draw_page", None)
        return found if callable(found) else None

    @staticmethod
    def _find_window(name: str) -> Any:
        module = find_window(name)
        if module is None:
            return None
        for given in ({}, {"press": _keyboard_of(module)}):
            try:
                return window_game(name, module, **given)
            except UsageError:
                continue  # no press, which may be an argument of play, or a draw that is not pygame's
        return None

    def _find_buttons(self, sim: Any) -> list[dict[str, Any]]:
        if self._window is not None:
            from retick.studio.play.surface import buttons_of  # as above

            found = buttons_of(self._window.press)
            if found:
                return found
        named = _named_bits(self._module)
        others = iter(OTHERS)
        buttons = []
        for bit in range(min(8 * input_size_of(sim), 53)):
            label = named.get(1 << bit, f"bit {bit}")
            keys = [f"Digit{bit + 1}"] if bit < 9 else []
            if label in ARROWS:
                keys = [*ARROWS[label], *keys]
            elif 1 << bit in named:
                keys = [*next(others, []), *keys]
            if keys and (1 << bit in named or not named):
                buttons.append({"bit": 1 << bit, "label": label, "keys": keys})
        return buttons


def _named_bits(module: Any) -> dict[int, str]:
    """The button names of a module: an IntFlag called Button, or constants called LEFT, FIRE and so on."""
    button = getattr(module, "Button", None)
    if isinstance(button, type) and issubclass(button, IntFlag):
        return {int(one): str(one.name).lower().replace("_", " ") for one in button}
    found = {name: getattr(module, name, None) for name in NAMES}
    return {
        value: name.lower() for name, value in found.items() if isinstance(value, int) and value.bit_count() == 1
    }  # fmt: skip


def _keyboard_of(module: Any) -> Any:
    """The Keyboard or Buttons in a module, which it passes to ``play``; otherwise a press without keys."""
    found = [value for value in vars(module).values() if isinstance(value, Keyboard | Buttons)]
    return found[0] if found else lambda _keys: 0


def _shown(session: RollbackSession) -> Any:
    """The argument of a game's ``draw``: its world, or else its state."""
    return session.world if isinstance(session.sim, SimulatedWorld) else session.state


class _ConfirmedOwn(ConfirmedMatch):
    """A match that the game's ``result`` decides; without it a match has no end."""

    def __init__(
        self, sim: Any, seed: int, state: Any, frame: int, result: Callable[[Any], Hashable | None] | None
    ) -> None:
        self._result = result
        self._drawn = Drawn(sim) if isinstance(sim, SimulatedWorld) and result is not None else None
        self.said = ""
        super().__init__(sim, seed, state=state, frame=frame)

    def decides(self, state: Any) -> bool:
        if self._result is None:
            return False
        said = self._result(state if self._drawn is None else self._drawn.at(state))
        self.said = "" if said is None else str(said)
        return said is not None
