"""``retick new``: writes a game that runs online at once."""

from pathlib import Path
from typing import Annotated

import typer

from retick.cli.new.project import project_files
from retick.cli.terminal import say
from retick.errors import UsageError
from retick.replay.storage import naming

__all__ = ["new"]


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The game, and the new folder below this one.")],
    record: Annotated[
        bool, typer.Option("--record/--world", help="An immutable state, or objects that change in place.")
    ] = False,
    players: Annotated[int, typer.Option(help="Players of a match, 2 to 8.")] = 2,
) -> None:
    """Write a new game into a folder of its own: rules, window, tests. It runs online as it is.

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
