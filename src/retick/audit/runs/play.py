"""What the dynamic checks play with: a game from its name, and what is compared of each of its states.

Runs inside the worker processes. Values are compared as canonical text, so that equal values look equal in every
process.
"""

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from retick.errors import UsageError
from retick.sim.fields import FieldDifference, canonical_text, field_differences

__all__ = ["Observation", "game_factory", "observe"]

_REQUIRED = ("num_players", "initial_state", "step", "checksum", "fields")


class Observation(NamedTuple):
    """What is compared of one state."""

    checksum: int
    fields: tuple[tuple[str, str], ...]

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that stand for all fields."""
        return hashlib.blake2b(repr(self.fields).encode(), digest_size=8).hexdigest()

    def differences(self, other: "Observation") -> tuple[FieldDifference, ...]:
        """The fields that differ, their values as text."""
        return field_differences(self.fields, other.fields)


def observe(game: Any, state: Any) -> Observation:
    fields = ((str(name), canonical_text(value)) for name, value in game.fields(state))
    return Observation(game.checksum(state), tuple(fields))


def game_factory(root: str, module: str, attribute: str) -> Callable[[], Any]:
    """What makes a fresh game object; a UsageError if it cannot be imported or is no game."""
    loaded = _import(root, module)
    found: Any = loaded
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise UsageError(f"{module} has no {attribute!r}")
        found = getattr(found, part)
    if not isinstance(found, type) and hasattr(found, "step"):
        return lambda: found
    try:
        game = found()
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        raise UsageError(f"{attribute} must be callable without arguments to make a game ({text})") from error
    missing = [name for name in _REQUIRED if not hasattr(game, name)]
    if missing:
        raise UsageError(f"{attribute} is no Simulation: it lacks {', '.join(missing)}")
    return found  # type: ignore[no-any-return]  # a user's own object


def _import(root: str, module: str) -> Any:
    try:
        if not module.endswith(".py"):
            if root not in sys.path:
                sys.path.insert(0, root)
            return importlib.import_module(module)
        # A file whose name is no identifier: found by its path, and named after nothing.
        spec = importlib.util.spec_from_file_location("audited_game", f"{root}/{module}")
        if spec is None or spec.loader is None:
            raise UsageError(f"{module} cannot be loaded")
        loaded = importlib.util.module_from_spec(spec)
        sys.modules["audited_game"] = loaded
        spec.loader.exec_module(loaded)
        return loaded
    except UsageError:
        raise
    except BaseException as error:  # a module may even exit while it is imported
        raise UsageError(f"{module} cannot be imported: {type(error).__name__}: {error}") from error
