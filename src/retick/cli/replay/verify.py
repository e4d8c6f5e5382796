"""``retick replay verify``: run replays again and compare with the checksums that they hold."""

from pathlib import Path
from typing import Annotated

import typer

from retick.audit.game_loader import load_game
from retick.cli.read_budget import BudgetOption, load_within
from retick.cli.replay.files import Undecided, for_each
from retick.cli.replay.game import GameOption, UnknownGame, game_of
from retick.cli.replay.verify_many import EngineName, Many, are_many
from retick.cli.terminal import say
from retick.errors import RetickError, Truncated, UsageError
from retick.replay import Replay
from retick.replay import verify as run_again

__all__ = ["verify"]


def verify(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILES",
            show_default=False,
            help="Replays; also folders, patterns, archives (.tar, .parquet) and URLs.",
        ),
    ] = None,
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
    manifest: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="CSV or Parquet: path, seed and final checksum of each replay."),
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write a row for each replay: .jsonl or .parquet. What it has is not run again."
        ),
    ] = None,
    engine: Annotated[EngineName, typer.Option(help="Who runs many replays.")] = EngineName.AUTO,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Threads or processes.", show_default="by the cores")
    ] = None,
    address: Annotated[str | None, typer.Option(help="A ray cluster that runs already, with --engine ray.")] = None,
) -> None:
    """Run replays again and compare every checksum.

    With a folder, a pattern, an archive, a URL, a manifest or a file of results, many are run at once on all cores:
    exit code 0 then means that all are ok, and 1 that one is not, for whatever reason, also a file that is missing;
    its line says why.

    Exit code 0: all are good. 1: one is not. 2: misuse, or a file that cannot be opened. 3: of one, nothing is known:
    it has no checksum to compare, or its game is not known here. The game is found by the id in the recording: a game
    of Retick, or the game that the project in this folder names; --game names another.

    Example: retick replay verify match.rplk --expect 0x41B73DB7
    """
    sources = sources or []
    if not sources and manifest is None:
        raise UsageError("missing argument 'FILES' (see retick replay verify --help)")
    expected = None if expect is None else _checksum(expect)
    is_one_by_one = not (
        manifest or results or address or workers or engine is not EngineName.AUTO or are_many(sources)
    )
    if expected is not None and (len(sources) > 1 or not is_one_by_one):
        raise UsageError("--expect goes with one file")
    if game is not None:
        load_game(game)
    if not is_one_by_one:
        Many(
            manifest=manifest,
            results=results,
            engine=engine,
            workers=workers,
            address=address,
            game=game,
            allow_truncated=allow_truncated,
            quiet=quiet,
            budget=budget,
        ).run(sources)
        return

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

    for_each([Path(each) for each in sources], judge)


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
