"""Replay files on the command line: read one, or go through many and report the bad ones without stopping."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from retick.errors import RetickError, UsageError
from retick.replay import Replay, load

__all__ = ["ReplayFile", "ReplayFiles", "for_each", "read"]

ReplayFile = Annotated[Path, typer.Argument(metavar="FILE", show_default=False, help="A replay, RPLK or RTK.")]
ReplayFiles = Annotated[list[Path], typer.Argument(metavar="FILES", show_default=False, help="Replays, RPLK or RTK.")]


def read(path: Path, *, strict: bool = False) -> Replay:
    """The replay in a file; what is wrong with it is said together with its name."""
    try:
        return load(path, strict=strict)
    except OSError as error:
        raise RetickError(f"{path}: {error.strerror or error}") from None
    except RetickError as error:
        raise RetickError(f"{path}: {error}") from None


def for_each(paths: Sequence[Path], work: Callable[[Path], bool]) -> None:
    """Call ``work`` for each file; exit with 1 if any could not be read or ``work`` said no to it."""
    console = Console(stderr=True)
    bad = 0
    hidden = not console.is_terminal or len(paths) < 2
    # Where both are the terminal, lines go above the bar; output that goes elsewhere is left alone.
    above = sys.stdout.isatty()
    with Progress(console=console, disable=hidden, transient=True, redirect_stdout=above) as progress:
        for path in progress.track(paths, description="files"):
            try:
                bad += not work(path)
            except UsageError as error:
                bad += _complain(f"{path}: {error}")
            except RetickError as error:
                bad += _complain(str(error))
    if bad:
        if len(paths) > 1:
            _complain(f"{bad} of {len(paths)} files are bad")
        raise typer.Exit(1)


def _complain(text: str) -> int:
    sys.stdout.flush()
    print(f"retick: {text}", file=sys.stderr, flush=True)
    return 1
