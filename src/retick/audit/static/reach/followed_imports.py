"""Follows imports from file to file, within the package of the first one."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from retick.audit.static.scopes import absolute_module
from retick.audit.targets import SourceFile

__all__ = ["followed"]


def followed(files: tuple[SourceFile, ...]) -> tuple[SourceFile, ...]:
    """``files`` and what they import from their own top-level package; without a package, from files beside them.

    The ``__init__`` of a package around an imported module runs too, and is read. What it imports is followed only if
    the package itself is imported: a package that shows its window to the world does not make the window a simulation.
    """
    found = {file.path: file for file in files}
    waiting = list(files)
    followed = set(found)
    while waiting:
        for near, is_imported in _imported_by(waiting.pop()):
            found.setdefault(near.path, near)
            if is_imported and near.path not in followed:
                followed.add(near.path)
                waiting.append(near)
    return tuple(found.values())


def _imported_by(file: SourceFile) -> Iterator[tuple[SourceFile, bool]]:
    """The near files that run for the imports of ``file``, and whether each is what is imported."""
    try:
        tree = ast.parse(file.path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return
    own = file.module.split(".")[0]
    for node in ast.walk(tree):
        for module in _modules_named(node, file):
            same_package = module.split(".")[0] == own and file.package
            beside = not file.package and module.split(".")[0] not in sys.stdlib_module_names
            if same_package or beside:
                for source in _sources_of(file.root, module):
                    yield source, source.module == module


def _modules_named(node: ast.AST, file: SourceFile) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        module = absolute_module(node, file.package)
        inner = [f"{module}.{alias.name}" for alias in node.names]
        modules = [name for name in inner if any(source.module == name for source in _sources_of(file.root, name))]
        return modules if len(modules) == len(inner) else [module, *modules]
    return []


def _sources_of(root: Path, module: str) -> list[SourceFile]:
    """The ``__init__`` of each package on the way to the module, and the module's file last, as far as they exist."""
    path, found = root, []
    for part in module.split("."):
        if not part:
            break
        path = path / part
        for candidate in (path / "__init__.py", path.with_suffix(".py")):
            if candidate.exists():
                found.append(SourceFile(candidate, root))
                break
    return found
