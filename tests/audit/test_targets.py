"""What a user names, and the files that it means."""

from pathlib import Path

import pytest

from retick.audit import audit_static
from retick.audit.targets import find_target
from retick.errors import UsageError


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with a simulation, its rules, a drawing module that it does not import, and a script beside it."""
    package = tmp_path / "mygame"
    (package / "rules").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "sim.py").write_text("from mygame.rules import speed\nfrom . import clock\nimport beside\n")
    (package / "rules" / "__init__.py").write_text("import time\n")
    (package / "rules" / "speed.py").write_text("SPEED = 0.5\n")
    (package / "clock.py").write_text("import time\nNOW = time.time()\n")
    (package / "drawing.py").write_text("import pygame\n")
    (tmp_path / "beside.py").write_text("X = 1.5\n")
    (tmp_path / "script.py").write_text("import beside\nimport random\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(target: str) -> list[str]:
    root = Path.cwd()
    return [file.path.relative_to(root).as_posix() for file in find_target(target).files]


@pytest.mark.parametrize("target", ["mygame/sim.py", "mygame.sim", "mygame.sim:Game", "mygame/sim.py:Game"])
def test_a_module_is_its_file(target: str, project: Path) -> None:
    assert names(target) == ["mygame/sim.py"]
    assert find_target(target).main.module == "mygame.sim"
    assert find_target(target).main.root == project.resolve()


@pytest.mark.parametrize("target", ["mygame", "mygame:Game"])
def test_a_package_is_all_its_files(target: str, project: Path) -> None:
    assert names(target) == [
        "mygame/__init__.py",
        "mygame/clock.py",
        "mygame/drawing.py",
        "mygame/sim.py",
        "mygame/rules/__init__.py",
        "mygame/rules/speed.py",
    ]


def test_a_game_is_named_behind_a_colon(project: Path) -> None:
    assert find_target("mygame.sim:Game").attribute == "Game"
    assert find_target("mygame.sim:Outer.Game").attribute == "Outer.Game"
    assert find_target("mygame.sim").attribute is None


def test_installed_modules_are_found_without_importing_them() -> None:
    target = find_target("retick.games.fighter:Fighter")
    assert target.main.module == "retick.games.fighter"
    assert {file.path.name for file in target.files} >= {"game.py", "kernel.py", "rules.py", "state.py"}
    assert find_target("retick.games.fighter.kernel").main.path.name == "kernel.py"


def test_following_reads_what_is_imported_from_the_same_package(project: Path) -> None:
    alone = audit_static("mygame.sim")
    assert alone.ok
    followed = audit_static("mygame.sim", follow=True)
    assert sorted(Path(path).name for path in followed.files) == [
        "__init__.py",
        "__init__.py",
        "clock.py",
        "sim.py",
        "speed.py",
    ]
    assert [finding.rule for finding in followed.findings] == ["clock", "float"]


def test_following_a_script_reads_its_neighbours(project: Path) -> None:
    followed = audit_static("script.py", follow=True)
    assert [Path(path).name for path in followed.files] == ["script.py", "beside.py"]


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("nosuch.py", "no file or directory"),
        ("no/such", "no file or directory"),
        ("nosuchmodule", "no module is called"),
        ("mygame.nosuch", "no module is called"),
        ("my-game", "neither a file nor a module"),
        (".:Game", "not a package"),
        ("empty", "no Python source"),
    ],
)
def test_a_target_that_is_not_there_is_misuse(target: str, words: str, project: Path) -> None:
    (project / "empty").mkdir()
    with pytest.raises(UsageError, match=words):
        find_target(target)
