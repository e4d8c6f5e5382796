"""Runs programs in one build of Retick and tells what can be observed: started by ``judge`` as a process of its own.

It is run by its path, with the sources of a build on PYTHONPATH, so it imports nothing but the standard library and
Retick's public names. Standard input has one program a line, standard output one answer a line.

The story of a program has a line for everything that an operation shows and for how it ends. A line that begins with
``~`` may differ between a world that is loaded after every operation and one that never is; after ``~~`` all may.
"""

import base64
import copy
import json
import marshal
import math
import os
import pickle
import re
import sys
import types
import typing
from collections.abc import Callable, Iterable
from enum import Enum, Flag, IntEnum, StrEnum
from typing import Any
from zlib import crc32

from retick import errors, sim
from retick.sim.world import WorldState, members_of

__all__ = ["main", "play"]

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_INTERPRETERS_WORDS = (
    (re.compile(r"\bretick\.sim\.(?:\w+\.)*(?=[A-Z])"), ""),
    (re.compile(r"Value after \* must be an iterable, not (\w+)"), r"'\1' object is not iterable"),
    (re.compile(r"attribute '(\w+)' of '\w+' objects is not writable"), r"'\1' is not writable"),
    (re.compile(r"property '(\w+)' of '\w+' object has no (?:setter|deleter)"), r"'\1' is not writable"),
)
"""Words of Python and Cython that say the same of a class in C and of one in Python."""
LONGEST = 2000
"""Characters of a value in a story; a longer one is told by its checksum."""


# What programs use besides Retick's own names.


class Mood(Enum):
    CALM = "calm"
    ANGRY = "angry"
    ASLEEP = None
    CROSS = "angry"  # noqa: PIE796 - a second name of a member is one of the cases


class Size(IntEnum):
    SMALL = 10
    LARGE = 20


class Tint(StrEnum):
    RED = "red"
    BLUE = "blue"


class Bits(Flag):
    ONE = 1
    TWO = 2


Many = Enum("Many", {f"M{number}": number * 3 for number in range(300)})  # type: ignore[misc]  # made of a table


class MyInt(int):
    pass


class MyFloat(float):
    pass


class MyStr(str):
    __slots__ = ()


class MyVector(sim.Vector2):
    pass


class Floaty:
    """Can be made a float and an index, and is neither."""

    def __float__(self) -> float:
        return 1.0

    def __index__(self) -> int:
        return 1

    def __repr__(self) -> str:
        return "Floaty()"


class Rude:
    """Has no repr."""

    def __repr__(self) -> str:
        raise ValueError("no repr")


class Other(sim.World):
    """A world of another declaration."""

    num_players = 1
    number: int

    def advance(self, inputs: Any) -> None:
        self.number += inputs[0]


def text_of(value: Any) -> str:
    """A value with its type, where the type is not told by the value itself."""
    if isinstance(value, sim.Thing):
        return f"<{type(value).__name__} {value.id}>"
    if isinstance(value, sim.World):
        return f"<{type(value).__name__}>"
    if isinstance(value, WorldState):
        return f"<state {state_text(value)} {value.cues!r}>"
    if type(value) in (list, tuple):
        return f"{type(value).__name__}({', '.join(map(text_of, value))})"
    shown = _ADDRESS.sub("", repr(value))
    if len(shown) > LONGEST:
        shown = f"{shown[:40]}... {len(shown)} characters, {crc32(shown.encode('utf-8', 'replace')):08X}"
    if value is None or type(value) in (bool, int, float, str, bytes, sim.Vector2, sim.Rect, sim.FRect):
        return shown
    if isinstance(value, list):
        return f"list({', '.join(map(text_of, value))})"
    return f"{type(value).__name__} {shown}"


def state_text(state: WorldState) -> str:
    saved = state.saved
    return f"{len(saved)} {crc32(saved):08X}" if isinstance(saved, bytes) else "not kept"


def error_text(error: BaseException) -> str:
    """An error with its texts and attributes, and the lines of the program that it passed."""
    places = []
    trace = error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name.startswith("unit "):
            places.append(f"{name[5:]}:{trace.tb_lineno}")
        trace = trace.tb_next
    try:
        words = _ADDRESS.sub("", str(error))
        if isinstance(error, TypeError | AttributeError):
            for pattern, instead in _INTERPRETERS_WORDS:
                words = pattern.sub(instead, words)
    except Exception as inner:
        words = f"no text: {inner}"
    more = {name: value for name, value in vars(error).items() if name != "__notes__"}
    notes = getattr(error, "__notes__", ())
    extra = f" {sorted(more.items())!r}" if more else ""
    return f"{type(error).__name__}: {words}{extra}{' '.join(['', *notes])} @ {' > '.join(places)}"


