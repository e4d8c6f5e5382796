"""Replay files as arguments, and the loop over many of them that does not stop at a bad one."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress

from retick.audit.game_loader import GAME_IDS, load_game
from retick.cli.exit_codes import MISUSE, NO, UNKNOWN, complain, playing
from retick.cli.terminal import Screen, say
from retick.errors import RetickError, UsageError
from retick.playing.printing import file_problem
from retick.replay import Replay
from retick.sim.contract import Simulation
from retick.verify.games import FIGHTER, UnknownGame, game_for

__all__ = [
    "FIGHTER",
    "GameOption",
    "ReplayFile",
    "ReplayFiles",
    "Undecided",
    "UnknownGame",
    "for_each",
    "game_of",
    "project_game_of",
]


ReplayFile = Annotated[Path, typer.Argument(metavar="FILE", show_default=False, help="A replay, RPLK or RTK.")]
ReplayFiles = Annotated[list[Path], typer.Argument(metavar="FILES", show_default=False, help="Replays, RPLK or RTK.")]


class Undecided(RetickError):
    """A file that cannot be judged: it is neither good nor bad."""


def for_each(paths: Sequence[Path], work: Callable[[Path], None]) -> None:
    """Call ``work`` for each file, and print what it raises.

    Exit with 1 if a file is bad, else with 2 for misuse, else with 3 if a file cannot be judged.
    """
    console = Screen(stderr=True)
    bad = misused = unknown = 0
    hidden = not console.is_terminal or len(paths) < 2
    # On a terminal, lines go above the progress bar; other output is left alone.
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
            except MemoryError:
                bad += 1
                complain(f"{path}: there is too little memory for it")
            except RetickError as error:
                bad += 1
                complain(f"{path}: {error}")
    if len(paths) > 1 and (bad or misused or unknown):
        parts = [f"{number} {what}" for number, what in ((bad + misused, "bad"), (unknown, "unknown")) if number]
        complain(f"of {len(paths)} files: {', '.join(parts)}")
    if bad or misused or unknown:
        raise typer.Exit(NO if bad else MISUSE if misused else UNKNOWN)


GameOption = Annotated[
    str | None,
    typer.Option(
        "--game",
        metavar="MODULE:CLASS",
        help="The game, as module:Class, file.py:Class or by its id.",
        show_default="the recording's, if it is a game of Retick",
    ),
]


def project_game_of(replay: Replay, project: str | None) -> str | None:
    """The project's game, if there is one and the recording belongs to it; otherwise None."""
    if project is None or not replay.game_id or replay.game_id in GAME_IDS:
        return None
    return project if getattr(load_game(project)(), "game_id", None) == replay.game_id else None


def game_of(replay: Replay, named: str | None, project: str | None) -> Simulation[Any]:
    """The game to play ``replay`` with: the named one, or else the one whose id the recording has.

    That is a game of Retick, or the game ``project``, which is given only if the user asked for it.
    """
    named = named or project_game_of(replay, project)
    game = game_for(replay, None if named is None else load_game(named), None)
    is_other = replay.game_id in GAME_IDS and getattr(game, "game_id", None) != replay.game_id
    if named is not None and named not in GAME_IDS and is_other:
        raise UsageError(f"the recording is of {replay.game_id!r}, and {named} is another game")
    return game
