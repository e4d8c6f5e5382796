"""Imports point down only: reads every import in src/retick and fails on an arrow that the house does not have."""

import ast
from collections.abc import Iterator
from pathlib import Path

import retick

SOURCE = Path(retick.__file__).parent

# Who may import whom; "errors" and the kernels' switch are open to all, and apps may import all below them.
LAYERS: dict[str, set[str]] = {
    "sim": set(),
    "wire": set(),
    "games": {"sim", "wire"},
    "snapshot": {"wire"},
    "link": {"wire"},
    "rollback": {"sim", "wire", "link"},
    "authority": {"wire", "link", "snapshot"},
    "replay": {"sim"},
    "transport": set(),
}
PROTOCOLS_AND_BELOW = set(LAYERS)
APPS = {"cli", "studio", "integrations", "testing", "audit"}
OPEN_TO_ALL = {"errors", "_cython", "_kernels"}
ROOT_MODULES = {"__init__", "__main__", "errors", "_cython", "_kernels"}

# Standard modules that bring a clock, a socket, randomness or concurrency with them.
WORLDLY = {
    "asyncio", "concurrent", "multiprocessing", "os", "random", "secrets", "select", "selectors",
    "signal", "socket", "ssl", "subprocess", "threading", "time", "uuid",
}  # fmt: skip
MAY_TOUCH_THE_WORLD = APPS | {"transport"}
MAY_OPEN_FILES = {"replay/storage.py"}
FILE_MODULES = {"io", "os", "pathlib", "shutil", "tempfile"}


def imports_of(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute, so that this test can read them"
            module = node.module or ""
            yield node.lineno, module
            if module == "retick":
                for alias in node.names:
                    yield node.lineno, f"retick.{alias.name}"


def wrong_imports(path: str, text: str) -> list[str]:
    """Complaints about one module, given its path below src/retick."""
    package = path.split("/")[0] if "/" in path else path.removesuffix(".py")
    if package in ROOT_MODULES and "/" not in path:
        return []
    found = []
    for line, module in imports_of(ast.parse(text)):
        parts = module.removeprefix("cython.cimports.").split(".")
        if parts[0] == "retick" and len(parts) > 1:
            target = parts[1]
            allowed = OPEN_TO_ALL | {package}
            allowed |= PROTOCOLS_AND_BELOW | APPS if package in APPS else LAYERS[package]
            if target in PROTOCOLS_AND_BELOW | APPS and target not in allowed:
                found.append(f"{path}:{line}: {package} must not import {target}")
        elif (
            parts[0] in WORLDLY - (FILE_MODULES if path in MAY_OPEN_FILES else set())
            and package not in MAY_TOUCH_THE_WORLD
        ):
            found.append(f"{path}:{line}: {package} must not touch the world: {module}")
        elif parts[0] in FILE_MODULES and package not in MAY_TOUCH_THE_WORLD and path not in MAY_OPEN_FILES:
            found.append(f"{path}:{line}: {package} must not open files: {module}")
    return found


def test_imports_point_down() -> None:
    complaints = []
    for file in sorted(SOURCE.rglob("*.py")):
        path = file.relative_to(SOURCE).as_posix()
        complaints += wrong_imports(path, file.read_text(encoding="utf-8"))
    assert complaints == []


def test_planted_wrong_imports_are_found() -> None:
    planted = {
        "sim/x.py": "from retick.wire import bits",
        "wire/x.py": "import retick.sim.record",
        "games/fighter/x.py": "from retick import rollback",
        "replay/x.py": "from retick.rollback.engine import RollbackEngine",
        "transport/x.py": "from retick.link import connection",
        "rollback/x.py": "import time",
        "authority/x.py": "from retick.games.runner import locomotion",
        "snapshot/x.py": "def f():\n    from random import random",
        "replay/format.py": "import pathlib",
        "replay/value.py": "import os",
        "link/x.py": "from retick.testing import mesh",
        "games/x.py": "from cython.cimports.retick.wire.bits import X\nimport socket",
    }
    for path, text in planted.items():
        assert len(wrong_imports(path, text)) == 1, (path, text)


def test_right_imports_pass() -> None:
    allowed = {
        "rollback/session.py": "from retick.link import x\nfrom retick.wire import rbn1\nimport struct",
        "replay/storage.py": "import os, pathlib, tempfile",
        "transport/udp.py": "import socket, asyncio, time",
        "cli/demo.py": "from retick.rollback import engine\nimport time",
        "sim/flat.py": "from retick.errors import UsageError\nfrom retick import _cython",
    }
    for path, text in allowed.items():
        assert wrong_imports(path, text) == []


def test_every_package_says_what_it_does() -> None:
    for init in sorted(SOURCE.rglob("__init__.py")):
        docstring = ast.get_docstring(ast.parse(init.read_text(encoding="utf-8")))
        assert docstring, init