HOT = ("a", "b", "c", "x", "y", "hp", "at", "mood", "best", "aim")
_WRITER = """
def write_{name}(it, value):
    it.{name} = value
    return it.{name}
"""


def _writers() -> dict[str, Callable[..., Any]]:
    """Functions in which one line writes to things of many classes, of one program after the other."""
    names: dict[str, Any] = {}
    for name in HOT:
        exec(_WRITER.format(name=name), names)
    return {f"write_{name}": names[f"write_{name}"] for name in HOT}


class Story:
    """The story of one run, and the names by which the program tells it."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def show(self, *values: Any) -> None:
        self.lines.append(" ".join(map(text_of, values)))

    def hush(self, *values: Any) -> None:
        """Show what a load may change."""
        self.lines.append("~ " + " ".join(map(text_of, values)))

    def apart(self) -> None:
        """From here on a world that was loaded may be another."""
        self.lines.append("~~")

    def note(self, error: BaseException) -> None:
        self.lines.append(f"caught {error_text(error)}")

    def attempt(self, call: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Call, and show the result or the error."""
        try:
            made = call(*given, **named)
        except Exception as error:
            self.note(error)
            return None
        self.show(made)
        return made

    def look(self, world: Any, depth: int = 0) -> None:
        """Show the bytes of a world; with ``depth``, also all its values."""
        try:
            saved = world.save()
            self.lines.append(f"saved {len(saved)} {crc32(saved):08X} next {world.next_id}")
            if depth:
                self.lines.append(" ".join(f"{name}={value!r}" for name, value in world.fields()))
            if depth > 1:
                self.lines.append(repr(world))
        except Exception as error:
            self.note(error)

    def peek(self, thing: Any, links: str = "") -> None:
        """Show the fields of a thing, references apart: an older state may hold what they named."""
        names, hushed = [], set(links.split())
        for member in members_of(type(thing)):
            try:
                value = getattr(thing, member.name)
                words = f"{member.name}={text_of(value)}"
            except Exception as error:
                words = f"{member.name}!{error_text(error)}"
            if member.name in hushed:
                self.lines.append(f"~ {words}")
            else:
                names.append(words)
        self.lines.append(f"{type(thing).__name__} {thing.id} {' '.join(names)}")


def survey(world: Any, seats: list[Any]) -> Any:
    """The numbers that a server sends of a world, and the bytes that a client makes of them."""
    from retick.authority.holding import Restorer
    from retick.authority.layout import layout_of
    from retick.authority.views import Stage

    kind: Any = type(world)
    layout = layout_of(kind)
    rows = Stage(layout, world).survey(1, seats)
    told = [list(rows.ids), list(rows.kinds), list(rows.values)]
    return told, crc32(Restorer(layout).saved(rows))


def engine_run(world: Any, frames: int, late: int, seed: int, *, sparse: bool, tell: Callable[..., None]) -> None:
    """A peer that hears late, and mostly something else than it guessed."""
    from retick.rollback.engine import RollbackEngine

    dice = seed * 2654435761 & 0xFFFFFFFF or 1

    def drawn() -> int:
        nonlocal dice
        dice = (dice * 1103515245 + 12345) & 0x7FFFFFFF
        return dice >> 9 & 0xFFFF

    engine = RollbackEngine(world, world.initial_state(seed), local_player=0, history=16, sparse_saving=sparse)
    inputs = [[drawn() if drawn() & 1 else 0 for _ in range(frames)] for _ in range(world.num_players)]
    for frame in range(frames):
        engine.advance(inputs[0][frame])
        if frame >= late - 1:
            for player in range(1, world.num_players):
                engine.add_remote_inputs(player, frame - late + 1, [inputs[player][frame - late + 1]])
        if drawn() % 3 == 0:
            tell("frame", frame, engine.state, f"{world.checksum(engine.state):08X}")
    tell(engine.state, f"{world.checksum(engine.state):08X}", engine.stats.rollbacks)
    again = world.unpack_state(world.pack_state(engine.state))
    tell(again == engine.state, world.fields(engine.state) == world.fields(again))


