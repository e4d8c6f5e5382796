"""One limit, and where its value is."""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import retick
from retick.errors import UsageError

__all__ = ["Limit", "declared"]


class Limit(NamedTuple):
    """One limit."""

    where: str
    """A module under ``retick``, a colon, and a constant, or a class and its field."""
    what: str
    """What is limited."""
    small: str
    """How it is made small in a test."""
    passed_by: str
    """A test, by file and name; or "cheat:" and the name of one, or "chaos" for ordinary seeded matches."""

    @property
    def value(self) -> Any:
        """Its value, or that of a new configuration."""
        module, _, path = self.where.partition(":")
        owner, _, field = path.partition(".")
        found: Any = import_module(f"retick.{module}")
        if field:
            return getattr(getattr(found, owner)(), field)
        return getattr(found, owner) if hasattr(found, owner) else _in_source(module, owner)


def declared(value: ast.expr) -> ast.expr:
    """What a constant is given; for ``cython.declare(TYPE, 5)``, the second argument."""
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "cython.declare" and len(value.args) == 2:
        return value.args[1]
    return value


def _in_source(module: str, name: str) -> Any:
    """A constant that a compiled kernel has only for itself, from the Python source."""
    source = Path(retick.__file__).parent.joinpath(*module.split(".")).with_suffix(".py").read_text(encoding="utf-8")
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return ast.literal_eval(declared(node.value))
    raise UsageError(f"there is no {name} in retick.{module}")
