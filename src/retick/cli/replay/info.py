"""``retick replay info``: what is written in a replay, without playing it."""

from pathlib import Path
from typing import Annotated, Any

import typer

from retick.cli.read_budget import BudgetOption, load_within
from retick.cli.replay.files import ReplayFiles, for_each
from retick.cli.terminal import say, say_json
from retick.replay import Replay, format_of
from retick.replay.formats import facts_of

__all__ = ["info"]


def info(
    files: ReplayFiles,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object for each file.")] = False,
    budget: BudgetOption = None,
) -> None:
    """Show what is written in replays: game, players, length, checksums.

    Exit code 0: all could be read. 1: one could not. 2: misuse, or a file that cannot be opened.

    Example: retick replay info match.rtk
    """

    def show(path: Path) -> None:
        facts = {"file": str(path)} | _facts(path, load_within(path, budget))
        if as_json:
            say_json(facts)
        else:
            say(*(f"{name:>15}  {_words(value)}" for name, value in facts.items() if value not in (None, {}, [])))

    for_each(files, show)


def _facts(path: Path, replay: Replay) -> dict[str, Any]:
    with path.open("rb") as file:
        form = format_of(file.read(4))
    return {"format": form, "bytes": path.stat().st_size, **facts_of(replay)}


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{key}={text}" for key, text in value.items())
    if isinstance(value, list):
        return "player " + ", ".join(map(str, value))
    return str(value)