def mutated(data: bytes, at: int, value: int, cut: int = 0) -> bytes:
    """Saved bytes with one byte replaced, and some taken off or added at the end."""
    changed = bytearray(data)
    if changed:
        changed[at % len(changed)] = value & 255
    return bytes(changed[: len(changed) - cut] if cut > 0 else changed + bytes(-cut))


def next_id_set(data: bytes, number: int) -> bytes:
    """Saved bytes whose next id is another one."""
    return data[:9] + number.to_bytes(4, "little") + data[13:]


def _common_names() -> dict[str, Any]:
    from retick.sim.world import hosting

    names = {name: getattr(sim, name) for name in sim.__all__}
    names |= {name: getattr(typing, name) for name in ("Annotated", "Any", "ClassVar", "Optional", "Union")}
    names |= {name: getattr(hosting, name) for name in ("HostedWorld", "begin", "make_read_only", "player_joins")}
    names |= {name: getattr(hosting, name) for name in ("player_leaves", "set_host", "tick")}
    own = (Mood, Size, Tint, Bits, Many, MyInt, MyFloat, MyStr, MyVector, Floaty, Rude, Other)
    names |= {each.__name__: each for each in own}
    names |= _writers()
    names |= {"nan": math.nan, "inf": math.inf, "copy": copy, "pickle": pickle, "errors": errors, "crc32": crc32}
    return names | {
        "WorldState": WorldState,
        "members_of": members_of,
        "survey": survey,
        "engine_run": engine_run,
        "mutated": mutated,
        "next_id_set": next_id_set,
    }


_COMMON = _common_names()


def _run_unit(code: Any, names: dict[str, Any], story: Story, number: int) -> None:
    try:
        exec(code, names)
        story.lines.append(f"[{number}]")
    except Exception as error:
        story.lines.append(f"[{number}] {error_text(error)}")


def _load_again(names: dict[str, Any], story: Story, number: int) -> None:
    """Save and load the world of the program: nothing may change."""
    world = names.get("w")
    if isinstance(world, sim.World):
        try:
            if number % 3:
                world.load(world.save())
            else:
                world.reload(WorldState(world.save()))
        except Exception as error:
            story.lines.append(f"~ not loaded: {error_text(error)}")


def play(classes: Iterable[Any], operations: list[Any]) -> list[str]:
    """The stories of one program: never loaded, and loaded after every operation."""
    module = types.ModuleType("program")
    sys.modules["program"] = module
    names = vars(module)
    names |= _COMMON
    declared = Story()
    for name in ("show", "hush", "apart", "note", "attempt", "look", "peek"):
        names[name] = getattr(declared, name)
    number = -1
    for number, code in enumerate(classes):
        _run_unit(code, names, declared, number)
    stories = []
    first = number + 1
    for is_loaded in (False, True):
        story = Story()
        story.lines += declared.lines
        # Methods of the program's classes see the names of the module, and operations have a copy of them.
        for name in ("show", "hush", "apart", "note", "attempt", "look", "peek"):
            names[name] = getattr(story, name)
        used = dict(names)
        for number, code in enumerate(operations, first):
            _run_unit(code, used, story, number)
            if is_loaded:
                _load_again(used, story, number)
        stories.append("\n".join(story.lines))
    return stories


def _bound_memory() -> None:
    """A list that runs away ends this process, not the machine."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, resource.getrlimit(resource.RLIMIT_AS)[1]))
    except (ImportError, ValueError, OSError):
        pass


def main() -> None:
    """Answer until standard input ends."""
    import faulthandler
    import importlib

    _bound_memory()
    faulthandler.enable()
    # A flaw to plant: the name of a module and of a function in it, which changes the imported build.
    if flaw := os.environ.get("RETICK_PLANTED"):
        module, _, name = flaw.partition(":")
        sys.path.append(os.environ["RETICK_PLANTED_FROM"])
        getattr(importlib.import_module(module), name)()
    for line in sys.stdin:
        job = json.loads(line)
        classes, operations = marshal.loads(base64.b64decode(job["code"]))
        print(json.dumps(play(classes, operations)), flush=True)


if __name__ == "__main__":
    import retick

    print(json.dumps([retick.__file__, retick.is_compiled()]), flush=True)
    main()
