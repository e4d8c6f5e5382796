"""``retick synctest``: does a game repeat itself when its last frames are run again?"""

from collections.abc import Callable
from typing import Annotated, Any

import typer
from rich.table import Table

from retick.audit.game_loader import load_game
from retick.cli.exit_codes import NO, game_failure
from retick.cli.terminal import Screen, working
from retick.errors import RetickError
from retick.sim.contract import Simulation
from retick.testing.determinism import Failure, find_failure, shrink

__all__ = ["synctest"]

LAST_SEED = 0xFFFFFFFF
"""The seed after it is 1."""


def synctest(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game, as module:Class, file.py:Class or by its id.")],
    frames: Annotated[int, typer.Option(min=1, help="Frames of random inputs in each round.")] = 600,
    distance: Annotated[int, typer.Option(min=1, max=1000, help="Frames to run again after every frame.")] = 7,
    seed: Annotated[int, typer.Option(min=1, max=LAST_SEED, help="Seed of the first round.")] = 1,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds, each with the next seed.")] = 3,
) -> None:
    """Play a game with random inputs, run the last frames again after every frame, and compare.

    A failure is reduced to a short list of inputs and reported with the fields that differ.
    Exit code 0: every frame came out the same. 1: one did not. 2: misuse.

    Example: retick synctest retick.games.fighter:Fighter --frames 2000
    """
    factory = load_game(game)
    console = Screen()
    for number in range(rounds):
        with working(f"round {number + 1} of {rounds}: {frames} frames, {distance} run again after each"):
            failure = _play_round(factory, frames, (seed + number - 1) % LAST_SEED + 1, distance)
        if failure is not None:
            with working("reducing the inputs"):
                failure = shrink(factory, failure, distance=distance)
            _report(console, failure)
            raise typer.Exit(NO)
    played = "1 round" if rounds == 1 else f"{rounds} rounds"
    console.tell(f"{game}: {played} of {frames} frames, {distance} run again after each: all the same")


def _play_round(factory: Callable[[], Simulation[Any]], frames: int, seed: int, distance: int) -> Failure | None:
    """One round. Whatever the game raises is its failure, with the frame and the inputs that led to it."""
    try:
        return find_failure(factory, frames=frames, seed=seed, distance=distance)
    except Exception as error:
        raise RetickError(game_failure(error)) from error


def _report(console: Screen, failure: Failure) -> None:
    console.tell(f"Frame {failure.error.frame} came out differently when it was run again.", style="bold red")
    fields = Table("field", "first", "again")
    for name, before, again in failure.error.differences:
        fields.add_row(name, str(before), str(again))
    console.print(fields)
    console.tell(f"Shortest run found: seed {failure.seed}, {len(failure.inputs)} frames.")
    for frame, row in enumerate(failure.inputs):
        console.tell(f"  frame {frame}: {' '.join(f'0x{value:04X}' for value in row)}")
