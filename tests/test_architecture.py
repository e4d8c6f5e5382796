"""Imports point down only: reads every import in src/retick and fails on an arrow that the house does not have."""

import ast
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path

from retick._kernels import KERNELS
from tests.sources import SOURCE, parsed, sources

# Who may import whom below the apps; the ROOT_MODULES are open to all.
LAYERS: dict[str, set[str]] = {
    "sim": set(),
    "wire": set(),
    "games": {"sim", "wire"},
    "snapshot": {"wire"},
    "link": {"wire"},
    "tokens": {"link"},
    "relay": {"wire", "link"},
    "routes": {"wire", "link", "relay"},
    "host": {"wire", "link", "tokens", "routes"},
    "rollback": {"sim", "wire", "link", "routes"},
    "authority": {"sim", "wire", "link", "tokens", "routes", "snapshot", "host"},
    "netrunner": {"games", "wire", "link", "tokens", "routes", "snapshot", "host"},
    "replay": {"sim"},
    "transport": set(),
}
# The apps: each may import those before it, and all of the packages above.
APPS = ("testing", "audit", "verify", "packets", "playing", "integrations", "serving", "studio", "cli")
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
    "relay": {
        "member": {"wire", "relay.config", "relay.events", "relay.packets"},
        "reflection": {"wire", "relay.packets"},
    },
    "games": {"fighter": {"sim"}, "scramble": {"sim"}, "runner": {"sim", "wire"}},
}  # fmt: skip
# Folders of one package that do not know each other: a path, and what it must not import.
APART = (
    ("authority/server/", "authority.client."),
    ("authority/client/", "authority.server."),
    ("netrunner/server/", "netrunner.client."),
    ("netrunner/client/", "netrunner.server."),
)
# An app that a package below it hands out by name, when it is asked for: people look for it there.
DOORS = {("replay/__init__.py", "verify")}
ROOT_MODULES = {"__init__", "__main__", "errors", "_cython", "_kernels", "_lazy", "_regular_files", "_safe_path"}

MOST_LINES = 800
MOST_LINES_OF_A_KERNEL = 1500
MOST_LINES_OF_A_SLICE = 60
"""A module below this that only one other imports belongs into that one."""
SLICES: dict[str, str] = {}
"""Modules that stay as short as that, and why."""
MOST_KERNELS = 28

# Standard modules that bring a clock, a socket, randomness or concurrency with them.
WORLDLY = {
    "asyncio", "concurrent", "multiprocessing", "os", "random", "secrets", "select", "selectors",
    "signal", "socket", "ssl", "subprocess", "threading", "time", "uuid",
}  # fmt: skip
MAY_TOUCH_THE_WORLD = {*APPS, "transport"}
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
            if module == "retick" or module.removeprefix("retick.") in {*LAYERS, *APPS}:
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
    if wanted in ROOT_MODULES or (path, target.partition(".")[0]) in DOORS:
        return True
    if any(path.startswith(one) and f"{target}.".startswith(other) for one, other in APART):
        return False
    if package in APPS:
        return wanted in LAYERS or APPS.index(wanted) <= APPS.index(package)
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
    for line, module in imports_of(parsed(text)):
        parts = module.removeprefix("cython.cimports.").split(".")
        if parts[0] == "retick" and len(parts) > 1:
            target = ".".join(parts[1:])
            if not may_import(path, target):
                found.append(f"{path}:{line}: must not import {target}")
            if parts[1] == "_regular_files" and package not in MAY_TOUCH_THE_WORLD and path not in MAY_OPEN_FILES:
                found.append(f"{path}:{line}: {package} must not open files: {module}")
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
    for file, text in sources().items():
        complaints += wrong_imports(file.relative_to(SOURCE).as_posix(), text)
    assert complaints == []


