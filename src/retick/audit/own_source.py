"""Finds the source that belongs to a game: its own package or folder, but no installed library."""

import inspect
import os
import sys
from pathlib import Path
from types import CodeType
from typing import Any

from retick.sim.contract import Simulation
from retick.sim.world import SimulatedWorld

_OWN = str(Path(__file__).resolve().parents[1])


class OwnSource:
    """The folders with a game's own source: its package or its file's folder; in Retick itself, only ``games``."""

    def __init__(self, sim: Simulation[Any]) -> None:
        self._roots = _roots_of(sim)
        self._known: dict[CodeType, bool] = {}

    def has(self, code: CodeType) -> bool:
        """Whether ``code`` was compiled from one of these folders."""
        known = self._known.get(code)
        if known is None:
            known = self._known[code] = self._is_inside(os.path.abspath(code.co_filename))
        return known

    def _is_inside(self, name: str) -> bool:
        if name.startswith(_OWN + os.sep) and not name.startswith(os.path.join(_OWN, "games") + os.sep):
            return False
        inside = [name[len(root) :] for root in self._roots if name.startswith(root + os.sep)]
        return any("site-packages" not in rest for rest in inside)

    def shown(self, filename: str) -> str:
        """The path relative to the parent of the game's package or folder."""
        name = os.path.abspath(filename)
        root = next((root for root in self._roots if name.startswith(root + os.sep)), "")
        return Path(name).relative_to(Path(root).parent).as_posix() if root else Path(name).as_posix()


def _roots_of(sim: Simulation[Any]) -> list[str]:
    game = sim.world if isinstance(sim, SimulatedWorld) else sim
    own = Path(_OWN)
    roots: list[str] = []
    for cls in type(game).__mro__:
        file = _file_of(cls)
        if file is None or cls.__module__.split(".")[0] in sys.stdlib_module_names:
            continue
        root = Path(file).resolve().parent
        if root.is_relative_to(own):
            if not root.is_relative_to(own / "games"):
                continue
        else:
            while (root.parent / "__init__.py").exists() and (root / "__init__.py").exists():
                root = root.parent
        if str(root) not in roots:
            roots.append(str(root))
    return roots


def _file_of(cls: type) -> str | None:
    """The file that has a class's code; the module's name is not enough, since two builds may share it."""
    for member in vars(cls).values():
        code = getattr(inspect.unwrap(getattr(member, "__func__", member)), "__code__", None)
        if code is not None and os.path.isfile(code.co_filename):
            return str(code.co_filename)
    return None
