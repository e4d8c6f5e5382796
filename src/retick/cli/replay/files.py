"""Replay files as arguments, and the loop of commands that go through many of them without stopping at a bad one."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from retick.cli.exit_codes import MISUSE, NO, UNKNOWN, complain, file_problem, playing
from retick.cli.terminal import Screen, say
from retick.errors import RetickError, UsageError

__all__ = ["ReplayFile", "ReplayFiles", "Undecided", "for_each"]

ReplayFile = Annotated[Path, typer.Argument(metavar="FILE", show_default=False, help="A replay, RPLK or RTK.")]
ReplayFiles = Annotated[list[Path], typer.Argument(metavar="FILES", show_default=False, help="Replays, RPLK or RTK.")]


class Undecided(RetickError):
    """A file about which nothing can be said: it is neither good nor bad."""


def for_each(paths: Sequence[Path], work: Callable[[Path], None]) -> None:
    """Call ``work`` for each file, and print what it raises.

    Exit with 1 if one file is bad, else with 2 for misuse, else with 3 if nothing can be said about one.
    """
    console = Screen(stderr=True)
    bad = misused = unknown = 0
    hidden = not console.is_terminal or len(paths) < 2
    # Where both are the terminal, lines go above the bar; output that goes elsewhere is left alone.
    above = sys.stdout.isatty()
    with Progress(console=console, disable=hidden, transient=True, redirect_stdout=above) as progress:
        for path in progress.track(paths, description="files"):
            try:
                with playing():
                    work(path)
            except OSError as error:
                if error.filename is None:
                    raise
                misused += 1
                complain(file_problem(error))
            except UsageError as error:
                misused += 1
                complain(f"{path}: {error}")
            except Undecided as error:
                unknown += 1
                say(f"unknown  {path}: {error}")
            except RetickError as error:
                bad += 1
                complain(f"{path}: {error}")
    if len(paths) > 1 and (bad or misused or unknown):
        parts = [f"{number} {what}" for number, what in ((bad + misused, "bad"), (unknown, "unknown")) if number]
        complain(f"of {len(paths)} files: {', '.join(parts)}")
    if bad or misused or unknown:
        raise typer.Exit(NO if bad else MISUSE if misused else UNKNOWN)
