"""Finds games by their names, for every command and every worker process.

A game is named ``package.module:Class`` or ``path/to/file.py:Class``; a file that declares one world needs no class. A
factory or a finished game object may stand in for the class, and a class of mutable worlds gets its adapter. The games
of this library are also known by the ids that their recordings carry.

``locate_game`` finds the place without importing anything, so that a parent process can pass it to a worker.
``import_game`` imports from that place. ``load_game`` does both. All raise UsageError for a wrong name.
"""

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from retick._regular_files import read_text
from retick.audit.targets import find_target, split_target
from retick.errors import UsageError
from retick.sim.contract import Simulation, input_size_of
from retick.sim.world import SimulatedWorld, Thing, World, WorldSimulation
from retick.sim.world.hosting import make_read_only

GAME_IDS = {"retick.fighter": "retick.games.fighter:Fighter", "retick.scramble": "retick.games.scramble:Scramble"}
"""Names of the games by the ids in recordings."""
_REQUIRED = ("num_players", "initial_state", "step", "checksum", "fields")
_WORLD = ("num_players", "reset", "advance", "save", "load", "fields")


def load_game(name: str) -> Callable[[], Simulation[Any]]:
    """Return a function that makes a new game each time; one was made already, to check it."""
    return import_game(**locate_game(name))


def locate_game(name: str) -> dict[str, str]:
    """Where to import the game from: the arguments of ``import_game``, which a worker process gets as JSON."""
    name = GAME_IDS.get(name, name)
    place, attribute = split_target(name)
    if attribute is None:
        name = f"{place}:{_only_world(place)}"
        place, attribute = split_target(name)
        assert attribute is not None
    if place == "__main__":
        raise UsageError(f"{name} is in the main program: name its file, as file.py:{attribute}")
    try:
        main = find_target(name).main
    except UsageError:
        if not _is_module_without_source(place):
            raise
        return {"root": str(Path.cwd()), "module": place, "attribute": attribute}
    importable = all(part.isidentifier() for part in main.module.split("."))
    module = main.module if importable else main.path.name
    return {"root": str(main.root), "module": module, "attribute": attribute}


def _only_world(place: str) -> str:
    found = worlds_in(place)
    if len(found) > 1:
        raise UsageError(f"{place} has several worlds: name one of {', '.join(f'{place}:{each}' for each in found)}")
    if not found:
        if place.endswith(".py"):
            find_target(place)  # says so if there is no such file
        raise UsageError(f"a game must be named as module:Class or file.py:Class, not {place!r}")
    return found[0]


def worlds_in(place: str) -> tuple[str, ...]:
    """The worlds that the source of a file or module declares, without importing it; empty for everything else."""
    # Here, since most commands name the class and need not read its source.
    from retick.audit.static.declared_fields import world_classes
    from retick.audit.static.parsed_file import ParsedFile

    try:
        target = find_target(place)
        if target.attribute is not None or Path(place).is_dir() or len(target.files) > 1:
            return ()
        return world_classes(ParsedFile(read_text(target.main.path, "utf-8-sig"), package=target.main.package))
    except (UsageError, OSError, SyntaxError, ValueError, RecursionError):
        return ()


def _is_module_without_source(place: str) -> bool:
    """Whether this is a module without source, such as an extension built elsewhere, which can still be played."""
    top = place.split(".")[0]
    return top.isidentifier() and (top in sys.modules or importlib.util.find_spec(top) is not None)


def import_game(root: str, module: str, attribute: str) -> Callable[[], Simulation[Any]]:
    """Import ``module`` (a file if it ends in .py) below ``root``, and return the function that makes the game."""
    found = import_object(root, module, attribute)
    if not isinstance(found, type) and hasattr(found, "step"):
        game, make = found, lambda: found
    else:
        game, make = made(found, attribute), found
    missing = [name for name in _REQUIRED if not hasattr(game, name)]
    if missing and all(hasattr(game, name) for name in _WORLD):
        return lambda *arguments: WorldSimulation(found(*arguments))
    if missing:
        raise UsageError(f"{attribute} is not a game: it has no {', '.join(missing)}")
    return make


def made_for(make: Callable[..., Simulation[Any]], num_players: int) -> Simulation[Any]:
    """Make the game for this number of players: by ``make()``, or else by ``make(num_players)``."""
    game = make()
    if game.num_players == num_players:
        return game
    try:
        other = make(num_players)
    except Exception:  # the game takes no argument, or not this number
        return game
    return other if getattr(other, "num_players", None) == num_players else game


