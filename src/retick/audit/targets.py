"""From what a user names to the files to read and the game to run, without importing any of it.

A target is a file, a directory, or a module by its import path, with ``:Class`` behind it to name a game. The
search for a module's source steps over compiled extensions: the .py beside one is what is audited.
"""

import ast
import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from retick.audit.static.scopes import absolute_module
from retick.errors import UsageError

__all__ = ["SourceFile", "Target", "find_target", "followed", "split_target"]


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file and the place from which its imports count."""

    path: Path
    root: Path
    """The directory that holds its top-level package, or the file itself if it is in none."""

    @property
    def module(self) -> str:
        """Its import path."""
        parts = self.path.relative_to(self.root).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def package(self) -> str:
        """What a relative import in it starts from."""
        return ".".join(self.path.relative_to(self.root).parts[:-1])


@dataclass(frozen=True, slots=True)
class Target:
    """What to audit."""

    files: tuple[SourceFile, ...]
    attribute: str | None
    """Name of the game in the module, if one was given."""

    @property
    def main(self) -> SourceFile:
        """The module that was named: a package's ``__init__`` comes first."""
        return self.files[0]


def find_target(text: str) -> Target:
    """The target that ``path``, ``module``, ``path:Class`` or ``module:Class`` names; a UsageError if there is none."""
    place, attribute = split_target(text)
    path = Path(place)
    if path.exists():
        found = _files_below(path)
    elif path.suffix == ".py" or len(path.parts) > 1:
        raise UsageError(f"no file or directory is called {place}")
    else:
        found = _files_below(_module_path(place))
    if not found:
        raise UsageError(f"{place} holds no Python source")
    if attribute and len(found) > 1 and found[0].path.name != "__init__.py":
        raise UsageError(f"{place} is a directory and no package: name the file that holds {attribute}")
    return Target(found, attribute)


def split_target(text: str) -> tuple[str, str | None]:
    """The file, directory or module, and the name behind the colon if there is one."""
    place, colon, attribute = text.rpartition(":")
    # A drive letter has a colon too, but what follows it is no name.
    if colon and attribute.replace(".", "").isidentifier() and place:
        return place, attribute
    return text, None


def _files_below(path: Path) -> tuple[SourceFile, ...]:
    path = path.resolve()
    if path.is_file():
        return (SourceFile(path, _import_root(path)),)
    files = sorted(path.rglob("*.py"), key=lambda file: (file.parent.parts, file.name != "__init__.py", file.name))
    return tuple(SourceFile(file, _import_root(file)) for file in files if "__pycache__" not in file.parts)


def _import_root(file: Path) -> Path:
    root = file.parent
    while (root / "__init__.py").exists() and root.parent != root:
        root = root.parent
    return root


def _module_path(module: str) -> Path:
    """The file or directory of a module's source."""
    first, *rest = module.split(".")
    if not all(part.isidentifier() for part in (first, *rest)):
        raise UsageError(f"{module!r} is neither a file nor a module")
    for place in _top_level(first):
        path = place.joinpath(*rest)
        if not rest and place.suffix == ".py":
            return place
        if path.is_dir() and (path / "__init__.py").exists():
            return path
        if path.with_suffix(".py").exists():
            return path.with_suffix(".py")
        if path.is_dir():
            return path
    raise UsageError(f"no module is called {module!r}, here or where Python looks for modules")


def _top_level(name: str) -> Iterator[Path]:
    """Where a top-level module may lie: the working directory first, as for ``python -m``."""
    here = Path.cwd() / name
    if (here / "__init__.py").exists() or here.is_dir():
        yield here
    if here.with_suffix(".py").exists():
        yield here.with_suffix(".py")
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        spec = None
    if spec is not None:
        yield from (Path(place) for place in spec.submodule_search_locations or ())
        if spec.origin and not spec.submodule_search_locations and spec.origin.endswith(".py"):
            yield Path(spec.origin)


def followed(files: tuple[SourceFile, ...]) -> tuple[SourceFile, ...]:
    """``files`` and whatever they import from their own top-level package, or from beside them if they have none."""
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
    except (SyntaxError, ValueError):
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
