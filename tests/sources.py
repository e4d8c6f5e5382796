"""The sources of Retick, read and parsed once for all tests of a process."""

import ast
from functools import cache
from pathlib import Path

import retick

__all__ = ["SOURCE", "parsed", "sources"]

SOURCE = Path(retick.__file__).parent


@cache
def sources() -> dict[Path, str]:
    """The text of every module."""
    return {path: path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}


@cache
def parsed(text: str) -> ast.Module:
    """The tree of a module; nobody changes it."""
    return ast.parse(text)