def import_object(root: str, module: str, attribute: str) -> Any:
    """Import any object by the arguments of ``import_game``."""
    found: Any = import_from(Path(root), module)
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise UsageError(f"{module} has no {attribute!r}")
        found = getattr(found, part)
    if isinstance(found, type) and issubclass(found, Thing):
        worlds = ", ".join(_worlds_in(import_from(Path(root), module))) or "none"
        raise UsageError(f"{attribute} is a Thing, which is part of a game: name a World (in {module}: {worlds})")
    return found


def _worlds_in(module: ModuleType) -> list[str]:
    """The names of the declared worlds of a module."""
    return [name for name, found in vars(module).items() if _is_own_world(found, module)]


def _is_own_world(found: Any, module: ModuleType) -> bool:
    return isinstance(found, type) and issubclass(found, World) and found.__module__ == module.__name__


def made(factory: Any, attribute: str) -> Any:
    """Call a class or a function without arguments; UsageError if it raises."""
    try:
        return factory()
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        raise UsageError(f"{attribute} cannot be called without arguments to make a game ({text})") from error


def import_from(root: Path, module: str) -> ModuleType:
    """Import ``module``, or the file ``module`` if it ends in .py, below ``root``; UsageError if that fails."""
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    file = root / module if module.endswith(".py") else root / f"{module}.py"
    try:
        if not module.endswith(".py"):
            loaded = importlib.import_module(module)
            if "." in module or not file.exists() or _comes_from(loaded, file):
                return loaded
        # The name is not an identifier, or another module has it: import by path, under another name.
        return _import_file(file)
    except Exception as error:
        raise UsageError(f"{module} cannot be imported: {type(error).__name__}: {error}") from error
    except SystemExit as error:
        raise UsageError(f"{module} cannot be imported: it ends the program (SystemExit: {error})") from error


def module_beside(place: dict[str, str], name: str) -> ModuleType | None:
    """The module of this name beside a game's, whose place ``locate_game`` has found; None if there is none."""
    root, module = Path(place["root"]), place["module"]
    package = "" if module.endswith(".py") else module.rpartition(".")[0]
    beside = root.joinpath(*package.split(".")) if package else root
    if not (beside / f"{name}.py").is_file():
        return None
    return import_from(root, f"{package}.{name}" if package else name)


def _comes_from(module: ModuleType, file: Path) -> bool:
    """Whether the module was loaded from the file, or from its compiled form beside it."""
    origin = getattr(module, "__file__", None)
    return origin is not None and Path(origin).resolve().parent == file.parent.resolve()


def _import_file(file: Path) -> ModuleType:
    name = f"game_in_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise UsageError(f"{file} is not a Python file")
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


# A game's own bot is the function ``bot(player, state)`` or ``press(player, state)`` of the game or its module.
#
# It returns the buttons of one player in one frame, as the ``press`` of ``retick.testing.mesh.Mesh`` does. A function
# of that name with other parameters is not a bot, since it may read a keyboard. For a declared world it may be
# ``bot(player, world)``, which reads the world's fields.

Press = Callable[[int, Any], int]
NAMES = ("bot", "press")
OF_A_STATE, OF_A_WORLD = ["player", "state"], ["player", "world"]


def press_function_of(sim: Simulation[Any]) -> Press | None:
    """The game's bot; None if it has none."""
    game = sim.world if isinstance(sim, SimulatedWorld) else sim
    for place in (sim, game, sys.modules.get(type(game).__module__)):
        for name in NAMES:
            found: Any = getattr(place, name, None)
            parameters = _parameters(found) if callable(found) else []
            if parameters == OF_A_STATE:
                return found  # type: ignore[no-any-return] # its result is checked where it is used
            if parameters == OF_A_WORLD and isinstance(game, World):
                return _sees_the_world(game, found)
    return None


def _sees_the_world(game: World, bot: Press) -> Press:
    """Let ``bot`` see a read-only copy of the world instead of its state."""
    shown = type(game)()
    make_read_only(shown)
    seen: Any = None

    def press(player: int, state: Any) -> int:
        nonlocal seen
        if state is not seen:
            game.load_into(shown, state)
            seen = state
        return bot(player, shown)

    return press


def _parameters(function: Callable[..., Any]) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # written in C
        return []


def played_rows(sim: Simulation[Any], press: Press, seed: int, frames: int) -> list[tuple[int, ...]]:
    """Play a match with the bot at every seat; return its inputs."""
    largest = (1 << 8 * input_size_of(sim)) - 1
    state = sim.initial_state(seed)
    rows = []
    for _ in range(frames):
        row = tuple(int(press(player, state)) & largest for player in range(sim.num_players))
        rows.append(row)
        state = sim.step(state, row)
    return rows