def test_planted_wrong_imports_are_found() -> None:
    planted = {
        "sim/x.py": "from retick.wire import bits",
        "wire/x.py": "import retick.sim.record",
        "wire/y.py": "from retick.games.runner import Tuning",
        "games/fighter/x.py": "from retick import rollback",
        "games/fighter/y.py": "from retick.wire.bits import BitReader",
        "games/x.py": "from cython.cimports.retick.wire.bits import X\nimport socket",
        "replay/x.py": "from retick.rollback.engine.engine import RollbackEngine",
        "replay/y.py": "from retick.verify.run import Run",
        "replay/rplk.py": "import pathlib",
        "replay/replay.py": "import os",
        "replay/rtk.py": "from retick._regular_files import regular",
        "transport/x.py": "from retick.link import connection",
        "transport/y.py": "from retick.relay import RelayServer",
        "link/x.py": "from retick.testing import mesh",
        "link/y.py": "from retick.relay import RelayServer",
        "link/z.py": "from retick.routes import Online",
        "relay/server.py": "import time",
        "relay/member.py": "from retick.link.handshake.strangers import RateBudget",
        "routes/x.py": "from retick.rollback.session.session import RollbackSession",
        "host/x.py": "from retick.authority.server.room import WorldRoom",
        "host/y.py": "from retick.snapshot import Schema",
        "snapshot/x.py": "def f():\n    from random import random",
        "snapshot/y.py": "from retick.sim.world import World",
        "rollback/x.py": "import time",
        "rollback/y.py": "from retick.relay.packets import Frame",
        "rollback/z.py": "from retick.host import HostConfig",
        "rollback/engine/x.py": "from retick.wire import rbn1",
        "rollback/match/x.py": "from retick.link import Connection",
        "rollback/match/y.py": "from retick.rollback.session.peer import Peer",
        "rollback/desync/x.py": "from retick.rollback.match import Match",
        "rollback/desync/y.py": "from retick.rollback.events import MatchEvent",
        "rollback/session/x.py": "from retick.rollback.spectate import SpectatorSession",
        "authority/x.py": "from retick.games.runner import locomotion",
        "authority/y.py": "from retick.netrunner.profile import NetRunner",
        "authority/z.py": "from retick.rollback.events import MatchEvent",
        "authority/server/x.py": "from retick.authority.client import WorldClient",
        "authority/client/x.py": "from retick.authority.server.room import WorldRoom",
        "netrunner/x.py": "from retick.authority.messages import RoomWelcome",
        "netrunner/server/x.py": "from retick.netrunner.client.prediction import Prediction",
        "testing/x.py": "from retick.audit import rules",
        "audit/x.py": "from retick.verify import Run",
        "verify/x.py": "from retick.packets import formats",
        "packets/x.py": "from retick.playing import Match",
        "playing/x.py": "from retick.integrations.pygame import play",
        "integrations/x.py": "from retick.serving import plan",
        "serving/x.py": "from retick.cli import terminal",
        "studio/x.py": "from retick.cli.app import app",
    }
    for path, text in planted.items():
        assert len(wrong_imports(path, text)) == 1, (path, text)


def test_a_door_is_opened_only_when_somebody_asks_for_what_is_behind_it() -> None:
    for path, app in DOORS:
        script = f"import sys, retick.{path.split('/')[0]}; sys.exit('retick.{app}' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def lazy_names(text: str) -> tuple[dict[str, str], dict[str, str]]:
    """The homes of a package's lazy names, by name: as type checkers see them, and as they are imported."""
    seen: dict[str, str] = {}
    imported: dict[str, str] = {}
    for node in parsed(text).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            imports = [each for each in node.body if isinstance(each, ast.ImportFrom)]
            seen |= {alias.name: str(each.module) for each in imports for alias in each.names}
            for call in (each.value for each in node.orelse if isinstance(each, ast.Assign)):
                assert isinstance(call, ast.Call)
                assert ast.unparse(call.func) == "lazy"
                homes = ast.literal_eval(call.args[1])
                imported |= {name: module for module, names in homes.items() for name in names.split()}
    return seen, imported


def test_what_type_checkers_see_of_a_package_is_what_is_imported() -> None:
    packages = [file for file in SOURCE.rglob("__init__.py") if "lazy(" in file.read_text(encoding="utf-8")]
    assert len(packages) > 5
    for file in packages:
        seen, imported = lazy_names(file.read_text(encoding="utf-8"))
        assert seen == imported != {}, file
        package = import_module(dotted(file))
        assert set(imported) <= set(package.__all__) <= set(dir(package)), file
        for name, home in imported.items():
            assert getattr(package, name) is getattr(import_module(home), name)


def test_a_lazy_name_that_type_checkers_see_elsewhere_is_noticed() -> None:
    planted = "if TYPE_CHECKING:\n    from a import B, C\nelse:\n    x = lazy(__name__, {'a': 'B', 'd': 'C'})"
    assert lazy_names(planted) == ({"B": "a", "C": "a"}, {"B": "a", "C": "d"})


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
        docstring = ast.get_docstring(parsed(init.read_text(encoding="utf-8")))
        assert docstring, init


