"""Imports point down only: reads every import in src/retick and fails on an arrow that the house does not have."""

import ast
from collections.abc import Iterator
from pathlib import Path

import retick
from retick._kernels import KERNELS

SOURCE = Path(retick.__file__).parent

# Who may import whom; "errors" and the kernels' switch are open to all, and apps may import all below them.
LAYERS: dict[str, set[str]] = {
    "sim": set(),
    "wire": set(),
    "games": {"sim", "wire"},
    "snapshot": {"wire"},
    "link": {"wire"},
    "rollback": {"sim", "wire", "link", "routes"},
    "tokens": {"link"},
    "authority": {"sim", "wire", "link", "snapshot", "tokens", "routes"},
    "replay": {"sim"},
    "relay": {"wire", "link"},
    "routes": {"wire", "link", "relay"},
    "transport": set(),
}
# What the server and the client of authority share; neither imports the other.
AUTHORITY_SHARED = {
    f"authority.{name}"
    for name in (
        "client_link",
        "config",
        "delta",
        "delta_frames",
        "events",
        "joining",
        "link_config",
        "profile",
        "redirection",
        "render_clock",
        "stats",
        "timing",
    )
}
# Inside a package: what each room may import, of other packages and of the rooms beside it. A module in the package's
# root is a room of its own; one that is not listed here may import whatever its package may, and all of its rooms.
ROOMS: dict[str, dict[str, set[str]]] = {
    "rollback": {
        "engine": {"sim"},
        "events": {"rollback.desync"},
        "match": {"sim", "wire", "rollback.engine", "rollback.events"},
        "desync": {"sim", "link", "rollback.engine"},
        "session": {
            "sim", "wire", "link", "routes",
            "rollback.engine", "rollback.events", "rollback.match", "rollback.desync",
        },
        "spectate": {
            "sim", "wire", "link", "routes",
            "rollback.engine", "rollback.events", "rollback.match", "rollback.session",
        },
    },
    "snapshot": {"kernels": {"wire"}, "sources": {"snapshot.kernels"}},
    "authority": {
        "declared": {"wire", "authority.profile"},
        "server": {"sim", "wire", "link", "snapshot", "tokens", "routes", *AUTHORITY_SHARED},
        "client": {"sim", "wire", "link", "snapshot", "tokens", "routes", *AUTHORITY_SHARED},
    },
    "relay": {"hairpin": {"wire"}, "member": {"wire", "relay.events"}, "reflection": {"wire"}},
    "games": {"fighter": {"sim"}, "scramble": {"sim"}, "runner": {"sim", "wire"}},
}  # fmt: skip
# Of the rooms inside of a room: a path, and what it must not import.
APART = (
    ("authority/world/server/", "authority.world.client."),
    ("authority/world/client/", "authority.world.server."),
)
MOST_MODULES = 20
MOST_LINES = 400
MOST_LINES_OF_A_KERNEL = 450
"""More than others: each C function has up to four decorators, and each member a line."""
PROTOCOLS_AND_BELOW = set(LAYERS)
APPS = {"cli", "studio", "packets", "playing", "integrations", "testing", "audit", "bulk"}
# A door: one function below that calls the app above it when it is called, because people look for it there.
DOORS = {("replay/many/door.py", "bulk.run")}
OPEN_TO_ALL = {"errors", "_cython", "_kernels", "_safe_path"}
ROOT_MODULES = {"__init__", "__main__", "errors", "_cython", "_kernels", "_safe_path"}

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
            if module == "retick" or module.removeprefix("retick.") in PROTOCOLS_AND_BELOW | APPS:
                for alias in node.names:  # of a package: a room of it, or a name that it re-exports
                    yield node.lineno, f"{module}.{alias.name}"
            else:
                yield node.lineno, module


def room_of(module: str) -> tuple[str, str]:
    """The package and the room of a module, given its dotted name below retick: ("rollback", "engine")."""
    package, _, rest = module.partition(".")
    return package, rest.partition(".")[0]


