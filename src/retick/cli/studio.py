"""``retick studio``: the web page where a match is played, watched, broken and explained."""

import importlib.util
import webbrowser
from typing import Annotated

import typer

from retick.audit.game_loader import load_game
from retick.cli.arguments import ProjectOption, asked_project
from retick.cli.play.options import IdentityOption, KeylogOption, LinkOptions
from retick.cli.terminal import say
from retick.errors import MissingExtra, UsageError

DEFAULT_PORT = 8420
NEEDED = ("starlette", "uvicorn", "websockets")


def studio(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="[GAME]",
            help="A game of your own, as module:Class or file.py:Class.",
            show_default="the fighter",
        ),
    ] = None,
    project: ProjectOption = False,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    port: Annotated[int, typer.Option(help="TCP port of the page; 0 takes a free one.")] = DEFAULT_PORT,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address to listen on; everyone who reaches it can use the page.")
    ] = "127.0.0.1",
    identity: IdentityOption = None,
    keylog: KeylogOption = None,
) -> None:
    """Open Retick Studio: a page where a match is played, watched, broken and explained.

    It runs until Ctrl-C, and loads nothing from other servers.
    Exit code 0: stopped by SIGTERM. 2: misuse. 130: stopped by Ctrl-C.

    Example: retick studio --open
    """
    if not 0 <= port <= 65535:
        raise UsageError(f"--port must be 0 to 65535, not {port}")
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingExtra(f"the studio needs {', '.join(missing)}: pip install {' '.join(missing)}")
    asked = asked_project(project, game)
    wanted = game or asked
    if wanted is not None:
        load_game(wanted)
    from retick.studio.room import Settings
    from retick.studio.run import is_loopback, serve

    def ready(address: str) -> None:
        if not is_loopback(host):
            say("everyone who reaches this address can use the page", err=True)
        say(f"Retick Studio: {address}  (Ctrl-C ends it)")
        if open_page:
            webbrowser.open(address)

    links = LinkOptions(plain=False, identity=identity, keylog=keylog)
    links.make_files()
    serve(Settings(game=wanted, identity=identity, keylog=keylog), host=host, port=port, on_ready=ready)
