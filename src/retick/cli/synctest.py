"""``retick synctest``: checks that a game repeats itself when its last frames are run again."""

from collections.abc import Callable
from itertools import groupby
from typing import Annotated, Any

import typer
from rich.table import Table

from retick.audit.game_loader import load_game
from retick.audit.input_search import Search, SearchedMatch, SearchResult
from retick.audit.line_watch import LinesRun
from retick.cli.arguments import wanted_game
from retick.cli.exit_codes import NO, playing
from retick.cli.terminal import Screen, count, working
from retick.sim.contract import Simulation
from retick.sim.prng import seeded_inputs
from retick.testing.determinism import Failure, failure_in, shrink

LAST_SEED = 0xFFFFFFFF
"""The highest seed; the next one is 1."""
ENOUGH = 0.6
"""Share of the game's lines that must have run, so that the result begins with "all the same"."""
MOST_SHOWN = 20
"""Most places that are listed as never run."""
TRIES = 600
"""Most runs to find shorter inputs."""
LOOKED_AT = 120
"""Frames in which the state must change at least once."""


def synctest(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="[GAME]",
            help="The game, as module:Class, file.py:Class or by its id; a file with one world needs no class.",
            show_default="[tool.retick] game of pyproject.toml",
        ),
    ] = None,
    frames: Annotated[int, typer.Option(min=1, help="Frames in each round.")] = 600,
    distance: Annotated[int, typer.Option(min=1, max=1000, help="Frames to run again after every frame.")] = 7,
    seed: Annotated[int, typer.Option(min=1, max=LAST_SEED, help="Seed of the first round and of the search.")] = 1,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds, each with the next seed.")] = 3,
    seconds: Annotated[
        float, typer.Option(min=0, help="Most seconds of the search for inputs that reach new lines; 0: no search.")
    ] = 20.0,
) -> None:
    """Play a game, run the last frames again after every frame, and compare.

    A few rounds are played by the game's own bot(player, state) or press(player, state), or else with random inputs.
    Then comes a search for inputs that reach new lines of the game. It ends when no new line or branch is reached any
    more, after 20 seconds at most. Lines of step, and of what it calls, that never ran are listed: they were not
    tested. A failure is reduced to a short list of inputs and reported with the fields that differ.
    Exit code 0: every frame came out the same. 1: one did not, the game raised an error, or its state never changed.
    2: misuse.

    Example: retick synctest retick.games.fighter:Fighter --frames 2000
    """
    game = wanted_game(game)
    factory = load_game(game)
    console = Screen()
    seeds = [(seed + number - 1) % LAST_SEED + 1 for number in range(rounds)]
    with working("playing") as show:
        found = _searched(factory, seeds, frames, distance, seconds, show)
    if found.failure is not None:
        failure = found.failure
        if failure.inputs:
            with working("reducing the inputs"):
                failure = shrink(factory, failure, distance=distance, tries=TRIES)
        _report(console, failure)
        raise typer.Exit(NO)
    _tell_result(console, game, found, frames, distance)
    if _is_still(factory, seeds[0]):
        unchanged = f"the state stayed the same for {LOOKED_AT} frames of random inputs, so nothing was compared"
        console.tell(f"{unchanged}: is everything declared that changes?", style="bold red")
        raise typer.Exit(NO)
    if found.lines is None and seconds:
        console.tell("its lines cannot be seen (compiled code), so there was no search: some may never have run")


def _searched(
    factory: Callable[[], Simulation[Any]],
    seeds: list[int],
    frames: int,
    distance: int,
    seconds: float,
    show: Callable[[str], None],
) -> SearchResult[Failure]:
    """Run the rounds and the search; what the game raises is reported with the frame and inputs that led to it."""

    def check(match: SearchedMatch, first: int) -> Failure | None:
        return failure_in(factory, match.rows, match.seed, distance=distance, first=first)

    with playing():
        search = Search(factory, check, seconds=seconds, seed=seeds[0], frames=frames, progress=show)
        return search.run(seeds)


def _is_still(factory: Callable[[], Simulation[Any]], seed: int) -> bool:
    """Whether random inputs change nothing in the game's state."""
    game = factory()
    state = game.initial_state(seed)
    first = game.checksum(state)
    for inputs in seeded_inputs(game, seed, LOOKED_AT):
        state = game.step(state, inputs)
        if game.checksum(state) != first:
            return False
    return True


def _tell_result(console: Screen, game: str, found: SearchResult[Failure], frames: int, distance: int) -> None:
    who = " by its own bot" if found.bot else ""
    played = f"{count(found.rounds, 'round')} of {count(frames, 'frame')}{who}"
    if found.matches:
        played += f", and {count(found.matches, 'match', 'matches')} searched ({found.seconds:.1f} s)"
    if found.lines is not None and found.lines.ran < ENOUGH * found.lines.total:
        lines = f"{found.lines.ran} of {count(found.lines.total, 'line')}"
        console.tell(f"{game}: only {lines} of the game ran, so little is known; what ran was the same each time")
        console.tell(f"{played}, {distance} run again after each")
    else:
        console.tell(f"{game}: {played}, {distance} run again after each: all the same")
    if found.lines is not None:
        _tell_lines(console, found.lines)
    if found.out_of_time:
        console.tell("the search ended at its time limit: --seconds gives it more")


def _tell_lines(console: Screen, lines: LinesRun) -> None:
    if not lines.unrun:
        console.tell(f"all {count(lines.total, 'line')} of step and of what it calls ran")
        return
    ran = f"{lines.ran} of {count(lines.total, 'line')} of step and of what it calls ran"
    console.tell(f"{ran}; nothing is known about those that never ran:", style="yellow")
    for place in lines.unrun[:MOST_SHOWN]:
        console.tell(f"  {place}")
    if len(lines.unrun) > MOST_SHOWN:
        console.tell(f"  and {count(len(lines.unrun) - MOST_SHOWN, 'place')} more")


def _report(console: Screen, failure: Failure) -> None:
    headline = str(failure.error).partition(": ")[0]
    console.tell(headline, style="bold red")
    if failure.error.differences:
        fields = Table("field", *failure.compared)
        for name, before, again in failure.error.differences:
            fields.add_row(name, str(before), str(again))
        console.print(fields)
    else:
        console.tell("no named field differs, the checksums do: fields() leaves something out")
    if not failure.inputs:
        return
    console.tell(f"Shortest run found: seed {failure.seed}, {count(len(failure.inputs), 'frame')}.")
    at = 0
    for row, same in groupby(failure.inputs):
        end = at + len(list(same))
        which = f"frame {at}" if end == at + 1 else f"frames {at} to {end - 1}"
        console.tell(f"  {which}: {' '.join(f'0x{value:04X}' for value in row)}")
        at = end
