"""What a user names, and the files that it means."""

from pathlib import Path

import pytest

from retick.audit.targets import find_target
from retick.errors import UsageError


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
    assert {file.path.name for file in target.files} >= {"bots.py", "game.py", "kernel.py", "rules.py"}
    assert find_target("retick.games.fighter.kernel").main.path.name == "kernel.py"


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


def test_hidden_folders_and_virtual_environments_are_left_out(project: Path) -> None:
    for folder in (".git/hooks", ".venv/lib", "env/lib", "conda/lib", "site-packages/other", "node_modules/x"):
        (project / folder).mkdir(parents=True)
        (project / folder / "theirs.py").write_text("import random\n")
    (project / "env" / "pyvenv.cfg").write_text("")
    (project / "conda" / "conda-meta").mkdir()
    assert not any(name.endswith("theirs.py") for name in names("."))
    assert "mygame/sim.py" in names(".")


@pytest.mark.parametrize("folder", [".hidden", "env", "env/lib"])
def test_a_folder_that_is_named_is_read_whatever_it_is(folder: str, project: Path) -> None:
    (project / folder).mkdir(parents=True)
    (project / "env").mkdir(exist_ok=True)
    (project / "env" / "pyvenv.cfg").write_text("")
    (project / folder / "ours.py").write_text("")
    assert names(folder) == [f"{folder}/ours.py"]


def test_each_folder_that_is_walked_is_told(project: Path) -> None:
    told: list[str] = []
    find_target(".", progress=told.append)
    assert [Path(folder).name for folder in told] == [project.name, "mygame", "rules"]
