"""``retick package``: makes a folder of a game that starts on a machine without Python, by PyInstaller."""

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from retick._regular_files import read_text
from retick.cli.terminal import count, say, working
from retick.errors import MissingExtra, RetickError, UsageError

NEEDED = ("audit", "link", "playing", "relay", "replay", "rollback", "routes", "sim", "transport", "wire")
"""Packages of ours that a match needs. Kernels and lazy names hide their imports from PyInstaller."""
LEFT_OUT = ("retick.cli", "retick.serving", "retick.studio", "retick.testing.plugin", "Cython", "IPython", "tkinter")
IF_NAMED = {name: (name,) for name in ("numpy", "pyarrow", "ray", "hypothesis", "pytest")} | {"PIL": ("PIL", "arcade")}
"""Large packages that others would bring: they are packaged only if the game's own code has one of these words."""
NO_ASSETS = {".py", ".pyc", ".rtk", ".part", ".seat", ".desync", ".key", ".spec"}
NO_FOLDERS = {"__pycache__", "build", "dist", "matches", "tests", "venv"}
AT_START = """
import os, sys
os.chdir(sys._MEIPASS)  # where the game's pictures and sounds are, which it names as if it stood beside them
"""
INSIDE = "_internal"
"""The folder that PyInstaller puts beside the program."""
MIB = 1 << 20


def package(
    game: Annotated[Path, typer.Argument(metavar="FILE.py", help="The program of the game: it calls play(...).")],
    out: Annotated[Path, typer.Option(help="The folder in which the game's folder is made.")] = Path("dist"),
    name: Annotated[
        str, typer.Option(help="The name of the folder and of the program.", show_default="that of the file")
    ] = "",
) -> None:
    """Make a folder of a game that starts on a machine without Python, of the same system as this one.

    Everything beside the program goes into it but code, recordings and keys: pictures, sounds, fonts. Recordings of
    players are written to their own data folder. Exit code 0: made. 1: PyInstaller could not make it. 2: misuse.

    Example: retick package game.py --name Tanks
    """
    if importlib.util.find_spec("PyInstaller") is None:
        raise MissingExtra("packaging needs PyInstaller: pip install pyinstaller")
    if game.suffix != ".py":
        raise UsageError(f"name the program that calls play, such as game.py, not {game}")
    if "play(" not in read_text(game):
        raise UsageError(f"{game} never calls play: write play(Game) at its end, below if __name__ == '__main__'")
    called = name or game.stem
    if not called.replace("-", "").replace("_", "").replace(" ", "").isalnum():
        raise UsageError(f"--name must have letters, digits, spaces, - and _, not {called!r}")
    target = out / called
    if target.exists() and not (target / INSIDE).is_dir():
        raise UsageError(f"{target} is there already, and is no packaged game: choose another --name or --out")
    assets = sorted(_assets(game.resolve().parent, out.resolve()))
    with working("packaging, which takes a minute"):
        made = _built(game.resolve(), out.resolve(), called, assets)
    files = [each for each in made.rglob("*") if each.is_file() and not each.is_symlink()]
    size = sum(each.stat().st_size for each in files) / MIB
    own = count(len(assets), "file")
    say(f"made {target}: {count(len(files), 'file')}, {size:.0f} MiB, {own} of the game's own")
    say(f"players start {called} in it; their recordings and keys go to their data folder")


def _assets(folder: Path, out: Path) -> Iterator[Path]:
    """The files beside the program that it may read."""
    for path in folder.iterdir():
        if path.name.startswith(".") or path.name in NO_FOLDERS or path in (out, *out.parents):
            continue
        if path.is_dir():
            yield from _assets(path, out)
        elif path.suffix not in NO_ASSETS:
            yield path


def _built(game: Path, out: Path, name: str, assets: list[Path]) -> Path:
    """Build beside the place, and put it there when it is whole: a failure leaves what was there before."""
    target = out / name
    folder = game.parent
    code = "\n".join(read_text(path, "latin-1") for path in folder.glob("**/*.py"))
    left_out = (*LEFT_OUT, *(name for name, users in IF_NAMED.items() if not any(user in code for user in users)))
    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=out, prefix=".packaging-") as work:
        made = Path(work) / "made"
        hook = Path(work) / "at_start.py"
        hook.write_text(AT_START, encoding="utf-8")
        words = [
            "--noconfirm", "--onedir", "--log-level", "ERROR", "--name", name, "--distpath", str(made),
            "--workpath", work, "--specpath", work, "--paths", str(folder), "--runtime-hook", str(hook),
        ]  # fmt: skip
        for asset in assets:
            words += ["--add-data", f"{asset}:{asset.relative_to(folder).parent}"]
        for part in NEEDED:
            words += ["--collect-submodules", f"retick.{part}"]
        for module in left_out:
            words += ["--exclude-module", module]
        done = subprocess.run(
            [sys.executable, "-m", "PyInstaller", *words, str(game)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            last = next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "it said nothing")
            raise RetickError(f"PyInstaller could not package {game.name}: {last}")
        if target.exists():
            target.rename(Path(work) / "before")
        (made / name).rename(target)
    return target
