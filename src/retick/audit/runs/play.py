"""The match that the dynamic checks play: a game from its name, seeded inputs, and what is compared of each state.

Runs inside the worker processes. Inputs stay the same for a few frames, as those of people do. Values are compared as
text in which sets are sorted and no addresses occur, so that equal values have equal texts in every process.
"""

import dataclasses
import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from retick.errors import UsageError
from retick.sim.contract import input_size_of
from retick.sim.prng import XorShift32

__all__ = ["Observation", "game_factory", "inputs_for", "observe"]

_REQUIRED = ("num_players", "initial_state", "step", "checksum", "fields")


class Observation(NamedTuple):
    """What is compared of one state."""

    checksum: int
    fields: tuple[tuple[str, str], ...]

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that stand for all fields."""
        return hashlib.blake2b(repr(self.fields).encode(), digest_size=8).hexdigest()

    def differences(self, other: "Observation") -> list[tuple[str, str, str]]:
        """Name and both values of each field that differs."""
        ours, theirs = dict(self.fields), dict(other.fields)
        absent = "absent"
        return [
            (name, ours.get(name, absent), theirs.get(name, absent))
            for name in {**ours, **theirs}
            if ours.get(name, absent) != theirs.get(name, absent)
        ]


def observe(game: Any, state: Any) -> Observation:
    """What is compared of ``state``."""
    return Observation(game.checksum(state), tuple((str(name), as_text(value)) for name, value in game.fields(state)))


def as_text(value: Any) -> str:
    """``value`` as text that equal values share across processes."""
    if isinstance(value, set | frozenset):
        return f"{type(value).__name__}({', '.join(sorted(as_text(one) for one in value))})"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}({', '.join(as_text(one) for one in value)})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{as_text(key)}: {as_text(one)}" for key, one in value.items()) + "}"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
    elif repr(value) == object.__repr__(value):
        parts = ((name, one) for name, one in sorted(getattr(value, "__dict__", {}).items()))
    else:
        return repr(value)
    return f"{type(value).__name__}({', '.join(f'{name}={as_text(one)}' for name, one in parts)})"


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


def inputs_for(game: Any, *, seed: int, frames: int, mask: int | None) -> Iterator[tuple[int, ...]]:
    """The inputs of each frame. ``mask`` keeps only some bits, for games that refuse the others."""
    rng = XorShift32(seed)
    kept = (1 << (8 * input_size_of(game))) - 1 if mask is None else mask
    held = [0] * game.num_players
    for frame in range(frames):
        for player in range(game.num_players):
            change, rng = rng.below(4)
            if change == 0 or frame == 0:
                low, rng = rng.next()
                high, rng = rng.next()
                held[player] = (high << 32 | low) & kept
        yield tuple(held)
