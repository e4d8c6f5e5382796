"""Finds the files and the game that a user names, without importing anything.

A target is a file, a directory, or a module by its import path; ``:Class`` behind it names a game. For a compiled
extension, the .py file beside it is audited. Below a directory, hidden folders and virtual environments are left out.
"""

import importlib.util
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from retick.errors import UsageError

OWN = __name__.partition(".")[0]
ENVIRONMENT_MARKS = ("pyvenv.cfg", "conda-meta")
"""What the folder of a virtual environment has in it."""
LEFT_OUT = ("__pycache__", "node_modules", "site-packages")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A source file, and the directory from which it is imported."""

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
        """Its package, from which its relative imports start."""
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


def find_target(text: str, *, progress: Callable[[str], None] = lambda text: None) -> Target:
    """The target that ``path``, ``module``, ``path:Class`` or ``module:Class`` names; a UsageError if there is none.

    ``progress`` is called with each directory that is walked.
    """
    place, attribute = split_target(text)
    path = Path(place)
    if path.exists() and not _is_own(place):
        found = _files_below(path, progress)
    elif path.suffix == ".py" or len(path.parts) > 1:
        raise UsageError(f"no file or directory is called {place}")
    else:
        found = _files_below(_module_path(place), progress)
    if not found:
        raise UsageError(f"{place} holds no Python source")
    if attribute and len(found) > 1 and found[0].path.name != "__init__.py":
        raise UsageError(f"{place} is a directory and not a package: name the file that has {attribute}")
    return Target(found, attribute)


def split_target(text: str) -> tuple[str, str | None]:
    """The file, directory or module, and the name behind the colon if there is one."""
    place, colon, attribute = text.rpartition(":")
    # A drive letter has a colon too, but no name follows it.
    if colon and attribute.replace(".", "").isidentifier() and place:
        return place, attribute
    return text, None


def _files_below(path: Path, progress: Callable[[str], None]) -> tuple[SourceFile, ...]:
    path = path.resolve()
    if path.is_file():
        return (SourceFile(path, _import_root(path)),)
    files: list[Path] = []
    for folder, below, names in os.walk(path):
        progress(folder)
        below[:] = [name for name in below if _is_walked(os.path.join(folder, name))]
        files += [Path(folder, name) for name in names if name.endswith(".py")]
    files.sort(key=lambda file: (file.parent.parts, file.name != "__init__.py", file.name))
    return tuple(SourceFile(file, _import_root(file)) for file in files)


def _is_walked(folder: str) -> bool:
    """Not what is hidden, and not installed packages. A folder that the user names is read all the same."""
    name = os.path.basename(folder)
    if name.startswith(".") or name in LEFT_OUT:
        return False
    return not any(os.path.exists(os.path.join(folder, mark)) for mark in ENVIRONMENT_MARKS)


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
    raise UsageError(f"no module is called {module!r}, neither in this folder nor on Python's path")


def _is_own(place: str) -> bool:
    """Whether it names a module of this package, which is never looked for in the working directory."""
    parts = place.split(".")
    return parts[0] == OWN and parts[-1] != "py" and all(part.isidentifier() for part in parts)


def _top_level(name: str) -> Iterator[Path]:
    """Where a top-level module may lie: the working directory first, as for ``python -m``. This package is itself."""
    if _is_own(name):
        yield Path(__file__).parents[1]
        return
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
