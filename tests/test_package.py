"""The package as a newcomer meets it: what importing costs, which form runs, what a missing extra says."""

import ast
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import retick
from retick._kernels import KERNELS

ROOT = Path(__file__).parents[1]


def python(code: str, **environment: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    ).stdout


in_both_forms = pytest.mark.parametrize("pure", ["", "1"])


@in_both_forms
def test_importing_brings_in_no_extra_and_nothing_heavy(pure: str) -> None:
    code = "import json, sys, retick; print(json.dumps(sorted(sys.modules)))"
    loaded = set(json.loads(python(code, RETICK_PURE=pure)))
    extras = {
        "typer",
        "rich",
        "hypothesis",
        "pytest",
        "numpy",
        "Cython",
        "blake3",
        "cryptography",
        "zeroconf",
        "asyncio",
        "pygame",
    }
    assert not loaded & extras


@in_both_forms
def test_the_first_calls_load_neither_cryptography_nor_archives_nor_processes(pure: str) -> None:
    code = "import json, sys, retick; retick.is_compiled(), retick.SyncTest; print(json.dumps(sorted(sys.modules)))"
    loaded = set(json.loads(python(code, RETICK_PURE=pure)))
    assert "retick.rollback.engine.engine" in loaded
    assert "retick.rollback.session.core" not in loaded
    heavy = {"cryptography", "tarfile", "zipfile", "multiprocessing", "subprocess", "asyncio"}
    assert not loaded & heavy


def test_a_process_that_observes_a_game_loads_no_engine_and_no_rule() -> None:
    code = "import json, sys, retick.audit.runs.worker; print(json.dumps(sorted(sys.modules)))"
    loaded = set(json.loads(python(code)))
    assert "retick.testing.determinism" in loaded
    assert not [name for name in loaded if name.startswith(("retick.rollback", "retick.audit.static", "asyncio"))]


@in_both_forms
def test_sessions_without_seals_need_no_cryptography(pure: str) -> None:
    code = (
        "import sys; sys.modules['cryptography'] = None\n"
        "import retick.audit, retick.authority, retick.host, retick.playing, retick.relay, retick.rollback\n"
        "from retick.games.fighter import Fighter\n"
        "from retick.rollback import RollbackSession\n"
        "RollbackSession(Fighter(), entropy=bytes, sealed=False); print('made')\n"
    )
    assert python(code, RETICK_PURE=pure) == "made\n"


def test_the_public_names_are_all_there() -> None:
    for name in retick.__all__:
        assert getattr(retick, name) is not None
    assert set(dir(retick)) >= set(retick.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        retick.nonsense  # noqa: B018 - reading it is the test


def test_pure_takes_the_sources_of_all_kernels() -> None:
    code = (
        "import importlib, retick, retick._kernels as k; "
        "print(retick.is_compiled(), all(importlib.import_module(n).__file__.endswith('.py') for n in k.KERNELS))"
    )
    assert python(code, RETICK_PURE="1").split() == ["False", "True"]


def test_every_kernel_is_a_module_with_a_source() -> None:
    for name in KERNELS:
        assert (ROOT / "src" / (name.replace(".", "/") + ".py")).is_file(), name


def test_all_files_beside_the_sources_are_in_the_wheel() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["retick"]
    package = ROOT / "src" / "retick"
    packed = {pattern: {path for path in package.glob(pattern) if path.is_file()} for pattern in patterns}
    assert [pattern for pattern, files in packed.items() if not files] == []
    built = {".py", ".pyc", ".so", ".pyd", ".c", ".html"}
    files = {path for path in package.rglob("*") if path.is_file() and path.suffix not in built}
    assert sorted(files - set().union(*packed.values())) == []


def test_the_version_is_one_in_the_package_its_metadata_and_the_command() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", retick.__version__)
    assert importlib.metadata.version("retick") == retick.__version__
    shown = python("from retick.__main__ import main; import sys; sys.argv = ['retick', '--version']; main()")
    assert shown.split()[:2] == ["retick", retick.__version__]


def test_the_version_is_written_in_one_file() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in project["project"]
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "retick.__version__"}
    tree = ast.parse((ROOT / "src" / "retick" / "__init__.py").read_text(encoding="utf-8"))
    literals = [
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__version__"
    ]
    assert literals == [retick.__version__], "setuptools reads a plain literal without importing the package"