def fragments(text: str) -> list[str]:
    """Docstrings of a module, with those of fields and constants, that need the line above them to be understood."""
    said = [
        node.value.value.strip()
        for node in ast.walk(parsed(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    return [docstring for docstring in said if docstring.startswith(("Of ", "Whose "))]


def test_docstrings_are_no_fragments() -> None:
    found = {dotted(file): fragments(text) for file, text in sources().items()}
    assert {name: docstrings for name, docstrings in found.items() if docstrings} == {}


def test_a_fragment_is_found() -> None:
    planted = 'class A:\n    """Of one."""\n    x = 1\n    """Whose it is."""\n    y = "Of text"\n    """Office."""\n'
    assert fragments(planted) == ["Of one.", "Whose it is."]


def lines_of(file: Path) -> int:
    return len(sources()[file].splitlines())


def dotted(file: Path) -> str:
    """The name of a module, given its file below src/retick."""
    name = ".".join(("retick", *file.relative_to(SOURCE).with_suffix("").parts))
    return name.removesuffix(".__init__")


def test_no_module_is_too_long() -> None:
    for file in sources():
        assert lines_of(file) <= (MOST_LINES_OF_A_KERNEL if dotted(file) in KERNELS else MOST_LINES), file


def missing_contents(text: str) -> list[str]:
    """What is wrong with the table of contents in a module's docstring: none, or titles that no section has in turn.

    A section begins with a comment at the margin whose first words are its title.
    """
    found = re.search(r"^Contents: (.+?)\.$", ast.get_docstring(parsed(text)) or "", flags=re.MULTILINE | re.DOTALL)
    if found is None:
        return ["no line that begins with Contents:"]
    comments = iter(re.findall(r"^# (.+)", text, flags=re.MULTILINE))
    titles = " ".join(found[1].split()).split("; ")
    return [title for title in titles if not any(line.lower().startswith(title.lower()) for line in comments)]


def test_a_long_kernel_has_a_table_of_contents() -> None:
    long = [file for file in sources() if dotted(file) in KERNELS and lines_of(file) > MOST_LINES]
    assert len(long) > 5
    wrong = {dotted(file): missing_contents(file.read_text(encoding="utf-8")) for file in long}
    assert {name: titles for name, titles in wrong.items() if titles} == {}


def test_a_table_of_contents_that_is_missing_or_wrong_is_found() -> None:
    sections = "# Rings: where states are.\n\n# The engine.\n"
    assert missing_contents(f'"""States.\n\nContents: rings; the engine.\n"""\n{sections}') == []
    assert missing_contents(f'"""States."""\n{sections}') == ["no line that begins with Contents:"]
    assert missing_contents(f'"""States.\n\nContents: the engine; rings.\n"""\n{sections}') == ["rings"]
    assert missing_contents(f'"""States.\n\nContents: rings;\nwheels.\n"""\n{sections}') == ["wheels"]


def test_there_are_few_kernels_and_few_declarations() -> None:
    assert len(KERNELS) <= MOST_KERNELS
    assert len(list(SOURCE.rglob("*.pxd"))) <= MOST_KERNELS


def importers() -> dict[str, set[str]]:
    """For each module the modules that import it, or a name from it."""
    found: dict[str, set[str]] = defaultdict(set)
    for file, text in sources().items():
        for node in ast.walk(parsed(text)):
            if isinstance(node, ast.ImportFrom):
                names = [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            for name in names:
                found[name.removeprefix("cython.cimports.")].add(dotted(file))
    return found


def slices(sizes: dict[str, int], imported_by: dict[str, set[str]]) -> set[str]:
    """Short modules that only one other imports."""
    return {
        name
        for name, size in sizes.items()
        if size < MOST_LINES_OF_A_SLICE and len(imported_by.get(name, set()) - {name}) == 1
    }


def test_a_short_module_with_one_importer_has_a_reason() -> None:
    sizes = {dotted(file): lines_of(file) for file in sources() if file.name != "__init__.py"}
    assert slices(sizes, importers()) == set(SLICES)
    assert all(SLICES.values())


def test_a_slice_is_found() -> None:
    sizes = {"retick.a": 59, "retick.b": 60, "retick.c": 10, "retick.d": 10}
    imported_by = {"retick.a": {"retick.x"}, "retick.b": {"retick.x"}, "retick.c": {"retick.x", "retick.y"}}
    assert slices(sizes, imported_by) == {"retick.a"}


def repeated_classes(texts: Iterable[str]) -> set[str]:
    """Names of more than one class; inner classes and those that begin with an underscore do not count."""
    trees = map(parsed, texts)
    names = Counter(
        node.name
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    return {name for name, count in names.items() if count > 1}


def test_a_class_name_occurs_once() -> None:
    assert repeated_classes(sources().values()) == set()


def test_a_repeated_class_name_is_found() -> None:
    assert repeated_classes(["class A: pass\nclass B: pass", "class A: pass\nclass _B: pass"]) == {"A"}


def test_functions_are_short() -> None:
    trees = map(parsed, sources().values())
    functions = [
        node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    long = [node.name for node in functions if (node.end_lineno or 0) - node.lineno >= 40]
    assert len(long) <= 0.02 * len(functions), long
