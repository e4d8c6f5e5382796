"""``retick new``: writes a game that runs online at once, from templates with a few words replaced."""

import re
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from retick.cli.terminal import say
from retick.errors import UsageError
from retick.replay.storage import naming

MOST_PLAYERS = 8
"""Most players, since the templates have a start and a colour for each."""
GOAL = 5
TEMPLATES = {
    ".gitignore": "gitignore.txt",
    "README.md": "README.md.txt",
    "game.py": "game_{kind}.py.txt",
    "pyproject.toml": "pyproject.toml.txt",
    "tests/test_game.py": "test_game.py.txt",
    "tests/test_window.py": "test_window.py.txt",
    "window.py": "window.py.txt",
}
"""Paths in the new folder, and their templates."""
TAKEN = {
    "Annotated", "Bullet", "Dice", "False", "Most", "None", "Path", "Record", "RecordGame", "Ref", "Replay", "State",
    "Tank", "Thing", "Times", "True", "World", "XorShift32",
}  # fmt: skip
"""Names that the templates use."""
LONGEST_NAME = 24
"""Most letters of a name; the game's id in a handshake has room for 32."""


def class_name(name: str) -> str:
    """Make a game's class name: "my-tanks" becomes MyTanks. UsageError if the name does not fit.

    Names in capitals are constants, so such a class gets the suffix Game.
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name) or len(name) > LONGEST_NAME:
        raise UsageError(
            f"NAME must start with a letter and have up to {LONGEST_NAME} letters, digits, - and _, not {name!r}"
        )
    found = "".join(part[:1].upper() + part[1:] for part in re.split(r"[-_]+", name))
    return found + "Game" if found in TAKEN or found.isupper() else found


def project_files(name: str, *, kind: str, players: int) -> dict[str, str]:
    """The texts of all files by their paths in the new folder; ``kind`` is "world" or "record"."""
    if not 2 <= players <= MOST_PLAYERS:
        raise UsageError(f"--players must be 2 to {MOST_PLAYERS}, not {players}")
    words = {
        "CLASS": class_name(name),
        "GOAL": str(GOAL),
        "ID": name,
        "NAME": name,
        "PLAYERS": str(players),
        "TITLE": name,
        "SHOWN": "game" if kind == "world" else "state",
        "WINNER": "world.winner()" if kind == "world" else "winner(world)",
    }
    folder = files("retick.cli") / "templates"
    texts = {}
    for path, template in TEMPLATES.items():
        text = (folder / template.format(kind=kind)).read_text(encoding="utf-8")
        texts[path] = re.sub(r"@([A-Z]+)@", lambda found: words[found[1]], text)
    if kind == "record":
        texts["window.py"] = texts["window.py"].replace(f", {words['CLASS']}\n", f", {words['CLASS']}, winner\n", 1)
    return texts


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The game, and the new folder below this one.")],
    record: Annotated[
        bool, typer.Option("--record/--world", help="An immutable state, or objects that change in place.")
    ] = False,
    players: Annotated[int, typer.Option(help="Players of a match, 2 to 8.")] = 2,
) -> None:
    """Write a new game into its own folder: rules, window, tests. It runs online as it is.

    Exit code 0: written. 2: misuse, or the folder exists.

    Example: retick new tanks --players 4
    """
    texts = project_files(name, kind="record" if record else "world", players=players)
    folder = Path(name)
    try:
        folder.mkdir()
    except FileExistsError:
        raise UsageError(f"{folder} exists already: choose another name, or remove it") from None
    for path, text in texts.items():
        file = folder / path
        file.parent.mkdir(exist_ok=True)
        with naming(file):
            file.write_text(text, encoding="utf-8", newline="\n")
    say(f"wrote {len(texts)} files in {folder}", "", f"  cd {folder}", "  retick play")
