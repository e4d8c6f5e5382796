"""Nothing is imported from the working directory by a command that reads somebody else's file."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import retick
from retick import replay
from retick._safe_path import clean_python_path
from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.transport.capture import CaptureWriter

VECTORS = Path(__file__).parent / "vectors"
SHADOWED = sorted(
    {
        *(name for name in sys.stdlib_module_names if name.isidentifier()),
        "click", "numpy", "pygame", "retick", "rich", "sitecustomize", "typer", "usercustomize", "zeroconf",
    }
)  # fmt: skip
MARK = "open({path!r}, 'a').write(__name__ + ' ')\n"

READERS: dict[str, list[str]] = {
    "desync explain": ["match.desync"],
    "packet": ["match.rtkc"],
    "replay diff": ["match.rtk", "match.rplk"],
    "replay export": ["match.rtk", "--states"],
    "replay info": ["match.rtk", "match.rplk"],
    "replay play": ["match.rtk"],
    "replay verify": ["match.rtk", "match.rplk"],
}
"""Every command that reads files of other people, and such files."""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with recordings, and with a module of every name that anybody might import."""
    folder = tmp_path_factory.mktemp("hostile")
    match = replay.sealed(replay.Replay(seed=2, frames=bout(2, 120)), Fighter(), every=100)
    replay.save(folder / "match.rtk", match)
    replay.save(folder / "match.rplk", match.replace(game_id="", game_version=0, checkpoints={}))
    shutil.copy(VECTORS / "desync" / "fighter-v1.desync", folder / "match.desync")
    with (folder / "match.rtkc").open("wb") as file:
        CaptureWriter(file).add(b"RBN1", ("127.0.0.1", 7777), sent=True, now=0.0)
    for name in SHADOWED:
        (folder / f"{name}.py").write_text(MARK.format(path=str(folder / "imported")))
    package = folder / "retick.games.fighter"
    package.mkdir()
    (package / "__init__.py").write_text(MARK.format(path=str(folder / "imported")))
    return folder


def script() -> list[str]:
    """The ``retick`` script, as an installer writes it."""
    found = Path(sys.executable).with_name("retick")
    if not found.exists():
        pytest.skip("retick is not installed as a script here")
    return [str(found)]


def module() -> list[str]:
    return [sys.executable, "-m", "retick"]


def module_in_one_word() -> list[str]:
    return [sys.executable, "-Bmretick"]


def before_us() -> set[str]:
    """What ``python -m`` imports itself, from the working directory too, before a line of ours runs."""
    shown = subprocess.run(
        [sys.executable, "-P", "-c", "import runpy, sys; print(*sys.modules)"], capture_output=True, text=True
    )
    return {"retick", *(name.partition(".")[0] for name in shown.stdout.split())}


def imported(folder: Path, command: list[str], environment: dict[str, str] | None = None) -> set[str]:
    """What a command imports from the folder it runs in."""
    seen = folder / "imported"
    seen.unlink(missing_ok=True)
    root = str(Path(retick.__file__).parents[1])
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": root, "PYTHONDONTWRITEBYTECODE": "1", **(environment or {})},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert done.stdout
    return set(seen.read_text().split()) if seen.exists() else set()


@pytest.mark.parametrize("reader", READERS)
def test_the_script_imports_nothing_from_the_working_directory(hostile: Path, reader: str) -> None:
    assert imported(hostile, [*script(), *reader.split(), *READERS[reader]]) == set()


@pytest.mark.parametrize(
    ("reader", "entry"),
    [
        ("replay verify", module),
        ("replay info", module_in_one_word),
        *(pytest.param(reader, module, marks=pytest.mark.soak) for reader in READERS if reader != "replay verify"),
    ],
)
def test_python_dash_m_imports_nothing_from_there_once_we_run(
    hostile: Path, tmp_path: Path, reader: str, entry: Callable[[], list[str]]
) -> None:
    folder = tmp_path / "hostile"
    shutil.copytree(hostile, folder)
    for name in before_us():
        (folder / f"{name}.py").unlink(missing_ok=True)
    assert (folder / "json.py").exists()
    for file in folder.glob("*.py"):
        file.write_text(MARK.format(path=str(folder / "imported")))
    assert imported(folder, [*entry(), *reader.split(), *READERS[reader]]) == set()


def test_an_empty_entry_of_pythonpath_is_not_handed_to_child_interpreters(hostile: Path, tmp_path: Path) -> None:
    """A child reads sitecustomize at its start; ours may have done so before we could help it."""
    root = str(Path(retick.__file__).parents[1])
    folder = tmp_path / "hostile"
    shutil.copytree(hostile, folder)
    for file in folder.glob("*.py"):
        file.unlink()
    for name in ("sitecustomize", "json", "inspect"):
        (folder / f"{name}.py").write_text(
            f"import os\nopen({str(folder / 'imported')!r}, 'a').write(str(os.getpid()) + ' ')\n"
        )
    given = {"PYTHONPATH": os.pathsep.join((root, ""))}
    parents = imported(folder, [*script(), "--version"], given)
    all_of_them = imported(folder, [*script(), "desync", "explain", "match.desync"], given)
    assert len(all_of_them) <= 1 >= len(parents)


def test_only_an_argument_that_names_a_game_adds_a_directory(hostile: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        f"from retick.games.fighter import Fighter\nopen({str(tmp_path / 'imported')!r}, 'a').write(__name__ + ' ')\n"
        "class Mine(Fighter):\n    pass\n"
    )
    shutil.copy(hostile / "match.rtk", tmp_path)
    assert imported(tmp_path, [*script(), "replay", "verify", "match.rtk"]) == set()
    assert imported(tmp_path, [*script(), "replay", "verify", "match.rtk", "--game", "mine:Mine"]) == {"mine"}


@pytest.mark.parametrize(
    ("given", "cleaned"),
    [("", ""), (":", ""), ("a", "a"), (":a::b:", "a:b"), (".:a", "a"), ("/x/.:./y", "/x/.:./y")],
)
def test_entries_that_mean_the_working_directory_leave_pythonpath(given: str, cleaned: str) -> None:
    assert clean_python_path(given.replace(":", os.pathsep)) == cleaned.replace(":", os.pathsep)
