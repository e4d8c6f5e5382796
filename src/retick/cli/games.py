"""Finds the game that a command was pointed at."""

import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from retick.errors import UsageError

__all__ = ["load_game"]


def load_game(text: str) -> Callable[[], Any]:
    """The class or factory named by ``package.module:Name`` or ``path/to/file.py:Name``."""
    place, colon, name = text.rpartition(":")
    if not colon or not place or not name:
        raise UsageError(f"a game is named as module:Class or file.py:Class, not {text!r}")
    module = _from_file(Path(place)) if place.endswith(".py") else _from_name(place)
    found = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise UsageError(f"{place} has no {name}")
        found = getattr(found, part)
    if not callable(found):
        raise UsageError(f"{text} is not a class or a function that makes a game")
    return found  # type: ignore[no-any-return]  # a user's own object


def _from_name(name: str) -> Any:
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        return importlib.import_module(name)
    except (ImportError, SyntaxError) as error:
        raise UsageError(f"cannot import {name}: {error}") from error


def _from_file(path: Path) -> Any:
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    try:
        spec.loader.exec_module(module)
    except (ImportError, SyntaxError) as error:
        raise UsageError(f"cannot import {path}: {error}") from error
    return module
