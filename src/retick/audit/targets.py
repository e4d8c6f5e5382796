"""Finds the files and the game that a user names, without importing anything.

A target is a file, a directory, or a module by its import path; a game may follow as ``:Class``. For a compiled
extension, the .py file beside it is audited. Hidden folders and virtual environments below a directory are left out.
"""

import importlib.util
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from retick.errors import UsageError

OWN = __name__.partition(".")[0]
ENVIRONMENT_MARKS = ("pyvenv.cfg", "conda-meta")
"""Files that mark the folder of a virtual environment."""
LEFT_OUT = ("__pycache__", "node_modules", "site-packages")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A source file, and the directory from which it is imported."""

    path: Path
    root: Path
    """The directory with the file's top-level package, or with the file if it is in none."""

    @property
    def module(self) -> str:
        """The file's import path."""
        parts = self.path.relative_to(self.root).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def package(self) -> str:
        """The file's package, from which relative imports start."""
        return ".".join(self.path.relative_to(self.root).parts[:-1])


@dataclass(frozen=True, slots=True)
class Target:
    """The files to audit, and the game to run."""

    files: tuple[SourceFile, ...]
    attribute: str | None
    """Name of the game in the module; None if none was given."""

    @property
    def main(self) -> SourceFile:
        """The named module; a package's ``__init__`` comes first."""
        return self.files[0]


def find_target(text: str, *, progress: Callable[[str], None] = lambda text: None) -> Target:
    """Find the target named by ``path``, ``module``, ``path:Class`` or ``module:Class``; UsageError if there is none.

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
        raise UsageError(f"{place} is a directory but not a package: name the file that has {attribute}")
    return Target(found, attribute)


def split_target(text: str) -> tuple[str, str | None]:
    """Split off the name after the colon, if there is one."""
    place, colon, attribute = text.rpartition(":")
    # A drive letter has a colon, too, but no name follows it.
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
    """Whether a folder is neither hidden nor has installed packages; a folder that the user names is read anyway."""
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
    """Whether this names a module of our own package, which is never searched in the working directory."""
    parts = place.split(".")
    return parts[0] == OWN and parts[-1] != "py" and all(part.isidentifier() for part in parts)


def _top_level(name: str) -> Iterator[Path]:
    """Places of a top-level module: the working directory first, as for ``python -m``, except for our own package."""
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