def may_import(path: str, target: str) -> bool:
    """Whether the module at ``path`` below src/retick may import ``target``, a dotted name below retick."""
    package, room = room_of(path.removesuffix(".py").replace("/", "."))
    wanted, wanted_room = room_of(target)
    if wanted not in PROTOCOLS_AND_BELOW | APPS or package in APPS or (path, target) in DOORS:
        return True
    if any(path.startswith(one) and f"{target}.".startswith(other) for one, other in APART):
        return False
    rules = ROOMS.get(package, {})
    allowed = rules[room] if room in rules else LAYERS[package] | {package}
    if wanted != package:
        return wanted in allowed
    if wanted_room == room or wanted in allowed:
        return True
    return f"{wanted}.{wanted_room}" in allowed or (wanted_room not in rules and room not in rules)


def wrong_imports(path: str, text: str) -> list[str]:
    """Complaints about one module, given its path below src/retick."""
    package = path.split("/")[0] if "/" in path else path.removesuffix(".py")
    if package in ROOT_MODULES and "/" not in path:
        return []
    found = []
    for line, module in imports_of(ast.parse(text)):
        parts = module.removeprefix("cython.cimports.").split(".")
        if parts[0] == "retick" and len(parts) > 1:
            target = ".".join(parts[1:])
            if not may_import(path, target):
                found.append(f"{path}:{line}: must not import {target}")
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
        "replay/x.py": "from retick.rollback.engine.engine import RollbackEngine",
        "transport/x.py": "from retick.link import connection",
        "rollback/x.py": "import time",
        "authority/x.py": "from retick.games.runner import locomotion",
        "snapshot/x.py": "def f():\n    from random import random",
        "replay/format.py": "import pathlib",
        "replay/replay.py": "import os",
        "replay/many/judge.py": "from retick.verify.run import Run",
        "replay/many/door.py": "from retick.verify.engines import Threads",
        "link/x.py": "from retick.testing import mesh",
        "games/x.py": "from cython.cimports.retick.wire.bits import X\nimport socket",
        "rollback/engine/x.py": "from retick.wire import rbn1",
        "rollback/match/x.py": "from retick.link import Connection",
        "rollback/match/y.py": "from retick.rollback.session.peer import Peer",
        "rollback/desync/x.py": "from retick.rollback.match import Match",
        "rollback/desync/y.py": "from retick.rollback.events import MatchEvent",
        "rollback/session/x.py": "from retick.rollback.spectate import SpectatorSession",
        "snapshot/kernels/x.py": "from retick.snapshot.schema import Schema",
        "games/fighter/y.py": "from retick.wire.bits import BitReader",
        "authority/server/x.py": "from retick.netrunner.client.prediction import Prediction",
        "authority/client/x.py": "from retick.netrunner.server.room import Room",
        "authority/world/server/x.py": "from retick.authority.client import WorldClient",
        "authority/world/client/x.py": "from retick.authority.server.room import WorldRoom",
        "authority/declared/x.py": "from retick.link import Connection",
        "wire/authority.py": "from retick.games.runner import NetRunner",
        "link/y.py": "from retick.relay import RelayServer",
        "relay/server.py": "import time",
        "routes/x.py": "from retick.rollback.session.session import RollbackSession",
        "link/z.py": "from retick.routes import Online",
        "relay/member.py": "from retick.link.handshake.strangers import Budget",
        "transport/y.py": "from retick.relay import RelayServer",
    }
    for path, text in planted.items():
        assert len(wrong_imports(path, text)) == 1, (path, text)


def test_a_door_imports_its_app_only_when_it_is_called() -> None:
    for path, _ in DOORS:
        tree = ast.parse((SOURCE / path).read_text(encoding="utf-8"))
        outside = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        assert not [node for node in outside if "bulk" in ast.unparse(node)]


def test_right_imports_pass() -> None:
    allowed = {
        "rollback/session/x.py": "from retick.rollback.match import Match\nfrom retick.link import x\nimport struct",
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


def test_no_room_is_too_full_and_no_module_too_long() -> None:
    for folder in sorted({file.parent for file in SOURCE.rglob("*.py")}):
        modules = [file for file in folder.glob("*.py") if file.name != "__init__.py"]
        assert len(modules) <= MOST_MODULES, folder
    kernels = {f"{name.removeprefix('retick.').replace('.', '/')}.py" for name in KERNELS}
    for file in SOURCE.rglob("*.py"):
        name = file.relative_to(SOURCE).as_posix()
        lines = len(file.read_text(encoding="utf-8").splitlines())
        assert lines <= (MOST_LINES_OF_A_KERNEL if name in kernels else MOST_LINES), name
