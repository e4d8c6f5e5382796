"""``retick desync``: what to do with the bundle that a match left behind."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from retick.audit.desync.bundle import Bundle, load_bundle
from retick.audit.desync.explain import explain as explain_bundle
from retick.audit.desync.explanation import Explanation, explanation_lines
from retick.cli.replay.files import naming
from retick.cli.replay.game import KNOWN
from retick.errors import UsageError

__all__ = ["desync_app"]

desync_app = typer.Typer(
    name="desync",
    help="Explain matches in which machines came to different states. Example: retick desync explain bundle.zip",
    no_args_is_help=True,
)


@desync_app.callback()
def _desync() -> None:
    """Explain matches in which machines came to different states. Example: retick desync explain bundle.zip"""


@desync_app.command()
def explain(
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", show_default=False, help="A file of a desync.")],
    game: Annotated[
        str | None,
        typer.Option(metavar="MODULE:CLASS", help="The game, as module:Class, file.py:Class or by its id."),
    ] = None,
    game_a: Annotated[
        str | None, typer.Option(metavar="MODULE:CLASS", help="One of two builds to compare, with --game-b.")
    ] = None,
    game_b: Annotated[str | None, typer.Option(metavar="MODULE:CLASS", help="The other build.")] = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds that each run of the game may take.")] = 300.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print a desync's report, run it again from the last frame that agreed, and name the line that wrote what differs.

    With two builds of a game, the first line at which they part is named. Exit code 0: explained. 1: not. 2: misuse.

    Example: retick desync explain match.desync --game mygame.rules:Game
    """
    with naming(bundle):
        loaded = load_bundle(bundle)
    games, hint = _games(loaded, game, game_a, game_b)
    with Console(stderr=True).status("running the match again ...") as status:
        found = explain_bundle(
            loaded, games, timeout=timeout, progress=lambda label: status.update(f"running again: {label} ...")
        )
    _show(found, hint, as_json)
    raise typer.Exit(0 if found.explained else 1)


def _games(
    bundle: Bundle, game: str | None, game_a: str | None, game_b: str | None
) -> tuple[tuple[str, ...], str | None]:
    if (game_a is None) != (game_b is None) or (game is not None and game_a is not None):
        raise UsageError("give --game, or both --game-a and --game-b")
    if game_a is not None and game_b is not None:
        return (KNOWN.get(game_a, game_a), KNOWN.get(game_b, game_b)), None
    if game is not None:
        return (KNOWN.get(game, game),), None
    recordings = [bundle.around, *bundle.recordings.values()]
    ids = [recording.game_id for recording in recordings if recording is not None and recording.game_id in KNOWN]
    if ids:
        return (KNOWN[ids[0]],), None
    return (), f"to run it again, name the game: --game {bundle.game or 'module:Class'}"


def _show(found: Explanation, hint: str | None, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2))
        return
    for line in [*explanation_lines(found), *([hint] if hint else [])]:
        typer.echo(line)
