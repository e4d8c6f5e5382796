"""``retick replay generate``: seeded matches of bots in a folder, with their manifest."""

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import track

from retick.bulk.corpus import MANIFEST
from retick.bulk.corpus import generate as write_matches
from retick.cli.plurals import count
from retick.cli.terminal import Screen, say

__all__ = ["generate"]


def generate(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", show_default=False, help="A new or empty folder.")],
    matches: Annotated[int, typer.Option(min=1, help="How many.")] = 100,
    seed: Annotated[int, typer.Option(help="Seed of the first match; each of the others has the next one.")] = 1,
    frames: Annotated[int, typer.Option(min=1, help="Frames of each, 60 a second.")] = 3600,
) -> None:
    """Write matches of the fighter's bots as RPLK, and manifest.csv with the checksum of each.

    The same numbers give the same bytes, on every machine. Exit code 0: written. 2: misuse.

    Example: retick replay generate corpus --matches 200 --seed 1 --frames 600
    """
    console = Screen(stderr=True)
    written = write_matches(folder, matches=matches, seed=seed, frames=frames)
    size = 0
    for path in track(
        written, "matches", total=matches, console=console, disable=not console.is_terminal, transient=True
    ):
        size += path.stat().st_size
    say(
        f"{folder}: {count(matches, 'match', 'matches')} of {count(frames, 'frame')}, {count(size, 'byte')}, {MANIFEST}"
    )