def test_a_missing_extra_is_named_with_the_line_that_installs_it() -> None:
    code = (
        "import sys; sys.modules['typer'] = None\n"
        "import importlib.util as u; found = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'typer' else found(name, *a)\n"
        "from retick.__main__ import main; main()"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert result.stderr == "retick: the command line needs typer: pip install typer\n"


def test_lines_that_install_something_work_with_and_without_a_clone() -> None:
    """They name packages of our extras: nobody who has a clone finds retick itself in an index."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    extras = " ".join(package for group in groups for package in group)
    known = set(re.findall(r"[\w-]+", re.sub(r"retick\[.*?\]", "", extras)))
    pages = [path for path in (ROOT / "docs").rglob("*.md") if "_site" not in path.parts]
    named = set()
    for path in [*(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("*.md.txt"), *pages, ROOT / "README.md"]:
        for line in re.findall(r"pip install ([^\n`,)]*)", path.read_text(encoding="utf-8")):
            line = line.replace('"/path/to/retick', '"')  # a clone, for the environment of one's own game
            assert "retick" not in line, f"{path}: {line}"
            plain = re.sub(r"[{\"].*", "", line)  # the names that a program puts in, and paths
            named |= set(re.findall(r"(?<![\w.\[])[a-z][\w-]+", plain))
    assert {"pygame-ce", "zeroconf", "prometheus-client"} <= named <= known


def test_no_file_names_a_registry_or_a_path_of_a_machine() -> None:
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=False, cwd=ROOT)
    if listed.returncode:
        pytest.skip("not a git checkout")
    words = ["pypi" + ".org", "pythonhosted" + ".org", "/" + "work/", "/root" + "/", "registry.npm" + "js"]
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.suffix in {".py", ".pyi", ".pxd", ".toml", ".md", ".yml", ".c", ".h", ""} and path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            assert not [word for word in words if word in text], name


def test_every_ignored_complaint_carries_its_reason() -> None:
    ignored = re.compile(r"# (?:type: ignore\[[^]]+\]|noqa: [A-Z0-9, ]+?)\s*(.*)$")
    bare = [
        f"{path.relative_to(ROOT)}:{number}"
        for folder in ("src", "tests", "fuzz", "examples", "benchmarks", "typings")
        for path in sorted((ROOT / folder).rglob("*.py*"))
        if path.suffix in {".py", ".pyi"}
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (found := ignored.search(line)) is not None and not found[1].strip("# -")
    ]
    assert bare == []


def test_a_build_without_a_compiler_says_how_to_get_the_fast_form() -> None:
    code = (
        "import retick.cli.app as app; app.is_compiled = lambda: False; "
        "from typer.testing import CliRunner; print(CliRunner().invoke(app.app, ['--version']).output)"
    )
    assert "install a C compiler" in python(code, RETICK_PURE="")
    assert "install a C compiler" not in python(code, RETICK_PURE="1")


def test_retick_pure_builds_no_kernel(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "setup.py",
        "-q",
        "build_ext",
        "--build-lib",
        str(tmp_path),
        "--build-temp",
        str(tmp_path),
    ]
    subprocess.run(command, cwd=ROOT, env=os.environ | {"RETICK_PURE": "1"}, capture_output=True, check=True)
    assert list(tmp_path.iterdir()) == []


def test_the_extra_of_each_tutorial_brings_the_commands_that_the_tutorial_uses() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    with_commands = {name for name, needs in extras.items() if name == "cli" or any("cli" in need for need in needs)}
    for page in sorted((ROOT / "docs" / "tutorials").rglob("*.md")):
        text = page.read_text("utf-8")
        installed = re.findall(r"pip install '?[^'\n]*retick\[([a-z,]+)\]", text)
        if installed and re.search(r"^retick |`retick [a-z]+", text, re.MULTILINE):
            assert all(with_commands & set(names.split(",")) for names in installed), page.name


def test_help_and_docs_call_a_desync_bundle_by_one_name() -> None:
    texts = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.py"), *(ROOT / "examples").glob("*.py")]
    for path in [*texts, ROOT / "README.md"]:
        named = set(re.findall(r"desync explain ([\w.-]+\.\w+)", path.read_text("utf-8")))
        assert named <= {"match.desync"}, path


def test_commands_and_the_studio_work_without_pygame() -> None:
    code = (
        "import sys, typer; sys.modules['pygame'] = None; from retick.cli.app import app, LazyGroup\n"
        "def load(group):\n"
        "    for name, command in group.commands.items():\n"
        "        load(command) if hasattr(command, 'commands') else print(name)\n"
        "load(typer.main.get_command(app)); import retick.studio.run, retick.studio.app, retick.studio.play.room"
    )
    assert {"verify", "play", "host", "studio"} <= set(python(code).split())
