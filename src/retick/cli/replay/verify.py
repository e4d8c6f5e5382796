"""``retick replay verify``: run replays again and compare with the checksums that they hold."""

from pathlib import Path
from typing import Annotated

import typer

from retick.audit.game_loader import load_game
from retick.cli.read_budget import BudgetOption, load_within
from retick.cli.replay.files import ReplayFiles, Undecided, for_each
from retick.cli.replay.game import GameOption, UnknownGame, game_of
from retick.cli.terminal import say
from retick.errors import RetickError, Truncated, UsageError
from retick.replay import Replay
from retick.replay import verify as run_again

__all__ = ["verify"]


def verify(
    files: ReplayFiles,
    expect: Annotated[
        str | None, typer.Option(metavar="CHECKSUM", help="Checksum of the final state, for example 0x41B73DB7.")
    ] = None,
    game: GameOption = None,
    allow_truncated: Annotated[
        bool,
        typer.Option("--allow-truncated", help="Accept a recording that was cut off, and verify what is left of it."),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only those that are not good.")] = False,
    budget: BudgetOption = None,
) -> None:
    """Run replays again and compare every checksum.

    Exit code 0: all are good. 1: one is not. 2: misuse, or a file that cannot be opened. 3: of one, nothing is known:
    it has no checksum to compare, or its game is not known here. The game is found by the id in the recording: a game
    of Retick, or the game that the project in this folder names; --game names another.

    Example: retick replay verify match.rplk --expect 0x41B73DB7
    """
    expected = None if expect is None else _checksum(expect)
    if expected is not None and len(files) > 1:
        raise UsageError("--expect goes with one file")
    if game is not None:
        load_game(game)

    def judge(path: Path) -> None:
        replay = _load(path, budget, allow_truncated)
        try:
            sim = game_of(replay, game)
        except UnknownGame as error:
            raise Undecided(str(error)) from None
        verdict = run_again(replay, sim, expected)
        if not verdict.ok:
            raise RetickError(str(verdict))
        if not verdict.compared:
            raise Undecided(f"{verdict}: it holds no checksum; give the final one with --expect")
        if not quiet:
            say(f"ok   {path}: {verdict}")

    for_each(files, judge)


def _load(path: Path, budget: int | None, allow_truncated: bool) -> Replay:
    if allow_truncated:
        return load_within(path, budget)
    try:
        return load_within(path, budget, strict=True)
    except Truncated as error:
        raise RetickError(f"{error}: the recording was cut off; --allow-truncated verifies what is left") from None


def _checksum(text: str) -> int:
    try:
        value = int(text, 16)
    except ValueError:
        value = -1
    if not 0 <= value <= 0xFFFFFFFF:
        raise UsageError(f"--expect takes a checksum of up to eight hex digits, such as 0x41B73DB7, not {text!r}")
    return value
