"""``retick desync``: explains the bundle that a match writes when its peers diverge."""

import shlex
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from retick.audit.desync.bundle import Bundle, load_bundle
from retick.audit.desync.explain import explain as explain_bundle
from retick.audit.desync.explanation import DesyncExplanation, explanation_lines
from retick.audit.game_loader import GAME_IDS, locate_game
from retick.cli.arguments import BudgetOption, ProjectOption, asked_project, project_game, raisable, read_limits
from retick.cli.exit_codes import NO, named
from retick.cli.terminal import say, say_json, working
from retick.errors import UsageError

desync_app = typer.Typer(
    name="desync",
    help="Explain matches whose peers diverged.\n\nExample: retick desync explain match.desync",
    no_args_is_help=True,
)


@desync_app.callback()
def _desync() -> None:
    """Makes ``explain`` a subcommand although it is the only one."""


@desync_app.command()
def explain(
    bundle: Annotated[
        Path, typer.Argument(metavar="BUNDLE", show_default=False, help="The file that a match wrote after a desync.")
    ],
    game: Annotated[
        str | None,
        typer.Option(
            metavar="MODULE:CLASS",
            help="The game, as module:Class, file.py:Class or by its id.",
            show_default="the bundle's, if it is a game of Retick",
        ),
    ] = None,
    project: ProjectOption = False,
    game_a: Annotated[
        str | None, typer.Option(metavar="MODULE:CLASS", help="One of two builds to compare, with --game-b.")
    ] = None,
    game_b: Annotated[str | None, typer.Option(metavar="MODULE:CLASS", help="The other build.")] = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds that each run of the game may take.")] = 300.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    budget: BudgetOption = None,
) -> None:
    """Print the report of a desync, run the match again from the last agreed frame, and name the line that differs.

    With two builds of a game, the first line at which they diverge is named.
    Exit code 0: explained. 1: not explained. 2: misuse.

    Example: retick desync explain match.desync --game mygame.rules:Game
    """
    if (game_a is None) != (game_b is None) or (game is not None and game_a is not None):
        raise UsageError("give --game, or both --game-a and --game-b")
    asked = asked_project(project, game, game_a)
    game = game or asked
    with named(bundle), raisable():
        loaded = load_bundle(bundle, limits=read_limits(budget))
    games, hint = _games(bundle, loaded, tuple(name for name in (game, game_a, game_b) if name is not None))
    with working("running the match again ...") as show:
        found = explain_bundle(
            loaded,
            games,
            timeout=timeout,
            progress=lambda label: show(f"running the match again: {label} ..."),
        )
    _show(found, hint, as_json)
    raise typer.Exit(0 if found.explained else NO)


def _games(path: Path, bundle: Bundle, given: tuple[str, ...]) -> tuple[tuple[str, ...], str | None]:
    """The games to run the match with: those given, or else the bundle's; if there are none, also what to do."""
    if given:
        return given, None
    recordings = [bundle.around, *bundle.recordings.values()]
    ids = [recording.game_id for recording in recordings if recording is not None and recording.game_id in GAME_IDS]
    if ids:
        return (GAME_IDS[ids[0]],), None
    command = f"to run it again: retick desync explain {shlex.quote(str(path))}"
    ways = ["--project (the game of this folder)"] if _has_project() else []
    return (), f"{command} {', or '.join([*ways, f'--game {_suggested(bundle.game)}'])}"


def _has_project() -> bool:
    """Whether the project in the working directory names a game; nothing of it is run."""
    with suppress(UsageError, OSError):
        return project_game() is not None
    return False


def _suggested(name: str) -> str:
    """The bundle's game, to be typed after --game; only a plain name, since a stranger may have written it."""
    module, colon, attribute = name.partition(":")
    parts = [*module.split("."), *attribute.split(".")]
    plain = colon and name.isascii() and all(part.isidentifier() for part in parts)
    if not plain:
        return "module:Class"
    try:
        locate_game(name)
    except UsageError:
        return f"file.py:{shlex.quote(attribute)} (the file says {name}, and there is no such module here)"
    return f"{shlex.quote(name)} (so says the file)"


def _show(found: DesyncExplanation, hint: str | None, as_json: bool) -> None:
    if as_json:
        say_json(found.to_json(), indent=2)
        return
    say(*explanation_lines(found), *([hint] if hint else []))
