"""Follows imports from file to file, within the package of the first one."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from retick.audit.static.scopes import absolute_module
from retick.audit.targets import SourceFile

__all__ = ["followed"]


def followed(files: tuple[SourceFile, ...]) -> tuple[SourceFile, ...]:
    """``files`` and what they import from their own top-level package; without a package, from files beside them."""
    found = {file.path: file for file in files}
    waiting = list(files)
    while waiting:
        for near in _imported_by(waiting.pop()):
            if near.path not in found:
                found[near.path] = near
                waiting.append(near)
    return tuple(found.values())


def _imported_by(file: SourceFile) -> Iterator[SourceFile]:
    try:
        tree = ast.parse(file.path.read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    own = file.module.split(".")[0]
    for node in ast.walk(tree):
        for module in _modules_named(node, file.package):
            same_package = module.split(".")[0] == own and file.package
            beside = not file.package and module.split(".")[0] not in sys.stdlib_module_names
            if same_package or beside:
                yield from _sources_of(file.root, module)


def _modules_named(node: ast.AST, package: str) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        module = absolute_module(node, package)
        return [module, *(f"{module}.{alias.name}" for alias in node.names)]
    return []


def _sources_of(root: Path, module: str) -> Iterator[SourceFile]:
    """The module's file, and the ``__init__`` of each package on the way to it, which run too."""
    path = root
    for part in module.split("."):
        if not part:
            return
        path = path / part
        for candidate in (path / "__init__.py", path.with_suffix(".py")):
            if candidate.exists():
                yield SourceFile(candidate, root)
                break
