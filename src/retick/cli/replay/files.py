"""Replay files on the command line: name the bad one, or go through many and report the bad ones without stopping."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from retick.cli.replay.game import raised
from retick.errors import RetickError, UsageError

__all__ = ["ReplayFile", "ReplayFiles", "for_each", "naming"]

ReplayFile = Annotated[Path, typer.Argument(metavar="FILE", show_default=False, help="A replay, RPLK or RTK.")]
ReplayFiles = Annotated[list[Path], typer.Argument(metavar="FILES", show_default=False, help="Replays, RPLK or RTK.")]


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Says what is wrong with a file together with its name; a reader of our output who left is no such thing.

    To name a file that is not there is misuse; one that is there and no good is an answer.
    """
    try:
        yield
    except (BrokenPipeError, UsageError):
        raise
    except FileNotFoundError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None
    except OSError as error:
        raise RetickError(f"{path}: {error.strerror or error}") from None
    except RetickError as error:
        raise RetickError(f"{path}: {error}") from None


def for_each(paths: Sequence[Path], work: Callable[[Path], bool]) -> None:
    """Call ``work`` for each file; exit with 1 if one is bad or ``work`` says no to it, with 2 if some are missing."""
    console = Console(stderr=True)
    bad = missing = 0
    hidden = not console.is_terminal or len(paths) < 2
    # Where both are the terminal, lines go above the bar; output that goes elsewhere is left alone.
    above = sys.stdout.isatty()
    with Progress(console=console, disable=hidden, transient=True, redirect_stdout=above) as progress:
        for path in progress.track(paths, description="files"):
            try:
                bad += not work(path)
            except BrokenPipeError:
                raise
            except FileNotFoundError as error:
                missing += _complain(f"{path}: {error.strerror or error}")
            except OSError as error:
                bad += _complain(f"{path}: {error.strerror or error}")
            except RetickError as error:
                bad += _complain(f"{path}: {error}")
            except Exception as error:
                bad += _complain(f"{path}: {raised(error)}")
    if bad or missing:
        if len(paths) > 1:
            _complain(f"{bad + missing} of {len(paths)} files are bad")
        raise typer.Exit(1 if bad else 2)


def _complain(text: str) -> int:
    sys.stdout.flush()
    print(f"retick: {text}", file=sys.stderr, flush=True)
    return 1
