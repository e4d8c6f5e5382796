"""``retick package``: a folder that starts where there is no Python, from any working directory."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from retick import replay
from tests.cli.conftest import Run
from tests.examples.waiting import wait

TUTORIAL = Path(__file__).parents[2] / "examples" / "tutorial"
LIBC = re.compile(r"(/(?:usr/)?lib\S*/(?:ld-linux\S*|lib(?:c|m|dl|pthread|rt|util|resolv|nsl|crypt|z)\.so\S*))")
"""What every Linux has, and PyInstaller leaves to it."""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def without_python(root: Path, program: Path) -> None:
    """Make a root folder with nothing but a packaged game and the C library."""
    shutil.copytree(program.parent, root / "app" / "Tanks", symlinks=True)
    for file in [program, *(root / "app").rglob("*.so*")]:
        listed = subprocess.run(["ldd", str(file)], capture_output=True, text=True, check=False).stdout
        for library in set(LIBC.findall(listed)):
            target = root / library.lstrip("/")
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(library, target)
    for folder in ("tmp", "home/ann", "elsewhere", "dev"):
        (root / folder).mkdir(parents=True)


@pytest.mark.long
@pytest.mark.skipif(not sys.platform.startswith("linux") or os.geteuid() != 0, reason="chroot needs Linux and root")
def test_a_packaged_game_plays_where_there_is_no_python(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("PyInstaller")
    pytest.importorskip("pygame", exc_type=ImportError)
    game = tmp_path / "game"
    game.mkdir()
    for name in ("tanks.py", "shot.wav"):
        shutil.copy(TUTORIAL / name, game)
    (game / "matches").mkdir()
    (game / "matches" / "mine.rtk").touch()
    code, out, err = run("package", game / "tanks.py", "--name", "Tanks", "--out", tmp_path / "dist")
    assert (code, err) == (0, "")
    assert "1 file of the game's own" in out
    root = tmp_path / "root"
    without_python(root, tmp_path / "dist" / "Tanks" / "Tanks")
    assert not [path for path in root.rglob("python*") if path.is_file()], "only folders have that name"
    player = subprocess.Popen(
        [shutil.which("chroot") or "/usr/sbin/chroot", str(root), "/app/Tanks/Tanks", "--here", "--bot"],
        cwd=root / "elsewhere",
        env={"HOME": "/home/ann", "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert player.stdout is not None
    said = []
    for line in player.stdout:
        said.append(line)
        if "the match has started" in line:
            break
    files = root / "home/ann/.local/share/Tanks/matches"
    while player.poll() is None and not any(path.stat().st_size > 500 for path in files.glob("*.rtk*")):
        wait()
    player.terminate()
    said += player.stdout
    player.stdout.close()
    assert player.wait() == 0, "".join(said)
    assert "recorded in /home/ann/.local/share/Tanks/matches/" in said[-1]
    (path,) = files.glob("*.rtk")
    assert replay.load(path).end_frame > 0
    assert not list((root / "elsewhere").iterdir())


@pytest.mark.parametrize(
    ("name", "text", "words", "said"),
    [
        ("game.py", "print('no window')", [], "never calls play"),
        ("game.txt", "play(Game)", [], "name the program that calls play"),
        ("game.py", "play(Game)", ["--name", "../up"], "--name must have letters"),
    ],
)
def test_what_cannot_be_packaged_is_said_in_one_line(
    run: Run, tmp_path: Path, name: str, text: str, words: list[str], said: str
) -> None:
    pytest.importorskip("PyInstaller")
    (tmp_path / name).write_text(text)
    code, out, err = run("package", name, *words)
    assert (code, out) == (2, "")
    assert said in err


def test_without_pyinstaller_the_line_that_installs_it_is_said(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "PyInstaller" else find(name))
    assert "pip install pyinstaller" in run("package", "game.py")[2]


def test_a_packaged_game_writes_to_the_folder_of_its_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from retick.playing.match_files import of_the_user

    assert of_the_user(Path("matches"), "Tanks") == Path("matches")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert of_the_user(Path("matches"), "../My: Tanks") == tmp_path / "My Tanks" / "matches"
    assert of_the_user(tmp_path / "here", "Tanks") == tmp_path / "here"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("APPDATA", str(tmp_path / "data"))
    assert of_the_user(Path("me.key"), "Tanks") == tmp_path / "data" / "Tanks" / "me.key"


@pytest.fixture
def game(tmp_path: Path) -> Path:
    file = tmp_path / "game.py"
    file.write_text("play(Game)\n")
    return file


def earlier(folder: Path) -> Path:
    """What an earlier run left."""
    (folder / "_internal").mkdir(parents=True)
    (folder / "game").write_text("the one before")
    return folder / "game"


def test_a_folder_that_is_no_packaged_game_is_left_alone(run: Run, game: Path, tmp_path: Path) -> None:
    pytest.importorskip("PyInstaller")
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "tank.png").write_text("mine")
    code, _, err = run("package", game, "--out", tmp_path, "--name", "pictures")
    assert code == 2
    assert "pictures is there already, and is no packaged game" in err
    assert (tmp_path / "pictures" / "tank.png").read_text() == "mine"


@pytest.mark.parametrize("fails", [False, True])
def test_a_game_is_replaced_when_the_new_one_is_whole(
    run: Run, game: Path, tmp_path: Path, fails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("PyInstaller")
    before = earlier(tmp_path / "dist" / "game")

    def installer(words: list[str], **_given: object) -> subprocess.CompletedProcess[str]:
        made = Path(words[words.index("--distpath") + 1]) / "game"
        made.mkdir(parents=True)
        (made / "game").write_text("half of it" if fails else "the new one")
        return subprocess.CompletedProcess(words, int(fails), "", "no space left on device\n")

    monkeypatch.setattr("retick.cli.package.subprocess.run", installer)
    code, _, err = run("package", game)
    assert (code, "no space left on device" in err) == (int(fails), fails)
    assert before.read_text() == ("the one before" if fails else "the new one")
    assert os.listdir(tmp_path / "dist") == ["game"], "nothing else is left there"
