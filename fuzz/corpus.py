"""The inputs that are kept in the repository: one folder for each target, one file for each input.

A file is named after its bytes. One whose name begins with "crash-" once was a bug, and is never thrown away.
"""

import hashlib
from pathlib import Path

from fuzz.target import Target

__all__ = ["ROOT", "add", "folder_of", "kept", "replace"]

ROOT = Path(__file__).parent / "corpus"


def folder_of(target: Target) -> Path:
    return ROOT / target.name


def _files(target: Target) -> list[Path]:
    return sorted(folder_of(target).glob("*")) if folder_of(target).is_dir() else []


def kept(target: Target) -> list[bytes]:
    """The seeds of the target and the inputs that are kept, always in the same order."""
    return list(dict.fromkeys((*target.seeds, *(path.read_bytes() for path in _files(target)))))


def add(target: Target, data: bytes, *, is_crash: bool = False) -> Path:
    """Add an input to the corpus."""
    path = folder_of(target) / (("crash-" if is_crash else "") + hashlib.sha256(data).hexdigest()[:12])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def replace(target: Target, inputs: list[bytes]) -> None:
    """Keep only these inputs and those that once were bugs."""
    for path in _files(target):
        if not path.name.startswith("crash-"):
            path.unlink()
    crashes = {path.read_bytes() for path in _files(target)}
    for data in inputs:
        if data not in crashes and data not in target.seeds:
            add(target, data)
